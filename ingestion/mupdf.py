"""PyMuPDF without its layout model."""

import sys
from importlib import import_module
from typing import Any, cast

_UNASKED = ("pymupdf.layout", "pymupdf4llm")


def pymupdf() -> Any:
    """Return the module `pymupdf`.

    By itself it would import its layout model and the converter that asks it, with numpy and
    onnxruntime, which nothing here uses: half a second of a processor and 56 MB in every process
    that opens a PDF.
    """
    modules = cast("dict[str, Any]", sys.modules)
    left_out = [name for name in _UNASKED if name not in modules and "pymupdf" not in modules]
    modules.update(dict.fromkeys(left_out))
    try:
        return import_module("pymupdf")
    finally:
        for name in left_out:
            del modules[name]

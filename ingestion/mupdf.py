"""PyMuPDF without its layout model."""

import sys
from importlib import import_module
from typing import Any, cast

_LAYOUT = "pymupdf.layout"


def pymupdf() -> Any:
    """Return the module `pymupdf`.

    By itself it would import its layout model with numpy and onnxruntime, which nothing here asks:
    half a second and 56 MB in every process that opens a PDF.
    """
    modules = cast("dict[str, Any]", sys.modules)
    is_first = "pymupdf" not in modules and _LAYOUT not in modules
    if is_first:
        modules[_LAYOUT] = None
    try:
        return import_module("pymupdf")
    finally:
        if is_first:
            del modules[_LAYOUT]

"""reStructuredText files become documents, by way of the HTML that docutils writes."""

from ingestion.decoding import decode
from ingestion.flowing import flowing_document
from ingestion.loaders.html import fragment_blocks
from ingestion.page import Document, UnreadableFile
from ingestion.plain_blocks import plain_blocks

_LONGEST_LINE = 10_000
"""Beyond this docutils gives up, since its inline parser takes quadratic time."""

_SETTINGS = {
    "_disable_config": True,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "traceback": True,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "smart_quotes": False,
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "line_length_limit": _LONGEST_LINE,
    "footnote_references": "brackets",
    "output_encoding": "unicode",
}


def load(data: bytes, file: str) -> Document:
    """Read a reStructuredText file into pages cut along its headings.

    Nothing is included, executed or fetched. Sphinx's own directives and roles are read for their
    text. A file with lines of more than 10,000 characters is read as plain text. Raises
    UnreadableFile where there is no text, or where it is nested too deeply for docutils.
    """
    from docutils.core import publish_parts

    from ingestion.sphinx_markup import SphinxReader, register_sphinx_markup

    text = decode(data)
    if any(len(row) > _LONGEST_LINE for row in text.split("\n")):
        return flowing_document(data, file, "", list(plain_blocks(text)))
    register_sphinx_markup(text)
    try:
        parts = publish_parts(
            text, reader=SphinxReader(), writer="html5", settings_overrides=_SETTINGS
        )
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error
    return flowing_document(data, file, "", fragment_blocks(parts["html_body"]))

"""AsciiDoc files become documents, by way of the HTML that they stand for."""

from ingestion.asciidoc.blocks import html
from ingestion.asciidoc.lines import Attributes, preprocessed
from ingestion.decoding import decode
from ingestion.loaders.html import fragment_document
from ingestion.page import Document, NotDocumentation, UnreadableFile

_SIGNED = "-----BEGIN PGP"


def load(data: bytes, file: str) -> Document:
    """Read an AsciiDoc file into pages cut along its headings.

    Attributes and conditions are followed as Asciidoctor follows them for a web page; what only
    a project's configuration defines stays as it is written. Code is read letter for letter.
    Raises NotDocumentation for a signature, which has the suffix .asc too, UnreadableFile where
    there is no text or it is nested too deeply.
    """
    text = decode(data)
    if text.lstrip().startswith(_SIGNED):
        raise NotDocumentation("a signature or a key")
    attributes = Attributes()
    lines = preprocessed(text, attributes)
    values = attributes.values
    anchors = values.get("idprefix", "_"), values.get("idseparator", "_")
    try:
        return fragment_document(data, file, "", html(lines, anchors=anchors))
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error

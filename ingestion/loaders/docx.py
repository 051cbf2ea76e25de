"""Word files become documents, by way of the HTML that mammoth makes of them."""

import re
from typing import Any

from ingestion.archives import opened
from ingestion.documents import flowing_document
from ingestion.loaders.html import fragment_blocks
from ingestion.page import Document, UnreadableFile

_CODE = "Source Code"
_STYLES = f"""
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='{_CODE}'] => pre:separator('\\n')
"""
_CODE_STYLE = re.compile(r"code|preformatted|listing|macro text", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|menlo|typewriter|fixedsys", re.IGNORECASE)


def load(data: bytes, file: str) -> Document:
    """Read a Word file into pages cut along its headings.

    Pictures are read for their description; macros, comments, deleted text and what links to
    other files are not read. Raises UnreadableFile where there is no text, or the file is damaged.
    """
    import mammoth

    with opened(data) as source:
        markup = mammoth.convert_to_html(
            source,
            style_map=_STYLES,
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=mammoth.images.img_element(lambda image: {}),
            transform_document=mammoth.transforms.paragraph(_with_code),
        ).value
    if not markup:
        raise UnreadableFile("there is no text in it")
    return flowing_document(data, file, "", fragment_blocks(markup))


def _with_code(paragraph: Any) -> Any:
    """Give a paragraph that is set as code the style of code, whatever its own is called."""
    import mammoth

    runs = mammoth.transforms.get_descendants_of_type(paragraph, mammoth.documents.Run)
    is_mono = bool(runs) and all(_MONO.search(run.font or "") for run in runs)
    if is_mono or _CODE_STYLE.search(paragraph.style_name or ""):
        return paragraph.copy(style_name=_CODE, style_id=None, numbering=None)
    return paragraph

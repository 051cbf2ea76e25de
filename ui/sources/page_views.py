"""A stored page in each view: as printed, as clean text, or block by block."""

from collections.abc import Callable

import streamlit as st

from corpora.indexing.pages import StoredPage
from ingestion.decoding import decode
from ingestion.page import UnreadableFile, numbered_place
from ui.sources.page_blocks import page_pieces
from ui.sources.page_picture import DRAWN, NoPicture, page_picture
from ui.wording.escaping import as_label, visible

_LONGEST_SOURCE = 200_000
_HEIGHT = 640
_FEW_BLOCKS = 16


Original = Callable[[str], bytes]
"""Returns the bytes of a file by their hash; raises LookupError where they are not kept."""


def place_of(page: StoredPage) -> str:
    """The place of a page in its document: its number in a PDF or a deck, else its headings."""
    headings = " › ".join(h for h in page.heading_path if h != page.document.title)
    return numbered_place(page.document.file, page.number) or headings


def show_page(original_of: Original, page: StoredPage, *quotes: str) -> None:
    """The page for a reader: printed as it is, drawn with its text below, or as clean text."""
    drawn = page.document.format in DRAWN and show_page_as_printed(original_of, page, *quotes)
    if not drawn or page.document.format == "svg":
        show_page_as_text(page, *quotes)


def show_page_as_printed(original_of: Original, page: StoredPage, *quotes: str) -> bool:
    """The original: a picture of a PDF's page or a drawing, the source of a file of text.

    Returns False, and says why, where it cannot be shown.
    """
    try:
        original = original_of(page.document.content_hash)
        if page.document.format not in DRAWN:
            _source(original)
            return True
        picture = _picture(original, page.number, quotes, page.document.format)
    except LookupError as error:
        picture = str(error)
    except UnreadableFile:
        picture = "An Office file is shown as its text; download it to see it as it was made."
    if isinstance(picture, str):
        st.info(as_label(picture, 400))
        return False
    with st.container(border=True, key=f"printed-page-{page.id}"):
        st.image(picture, width="stretch" if page.document.format == "pdf" else "content")
    return True


def show_page_as_text(page: StoredPage, *quotes: str) -> None:
    """The page as clean text, the quoted words marked."""
    # The style sheet opens a page of text at the quote, but a drawing at its top.
    key = "drawing-text" if page.document.format == "svg" else "page-text"
    with st.container(key=key, gap="xsmall" if page.document.format == "svg" else "small"):
        for number, piece in enumerate(page_pieces(page.page, *quotes)):
            with st.container(key=f"{'marked' if piece.marked else 'plain'}-piece-{number}"):
                if piece.code:
                    st.code(piece.text, language=None, wrap_lines=True)
                else:
                    st.markdown(piece.text)


def show_page_as_read(page: StoredPage) -> None:
    """Every block that the parser read, with its kind, the headings above it and its anchor."""
    st.caption(f"{len(page.blocks)} blocks, {len(page.text):,} characters")
    st.dataframe(
        [
            {
                "Kind": block.kind.value.replace("_", " "),
                "Text": visible(block.text),
                "Under": visible(" › ".join(block.path)),
                "Anchor": visible(block.anchor or ""),
            }
            for block in page.blocks
        ],
        column_config={"Text": st.column_config.TextColumn(width="large")},
        hide_index=True,
        height="content" if len(page.blocks) <= _FEW_BLOCKS else _HEIGHT,
        alt="Blocks of this page",
    )


def _source(original: bytes) -> None:
    text = visible(decode(original))
    st.code(text[:_LONGEST_SOURCE], language=None, wrap_lines=True, height=_HEIGHT)
    if len(text) > _LONGEST_SOURCE:
        st.caption(f"The first {_LONGEST_SOURCE:,} of {len(text):,} characters")


@st.cache_data(max_entries=32, show_spinner="Drawing the page…")
def _picture(data: bytes, number: int, quotes: tuple[str, ...], format: str) -> bytes | str:
    """The picture, or why there is none; failures are cached too, since they may take long."""
    try:
        return page_picture(data, number, quotes, format)
    except NoPicture as error:
        return str(error)

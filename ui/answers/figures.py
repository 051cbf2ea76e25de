"""The figures of the cited sections below an answer: small, and large on a click."""

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from chatbot.reply import Reply
from chatbot.text.languages import gettext
from chatbot.turn import Citation
from corpora.errors import CatalogError
from corpora.indexing.figures import StoredFigure, figure_bytes, figures_of
from ui.answers.citations import place
from ui.elements.frame import button
from ui.serving import services
from ui.wording.escaping import as_label, visible

_MOST = 6
"""Of one answer."""
_CARD, _WIDTH = 208, 174
_LEAST_LARGE = 640
_SHORT, _LONG = 60, 400


def show_figures(turn: int, reply: Reply) -> None:
    """Thumbnails in a row, each with its caption as the button that opens it."""
    shown = list(islice(_figures(reply), _MOST))
    if not shown:
        return
    with st.container(horizontal=True, key=f"figures-{turn}", gap="small"):
        for number, (figure, citation, data) in enumerate(shown, 1):
            with st.container(
                width=_CARD, border=True, key=f"figure-{turn}-{number}", gap="xsmall"
            ):
                st.image(data, width=min(_WIDTH, figure.width), alt=_description(figure))
                label = as_label(figure.caption or figure.description, _SHORT)
                button(
                    label or gettext("Figure {number}", number=number),
                    _open,
                    *(figure, citation, data),
                    icon="zoom_in",
                    key=f"open-figure-{turn}-{number}",
                    type="tertiary",
                )


def _figures(reply: Reply) -> Iterator[tuple[StoredFigure, Citation, bytes]]:
    """Each figure of the cited sections once, as far as their pages can still be read."""
    seen: set[str] = set()
    chatbot = services.chatbot()
    for citation in reply.citations:
        for figure in _of_section(citation.page_id, citation.section):
            if figure.content_hash in seen:
                continue
            seen.add(figure.content_hash)
            try:
                corpus = chatbot.corpora.corpus(
                    citation.product or reply.product or "", citation.release
                )
                corpus.page(figure.page_id)
                of = figure.page_id, figure.content_hash
                yield figure, citation, figure_bytes(chatbot.database, *of)
            except (CatalogError, LookupError):
                continue


@st.cache_data(max_entries=4096, show_spinner=False)
def _of_section(page_id: int, section: str) -> tuple[StoredFigure, ...]:
    """What stands in a section, which never changes as long as its page has this id.

    Kept for everybody: whether somebody may read the page is asked of each figure.
    """
    return figures_of(services.whole().database, page_id, section)


def _open(figure: StoredFigure, citation: Citation, data: bytes) -> None:
    st.dialog(gettext("Figure"), width="large", icon=":material/image:")(_large)(
        figure, citation, data
    )


def _large(figure: StoredFigure, citation: Citation, data: bytes) -> None:
    st.image(data, width=max(figure.width, _LEAST_LARGE), alt=_description(figure))
    if figure.caption:
        st.markdown(as_label(figure.caption, _LONG))
    if figure.description and figure.description != figure.caption:
        st.caption(as_label(figure.description, _LONG))
    st.caption(place(citation, with_release=True))


def _description(figure: StoredFigure) -> str:
    """What is read out of a figure to those who do not see it."""
    return visible(figure.description or figure.caption) or gettext(
        "A figure without a description"
    )

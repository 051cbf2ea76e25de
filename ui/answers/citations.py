"""The sources of an answer: a chip for each page, which opens it at the quoted words."""

from collections.abc import Sequence

import streamlit as st

from chatbot.reply import Reply
from chatbot.text.languages import gettext
from chatbot.text.places import place_in_file
from chatbot.turn import Citation, Origin
from ingestion.page import CELL_DELIMITER
from ui.elements.frame import button
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label

_LONGEST = 40
_SHORT = 24


def show_citations(turn: int, reply: Reply) -> None:
    """Chips in one row, one for each page, with the numbers of its citations: "1 · 2  Protection".

    Those that would read the same end with the first words of what they cite. Citations of the
    graph of the parameters have a sign of their own.
    """
    pages: dict[tuple[str, int, Origin], list[int]] = {}
    for number, citation in enumerate(reply.citations, 1):
        page = citation.release, citation.page_id, citation.origin
        pages.setdefault(page, []).append(number)
    if not pages:
        return
    compared = bool(reply.compared_releases)
    chips = [[reply.citations[number - 1] for number in numbers] for numbers in pages.values()]
    places = [place(cited[0], with_release=compared) for cited in chips]
    with st.container(horizontal=True, key=f"citations-{turn}", gap="xsmall"):
        for numbers, cited, named in zip(pages.values(), chips, places, strict=True):
            of_graph = cited[0].origin is Origin.GRAPH
            if places.count(named) > 1:
                # Of a table the first row below its header.
                lines = cited[0].quote.split("\n")
                told = lines[1] if len(lines) > 1 else lines[0]
                named = f"{named} · {as_label(told.partition(CELL_DELIMITER)[0], _SHORT)}"
            source_button(
                f"**{' · '.join(map(str, numbers))}**  {named}",
                cited[0].product or reply.product or "",
                cited[0],
                f"cite-{turn}-{numbers[0]}",
                [citation.quote for citation in cited],
                prefix=gettext("From the parameters of the release: ") if of_graph else "",
                icon="account_tree" if of_graph else "",
            )


def source_button(
    label: str,
    product: str,
    citation: Citation,
    key: str,
    quotes: Sequence[str] = (),
    *,
    prefix: str = "",
    icon: str = "",
) -> None:
    """A chip that opens the page of a citation at its quote, or at these `quotes`."""
    section = as_label(prefix + citation.section, 240) or None
    if button(label, icon=icon, key=key, help=section):
        show_source(product, citation, quotes)


def place(citation: Citation, *, with_release: bool = False) -> str:
    """The place of a citation in a few words."""
    document = as_label(citation.document, _LONGEST)
    section = citation.section.rsplit(" › ", 1)[-1]
    parts = [as_label(citation.source)] if with_release else []
    if numbered := place_in_file(citation.file, citation.page, short=True):
        parts.append(f"{document}\\, {as_label(numbered)}")
    else:
        parts += dict.fromkeys((document, as_label(section, _LONGEST)))
    return " · ".join(filter(None, parts))

"""The sources of an answer: a chip for each page, which opens it at the quoted words."""

import streamlit as st

from chatbot.reply import Reply
from chatbot.turn import Citation, Origin
from ingestion.page import numbered_place
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label

_LONGEST = 40
_FROM_GRAPH = "From the parameters of the release\\:"


def show_citations(turn: int, reply: Reply) -> None:
    """Chips in one row, each with the numbers of its citations: "1 · 2  Protection, p. 4".

    Those of what the graph of the parameters states have a sign of their own.
    """
    several = bool(reply.compared_releases)
    pages: dict[tuple[str, int, Origin], list[int]] = {}
    for number, citation in enumerate(reply.citations, 1):
        page = citation.release, citation.page_id, citation.origin
        pages.setdefault(page, []).append(number)
    if not pages:
        return
    with st.container(horizontal=True, key=f"citations-{turn}", gap="xsmall"):
        for numbers in pages.values():
            cited = [reply.citations[number - 1] for number in numbers]
            told = " · ".join(map(str, numbers))
            of_graph = cited[0].origin is Origin.GRAPH
            section = as_label(cited[0].section, 200)
            if st.button(
                f"**{told}**  {place(cited[0], with_release=several)}",
                key=f"cite-{turn}-{numbers[0]}",
                icon=":material/account_tree:" if of_graph else None,
                help=f"{_FROM_GRAPH} {section}" if of_graph else section or None,
            ):
                show_source(reply.product or "", cited[0], [c.quote for c in cited])


def place(citation: Citation, *, with_release: bool = False) -> str:
    """Name the place of a citation in a few words, for a button."""
    document = as_label(citation.document, _LONGEST)
    section = citation.section.rsplit(" › ", 1)[-1]
    parts = [as_label(citation.release)] if with_release else []
    if numbered := numbered_place(citation.file, citation.page):
        short = as_label(numbered.replace("page ", "p. "))
        parts.append(f"{document}\\, {short}")
    else:
        parts += dict.fromkeys((document, as_label(section, _LONGEST)))
    return " · ".join(filter(None, parts))

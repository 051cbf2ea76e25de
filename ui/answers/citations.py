"""The sources of an answer: a chip for each page, which opens it at the quoted words."""

import streamlit as st

from chatbot.reply import Reply
from chatbot.turn import Citation
from ingestion.page import numbered_place
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label

_LONGEST = 40


def show_citations(turn: int, reply: Reply) -> None:
    """Chips in one row, each with the numbers of its citations: "1 · 2  Protection, p. 4"."""
    several = bool(reply.compared_releases)
    pages: dict[tuple[str, int], list[int]] = {}
    for number, citation in enumerate(reply.citations, 1):
        pages.setdefault((citation.release, citation.page_id), []).append(number)
    if not pages:
        return
    with st.container(horizontal=True, key=f"citations-{turn}", gap="xsmall"):
        for numbers in pages.values():
            cited = [reply.citations[number - 1] for number in numbers]
            told = " · ".join(map(str, numbers))
            if st.button(
                f"**{told}**  {place(cited[0], with_release=several)}",
                key=f"cite-{turn}-{numbers[0]}",
                help=as_label(cited[0].section, 200) or None,
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

"""Buttons that open the pages on which an answer rests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from ui.escaping import as_label
from ui.sources.source_view import show_source


def show_citations(
    turn: int, reply: Mapping[str, Any], shown: Iterable[int], *, of_release: bool = False
) -> None:
    """A button for each quote shown; those from one page stand together, the page named once.

    `of_release` says that the release is told already.
    """
    several = bool(reply["compared_releases"]) and not of_release
    pages: dict[tuple[str, int], list[int]] = {}
    for i in shown:
        citation = reply["citations"][i - 1]
        pages.setdefault((citation["release"], citation["page_id"]), []).append(i)
    for quotes in pages.values():
        with st.container(horizontal=True, key=f"citations-{turn}-{quotes[0]}", gap="xsmall"):
            for i in quotes:
                citation = reply["citations"][i - 1]
                name = place(citation, with_release=several) if i == quotes[0] else ""
                if st.button(
                    f"\\[{i}\\] {name}".strip(),
                    key=f"cite-{turn}-{i}",
                    help=as_label(citation["section"], 200) or None,
                    wrap=True,
                ):
                    show_source(reply["product"], citation)


def place(citation: Mapping[str, Any], *, with_release: bool = False) -> str:
    """Name the place of a citation in a few words, for a button."""
    parts = [citation["release"]] if with_release else []
    parts.append(citation["document"])
    if citation["file"].lower().endswith(".pdf"):
        parts.append(f"page {citation['page']}")
    elif (section := citation["section"].rsplit(" › ", 1)[-1]) != citation["document"]:
        parts.append(section)
    return " · ".join(as_label(part, 48) for part in parts if part)

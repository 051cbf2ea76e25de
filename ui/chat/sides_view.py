"""A comparison on the page: two releases next to each other, more of them in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import streamlit as st

from chatbot.comparison.quantities import same_value
from ui.chat.answer_text import show_text
from ui.chat.citations import show_citations
from ui.chat.differing import with_differences
from ui.chat.sides import Compared, Side
from ui.escaping import as_label

_COLUMNS = (3, 11, 9)


def show_sides(
    turn: int, reply: Mapping[str, Any], apart: Compared, linked: int | None = None
) -> None:
    """The sides with their differences marked; on a phone they stand below each other.

    The marks are links of the turn that is `linked`.
    """
    citations = len(reply["citations"])
    show_text(apart.before, citations, linked)
    if not any(side.value or side.text for side in apart.sides):
        _beside(turn, reply, apart.sides, [""] * len(apart.sides), border=False)
    elif len(apart.sides) == 2:
        older, newer = apart.sides
        told = _told(older, newer, citations), _told(newer, older, citations)
        _beside(turn, reply, apart.sides, told, border=True)
    else:
        _table(turn, reply, apart.sides, citations)
    if apart.after.strip():
        show_text(apart.after, citations, linked)


def _told(side: Side, other: Side, citations: int) -> str:
    """What a side says, the words marked that the other one does not say."""
    differs = bool(side.value and other.value) and not same_value([side.value, other.value])
    value = with_differences(side.value, other.value if differs else side.value, alike=0)
    text = with_differences(side.text, other.text, citations)
    return "\n\n".join(filter(None, (f"**{value}**" if value else "", text)))


def _beside(
    turn: int, reply: Mapping[str, Any], sides: Sequence[Side], told: Sequence[str], *, border: bool
) -> None:
    with st.container(key=f"sides-{turn}"):
        columns = st.columns(len(sides), border=border)
    for side, text, column in zip(sides, told, columns, strict=True):
        with column:
            st.markdown(f":gray-badge[{as_label(side.release)}]")
            if text:
                st.markdown(text)
            show_citations(turn, reply, side.citations, of_release=True)


def _table(turn: int, reply: Mapping[str, Any], sides: Sequence[Side], citations: int) -> None:
    """A row for each release; marked is what differs from the one above."""
    told = [_told(sides[0], sides[0], citations)]
    told += [_told(side, above, citations) for above, side in pairwise(sides)]
    with st.container(key=f"compared-{turn}", gap=None):
        with st.container(key=f"compared-head-{turn}"):
            names = ("Release", "Answer", "Source")
            for name, column in zip(names, st.columns(_COLUMNS), strict=True):
                column.caption(name)
        for number, (side, text) in enumerate(zip(sides, told, strict=True)):
            with st.container(key=f"compared-row-{turn}-{number}"):
                release, answer, source = st.columns(_COLUMNS)
            release.markdown(f":gray-badge[{as_label(side.release)}]")
            answer.markdown(text)
            with source:
                show_citations(turn, reply, side.citations, of_release=True)

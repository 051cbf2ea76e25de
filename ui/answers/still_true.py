"""Chips below an answer: how the words that it cites stand in each release of the product."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from chatbot.comparison.standing import Verdict
from chatbot.comparison.still_true import CitedThere, ReleaseStanding, StillTrue
from chatbot.reply import Reply
from chatbot.text.languages import gettext
from ui.answers.citations import place, source_button
from ui.elements.frame import button, in_a_row
from ui.serving import services
from ui.sources.page_blocks import MarkedText
from ui.wording.escaping import as_label
from ui.wording.marking import differing_spans
from ui.wording.still_true import chip, told, told_since

_LOOK_EVERY = 1.0
_LONGEST = 900
AskThere = Callable[[str], None]
"""Asks the question of an answer in the release of this name."""


def show_still_true(turn: int, reply: Reply, ask_there: AskThere | None = None) -> None:
    """A chip for each release, and a warning where what is cited has changed since.

    A chip asks there, if there is somebody to ask. While releases are still being read, the rest
    of them appears by itself.
    """
    found = services.chatbot().still_true.of(reply)
    if found is None:
        return
    if found.pending:
        st.fragment(_wait, run_every=_LOOK_EVERY)(turn, reply, ask_there, [found])
    else:
        _show(turn, reply, found, ask_there)


def _wait(turn: int, reply: Reply, ask_there: AskThere | None, first: list[StillTrue]) -> None:
    """Look again until all releases are read; what was found `first` is shown before that.

    The run of the whole page, which may have a click to answer, is never begun anew from here.
    """
    if first:
        found = first.pop()
    elif (looked := services.chatbot().still_true.of(reply)) and looked.pending:
        found = looked
    else:
        st.rerun()
    _show(turn, reply, found, ask_there)


def _show(turn: int, reply: Reply, found: StillTrue, ask_there: AskThere | None) -> None:
    own = reply.release or reply.citations[0].release
    if found.changed_since:
        text = as_label(told_since(own, found.changed_since), 1_000)
        st.warning(text, icon=":material/update:")
    if not any(not release.answered for release in found.releases):
        return
    with in_a_row(key=f"still-true-{turn}", gap="xsmall"):
        st.caption(gettext("Still true?"), width="content")
        for release in found.releases:
            _chip(turn, release, ask_there)
        if differing := [r for r in found.releases if r.verdict is Verdict.CHANGED]:
            compare = partial(_compare, reply, own, differing)
            key = f"still-words-{turn}"
            label, shows = gettext("Compare words"), gettext("Show the words that differ")
            if button(label, icon="difference", type="tertiary", key=key, help=shows):
                st.dialog(gettext("The words in other releases"), width="medium")(compare)()


def _chip(turn: int, release: ReleaseStanding, ask_there: AskThere | None) -> None:
    label = as_label(chip(release))
    if release.answered:
        own = gettext("This answer's release")
        st.markdown(f":primary-badge[**{label}**]", width="content", help=own)
        return
    said = as_label(told(release), 700)
    if ask_there is None:
        st.markdown(f":gray-badge[{label}]", width="content", help=said)
        return
    asks = gettext("Click to ask about {release}.", release=as_label(release.release))
    key = f"still-{turn}-{release.release}"
    button(label, ask_there, release.release, key=key, help=f"{said} {asks}")


def _compare(reply: Reply, own: str, differing: list[ReleaseStanding]) -> None:
    """What the answer cites, and what stands there in the releases that differ, side by side."""
    for release in differing:
        st.markdown(f"**{as_label(release.release)}**")
        for cited in release.citations:
            if cited.verdict is not Verdict.SAME:
                with st.container(border=True, gap="xsmall"):
                    _pair(reply, own, release.release, cited)


def _pair(reply: Reply, own: str, release: str, cited: CitedThere) -> None:
    before = reply.citations[cited.number - 1].quote[:_LONGEST]
    after = "\n".join(there.quote for there in cited.there)[:_LONGEST]
    marks = differing_spans(before, after)
    for name, text, spans, colour in zip(
        (own, release), (before, after), marks, ("red", "green"), strict=True
    ):
        st.markdown(f":gray-badge[{as_label(name)}]")
        st.markdown(
            MarkedText(text, spans).markdown(colour) if text else f":gray[{gettext('not found')}]"
        )
    for number, there in enumerate(cited.there):
        key = f"there-{release}-{cited.number}-{number}"
        source_button(place(there, with_release=True), reply.product or "", there, key)

"""A turn opened by an admin: its conversation, its rating and review, how it came about."""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import streamlit as st
from streamlit.column_config import ProgressColumn

from chatbot.accounts.people import LOCAL, Person
from chatbot.errors import UnknownTurn
from chatbot.reply import Trace, TracedChunk, TracedMemory
from chatbot.review.turns import AdjacentTurns, AllTurns, OpenedTurn, TurnFilter
from chatbot.text.languages import figure, gettext, gettext_noop, ngettext
from chatbot.text.step_names import step_name
from chatbot.turn import ModelCall
from corpora.database.history_tables import TurnRow
from ui.answers.answer import show_question, show_reply, show_text
from ui.answers.still_true import show_still_true
from ui.elements.address import go
from ui.elements.frame import button, failures_shown, show_facts, when
from ui.elements.table import Columns, Number, show_table
from ui.review.review_form import review_form
from ui.serving import services
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import vouched
from ui.wording.reviews import name_of

_RATINGS = {
    "good": (gettext_noop("Good"), "G", "check"),
    "bad": (gettext_noop("Bad"), "B", "close"),
    "wrong release": (gettext_noop("Wrong release"), "W", "layers_clear"),
    "incomplete": (gettext_noop("Incomplete"), "I", "incomplete_circle"),
}
"""Label, key and icon of the button for each rating."""
_MEMORY = {
    "reuse": gettext_noop("A saved answer was given."),
    "reference": gettext_noop("A saved answer was shown to the model as an example."),
}
_QUERIES = {
    "base": gettext_noop("Base"),
    "filtered": gettext_noop("Filtered"),
    "versionless": gettext_noop("Versionless"),
    "subject": gettext_noop("Subject"),
    "asked": gettext_noop("Asked"),
}
_RECALLED = {
    "reused": gettext_noop("reused"),
    "offered": gettext_noop("offered to the asker"),
    "good": gettext_noop("similar, rated good"),
    "bad": gettext_noop("similar, rated poor"),
}


def turn_page(turns: AllTurns, person: Person, turn: int, wanted: TurnFilter) -> None:
    """Show a turn; previous and next go through the turns that the filter leaves."""
    try:
        opened = turns.open(person, turn)
    except UnknownTurn as error:
        st.error(as_text(str(error)), icon=":material/error:")
        button(gettext("All answers"), partial(go, turn=None), icon="arrow_back")
        return
    _rating_bar(person, opened, turns.neighbours(person, turn, wanted))
    answered, thought = st.columns([5, 3], gap="large")
    with answered:
        _conversation(opened)
    with thought:
        _facts(opened)
        review_form(turns, person, opened)
    _show_trace(opened)


def _conversation(opened: OpenedTurn) -> None:
    _others(opened.before)
    show_question(opened.turn.question)
    with st.chat_message("assistant", avatar=":material/layers:"):
        if opened.turn.superseded:
            st.caption(
                ":material/history: "
                + gettext(
                    "This question was asked again; this answer is no longer part of the "
                    "conversation."
                )
            )
        show_reply(opened.turn.id, opened.reply)
        show_still_true(opened.turn.id, opened.reply)
    _others(opened.after)


def _others(turns: Sequence[TurnRow]) -> None:
    for turn in turns:
        anew = f" · {gettext('asked again since')}" if turn.superseded else ""
        with st.expander(f"{as_label(turn.question, 110)}{anew}", type="compact"):
            st.markdown(as_text(turn.question))
            show_text(turn.answer["answer"])
            open_it, key = partial(go, turn=turn.id), f"open-{turn.id}"
            button(gettext("Open this answer"), open_it, icon="arrow_forward", key=key)


def _facts(opened: OpenedTurn) -> None:
    turn = opened.turn
    show_facts(
        {
            gettext("Asked"): when(turn.created),
            gettext("User"): turn.owner or LOCAL.name,
            gettext("Conversation"): opened.title or gettext("Untitled"),
            gettext("Took"): gettext("{number} s", number=figure(turn.seconds, 1)),
            gettext("Profile"): turn.profile or gettext("not recorded"),
            gettext("Model"): turn.model or gettext("not used"),
        }
    )
    feedback = turn.feedback
    if feedback is None:
        st.caption(gettext("No user feedback."))
        return
    icon = ":material/thumb_up:" if feedback.thumbs > 0 else ":material/thumb_down:"
    with st.container(border=True, key="said-of-it"):
        reason = f" {as_label(feedback.reason)}" if feedback.reason else ""
        st.markdown(f"{icon}{reason} :small[:gray[{as_label(when(feedback.created))}]]")
        if feedback.comment:
            st.markdown(as_text(feedback.comment))


def _rating_bar(person: Person, opened: OpenedTurn, beside: AdjacentTurns) -> None:
    review, turn = opened.review, opened.turn.id
    with st.container(horizontal=True, key="rating-bar", gap="small"):
        for label, key, icon, to, disabled in (
            (gettext("All answers"), "A", "list", None, False),
            (gettext("Previous"), "P", "chevron_left", beside.newer, beside.newer is None),
            (gettext("Next"), "N", "chevron_right", beside.older, beside.older is None),
        ):
            button(label, partial(go, turn=to), icon=icon, shortcut=key, disabled=disabled)
        for rating, (label, key, icon) in _RATINGS.items():
            options: dict[str, Any] = {"icon": icon, "shortcut": key, "key": f"rate-{rating}"}
            if review.rating == rating:
                options |= {"type": "primary", "help": gettext("Press again to remove the rating.")}
            if button(gettext(label), **options):
                _change(person, turn, turn, rating="" if review.rating == rating else rating)
        if review.status == "done":
            if button(gettext("Reopen"), icon="undo", shortcut="D", key="reopen"):
                _change(person, turn, turn, status="open")
        else:
            explanation = gettext("Mark as done and open the next answer.")
            if button(gettext("Done"), icon="done_all", shortcut="D", key="done", help=explanation):
                _change(person, turn, beside.older or turn, status="done")


def _change(person: Person, turn: int, then: int, **changes: Any) -> None:
    with failures_shown():
        services.ratings().change(person, turn, **changes)
        go(turn=then)
        st.rerun()


def _show_trace(opened: OpenedTurn) -> None:
    st.subheader(gettext("How this answer was produced"), anchor=False)
    trace = opened.trace
    route = opened.turn.route
    memory = gettext(_MEMORY[route]) if route in _MEMORY else gettext("No saved answer was used.")
    way = as_label(name_of(route) or gettext("not recorded"))
    st.markdown(f":gray[{gettext('Route')}:] {way} · {memory}")
    if trace is None:
        st.info(
            gettext("No details: this answer was given by an earlier version of Strata."),
            icon=":material/info:",
        )
        return
    _show_steps(trace)
    for number, side in enumerate(trace.sides, 1):
        releases = ", ".join(side.release.releases) if side.release else ""
        side_of = gettext("Side {number}", number=number)
        with st.expander(f"{side_of} · {as_label(releases or gettext('no release'))}"):
            _show_steps(side)


def _show_steps(trace: Trace) -> None:
    left, right = st.columns([5, 3], gap="large")
    with left:
        if release := trace.release:
            names = ", ".join(release.releases) or gettext("none")
            st.markdown(
                f"**{gettext('Release')}** {as_label(names, 200)} "
                f":gray[· {as_label(name_of(release.status))} · "
                f"{as_label(release.explanation, 300)}]"
            )
        if trace.refusal:
            st.markdown(f"**{gettext('Refused')}** :gray[· {as_label(trace.refusal, 300)}]")
        if queries := trace.queries:
            st.markdown(f"**{gettext('Queries')}**")
            made = [(_QUERIES.get(name, name), text) for name, text in queries if text]
            query: Columns[tuple[str, str]] = {
                gettext("Query"): (110, lambda q: gettext(q[0])),
                gettext("Text"): itemgetter(1),
            }
            show_table(made, query)
        _recalled(trace.memory)
    with right:
        if timings := trace.timings:
            st.markdown(f"**{gettext('Time per step')}**")
            longest = max(0.001, *timings.values())
            seconds = ProgressColumn(format="%.3f", min_value=0.0, max_value=longest)
            columns: Columns[str] = {
                gettext("Step"): step_name,
                gettext("Seconds"): (seconds, timings.__getitem__),
            }
            show_table(list(timings), columns)
        if (temperature := trace.temperature) is not None:
            shown = figure(temperature, 2)
            st.caption(gettext("Temperature of the answer: {number}", number=shown))
    _chunks(trace)
    if calls := trace.calls:
        _calls(calls)
    for fallback in trace.fallbacks:
        step, reason = as_label(step_name(fallback.step)), as_label(fallback.reason, 400)
        without = gettext("Without its model: {step} ({reason})", step=step, reason=reason)
        st.caption(f":material/info: {without}")


def _recalled(memory: TracedMemory) -> None:
    if memory.afresh:
        afresh = gettext("not used: answered again from the documents")
        st.markdown(f"**{gettext('Saved answers')}** :gray[· {afresh}]")
        return
    reused = (memory.reused,) if memory.reused else ()
    pairs_by_role = {
        "reused": reused,
        "offered": memory.offers,
        "good": memory.good,
        "bad": memory.bad,
    }
    number = len({pair.id for pairs in pairs_by_role.values() for pair in pairs})
    found = ngettext("{number} similar answer found", "{number} similar answers found", number)
    st.markdown(f"**{gettext('Saved answers')}** :gray[· {found}]")
    with st.container(gap="xsmall", key="recalled"):
        for role, pairs in pairs_by_role.items():
            for pair in pairs:
                near = gettext("cosine {number}", number=figure(pair.similarity, 2))
                told = f"{gettext(_RECALLED[role])} · {near} · {vouched(pair)}"
                label = f"{told} · {pair.question}"
                to = partial(go, turn=None, pair=pair.id)
                button(as_label(label, 240), to, key=f"recalled-{role}-{pair.id}", type="tertiary")


def _chunks(trace: Trace) -> None:
    if not trace.retrieved:
        return
    kept = {_place(chunk): chunk.kept for chunk in trace.reduced}
    selected = {_place(chunk) for chunk in trace.selected}
    chosen = ngettext("{number} selected", "{number} selected", len(selected))
    found = f"{figure(len(trace.retrieved))}, {chosen}"
    st.markdown(f"**{gettext('Passages found')}** :gray[· {found}]")
    columns: Columns[TracedChunk] = {
        gettext("Score"): (Number(4, width=80), lambda chunk: chunk.score),
        gettext("Document"): lambda chunk: chunk.file,
        gettext("Page"): (Number(width=70), lambda chunk: chunk.page),
        gettext("Section"): lambda chunk: chunk.section,
        gettext("Passages kept"): (Number(width=110), lambda c: len(kept.get(_place(c), ()))),
        gettext("Selected"): (
            80,
            lambda chunk: gettext("yes") if _place(chunk) in selected else "",
        ),
    }
    show_table(trace.retrieved, columns)
    if not kept:
        return
    with st.expander(gettext("Text that was used")):
        for place, passages in kept.items():
            name = f"{place[0]}, {gettext('page {number}', number=place[1])}"
            told = f" · {gettext('selected')}" if place in selected else ""
            st.caption(f"{as_label(name, 160)}{told}")
            for passage in passages:
                st.code(passage, language=None, wrap_lines=True)


def _place(chunk: TracedChunk) -> tuple[str, int]:
    return chunk.file, chunk.page


def _calls(calls: Sequence[ModelCall]) -> None:
    st.markdown(f"**{gettext('Language model calls')}** :gray[· {len(calls)}]")
    for call in calls:
        summary = gettext(
            "{step} · {seconds} s (first word after {first} s) · {read} tokens read ({cached} "
            "cached), {written} written",
            step=step_name(call.step),
            seconds=figure(call.seconds, 1),
            first=figure(call.first_token, 1),
            read=figure(call.prompt_tokens),
            cached=figure(call.cached_tokens),
            written=figure(call.completion_tokens),
        )
        with st.expander(as_label(summary, 200)):
            if call.model:
                served = (call.model, call.server)
                st.caption(" · ".join(as_label(name, 200) for name in served if name))
            if call.instead_of:
                said = gettext("Stood in: {reason}", reason=as_text(call.instead_of))
                st.warning(said, icon=":material/cloud_off:")
            if call.problem:
                st.warning(as_text(call.problem), icon=":material/warning:")
            for role, text in call.prompt:
                st.caption(as_label(role))
                st.code(text, language=None, wrap_lines=True)
            st.caption(gettext("reply"))
            st.code(call.reply, language=None, wrap_lines=True)

"""A turn opened by an admin: its conversation, its rating and review, how it came about."""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import streamlit as st
from streamlit.column_config import NumberColumn, ProgressColumn

from chatbot.accounts.people import LOCAL, Person
from chatbot.errors import UnknownTurn
from chatbot.reply import Trace, TracedChunk, TracedMemory
from chatbot.review.turns import AdjacentTurns, AllTurns, OpenedTurn, TurnFilter
from chatbot.turn import ModelCall
from corpora.database.history_tables import TurnRow
from ui.answers.answer import show_question, show_reply, show_text
from ui.answers.still_true import show_still_true
from ui.elements.address import go
from ui.elements.frame import button, failures_shown, show_facts, when
from ui.elements.table import Columns, show_table
from ui.review.review_form import review_form
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import vouched
from ui.wording.progress import step_name

_RATINGS = {
    "good": ("Good", "G", "check"),
    "bad": ("Bad", "B", "close"),
    "wrong release": ("Wrong release", "W", "layers_clear"),
    "incomplete": ("Incomplete", "I", "incomplete_circle"),
}
"""Label, key and icon of the button for each rating."""
_MEMORY = {
    "reuse": "A saved answer was given.",
    "reference": "A saved answer was shown to the model as an example.",
}
_RECALLED = {
    "reused": "reused",
    "offered": "offered to the asker",
    "good": "similar, rated good",
    "bad": "similar, rated poor",
}


def turn_page(turns: AllTurns, person: Person, turn: int, wanted: TurnFilter) -> None:
    """Show a turn; previous and next go through the turns that the filter leaves."""
    try:
        opened = turns.open(person, turn)
    except UnknownTurn as error:
        st.error(as_text(str(error)), icon=":material/error:")
        button("All answers", partial(go, turn=None), icon="arrow_back")
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
                ":material/history: This question was asked again; this answer is no longer "
                "part of the conversation."
            )
        show_reply(opened.turn.id, opened.reply)
        show_still_true(opened.turn.id, opened.reply)
    _others(opened.after)


def _others(turns: Sequence[TurnRow]) -> None:
    for turn in turns:
        anew = " · asked again since" if turn.superseded else ""
        with st.expander(f"{as_label(turn.question, 110)}{anew}", type="compact"):
            st.markdown(as_text(turn.question))
            show_text(turn.answer["answer"])
            open_it, key = partial(go, turn=turn.id), f"open-{turn.id}"
            button("Open this answer", open_it, icon="arrow_forward", key=key)


def _facts(opened: OpenedTurn) -> None:
    turn = opened.turn
    show_facts(
        {
            "Asked": when(turn.created),
            "User": turn.owner or LOCAL.name,
            "Conversation": opened.title or "untitled",
            "Took": f"{turn.seconds:.1f} s",
            "Profile": turn.profile or "not recorded",
            "Model": turn.model or "not used",
        }
    )
    feedback = turn.feedback
    if feedback is None:
        st.caption("No user feedback.")
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
            ("All answers", "A", "list", None, False),
            ("Previous", "P", "chevron_left", beside.newer, beside.newer is None),
            ("Next", "N", "chevron_right", beside.older, beside.older is None),
        ):
            button(label, partial(go, turn=to), icon=icon, shortcut=key, disabled=disabled)
        for rating, (label, key, icon) in _RATINGS.items():
            options: dict[str, Any] = {"icon": icon, "shortcut": key, "key": f"rate-{rating}"}
            if review.rating == rating:
                options |= {"type": "primary", "help": "Press again to remove the rating."}
            if button(label, **options):
                _change(person, turn, turn, rating="" if review.rating == rating else rating)
        if review.status == "done":
            if button("Reopen", icon="undo", shortcut="D", key="reopen"):
                _change(person, turn, turn, status="open")
        else:
            explanation = "Mark as done and open the next answer."
            if button("Done", icon="done_all", shortcut="D", key="done", help=explanation):
                _change(person, turn, beside.older or turn, status="done")


def _change(person: Person, turn: int, then: int, **changes: Any) -> None:
    with failures_shown():
        services.ratings().change(person, turn, **changes)
        go(turn=then)
        st.rerun()


def _show_trace(opened: OpenedTurn) -> None:
    st.subheader("How this answer was produced", anchor=False)
    trace = opened.trace
    route = opened.turn.route
    memory = _MEMORY.get(route, "No saved answer was used.")
    st.markdown(f":gray[Route:] {as_label(route or 'not recorded')} · {memory}")
    if trace is None:
        st.info(
            "No details: this answer was given by an earlier version of Strata.",
            icon=":material/info:",
        )
        return
    _show_steps(trace)
    for number, side in enumerate(trace.sides, 1):
        releases = ", ".join(side.release.releases) if side.release else ""
        with st.expander(f"Side {number}: {as_label(releases or 'no release')}"):
            _show_steps(side)


def _show_steps(trace: Trace) -> None:
    left, right = st.columns([5, 3], gap="large")
    with left:
        if release := trace.release:
            names = ", ".join(release.releases) or "none"
            st.markdown(
                f"**Release** {as_label(names, 200)} :gray[· {as_label(release.status)} · "
                f"{as_label(release.explanation, 300)}]"
            )
        if trace.refusal:
            st.markdown(f"**Refused** :gray[· {as_label(trace.refusal, 300)}]")
        if queries := trace.queries:
            st.markdown("**Queries**")
            queries_made = [(name, text) for name, text in queries if text]
            show_table(
                queries_made, {"Query": (110, lambda q: q[0].capitalize()), "Text": itemgetter(1)}
            )
        _recalled(trace.memory)
    with right:
        if timings := trace.timings:
            st.markdown("**Time per step**")
            longest = max(0.001, *timings.values())
            seconds = ProgressColumn(format="%.3f", min_value=0.0, max_value=longest)
            columns: Columns[str] = {"Step": step_name, "Seconds": (seconds, timings.__getitem__)}
            show_table(list(timings), columns)
        if (temperature := trace.temperature) is not None:
            st.caption(f"Temperature of the answer: {temperature:.2f}")
    _chunks(trace)
    if calls := trace.calls:
        _calls(calls)
    for fallback in trace.fallbacks:
        step, reason = step_name(fallback.step), fallback.reason
        st.caption(
            f":material/info: Without the language model: {as_label(step)}\\: "
            f"{as_label(reason, 400)}"
        )


def _recalled(memory: TracedMemory) -> None:
    if memory.afresh:
        st.markdown("**Saved answers** :gray[· not used: answered again from the documents]")
        return
    reused = (memory.reused,) if memory.reused else ()
    pairs_by_role = {
        "reused": reused,
        "offered": memory.offers,
        "good": memory.good,
        "bad": memory.bad,
    }
    number = len({pair.id for pairs in pairs_by_role.values() for pair in pairs})
    st.markdown(f"**Saved answers** :gray[· {how_many(number, 'similar answer')} found]")
    with st.container(gap="xsmall", key="recalled"):
        for role, pairs in pairs_by_role.items():
            for pair in pairs:
                near = f"{_RECALLED[role]}, cosine {pair.similarity:.2f}"
                label = f"{near}, {vouched(pair)}: “{pair.question}”"
                to = partial(go, turn=None, pair=pair.id)
                button(as_label(label, 240), to, key=f"recalled-{role}-{pair.id}", type="tertiary")


def _chunks(trace: Trace) -> None:
    if not trace.retrieved:
        return
    kept = {_place(chunk): chunk.kept for chunk in trace.reduced}
    selected = {_place(chunk) for chunk in trace.selected}
    st.markdown(f"**Passages found** :gray[· {len(trace.retrieved)}, {len(selected)} selected]")
    columns: Columns[TracedChunk] = {
        "Score": (NumberColumn(format="%.4f", width=80), lambda chunk: chunk.score),
        "Document": lambda chunk: chunk.file,
        "Page": (NumberColumn(width=70), lambda chunk: chunk.page),
        "Section": lambda chunk: chunk.section,
        "Passages kept": (NumberColumn(width=110), lambda c: len(kept.get(_place(c), ()))),
        "Selected": (80, lambda chunk: "yes" if _place(chunk) in selected else ""),
    }
    show_table(trace.retrieved, columns)
    if not kept:
        return
    with st.expander("Text that was used"):
        for place, passages in kept.items():
            name = f"{place[0]}, page {place[1]}"
            chosen = " · selected" if place in selected else ""
            st.caption(f"{as_label(name, 160)}{chosen}")
            for passage in passages:
                st.code(passage, language=None, wrap_lines=True)


def _place(chunk: TracedChunk) -> tuple[str, int]:
    return chunk.file, chunk.page


def _calls(calls: Sequence[ModelCall]) -> None:
    st.markdown(f"**Language model calls** :gray[· {len(calls)}]")
    for call in calls:
        summary = (
            f"{step_name(call.step)} · {call.seconds:.1f} s (first word after "
            f"{call.first_token:.1f} s) · {call.prompt_tokens:,} tokens read "
            f"({call.cached_tokens:,} cached), {call.completion_tokens:,} written"
        )
        with st.expander(as_label(summary, 200)):
            if call.model:
                where = f" at {as_label(call.server, 200)}" if call.server else ""
                st.caption(f"By {as_label(call.model, 200)}{where}")
            if call.instead_of:
                st.warning(f"Stood in: {as_text(call.instead_of)}", icon=":material/cloud_off:")
            if call.problem:
                st.warning(as_text(call.problem), icon=":material/warning:")
            for role, text in call.prompt:
                st.caption(as_label(role))
                st.code(text, language=None, wrap_lines=True)
            st.caption("reply")
            st.code(call.reply, language=None, wrap_lines=True)

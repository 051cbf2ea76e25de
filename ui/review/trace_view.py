"""How an answer came about, step by step: queries, chunks, what was kept, the model's calls."""

from collections.abc import Sequence
from operator import itemgetter

import streamlit as st
from streamlit.column_config import NumberColumn, ProgressColumn

from chatbot.reply import Trace, TracedChunk, TracedMemory
from chatbot.review.turns import OpenedTurn
from chatbot.turn import ModelCall
from ui.elements.address import page_link
from ui.elements.table import Columns, show_table
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import vouched
from ui.wording.progress import step_name

_MEMORY = {
    "reuse": "A saved answer was given.",
    "reference": "A saved answer was shown to the model as an example.",
}
_RECALLED = {"reused": "reused", "good": "similar, rated good", "bad": "similar, rated poor"}


def show_trace(opened: OpenedTurn) -> None:
    """Show the whole trace of a turn; a turn of an earlier version has none."""
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
    _show(trace)
    for number, side in enumerate(trace.sides, 1):
        releases = ", ".join(side.release.releases) if side.release else ""
        with st.expander(f"Side {number}: {as_label(releases or 'no release')}"):
            _show(side)


def _show(trace: Trace) -> None:
    left, right = st.columns([5, 3], gap="large")
    with left:
        if release := trace.release:
            names = ", ".join(release.releases) or "none"
            st.markdown(
                f"**Release** {as_label(names, 200)} :gray[· {as_label(release.status)} · "
                f"{as_label(release.explanation, 300)}]"
            )
        if queries := trace.queries:
            st.markdown("**Queries**")
            asked = [(name, text) for name, text in queries if text]
            show_table(asked, {"Query": (110, lambda q: q[0].capitalize()), "Text": itemgetter(1)})
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
    found = {"reused": reused, "good": memory.good, "bad": memory.bad}
    number = sum(map(len, found.values()))
    st.markdown(f"**Saved answers** :gray[· {how_many(number, 'similar answer')} found]")
    with st.container(gap="xsmall", key="recalled"):
        for role, pairs in found.items():
            for pair in pairs:
                near = f"{_RECALLED[role]}, cosine {pair.similarity:.2f}"
                told = f"{near}, {vouched(pair, to_admin=True)}: “{pair.question}”"
                page_link("memory", as_label(told, 240), pair=pair.id)
    if memory.differs:
        st.caption(f"The most similar one was not reused: {as_label(memory.differs, 300)}")


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
        told = (
            f"{step_name(call.step)} · {call.seconds:.1f} s (first word after "
            f"{call.first_token:.1f} s) · {call.prompt_tokens:,} tokens read "
            f"({call.cached_tokens:,} cached), {call.completion_tokens:,} written"
        )
        with st.expander(as_label(told, 200)):
            if call.problem:
                st.warning(as_text(call.problem), icon=":material/warning:")
            for role, text in call.prompt:
                st.caption(as_label(role))
                st.code(text, language=None, wrap_lines=True)
            st.caption("reply")
            st.code(call.reply, language=None, wrap_lines=True)

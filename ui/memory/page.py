"""The memory page: figures, questions, changes, import and export."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import FaqFile, LeftOut, parse_faq
from chatbot.administration.overview import (
    EVERYTHING,
    Day,
    Overview,
    PairFilter,
    ReleaseFigures,
    Scope,
)
from chatbot.memory.stores.stores import UnknownPair
from ui.elements.address import go, number_in_address
from ui.elements.charts import chart_over_time
from ui.elements.frame import (
    button,
    failures_shown,
    page,
    show_tabs,
    use_new_widget,
    widget_round,
)
from ui.elements.scope import choose_release
from ui.elements.table import bullets, export_buttons
from ui.memory.answers import show_changes, show_pair, show_questions
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import import_told

_MOST_DAYS = 180
_LARGEST_MB = 50
_REPORT = "memory import report"
_ORIGINS = {
    "measured": "measured",
    "thumbs": "rated by people who asked",
    "rating": "rated by admins",
    "imported": "imported",
    "curated": "curated",
}


@page("wide", for_admins=True)
def memory(person: Person) -> None:
    """Show the page."""
    overview = Overview(services.chatbot().database, person)
    if (pair := number_in_address("pair")) is not None:
        try:
            show_pair(overview, pair)
            return
        except UnknownPair as error:
            go(pair=None)
            st.toast(str(error))
    st.title("Memory", anchor=False)
    st.caption(
        "Saved answers by release. Good answers are reused for the same question; those that a "
        "person or a judge found good help with similar ones. Poor answers are not repeated."
    )
    _warn(overview)
    _tell_report()
    everything = overview.releases()
    if not everything:
        _nothing_yet()
        return
    product, release = choose_release(
        "memory",
        st.columns(2),
        list(dict.fromkeys(found.product for found in everything)),
        lambda product: [f.release for f in reversed(everything) if f.product == product],
    )
    scope = Scope(product or "", release or "")
    _show_figures(overview.releases(scope), overview.growth(scope))
    show_tabs(
        "memory-tab",
        {
            "Questions": lambda: show_questions(overview, scope),
            "Changes": lambda: show_changes(overview, scope),
            "Import and export": lambda: _exchange(scope),
        },
    )


def _warn(overview: Overview) -> None:
    chatbot = services.chatbot()
    if chatbot.settings.memory == "off":
        st.warning(
            "Saving answers is off: none are saved or reused. Remove memory = “off” from the "
            "settings to turn it on.",
            icon=":material/pause_circle:",
        )
    if unread := overview.count(PairFilter(read_other_than=chatbot.memory.reader.embedding)):
        are = "is" if unread == 1 else "are"
        st.warning(
            f"Since an update, {how_many(unread, 'saved answer')} {are} no longer reused. "
            "Run `strata memory rebuild` on the server to reuse all of them again.",
            icon=":material/sync_problem:",
        )


def _nothing_yet() -> None:
    there_are_documents = services.chatbot().products()
    what_next = (
        "Good answers from the chat are scored and saved here. You can also import questions "
        "and answers."
        if there_are_documents
        else "Answers are saved by release: upload documents on the page Documents first."
    )
    st.info(f"No saved answers yet. {what_next}", icon=":material/history:")
    if there_are_documents:
        _offer_import(EVERYTHING)


def _show_figures(found: Sequence[ReleaseFigures], days: Sequence[Day]) -> None:
    asked, reused = sum(day.asked for day in days), sum(day.reused for day in days)
    figures = {
        "Good answers": (sum(f.high for f in found), None),
        "Poor answers": (sum(f.low for f in found), None),
        "Reused": (reused, f"of {asked:,} questions"),
        "Suspended": (
            sum(f.suspended for f in found),
            "The pages these answers cite have changed or are gone.",
        ),
    }
    with st.container(horizontal=True, key="memory-total"):
        for label, (figure, told) in figures.items():
            st.metric(label, f"{figure:,}", border=True, help=told)
    total: Counter[str] = Counter()
    for of_release in found:
        total.update(of_release.origins)
    parts = [f"{total[origin]:,} {name}" for origin, name in _ORIGINS.items() if total[origin]]
    if parts:
        st.caption(as_label(" · ".join(parts), 300))
    if days:
        _charts(days[-_MOST_DAYS:])


def _charts(days: Sequence[Day]) -> None:
    left, right = st.columns(2)
    starts = [day.day for day in days]
    with left:
        st.markdown("**Saved answers per day**")
        kept = {"answers": ("good", [day.pairs for day in days])}
        chart_over_time(starts, kept, height=180)
    with right:
        st.markdown("**Questions per day**")
        new = [day.asked - day.reused - day.referenced for day in days]
        asked = {
            "reused": ("good", [day.reused for day in days]),
            "with an example": ("fair", [day.referenced for day in days]),
            "new": ("other", new),
        }
        chart_over_time(starts, asked, height=180, none="No questions yet.")


def _exchange(scope: Scope) -> None:
    """Import a file; export what is looked at."""
    brought_in, written_out = st.columns(2, gap="large")
    with brought_in:
        _offer_import(scope)
    with written_out:
        st.markdown("**Export**")
        of = f"{scope.product} {scope.release}".strip() or "all products"
        st.caption(
            f"All saved answers of {as_label(of)}, good and poor. The file can be imported again."
        )
        kept = Exchange(services.chatbot(), services.current_person())
        export_buttons("memory", lambda form: kept.export(form, scope))


def _offer_import(scope: Scope) -> None:
    """Import a file, by default for the product that is looked at."""
    st.markdown("**Import**")
    st.caption(
        "A CSV or JSONL file with the columns question, answer and release; optional: product, "
        "score (0 to 1) and links. Strata finds the pages that support each answer and cites "
        "them."
    )
    products = [product.name for product in services.chatbot().products()]
    product = st.selectbox(
        "Product for rows without one",
        products,
        index=products.index(scope.product) if scope.product in products else None,
        placeholder="each row has its product",
        key=f"memory-import-product {scope.product}",
    )
    received = st.file_uploader(
        "File",
        type=["csv", "jsonl"],
        max_upload_size=_LARGEST_MB,
        key=f"memory file {widget_round('memory import')}",
    )
    if received is not None:
        with failures_shown():
            _look_into(parse_faq(received.getvalue(), received.name, product or ""))


def _look_into(file: FaqFile) -> None:
    _left_out(file.left_out, file.ignored)
    if not file.rows:
        st.markdown("The file has no usable rows.")
        return
    label = f"Import {how_many(len(file.rows), 'answer')}"
    if not button(label, icon="upload", type="primary", key="memory-import"):
        return
    bar = st.progress(0.0, "Finding the pages that support each answer …")

    def on_progress(done: int, total: int) -> None:
        bar.progress(done / max(1, total), f"{done:,} of {how_many(total, 'answer')}")

    try:
        report = Exchange(services.chatbot(), services.current_person()).bring_in(file, on_progress)
    finally:
        bar.empty()
    use_new_widget("memory import")
    st.session_state[_REPORT] = report
    st.rerun()


def _tell_report() -> None:
    """Show the result of the last import once."""
    report: ImportReport | None = st.session_state.pop(_REPORT, None)
    if report is None:
        return
    st.success(as_text("\n".join(import_told(report))), icon=":material/check:")
    _left_out(report.left_out, report.ignored)


def _left_out(lines: Sequence[LeftOut], ignored: Sequence[str]) -> None:
    if lines:
        told = bullets([f"line {left.line:,}: {left.reason}" for left in lines], 10, 230)
        heading = f"{how_many(len(lines), 'line')} skipped:"
        st.warning(f"{heading}\n\n{told}", icon=":material/warning:")
    if ignored:
        st.caption(f"Ignored columns: {as_label(', '.join(ignored), 300)}")

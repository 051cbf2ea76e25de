"""The tab of saved answers: figures, questions, import and export."""

from collections.abc import Sequence

import streamlit as st
from streamlit.column_config import NumberColumn

from chatbot.accounts.people import Person
from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import FaqFile, SkippedLine, parse_faq
from chatbot.administration.overview import EVERYTHING, Overview, PairFilter, ReleaseFilter, Worth
from ui.elements.frame import (
    button,
    choose_one,
    failures_shown,
    in_a_row,
    use_new_widget,
    widget_round,
)
from ui.elements.scope import choose_release
from ui.elements.table import bullets, export_buttons, search_box, table_in_pages
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import import_summary, vouched

_LARGEST_MB = 50
_REPORT = "memory import report"
_WORTH = {worth.capitalize(): worth for worth in Worth}
_EXPLANATIONS = {
    "Good": "Rated good by people or a capable model, imported or curated.",
    "Not rated": "Given again for the same words only, until somebody rates them.",
    "Poor": "Not given again.",
    "Suspended": "The pages these answers cite have changed or are gone.",
}


def saved_answers(person: Person) -> None:
    """Show the tab."""
    overview = Overview(services.chatbot().database, person)
    st.caption(
        "Answers are saved by release and given again for the same question. Good ones are also "
        "offered to people who ask something similar, and help to answer it."
    )
    _warn(overview)
    _show_report()
    everything = overview.releases()
    if not everything:
        _nothing_yet()
        return
    product, release = choose_release(
        "memory",
        st.columns(2),
        list(dict.fromkeys(figures.product for figures in everything)),
        lambda product: [f.release for f in reversed(everything) if f.product == product],
    )
    scope = ReleaseFilter(product or "", release or "")
    _figures(overview, scope)
    _questions(overview, scope)
    with st.expander("Import and export", icon=":material/swap_vert:"):
        _exchange(scope)


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
        "Answers from the chat are saved here. You can also import questions and answers."
        if there_are_documents
        else "Answers are saved by release: upload documents on the page Documents first."
    )
    st.info(f"No saved answers yet. {what_next}", icon=":material/history:")
    if there_are_documents:
        _offer_import(EVERYTHING)


def _figures(overview: Overview, scope: ReleaseFilter) -> None:
    releases = overview.releases(scope)
    figures = {
        "Good": sum(f.good for f in releases),
        "Not rated": sum(f.unrated for f in releases),
        "Poor": sum(f.poor for f in releases),
        "Suspended": sum(f.suspended for f in releases),
    }
    questions, reused = overview.usage(scope)
    with st.container(horizontal=True, key="memory-total"):
        for label, figure in figures.items():
            st.metric(label, f"{figure:,}", border=True, help=_EXPLANATIONS[label])
        explanation = f"Answered from saved answers, of {how_many(questions, 'question')}."
        st.metric("Reused", f"{reused:,}", border=True, help=explanation)


def _questions(overview: Overview, scope: ReleaseFilter) -> None:
    """The questions of a kind that a search finds, the newest first."""
    with in_a_row(key="memory-bar"):
        words = search_box("memory-words", "Search questions", "questions", live=False)
        chosen = choose_one("Show", list(_WORTH), "memory-show", labelled=False)
    wanted = PairFilter(scope, _WORTH[chosen], words=words)
    if not (total := overview.count(wanted)):
        none = f"No answer is {_WORTH[chosen]}."
        st.markdown("No question matches. Search for fewer words." if words else none)
        return
    table_in_pages(
        total,
        f"answers of {scope} {chosen} {words}",
        lambda first, size: overview.pairs(wanted, offset=first, limit=size),
        {
            "Open": lambda pair: str(pair.row.id),
            "Question": (360, lambda pair: pair.row.question),
            "Score": (NumberColumn(width=70, format="%.2f"), lambda pair: pair.row.score),
            "Rated by": (230, lambda pair: vouched(pair.row, to_admin=True)),
            "Reused": (NumberColumn(width=90), lambda pair: pair.row.reused),
            "Release": (140, lambda pair: f"{pair.product} {pair.release}"),
            "Suspended because": (280, lambda pair: pair.row.suspended),
        },
        opens="pair",
        name="Questions",
        of="question",
    )


def _exchange(scope: ReleaseFilter) -> None:
    """Import a file; export what is looked at."""
    brought_in, written_out = st.columns(2, gap="large")
    with brought_in:
        _offer_import(scope)
    with written_out:
        st.markdown("**Export**")
        of = f"{scope.product} {scope.release}".strip() or "all products"
        st.caption(f"All saved answers of {as_label(of)}. The file can be imported again.")
        kept = Exchange(services.chatbot(), services.current_person())
        export_buttons("memory", lambda form: kept.export(form, scope))


def _offer_import(scope: ReleaseFilter) -> None:
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


def _show_report() -> None:
    """Show the result of the last import once."""
    report: ImportReport | None = st.session_state.pop(_REPORT, None)
    if report is None:
        return
    st.success(as_text("\n".join(import_summary(report))), icon=":material/check:")
    _left_out(report.left_out, report.ignored)


def _left_out(lines: Sequence[SkippedLine], ignored: Sequence[str]) -> None:
    if lines:
        lines_shown = bullets([f"line {left.line:,}: {left.reason}" for left in lines], 10, 230)
        heading = f"{how_many(len(lines), 'line')} skipped:"
        st.warning(f"{heading}\n\n{lines_shown}", icon=":material/warning:")
    if ignored:
        st.caption(f"Ignored columns: {as_label(', '.join(ignored), 300)}")

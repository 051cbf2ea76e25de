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
from ui.wording.memory import figures_in_words, import_summary, not_found, vouched

_LARGEST_MB = 50
_REPORT = "memory import report"
_WORTH = {worth.capitalize(): worth for worth in Worth}


def saved_answers(person: Person) -> None:
    """Show the tab."""
    chatbot = services.chatbot()
    overview = Overview(chatbot.database, person)
    st.caption(
        "Answers are saved by release and given again for the same question. Good ones are also "
        "offered to people who ask something similar, and help to answer it; one that is not rated "
        "is given for the same words only, and a poor or suspended one not at all."
    )
    if chatbot.settings.memory == "off":
        st.warning(
            "Saving answers is off: none are saved or reused. Remove memory = “off” from the "
            "settings to turn it on.",
            icon=":material/pause_circle:",
        )
    if unread := overview.count(PairFilter(read_other_than=chatbot.memory.reader.embedding)):
        st.warning(not_found(unread), icon=":material/sync_problem:")
    _show_report()
    scope = EVERYTHING
    if everything := overview.releases():
        product, release = choose_release(
            "memory",
            st.columns(2),
            list(dict.fromkeys(figures.product for figures in everything)),
            lambda product: [f.release for f in reversed(everything) if f.product == product],
        )
        scope = ReleaseFilter(product or "", release or "")
        st.markdown(figures_in_words(overview.releases(scope)))
        _questions(overview, scope)
    else:
        st.info("No saved answers yet. Answers from the chat are saved here.")
    with st.expander("Import and export", icon=":material/swap_vert:", expanded=not everything):
        _exchange(scope)


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
    key = f"memory file {widget_round('memory import')}"
    received = st.file_uploader("File", type=["csv", "jsonl"], max_upload_size=_LARGEST_MB, key=key)
    if received is not None:
        with failures_shown():
            _import(parse_faq(received.getvalue(), received.name, product or ""))


def _import(file: FaqFile) -> None:
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

    exchange = Exchange(services.chatbot(), services.current_person())
    st.session_state[_REPORT] = exchange.bring_in(file, on_progress)
    use_new_widget("memory import")
    st.rerun()


def _show_report() -> None:
    """Show the result of the last import once."""
    report: ImportReport | None = st.session_state.pop(_REPORT, None)
    if report is not None:
        st.success(as_text("\n".join(import_summary(report))), icon=":material/check:")
        _left_out(report.left_out, report.ignored)


def _left_out(lines: Sequence[SkippedLine], ignored: Sequence[str]) -> None:
    if lines:
        lines_shown = bullets([f"line {left.line:,}: {left.reason}" for left in lines], 10, 230)
        heading = f"{how_many(len(lines), 'line')} skipped:"
        st.warning(f"{heading}\n\n{lines_shown}", icon=":material/warning:")
    if ignored:
        st.caption(f"Ignored columns: {as_label(', '.join(ignored), 300)}")

"""Import of questions and answers from a file, after a preview, and export."""

from collections.abc import Sequence

import streamlit as st

from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import FaqFile, LeftOut, parse_faq
from chatbot.administration.overview import Scope
from ui.elements.frame import button, failures_shown, use_new_widget, widget_round
from ui.elements.table import bullets, export_buttons
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import import_told

_LARGEST_MB = 50
_REPORT = "memory import report"


def exchange(scope: Scope) -> None:
    """Import a file; export what is looked at."""
    brought_in, written_out = st.columns(2, gap="large")
    with brought_in:
        offer_import(scope)
    with written_out:
        st.markdown("**Export**")
        of = f"{scope.product} {scope.release}".strip() or "all products"
        st.caption(
            f"All saved answers of {as_label(of)}, good and poor. The file can be imported again."
        )
        kept = Exchange(services.chatbot(), services.current_person())
        export_buttons("memory", lambda form: kept.export(form, scope))


def offer_import(scope: Scope) -> None:
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


def tell_report() -> None:
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

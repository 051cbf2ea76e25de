"""Questions and answers as a file: taken into the memory after a look, and written out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ingestion.errors import StrataError
from ui.elements.export_buttons import export_buttons
from ui.serving import services
from ui.serving.services import current_person
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chatbot.administration.exchange import ImportReport
    from chatbot.administration.faq_file import FaqFile, LeftOut
    from chatbot.administration.overview import Scope
    from chatbot.review.exports import Format

_LARGEST_MB = 50
_NAMED = 10
_ROUND = "memory import round"
_REPORT = "memory import report"


def exchange(scope: Scope, *, with_export: bool = True) -> None:
    """Import a file; export what is looked at."""
    brought_in, written_out = st.columns(2, gap="large") if with_export else (st.container(), None)
    with brought_in:
        _offer_import(scope)
    if written_out is not None:
        with written_out:
            _offer_export(scope)


def _offer_export(scope: Scope) -> None:
    from chatbot.administration.exchange import Exchange

    st.markdown("**Export**")
    of = f"{scope.product} {scope.release}".strip() or "all products"
    st.caption(
        f"All saved answers of {as_label(of)}, good and poor. The file can be imported again."
    )
    chatbot, person = services.chatbot(), current_person()

    def export(form: Format) -> Iterator[str]:
        return Exchange(chatbot, person).export(form, scope)

    export_buttons("memory", export)


def _offer_import(scope: Scope) -> None:
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
        key=f"memory file {st.session_state.get(_ROUND, 0)}",
    )
    if received is not None:
        _look_into(received.getvalue(), received.name, product or "")


def _look_into(data: bytes, name: str, product: str) -> None:
    from chatbot.administration.faq_file import parse_faq

    try:
        file = parse_faq(data, name, product)
    except StrataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _left_out(file.left_out, file.ignored)
    if not file.rows:
        st.markdown("The file has no usable rows.")
        return
    if st.button(
        f"Import {how_many(len(file.rows), 'answer')}",
        type="primary",
        icon=":material/upload:",
        key="memory-import",
    ):
        _bring_in(file)


def _bring_in(file: FaqFile) -> None:
    from chatbot.administration.exchange import Exchange

    bar = st.progress(0.0, "Finding the pages that support each answer …")

    def on_progress(done: int, total: int) -> None:
        bar.progress(done / max(1, total), f"{done:,} of {how_many(total, 'answer')}")

    try:
        report = Exchange(services.chatbot(), current_person()).bring_in(file, on_progress)
    except StrataError as error:
        bar.empty()
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    st.session_state[_REPORT] = report
    st.rerun()


def tell_report() -> None:
    """What became of the file that was imported last; told once."""
    report: ImportReport | None = st.session_state.pop(_REPORT, None)
    if report is None:
        return
    st.success(as_text("\n".join(_told(report))), icon=":material/check:")
    _left_out(report.left_out, report.ignored)


def _told(report: ImportReport) -> Iterator[str]:
    yield (
        f"{report.file}: {how_many(report.added, 'answer')} added, {report.supported:,} with "
        "citations."
    )
    if report.replaced:
        yield f"{how_many(report.replaced, 'answer')} replaced."
    if report.known:
        yield f"{how_many(report.known, 'answer')} already saved."
    if report.outdone:
        yield f"{how_many(report.outdone, 'question')} already had a better answer."


def _left_out(lines: Sequence[LeftOut], ignored: Sequence[str]) -> None:
    """The lines of a file that cannot be taken and why, and the columns that mean nothing."""
    if lines:
        more = len(lines) - _NAMED
        told = [f"- line {left.line:,}: {as_label(left.reason, 200)}" for left in lines[:_NAMED]]
        told += [f"- and {more:,} more"] * (more > 0)
        heading = f"{how_many(len(lines), 'line')} skipped:"
        st.warning("\n".join([heading, "", *told]), icon=":material/warning:")
    if ignored:
        st.caption(f"Ignored columns: {as_label(', '.join(ignored), 300)}")

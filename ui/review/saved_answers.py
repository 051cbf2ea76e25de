"""The tab of saved answers: import and export, and the questions."""

import streamlit as st
from streamlit.column_config import NumberColumn

from chatbot.accounts.people import Person
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import LARGEST, parse_faq
from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter, Worth
from ui.elements.frame import choose_one, failures_shown, in_a_row
from ui.elements.scope import choose_release
from ui.elements.table import bullets, download, search_box, table_in_pages
from ui.serving import services
from ui.wording.escaping import as_label
from ui.wording.memory import import_summary, vouched

_KINDS = {"All": None, **{worth.capitalize(): worth for worth in Worth}}


def saved_answers(person: Person) -> None:
    """Show the tab."""
    chatbot = services.administered()
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
    names = [product.name for product in chatbot.products()]
    product, release = choose_release("memory", st.columns(2), names, services.releases)
    scope = ReleaseFilter(product or "", release or "")
    # What is imported stands in the table below it.
    with st.expander("Import and export", icon=":material/swap_vert:"):
        _exchange(scope, Exchange(chatbot, person))
    _questions(overview, scope)


def _questions(overview: Overview, scope: ReleaseFilter) -> None:
    """The questions of a kind that a search finds, the newest first."""
    with in_a_row(key="memory-bar"):
        words = search_box("memory-words", "Search questions", "questions", live=False)
        chosen = choose_one("Show", list(_KINDS), "memory-show", labelled=False)
    wanted = PairFilter(scope, _KINDS[chosen], words=words)
    if not (total := overview.count(wanted)):
        st.info(
            "No saved answers yet. Answers from the chat are saved here."
            if wanted == PairFilter()
            else "No saved answer matches. Show all, or search for fewer words.",
            icon=":material/bookmarks:",
        )
        return
    table_in_pages(
        total,
        f"answers of {scope} {chosen} {words}",
        lambda first, size: overview.pairs(wanted, offset=first, limit=size),
        {
            "Open": lambda pair: str(pair.row.id),
            "Question": (360, lambda pair: str(pair.asked)),
            "Score": (NumberColumn(width=70, format="%.2f"), lambda pair: pair.row.score),
            "Rated by": (230, lambda pair: vouched(pair.row)),
            "Reused": (NumberColumn(width=90), lambda pair: pair.row.reused),
            "Release": (140, lambda pair: f"{pair.product} {pair.release}"),
            "Suspended because": (280, lambda pair: pair.row.suspended),
        },
        opens="pair",
        name="Questions",
        of="question",
    )


def _exchange(scope: ReleaseFilter, exchange: Exchange) -> None:
    """Import a file, and export what is looked at."""
    brought_in, written_out = st.columns(2, gap="large")
    with brought_in, st.form("memory-import", clear_on_submit=True, border=False):
        st.caption(
            "A CSV file with the columns question, answer and release; optional: product (else the "
            "one chosen above) and score (0 to 1). Strata finds the pages that support each answer "
            "and cites them."
        )
        file = st.file_uploader("File", type="csv", max_upload_size=LARGEST // 1_000_000)
        if st.form_submit_button("Import", icon=":material/upload:") and file is not None:
            with failures_shown(), st.spinner("Finding the pages that support each answer …"):
                faq = parse_faq(file.getvalue(), file.name, scope.product)
                st.info(bullets(import_summary(exchange.bring_in(faq)), most=12, longest=230))
    with written_out:
        of = f"{scope.product} {scope.release}".strip() or "all products"
        st.caption(f"All saved answers of {as_label(of)}. The file can be imported again.")
        download(
            "CSV",
            lambda: "".join(exchange.export(scope)),
            "strata-memory.csv",
            help="The audit log records each download.",
        )

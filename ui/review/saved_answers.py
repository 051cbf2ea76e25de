"""The tab of saved answers: import and export, and the questions."""

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import LARGEST, parse_faq
from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter, Worth
from chatbot.text.languages import gettext, gettext_noop
from ui.elements.frame import choose_one, failures_shown, in_a_row
from ui.elements.scope import choose_release
from ui.elements.table import Number, bullets, download, search_box, table_in_pages
from ui.serving import services
from ui.wording.escaping import as_label
from ui.wording.memory import import_summary, vouched

_KINDS = {
    gettext_noop("All"): None,
    gettext_noop("Good"): Worth.GOOD,
    gettext_noop("Not rated"): Worth.UNRATED,
    gettext_noop("Poor"): Worth.POOR,
    gettext_noop("Suspended"): Worth.SUSPENDED,
}


def saved_answers(person: Person) -> None:
    """Show the tab."""
    chatbot = services.administered()
    overview = Overview(chatbot.database, person)
    st.caption(
        gettext(
            "Answers are saved by release and given again for the same question. Good ones are "
            "also offered to people who ask something similar, and help to answer it; one that is "
            "not rated is given for the same words only, and a poor or suspended one not at all."
        )
    )
    if chatbot.settings.memory == "off":
        st.warning(
            gettext(
                "Saving answers is off: none are saved or reused. Remove memory = “off” from the "
                "settings to turn it on."
            ),
            icon=":material/pause_circle:",
        )
    names = [product.name for product in chatbot.products()]
    product, release = choose_release("memory", st.columns(2), names, services.releases)
    scope = ReleaseFilter(product or "", release or "")
    # What is imported stands in the table below it.
    with st.expander(gettext("Import and export"), icon=":material/swap_vert:"):
        _exchange(scope, Exchange(chatbot, person))
    _questions(overview, scope)


def _questions(overview: Overview, scope: ReleaseFilter) -> None:
    """The questions of a kind that a search finds, the newest first."""
    with in_a_row(key="memory-bar"):
        words = search_box(
            "memory-words", gettext("Search questions"), gettext("questions"), live=False
        )
        chosen = choose_one(gettext("Show"), list(_KINDS), "memory-show", labelled=False)
    wanted = PairFilter(scope, _KINDS[chosen], words=words)
    if not (total := overview.count(wanted)):
        st.info(
            gettext("No saved answers yet. Answers from the chat are saved here.")
            if wanted == PairFilter()
            else gettext("No saved answer matches. Show all, or search for fewer words."),
            icon=":material/bookmarks:",
        )
        return
    table_in_pages(
        total,
        f"answers of {scope} {chosen} {words}",
        lambda first, size: overview.pairs(wanted, offset=first, limit=size),
        {
            gettext("Open"): lambda pair: str(pair.row.id),
            gettext("Question"): (360, lambda pair: pair.title),
            gettext("Score"): (Number(2, width=70), lambda pair: pair.row.score),
            gettext("Rated by"): (230, lambda pair: vouched(pair.row)),
            gettext("Reused"): (Number(width=130), lambda pair: pair.row.reused),
            gettext("Release"): (140, lambda pair: f"{pair.product} {pair.release}"),
            gettext("Suspended because"): (280, lambda pair: pair.row.suspended),
        },
        opens="pair",
        name=gettext("Questions"),
        of="question",
    )


def _exchange(scope: ReleaseFilter, exchange: Exchange) -> None:
    """Import a file, and export what is looked at."""
    brought_in, written_out = st.columns(2, gap="large")
    with brought_in, st.form("memory-import", clear_on_submit=True, border=False):
        st.caption(
            gettext(
                "A CSV file with the columns question, answer and release; optional: product (else "
                "the one chosen above) and score (0 to 1). Strata finds the pages that support "
                "each answer and cites them."
            )
        )
        file = st.file_uploader(gettext("File"), type="csv", max_upload_size=LARGEST // 1_000_000)
        imports = st.form_submit_button(gettext("Import"), icon=":material/upload:")
        if imports and file is not None:
            finding = gettext("Finding the pages that support each answer …")
            with failures_shown(), st.spinner(finding):
                faq = parse_faq(file.getvalue(), file.name, scope.product)
                st.info(bullets(import_summary(exchange.bring_in(faq)), most=12, longest=230))
    with written_out:
        of = as_label(f"{scope.product} {scope.release}".strip() or gettext("all products"))
        st.caption(gettext("All saved answers of {name}. The file can be imported again.", name=of))
        download(
            "CSV",
            lambda: "".join(exchange.export(scope)),
            "strata-memory.csv",
            help=gettext("The audit log records each download."),
        )

"""The questions of a product for the regression set: proposed ones to decide on, and the set."""

from collections.abc import Sequence

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.exports import Exports
from chatbot.text.languages import gettext, gettext_noop, ngettext
from chatbot.turn import Citation
from corpora.jobs.jobs import DRAFTS
from eval.gold import GoldQuestion
from eval.sets.proposals import Draft, Proposal, Proposals, State, StatedOn
from eval.sets.regression import Member, exported, gather
from ui.answers.citations import place, source_button
from ui.documents.jobs_view import show_running
from ui.elements.frame import button, choose_one, done, failures_shown, in_a_row
from ui.elements.table import export_buttons, list_in_pages, read_in_pages
from ui.evaluation.adding_view import offer_import, offer_proposing
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text

_TO_DECIDE, _IN_SET = gettext_noop("To decide"), gettext_noop("In the set")
_LISTS = (_TO_DECIDE, _IN_SET, gettext_noop("Dropped"))
_DECIDED = {
    State.ACCEPTED: gettext_noop("Accepted."),
    State.DROPPED: gettext_noop("Dropped."),
    State.PROPOSED: gettext_noop("Put back."),
}
_LONGEST = 600
"""Characters of an answer that are shown."""


def show(person: Person, product: str) -> None:
    """Show the proposed questions of a product, to accept, edit or drop each."""
    show_running(DRAFTS)
    kept = services.proposals()
    with in_a_row(key="questions-bar"):
        shown = choose_one(gettext("Show"), _LISTS, f"questions-list {product}", labelled=False)
    adding = st.container()
    if shown == _IN_SET:
        number = _show_set(gather(services.administered().database, product).members, product)
    else:
        state = State.PROPOSED if shown == _TO_DECIDE else State.DROPPED
        number = _show_proposals(person, kept, state, product)
    with adding, st.expander(gettext("Add questions"), icon=":material/add:", expanded=not number):
        proposed, imported = st.columns(2, gap="large")
        with proposed:
            offer_proposing(product)
        with imported:
            offer_import(person, product)


def _show_proposals(person: Person, kept: Proposals, state: State, product: str) -> int:
    number = kept.count(person, state, product)
    if not number:
        waits = gettext("No question waits for a decision.")
        st.markdown(waits if state is State.PROPOSED else gettext("No question was dropped."))
        return 0
    if state is State.PROPOSED:
        st.caption(gettext("Accepted questions are asked whenever the regression set is run."))

    def read(offset: int, limit: int) -> Sequence[Proposal]:
        return kept.page(person, state, product, offset=offset, limit=limit)

    def of_proposal(place: int, proposal: Proposal) -> None:
        with st.container(border=True, key=f"question-{place}", gap="xsmall"):
            _show_draft(product, proposal.draft, place)
            with in_a_row(key=f"question-actions-{place}"):
                if state is State.PROPOSED:
                    _offer(person, proposal.id, place, State.ACCEPTED, gettext("Accept"), "check")
                    _offer_edit(proposal.id, proposal.draft.gold, place)
                    _offer(person, proposal.id, place, State.DROPPED, gettext("Drop"), "close")
                else:
                    _offer(person, proposal.id, place, State.PROPOSED, gettext("Put back"), "undo")

    key = f"questions {state} {product}"
    read_in_pages(number, key, read, of_proposal, of="question", size=10)
    return number


def _show_set(found: Sequence[Member], product: str) -> int:
    stale = sum(bool(member.stale) for member in found)
    if not found:
        st.markdown(
            gettext(
                "The regression set is empty. It has the questions that are accepted here, "
                "imported or rated well, and the answers that admins wrote."
            )
        )
        return 0
    with in_a_row(key="questions-summary"):
        st.markdown(f"**{how_many(len(found), 'question')}**")
        if stale:
            left_out = ngettext(
                "{number} of them is stale and left out.",
                "{number} of them are stale and left out.",
                stale,
            )
            st.markdown(left_out)
        _offer_export(found, product)
    person = services.current_person()

    def of_member(place: int, member: Member) -> None:
        with st.container(border=True, key=f"question-{place}", gap="xsmall"):
            _show_draft(product, Draft(member.gold, member.came_from, member.pages), place)
            if member.stale:
                why = gettext("Stale: {reason}", reason=as_text(member.stale))
                st.warning(f"{why}\\.", icon=":material/history:")
            if (proposal := member.proposal) is not None:
                with in_a_row(key=f"question-actions-{place}"):
                    _offer_edit(proposal, member.gold, place)
                    _offer(person, proposal, place, State.DROPPED, gettext("Take out"), "close")

    # What is stale wants a look.
    ordered = sorted(found, key=lambda member: not member.stale)
    list_in_pages(ordered, f"questions of the set {product}", of_member, of="question", size=10)
    return len(found)


def _show_draft(product: str, draft: Draft, number: int) -> None:
    gold = draft.gold
    st.markdown(f"**{as_label(gold.question, 400)}**")
    answer = gold.gold_answer
    st.markdown(as_text(answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]} …"))
    with in_a_row():
        release = as_label(", ".join(gold.gold_releases), 60)
        badges = f":gray-badge[:material/layers: {release}]" if release else ""
        if not gold.answerable:
            badges += f" :orange-badge[{gettext('not documented')}]"
        elif not gold.must_include:
            badges += f" :blue-badge[{gettext('judge only')}]"
        origin = f":small[:gray[{as_label(draft.came_from, 120)}]]"
        st.markdown(f"{badges} {origin}".strip(), width="content")
    if draft.pages:
        with st.container(horizontal=True, key=f"citations-question-{number}", gap="xsmall"):
            for n, (page, quotes) in enumerate(_quoted(draft.pages).items()):
                citation = _citation(page, quotes[0])
                label = place(citation, with_release=True)
                source_button(label, product, citation, f"question-{number}-{n}", quotes)


def _quoted(pages: Sequence[StatedOn]) -> dict[StatedOn, list[str]]:
    """The first words stated on each page, with all that are stated there."""
    by_page: dict[int, tuple[StatedOn, list[str]]] = {}
    for page in pages:
        by_page.setdefault(page.page_id, (page, []))[1].append(page.quote)
    return dict(by_page.values())


def _citation(page: StatedOn, quote: str) -> Citation:
    return Citation(
        document=page.document or page.file,
        file=page.file,
        release=page.release,
        page=page.number,
        section=page.section,
        anchor=page.anchor,
        quote=quote,
        page_id=page.page_id,
    )


def _offer(person: Person, proposal: int, place: int, state: State, label: str, icon: str) -> None:
    if button(label, icon=icon, key=f"question-{state}-{place}"):
        with failures_shown():
            services.proposals().decide(person, proposal, state)
            done(gettext(_DECIDED[state]))


def _offer_edit(proposal: int, gold: GoldQuestion, place: int) -> None:
    if button(gettext("Edit …"), icon="edit", key=f"question-edit-{place}"):
        title = gettext("Edit the question")
        st.dialog(title, width="large", icon=":material/edit:")(edit)(proposal, gold)


def edit(proposal: int, gold: GoldQuestion) -> None:
    """Ask for another question or answer; saved, it is accepted."""
    question = st.text_area(
        gettext("Question"), gold.question, height=80, key=f"question-of-{proposal}"
    )
    answer = st.text_area(
        gettext("Answer"), gold.gold_answer, height=160, key=f"answer-of-{proposal}"
    )
    st.caption(
        gettext(
            "A right answer has to state the figures, code and names of this one; where it has "
            "none, only a judge can tell. A saved question is accepted."
        )
    )
    if button(gettext("Save"), icon="save", type="primary", key="question-save"):
        with failures_shown():
            services.proposals().edit(services.current_person(), proposal, question, answer)
            done(gettext("Saved and accepted."))


def _offer_export(found: Sequence[Member], product: str) -> None:
    exports, person = Exports(services.administered().database), services.current_person()
    export_buttons(
        "questions",
        lambda form: exports.of(person, "questions", exported(found), form, product=product),
    )

"""The page of content gaps: unanswered questions, and what releases lost or contradict."""

from dataclasses import asdict
from functools import partial

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.gaps import Gap, GapReport, gap_rows
from chatbot.review.turns import TurnFilter
from chatbot.text.languages import day_in_words, figure, gettext, ngettext
from chatbot.upgrading.release_gaps import GapKind, ReleaseGap, release_gap_rows
from ui.answers.citations import place, source_button
from ui.elements.address import page_link
from ui.elements.frame import Access, in_a_row, page, show_tabs, when
from ui.elements.scope import any_of, choose_scope
from ui.elements.table import export_rows, list_in_pages
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label
from ui.wording.reviews import name_of

_MOST_TURNS = 20


@page("wide", Access.PRODUCT_ADMINS)
def gaps(person: Person) -> None:
    """Show the gaps, the most asked first."""
    st.title(gettext("Content gaps"), anchor=False)
    show_tabs(
        "gaps-tabs",
        {
            gettext("Unanswered questions"): partial(_questions, person),
            gettext("Between releases"): partial(_between_releases, person),
        },
    )


def _questions(person: Person) -> None:
    st.caption(gettext("Questions the documentation could not answer, grouped by similarity."))
    wanted = choose_scope("gaps")
    with st.spinner(gettext("Comparing the questions …")):
        report = services.content_gaps().report(person, wanted)
    if not report.gaps:
        st.info(
            gettext(
                "Every question in this period was answered. Choose a longer period or all "
                "products."
            ),
            icon=":material/task_alt:",
        )
        return
    _summary(report, wanted)
    list_in_pages(report.gaps, f"gaps of {wanted}", _show_gap, of="gap", size=20)


def _between_releases(person: Person) -> None:
    st.caption(
        gettext(
            "What one release documents and the next only names, what release notes tell of and "
            "the manual does not, and parameters that one release states in two ways."
        )
    )
    products = {product.name: product for product in services.administered().products()}
    if not products:
        st.markdown(gettext("There is no documentation yet."))
        return
    product = st.selectbox(gettext("Product"), list(products), key="release-gaps-product")
    bar = st.progress(0.0, gettext("Reading the releases …"))

    def told(done: int, of: int) -> None:
        read = gettext("Read {done} of {all} releases", done=figure(done), all=figure(of))
        bar.progress(done / max(of, 1), read)

    try:
        found = services.administered().release_gaps.of(person, products[product], told=told)
    finally:
        bar.empty()
    if not found:
        st.info(gettext("Nothing was found."), icon=":material/task_alt:")
        return
    kinds = [str(kind) for kind in GapKind if any(gap.kind is kind for gap in found)]
    kind = any_of(st.container(), gettext("Kind"), kinds, "release-gaps-kind", shown=name_of)
    shown = [gap for gap in found if kind in (None, gap.kind)]
    with in_a_row(key="release-gaps-summary"):
        st.markdown(f"**{how_many(len(shown), 'gap')}**")
        rows = partial(release_gap_rows, shown)
        export_rows("release-gaps", "release gaps", rows, product=product, kind=kind)
    key = f"release gaps of {product} {kind}"
    list_in_pages(shown, key, partial(_show_release_gap, product), of="gap", size=20)


def _show_release_gap(product: str, number: int, gap: ReleaseGap) -> None:
    with st.container(border=True, key=f"release-gap-{number}", gap="xsmall"):
        with in_a_row():
            badges = f":gray-badge[{as_label(gap.release)}] :orange-badge[{name_of(gap.kind)}]"
            st.markdown(f"**{as_label(gap.name)}** {badges}", width="content")
        st.markdown(as_label(gap.says, 320))
        with st.container(horizontal=True, key=f"citations-release-gap-{number}", gap="xsmall"):
            for which, cited in enumerate(gap.citations):
                label = place(cited, with_release=True)
                source_button(label, product, cited, f"cite-gap-{number}-{which}")


def _summary(report: GapReport, wanted: TurnFilter) -> None:
    questions = sum(gap.times for gap in report.gaps)
    with in_a_row(key="gaps-summary"):
        groups = len(report.gaps)
        grouped = f" · {how_many(groups, 'group')}" if groups < questions else ""
        st.markdown(f"**{how_many(questions, 'unanswered question')}**{grouped}")
        export_rows("gaps", "content gaps", lambda: gap_rows(report.gaps), **asdict(wanted))
    if report.left_out:
        left_out = ngettext(
            "{number} older question is not shown; choose a product or a shorter period to see it.",
            "{number} older questions are not shown; choose a product or a shorter period to see "
            "them.",
            report.left_out,
        )
        st.caption(f":material/info: {left_out}")


def _show_gap(number: int, gap: Gap) -> None:
    with st.container(border=True, key=f"gap-{number}", gap="xsmall"):
        after = f" :small[:gray[{as_label(gap.asked.asked_after, 200)}]]" if gap.asked.after else ""
        st.markdown(f"**{as_label(gap.asked.words, 300)}**{after}")
        with in_a_row():
            # The release that has no answer, and those that could have one.
            place = f"{gap.product or ''} {gap.release or ''}".strip() or gettext("no release")
            found = (gettext("found in {release}", release=name) for name in gap.found_in)
            could = (f" :green-badge[{as_label(where)}]" for where in found)
            st.markdown(f":gray-badge[{as_label(place)}]{''.join(could)}", width="content")
            st.markdown(f":small[{_asked(gap)}]", width="content")
            with st.popover(gettext("Show questions"), icon=":material/history:", type="tertiary"):
                for question in gap.questions[:_MOST_TURNS]:
                    moment = as_label(when(question.created))
                    label = f"{moment} · {as_label(str(question.asked), 120)}"
                    page_link("history", label, turn=question.turn)
                if (rest := gap.times - _MOST_TURNS) > 0:
                    more = ngettext(
                        "and {number} more; the export has all of them",
                        "and {number} more; the export has all of them",
                        rest,
                    )
                    st.caption(more)


def _asked(gap: Gap) -> str:
    day = day_in_words(gap.last_asked)
    if gap.times == 1:
        return gettext("asked once on {day}", day=day)
    of = {"times": figure(gap.times), "people": how_many(gap.people, "person", "people")}
    return gettext("asked {times} times by {people}, last on {day}", day=day, **of)

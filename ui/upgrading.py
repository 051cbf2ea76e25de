"""The upgrade guide of the page Releases: what somebody uses in, one list with its pages out."""

from functools import partial

import streamlit as st

from chatbot.text.languages import gettext
from chatbot.upgrading.guide import Guide, Item
from chatbot.upgrading.steps import Need, What
from chatbot.upgrading.usage import LARGEST
from chatbot.upgrading.wording import HEADINGS, as_markdown, became, name_of, step_line, summary
from ui.answers.citations import place, source_button
from ui.elements.frame import failures_shown, in_a_row
from ui.elements.table import download, list_in_pages
from ui.serving import services
from ui.wording.escaping import as_label

_MADE = "upgrade-made"
_COLOURS = {What.REMOVED: "red", What.RENAMED: "red", What.CHANGED: "orange"}
_EXAMPLE = "[server]\nhold_time = 20"


def upgrade_guide(product: str, older: str, newer: str) -> None:
    """Show the form, and the guide that was made last for these releases."""
    with st.form("upgrade-form", border=False):
        used = st.text_area(
            gettext("What you use"),
            max_chars=LARGEST,
            height=160,
            placeholder=f"{_EXAMPLE}\n\n{gettext('or: backups, show alarms, --max-jobs')}",
            key="upgrade-uses",
            help=gettext(
                "A configuration, a command line or code, or features in words, separated by "
                "commas. It is looked up and not kept. Without it, the guide lists everything."
            ),
        )
        pressed = st.form_submit_button(gettext("Make the guide"), icon=":material/checklist:")
    wanted = product, older, newer
    if pressed:
        st.session_state.pop(_MADE, None)
        with failures_shown():
            st.session_state[_MADE] = wanted, _make(*wanted, used)
    made, guide = st.session_state.get(_MADE, (None, None))
    if made == wanted:
        _show(guide)


def _make(product: str, older: str, newer: str, used: str) -> Guide:
    # It counts as a question does: a capable model words it.
    services.chatbot().limits.question(services.current_person().id)
    bar = st.progress(0.0, gettext("Reading the releases …"))

    def told(done: int, of: int) -> None:
        bar.progress(done / of, gettext("Read {done} of {all} steps", done=done, all=of))

    try:
        return services.chatbot().upgrade_guide(product, older, newer, used, told=told)
    finally:
        bar.empty()


def _show(guide: Guide) -> None:
    with in_a_row(key="upgrade-summary"):
        st.markdown(f"**{as_label(summary(guide), 600)}**")
        file = f"strata-upgrade-{len(guide.items)}.md"
        written = as_markdown(guide).encode()
        download("Markdown", written, file, disabled=not guide.items, key="upgrade-markdown")
    if not guide.items:
        st.markdown(gettext("Nothing of it changes, as far as the documentation says."))
    for need in Need:
        if items := guide.of(need):
            st.subheader(gettext(HEADINGS[need]), anchor=False)
            key = f"upgrade {need} {' '.join(guide.releases)}"
            list_in_pages(items, key, partial(_item, guide, need), of="change")


def _item(guide: Guide, need: Need, place_in_list: int, item: Item) -> None:
    key = f"{need.name.lower()}-{place_in_list}"
    with st.container(border=True, key=f"upgrade-{key}", gap="xsmall"):
        with in_a_row():
            badge = (
                f" :{_COLOURS[item.what]}-badge[{became(item.what)}]"
                if item.what in _COLOURS
                else ""
            )
            st.markdown(f"**{as_label(name_of(item))}**{badge}", width="content")
            where = " · ".join(filter(None, (item.owner, item.group)))
            st.markdown(f":small[:gray[{as_label(where, 120)}]]", width="content")
        if item.words and item.name:
            st.markdown(as_label(item.words, 400))
        st.markdown("  \n".join(as_label(step_line(step), 320) for step in item.steps))
        with st.container(horizontal=True, key=f"citations-upgrade-{key}", gap="xsmall"):
            for number, cited in enumerate(item.citations):
                label = place(cited, with_release=True)
                source_button(label, guide.product, cited, f"cite-{key}-{number}")

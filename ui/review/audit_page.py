"""The page of the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import streamlit as st

from ui.elements.admin_page import admin_page
from ui.elements.export_buttons import export_buttons
from ui.elements.scope import any_of
from ui.serving import services
from ui.serving.services import current_person
from ui.wording.audit import action_told, details_told, subject_told

if TYPE_CHECKING:
    from chatbot.accounts.audit import AuditEntry
    from chatbot.review.audit_pages import AuditPages
    from chatbot.review.exports import Format


def audit() -> None:
    """Show who did what; a failure is one clear message."""
    from chatbot.review.audit_pages import AuditPages

    admin_page(lambda _: _show(AuditPages(services.chatbot().database)))


def _show(log: AuditPages) -> None:
    reader = current_person()
    st.title("Audit log", anchor=False)
    actions, people = log.actions(reader), log.people(reader)
    if not actions:
        st.info(
            "No entries yet. Uploads, deletions, rollbacks, ratings and exports are listed here. "
            "Entries cannot be changed or removed.",
            icon=":material/fact_check:",
        )
        return
    of_action, of_person = st.columns(2)
    with of_action:
        action = any_of("Action", actions, "audit-what", shown=action_told)
    with of_person:
        person = any_of("User", people, "audit-who")
    # Every choice has a place of its own, so another one begins with the newest entry.
    place = f"audit-before-{action}-{person}"
    before = st.session_state.get(place)
    page = log.page(reader, action=action, person=person, before=before)
    if not page.entries:
        st.info("This user has no such entries.", icon=":material/fact_check:")
        return
    _table(page.entries)
    with st.container(horizontal=True, vertical_alignment="center", key="audit-foot"):
        _turn_button("Newest", "first_page", place, None, disabled=before is None)
        oldest = page.entries[-1].id
        _turn_button("Older", "chevron_right", place, oldest, disabled=not page.older)

    def export(form: Format) -> Iterator[str]:
        from chatbot.review.exports import Exports

        rows = log.rows(reader, action=action, person=person)
        return Exports(log.database).of(reader, "audit log", rows, form, action=action, by=person)

    export_buttons("audit", export)


def _turn_button(label: str, icon: str, place: str, before: int | None, *, disabled: bool) -> None:
    """A button that turns to the entries older than one, or to the newest."""

    def turn() -> None:
        st.session_state[place] = before

    st.button(label, icon=f":material/{icon}:", disabled=disabled, on_click=turn)


def _table(entries: tuple[AuditEntry, ...]) -> None:
    """Cells of a table show their text as it is."""
    rows = [
        {
            "When (UTC)": entry.at,
            "Action": action_told(entry.action),
            "Applies to": subject_told(entry),
            "User": entry.person,
            "Details": details_told(entry),
        }
        for entry in entries
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        column_config={
            "When (UTC)": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss"),
            "User": st.column_config.TextColumn(width="medium"),
            "Details": st.column_config.TextColumn(width="large"),
        },
    )

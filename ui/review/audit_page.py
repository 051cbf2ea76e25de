"""The page of the audit log."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.review.exports import Exports
from corpora.database.history_tables import AuditRow
from ui.elements.frame import admin_page
from ui.elements.scope import any_of
from ui.elements.table import export_buttons, newest_first, show_table
from ui.serving import services
from ui.wording.amounts import how_large

_ONLY_LENGTHS = ("corrected_answer", "note", "reason")
"""Texts of which the log keeps only the number of characters."""


@admin_page
def audit(reader: Person) -> None:
    """Show who did what."""
    log = AuditLog(services.chatbot().database)
    st.title("Audit log", anchor=False)
    actions, people = log.choices(reader)
    if not actions:
        st.info(
            "No entries yet. Uploads, deletions, rollbacks, ratings and exports are listed here. "
            "Entries cannot be changed or removed.",
            icon=":material/fact_check:",
        )
        return
    of_action, of_person = st.columns(2)
    action = any_of(of_action, "Action", actions, "audit-what", shown=str.capitalize)
    person = any_of(of_person, "User", people, "audit-who")
    entries = newest_first(
        "audit",
        (action, person),
        lambda before: log.page(reader, before=before, action=action, person=person),
    )
    if not entries:
        st.info("This user has no such entries.", icon=":material/fact_check:")
        return
    rows = [
        {
            "When (UTC)": entry.at,
            "Action": entry.action.capitalize(),
            "Applies to": entry.subject,
            "User": entry.person,
            "Details": _details(entry),
        }
        for entry in entries
    ]
    moment = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")
    show_table(rows, {"When (UTC)": moment, "User": "medium", "Details": "large"})
    exports = Exports(log.database)
    export_buttons(
        "audit",
        lambda form: exports.of(
            *(reader, "audit log", log.rows(reader, action=action, person=person), form),
            action=action,
            by=person,
        ),
    )


def _details(entry: AuditRow) -> str:
    """The details of an entry: "files: 3 · names: a.pdf"; empty where there are none."""
    return " · ".join(
        f"{name.replace('_', ' ')}: {_shown(name, value)}" for name, value in entry.details.items()
    )


def _shown(name: str, value: Any) -> str:
    if value is None or value == "" or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    if name == "size":
        return how_large(value)
    if name in _ONLY_LENGTHS and isinstance(value, int):
        return f"{value:,} characters"
    return f"{value:,}" if isinstance(value, int) else str(value)

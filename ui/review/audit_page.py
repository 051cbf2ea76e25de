"""The page of the audit log."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.column_config import DatetimeColumn

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.text.languages import figure, gettext, in_words, ngettext
from corpora.database.history_tables import AuditRow
from ui.elements.frame import Access, page
from ui.elements.scope import any_of
from ui.elements.table import Columns, export_rows, newest_first, show_table
from ui.serving import services
from ui.wording.amounts import how_large
from ui.wording.audited import action_name, detail_name
from ui.wording.reviews import name_of
from ui.wording.sources import kind_name

_TO_THE_SECOND = DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")
_ONLY_LENGTHS = ("corrected_answer", "note", "reason")
"""Texts of which the log keeps only the number of characters."""


@page("wide", Access.ADMINS)
def audit(reader: Person) -> None:
    """Show who did what."""
    log = AuditLog(services.administered().database)
    st.title(gettext("Audit log"), anchor=False)
    actions, people = log.choices(reader)
    if not actions:
        st.info(
            gettext(
                "No entries yet. Uploads, deletions, rollbacks, ratings and exports are listed "
                "here. Entries cannot be changed or removed."
            ),
            icon=":material/fact_check:",
        )
        return
    of_action, of_person = st.columns(2)
    action = any_of(of_action, gettext("Action"), actions, "audit-what", shown=action_name)
    person = any_of(of_person, gettext("User"), people, "audit-who")
    entries = newest_first(
        "audit",
        (action, person),
        lambda before: log.page(reader, before=before, action=action, person=person),
    )
    if not entries:
        st.info(gettext("This user has no such entries."), icon=":material/fact_check:")
        return
    columns: Columns[AuditRow] = {
        gettext("When (UTC)"): (_TO_THE_SECOND, lambda entry: entry.at),
        gettext("Action"): lambda entry: action_name(entry.action),
        gettext("Applies to"): lambda entry: entry.subject,
        gettext("User"): ("medium", lambda entry: entry.person),
        gettext("Details"): ("large", _details),
    }
    show_table(entries, columns)
    read = partial(log.rows, reader, action=action, person=person)
    export_rows("audit", "audit log", read, action=action, by=person)


def _details(entry: AuditRow) -> str:
    return " · ".join(
        gettext("{name}: {value}", name=detail_name(name), value=_shown(name, value))
        for name, value in entry.details.items()
    )


def _shown(name: str, value: Any) -> str:
    if value is None or value == "" or value == []:
        return gettext("none")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {of}" for key, of in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    if name == "size":
        return how_large(value)
    if name in _ONLY_LENGTHS and isinstance(value, int):
        return ngettext("{number} character", "{number} characters", value)
    if name in ("rating", "status"):
        return name_of(str(value))
    if name == "kind":
        return kind_name(str(value))
    return figure(value) if isinstance(value, int) else in_words(str(value))

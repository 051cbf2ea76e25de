"""What every page for admins is framed by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from ingestion.errors import StrataError
from ui.elements.notice import show_note
from ui.serving.services import current_person
from ui.wording.escaping import as_text

if TYPE_CHECKING:
    from chatbot.accounts.people import Person


def admin_page(show: Callable[[Person], None]) -> None:
    """Show a page to its admin, wide, and tell what was just done.

    Whoever is no admin is refused; that and every expected failure is one clear message.
    """
    st.set_page_config(layout="wide")
    try:
        person = current_person()
        person.require_admin()
        show_note()
        show(person)
    except StrataError as error:
        st.error(as_text(str(error)), icon=":material/error:")

"""What all pages share: access for admins, messages, tabs, buttons, confirmations."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.accounts.people import Person
from ingestion.errors import StrataError
from ui.serving.services import current_person
from ui.wording.escaping import as_label, as_text

_NOTICE = "notice"


def admin_page(show: Callable[[Person], None]) -> Callable[[], None]:
    """Decorate a page for admins: wide, with a toast for what was just done.

    Others are refused; that, like every expected failure, is shown as one clear message.
    """

    @wraps(show)
    def page() -> None:
        st.set_page_config(layout="wide")
        with failures_shown():
            person = current_person()
            person.require_admin()
            if told := st.session_state.pop(_NOTICE, None):
                st.toast(as_label(told, 300), icon=":material/check:")
            show(person)

    return page


@contextmanager
def failures_shown(*, as_toast: bool = False) -> Iterator[None]:
    """Show an expected failure as one clear message; the rest of the block is skipped."""
    try:
        yield
    except StrataError as error:
        if as_toast:
            st.toast(as_label(str(error), 300), icon=":material/error:")
        else:
            st.error(as_text(str(error)), icon=":material/error:")


def done(told: str) -> None:
    """Rerun the page, and show there in one sentence what was just done."""
    st.session_state[_NOTICE] = told
    st.rerun()


def show_tabs(key: str, tabs: Mapping[str, Callable[[], None]]) -> None:
    """Show tabs; only the content of the open one is computed."""
    shown = st.tabs(list(tabs), key=key, on_change="rerun")
    for tab, show in zip(shown, tabs.values(), strict=True):
        if tab.open:
            with tab:
                show()


def button(
    label: str, do: Callable[..., None] | None = None, *args: Any, icon: str = "", **options: Any
) -> bool:
    """A button with a Material icon, which calls `do(*args)`; returns whether it was pressed."""
    shown = f":material/{icon}:" if icon else None
    return st.button(label, icon=shown, on_click=do, args=args, **options)


def in_a_row(*, gap: Any = "small", **options: Any) -> DeltaGenerator:
    """A container for widgets that stand beside each other, all at the same height."""
    return st.container(horizontal=True, vertical_alignment="center", gap=gap, **options)


def use_new_widget(name: str) -> None:
    """Empty the widgets that have `widget_round(name)` in their key."""
    st.session_state[f"{name} round"] = widget_round(name) + 1


def widget_round(name: str) -> int:
    """How often the widgets of this name have been emptied; it belongs into their keys."""
    number: int = st.session_state.get(f"{name} round", 0)
    return number


def confirmed(label: str, *, name: str = "", disabled: bool = False) -> bool:
    """Show a red button and a Cancel button at the end of a dialog; return whether to go ahead.

    With a `name`, it has to be typed first.
    """
    if not name:
        return _buttons(label, st.button, disabled=disabled)
    shown = as_label(name, len(name))
    with st.form("deleting", border=False):
        typed = st.text_input(f"Type {shown} to confirm", autocomplete="off", key=f"typed {name}")
        pressed = _buttons(label, st.form_submit_button)
    # White space is not compared: of two spaces in a row a browser shows one.
    is_named = typed.split() == name.split()
    if pressed and not is_named:
        st.error(f"The name does not match. Type {shown} exactly.")
    return pressed and is_named


def _buttons(label: str, show: Callable[..., bool], *, disabled: bool = False) -> bool:
    with st.container(horizontal=True, gap="small"):
        # The style sheet makes buttons with the key `danger` red.
        yes = show(label, type="primary", icon=":material/delete:", key="danger", disabled=disabled)
        if show("Cancel", key="keep"):
            st.rerun()
    return yes

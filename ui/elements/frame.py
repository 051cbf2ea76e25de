"""Shared parts of the pages: access, messages, tabs, buttons, confirmations, moments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from functools import wraps
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.accounts.people import Person
from chatbot.text.languages import gettext, moment_in_words
from ingestion.errors import StrataError
from ui.serving.services import administers, current_person
from ui.wording.escaping import as_label, as_text

_NOTICE = "notice"


class Access(StrEnum):
    """For whom a page is."""

    ALL = "all"
    PRODUCT_ADMINS = "product admins"
    ADMINS = "admins"


ACCESS: dict[str, Access] = {}
"""For whom each page is, by the name of its function."""


def page(
    layout: Literal["centered", "wide"], access: Access = Access.ALL
) -> Callable[[Callable[[Person], None]], Callable[[], None]]:
    """Decorate a page: it gets its person, and shows the last action in a toast.

    An expected failure, as a person who may not see the page, is shown as one clear message.
    """

    def decorate(show: Callable[[Person], None]) -> Callable[[], None]:
        @wraps(show)
        def page() -> None:
            st.set_page_config(layout=layout)
            with failures_shown():
                person = current_person()
                may_see = access is Access.PRODUCT_ADMINS and administers(person)
                if access is not Access.ALL and not may_see:
                    person.require_admin()
                if notice := st.session_state.pop(_NOTICE, None):
                    st.toast(as_label(notice, 300), icon=":material/check:")
                show(person)

        ACCESS[show.__name__] = access
        return page

    return decorate


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


def done(message: str) -> None:
    """Rerun the page, and show a message on the last action there."""
    st.session_state[_NOTICE] = message
    st.rerun()


def show_tabs(key: str, tabs: Mapping[str, Callable[[], None]]) -> None:
    """Show tabs; only the content of the open one is computed."""
    # A tab can be opened only before the tabs are drawn.
    if tab_to_open := st.session_state.pop(f"next {key}", ""):
        st.session_state[key] = tab_to_open
    shown = st.tabs(list(tabs), key=key, on_change="rerun")
    for tab, show in zip(shown, tabs.values(), strict=True):
        if tab.open:
            with tab:
                show()


def open_tab(key: str, tab: str) -> None:
    """Open one of the tabs with this key in the next run."""
    st.session_state[f"next {key}"] = tab


def is_open(key: str, tab: str) -> bool:
    """Whether a tab will be the open one of those with this key; asked before they are drawn."""
    return (st.session_state.get(f"next {key}") or st.session_state.get(key)) == tab


def show_facts(facts: Mapping[str, str], longest: int = 160) -> None:
    """Show names and their values, line by line."""
    lines = (f":gray[{name}:] {as_label(fact, longest)}" for name, fact in facts.items())
    st.markdown("  \n".join(lines))


def button(
    label: str,
    do: Callable[..., None] | None = None,
    *args: Any,
    icon: str = "",
    of: str = "",
    **options: Any,
) -> bool:
    """A button with a Material icon, which calls `do(*args)`; returns whether it was pressed.

    Where each row has the same one, `of` names its row for who does not see it (page.css).
    """
    shown = f":material/{icon}:" if icon else None
    if of:
        label, options["key"] = f"{label} :small[{as_label(of)}]", f"row-{options['key']}"
    return st.button(label, icon=shown, on_click=do, args=args, **options)


def choose_one(
    label: str,
    names: Sequence[str],
    key: str,
    *,
    labelled: bool = True,
    shown: Callable[[str], str] = gettext,
) -> str:
    """Buttons of which one is always chosen, at first the first; names are shown translated."""
    visibility: Literal["visible", "collapsed"] = "visible" if labelled else "collapsed"
    options: dict[str, Any] = {"default": names[0], "required": True}
    chosen: str = st.segmented_control(
        label, names, key=key, label_visibility=visibility, format_func=shown, **options
    )
    return chosen


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


def confirm(
    title: str,
    consequences: str,
    label: str,
    do: Callable[[], None],
    *,
    icon: str = "delete",
    name: str = "",
) -> None:
    """Open a dialog with the consequences of an action, and call `do` once it is confirmed.

    With a `name`, it has to be typed first.
    """

    def ask() -> None:
        st.markdown(consequences)
        if confirmed(label, icon=icon, name=name):
            with failures_shown():
                do()

    st.dialog(title, icon=f":material/{icon}:")(ask)()


def confirmed(label: str, *, icon: str = "delete", name: str = "", disabled: bool = False) -> bool:
    """Show a button and a Cancel button at the end of a dialog; return whether to go ahead."""
    show: Callable[..., bool] = st.form_submit_button if name else st.button
    shown, typed = as_label(name, len(name)), ""
    with st.form("deleting", border=False) if name else st.container():
        if name:
            typed = st.text_input(
                gettext("Type {name} to confirm", name=shown),
                autocomplete="off",
                key=f"typed {name}",
            )
        with st.container(horizontal=True, gap="small"):
            # The style sheet makes buttons with the key `danger` red.
            key = "danger" if icon == "delete" else "go ahead"
            options = {"icon": f":material/{icon}:", "key": key, "disabled": disabled}
            pressed = show(label, type="primary", **options)
            if show(gettext("Cancel"), key="keep"):
                st.rerun()
    # White space is not compared: of two spaces in a row a browser shows one.
    is_named = typed.split() == name.split()
    if pressed and not is_named:
        st.error(gettext("The name does not match. Type {name} exactly.", name=shown))
    return pressed and is_named


def when(moment: datetime) -> str:
    """A moment in the time zone of the browser, or in UTC where that is not known."""
    zone = " UTC" if st.context.timezone_offset is None else ""
    return f"{moment_in_words(moment.astimezone(browser_zone()))}{zone}"


def browser_zone() -> timezone:
    """The time zone of the browser, or UTC where that is not known."""
    # The browser counts minutes from its own time to UTC.
    return timezone(timedelta(minutes=-(st.context.timezone_offset or 0)))

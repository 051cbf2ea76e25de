"""Tables and lists with pages, rows to open or to select, and downloads."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

import streamlit as st

from chatbot.review.exports import Exports, Format
from chatbot.text.languages import figure, gettext, gettext_noop, in_words
from ui.elements.address import go
from ui.elements.frame import button, in_a_row
from ui.serving import services
from ui.wording.amounts import how_many, how_many_more
from ui.wording.escaping import as_label

Row = TypeVar("Row")
Cell = Callable[[Row], object]
Columns = Mapping[str, Cell[Row] | tuple[Any, Cell[Row]]]
"""The columns of a table by name: the cell of a row, some with a width or configuration."""
Export = Callable[[Format], Iterator[str]]
"""Records an export and returns its text in pieces.

It is called outside of a script run, where Streamlit knows neither person nor session.
"""


@dataclass(frozen=True, slots=True)
class Number:
    """A column of numbers, shown with the signs of the language and sorted by their size."""

    decimals: int = 0
    seconds: bool = False
    width: int | None = None

    def shown(self, value: float) -> str:
        """A number of the column in words."""
        number = figure(value, self.decimals)
        return gettext("{number} s", number=number) if self.seconds else number


_NUMBER = 70
"""The width in pixels of buttons with the number of a row."""
_LEFT_OUT_IF_EMPTY = (
    gettext_noop("Questions"),
    gettext_noop("Suspended because"),
    gettext_noop("Problem"),
)


def search_box(key: str, label: str, where: str, *, live: bool = True) -> str:
    """Show a search field; return its text."""
    return (
        st.text_input(
            label,
            key=key,
            type="search",
            live=live,
            placeholder=gettext("Search {where}", where=where),
            label_visibility="collapsed",
            width=360,
        )
        or ""
    )


def has_words(text: str, words: str) -> bool:
    """Whether a text has all of the words that were typed, in any order."""
    return all(word in text.casefold() for word in words.casefold().split())


def show_table(
    rows: Sequence[Row],
    columns: Columns[Row],
    *,
    key: str | None = None,
    name: str = "",
    opens: str = "",
    choose: str = "",
    height: int | Literal["auto", "content"] = "content",
) -> list[Row]:
    """Show rows, whose cells show text of any origin as text; return those chosen.

    `opens` gives each row a button: it sets this query parameter to the row's cell in the column
    `gettext("Open")`, unless that is empty. `choose` is the selection mode, if rows can be chosen.
    """
    config: dict[str, Any] = {}
    numbers: dict[str, Callable[[float], str]] = {}
    table: list[dict[str, Any]] = [{} for _ in rows]
    needless = set(map(gettext, _LEFT_OUT_IF_EMPTY))
    for label, column in columns.items():
        width, cell = column if isinstance(column, tuple) else (None, column)
        cells = list(map(cell, rows))
        if label in needless and not any(cells):
            continue
        # A column that says nothing of itself is what its cells are: numbers to the right.
        if isinstance(width, Number):
            config[label] = st.column_config.NumberColumn(width=width.width)
            numbers[label] = width.shown
        elif isinstance(width, dict):
            config[label] = width
        elif width is not None:
            config[label] = st.column_config.TextColumn(width=width)
        for shown, value in zip(table, cells, strict=True):
            shown[label] = in_words(value) if isinstance(value, str) else value
    options: dict[str, Any] = {}
    if opens:
        open_key, label = f"{key}-open", gettext("Open")
        width = config.get(label, {}).get("width", _NUMBER)
        config[label] = st.column_config.ButtonColumn(
            width=width, pinned=True, key=open_key, on_click=_open, args=(open_key, opens)
        )
        options["row_height"] = 36
    if choose:
        options |= {"on_select": "rerun", "selection_mode": choose}
    shown_as: Any = table
    if rows and numbers:
        from pandas import DataFrame

        shown_as = DataFrame(table).style.format(numbers, na_rep="")
    state: Any = st.dataframe(
        shown_as,
        column_config=config,
        hide_index=True,
        placeholder="–",
        height=height,
        alt=name or None,
        key=key,
        **options,
    )
    chosen = state["selection"]["rows"] if choose else ()
    return [rows[number] for number in chosen if number < len(rows)]


def _open(key: str, parameter: str) -> None:
    if label := st.session_state[key].label:
        go(**{parameter: label})


def list_in_pages(
    items: Sequence[Row],
    key: str,
    show: Callable[[int, Row], None],
    *,
    of: str = "",
    size: int = 25,
) -> None:
    """Show the items of one page, each by `show(number on the page, item)`."""

    def read(first: int, size: int) -> Sequence[Row]:
        return items[first : first + size]

    read_in_pages(len(items), key, read, show, of=of, size=size)


def read_in_pages(
    total: int,
    key: str,
    read: Callable[[int, int], Sequence[Row]],
    show: Callable[[int, Row], None],
    *,
    of: str = "",
    size: int = 25,
) -> None:
    """The same of what `read(offset, size)` finds; nothing else is read."""
    with _one_page(total, key, of, size) as first:
        for number, item in enumerate(read(first, size)):
            show(number, item)


def table_in_pages(
    total: int,
    key: str,
    read: Callable[[int, int], Sequence[Row]],
    columns: Columns[Row],
    *,
    of: str,
    size: int = 25,
    **options: Any,
) -> list[Row]:
    """Show what `read(offset, size)` finds as a table with pages; return what is chosen there.

    The `options` are those of `show_table`.
    """
    with _one_page(total, f"page of {key}", of, size) as first:
        # Another page is another table, in which nothing is selected yet.
        return show_table(read(first, size), columns, key=f"{key} from {first}", **options)


@contextmanager
def _one_page(total: int, key: str, of: str, size: int) -> Iterator[int]:
    """Give the offset of the rows to show, with the other pages to choose from below them.

    With `of`, the noun for what is listed, it says which rows of how many these are.
    """
    # The rows stand above the pages to choose from, and depend on that choice.
    above, pages = st.container(), -(-total // size)
    page = st.pagination(pages, key=key) if pages > 1 else 1
    first = (page - 1) * size
    with above:
        yield first
        if of and total:
            of_all = {"last": figure(min(first + size, total)), "all": how_many(total, of)}
            st.caption(gettext("{first}–{last} of {all}", first=figure(first + 1), **of_all))


def newest_first(
    name: str,
    choice: object,
    read: Callable[[Any], tuple[Sequence[Row], Any]],
    heading: str = "",
) -> Sequence[Row]:
    """Return the rows of one page of a list of any length, and show buttons to turn the pages.

    `read` takes where a page begins, None for the newest, and returns its rows and where the next
    page begins, None if there is none. Another choice of rows begins with the newest.
    """
    key = f"{name}-pages"
    chosen, begins = st.session_state.get(key, (choice, (None,)))
    if chosen != choice:
        begins = (None,)
    rows, rest = read(begins[-1])

    def turn_to(*begins: object) -> None:
        st.session_state[key] = (choice, begins)

    if not rows:
        return rows
    with in_a_row(key=key):
        st.markdown(heading)
        is_first = len(begins) == 1
        if is_first and rest is None:
            return rows
        st.space("stretch")
        for label, icon, shortcut, there, disabled in (
            (gettext("Newest"), "first_page", None, (None,), is_first),
            (gettext("Newer"), "chevron_left", "P", begins[:-1], is_first),
            (gettext("Older"), "chevron_right", "N", (*begins, rest), rest is None),
        ):
            button(label, turn_to, *there, icon=icon, shortcut=shortcut, disabled=disabled)
    return rows


def export_buttons(name: str, export: Export) -> None:
    """Offer a download in each format; it is read, and recorded, when its button is pressed."""
    with st.container(horizontal=True, key=f"export-{name}", gap="small"):
        for form in Format:
            download(
                form.upper(),
                partial(_written, export, form),
                f"strata-{name}.{form}",
                key=f"export-{name}-{form}",
                help=gettext("The audit log records each download."),
            )


def export_rows(
    name: str, what: str, rows: Callable[[], Iterable[Mapping[str, Any]]], **of: Any
) -> None:
    """Offer the downloads of `what` is shown; `of` are the filters that it is shown by."""
    exports, person = Exports(services.administered().database), services.current_person()
    export_buttons(name, lambda form: exports.of(person, what, rows(), form, **of))


def _written(export: Export, form: Format) -> str:
    return "".join(export(form))


def download(
    label: str, data: bytes | Callable[[], str | bytes], file: str, **options: Any
) -> None:
    """A download button; if `data` is a function, it is called when the button is pressed."""
    icon, mime = ":material/download:", "application/octet-stream"
    st.download_button(label, data, file, mime, icon=icon, on_click="ignore", **options)


def first_of(names: Sequence[str], most: int) -> list[str]:
    """The first `most` names, and how many more there are."""
    return [*names[:most], *how_many_more(len(names) - most)]


def bullets(lines: Sequence[str], most: int = 20, longest: int = 600) -> str:
    """Plain text as a Markdown list of at most `most` lines, and how many more there are."""
    return "\n".join(f"- {as_label(line, longest)}" for line in first_of(lines, most))

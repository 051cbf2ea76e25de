"""Messages: English text that knows what it was made of, for whoever shows it in other languages.

`Message` is a string like any other to logs, programs and the command line. Kept in the database
or sent by another process it stays what it is (`kept`, `read`); `chatbot.text.languages.in_words`
puts it into the language of the reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, Self

_MARK = "\x1e"
"""Parts, in what is kept, the text from what it was made of."""
_SPEC = re.compile(r",(?:\.(\d)f)?")


class Message(str):
    """English text, with the text it was made of, or its two forms, and what stands in its places.

    It has no forms where it is several messages one after the other, which are then its values.
    """

    forms: tuple[str, ...]
    values: Mapping[str, Any]

    def __new__(
        cls, text: str, forms: tuple[str, ...] = (), values: Mapping[str, Any] | None = None
    ) -> Self:
        """Make one of a text that is filled in already."""
        made = super().__new__(cls, text)
        made.forms, made.values = forms, values or {}
        return made

    def __str__(self) -> str:
        """Itself: `str(error)` of an error is still the message."""
        return self


class Places(Formatter):
    """Fills the places of a text, which are names and nothing else; numbers look as English."""

    def figure(self, number: float, decimals: int) -> str:
        """A number as it is shown."""
        return f"{number:,.{decimals}f}"

    def get_field(self, name: str, args: Any, kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        """What stands in a place; never an attribute or a part of it."""
        return kwargs[name], name

    def format_field(self, value: Any, spec: str) -> str:
        """A number whose place says so with the signs of the language, else the text."""
        if isinstance(value, int | float) and (said := _SPEC.fullmatch(spec)):
            return self.figure(value, int(said[1] or 0))
        return str(value)


_ENGLISH = Places()


def message(text: str, /, **values: object) -> Message:
    """A text with what stands in its places; what is put in is never read as a text with places."""
    if isinstance(text, Message):
        return text
    shown = {name: _plain(value) for name, value in values.items()}
    return Message(_ENGLISH.vformat(text, (), shown) if shown else text, (text,), shown)


class Told(Exception):
    """A failure that is told; made of its message, or of a text with places and their values."""

    def __init__(self, text: str = "", /, **values: object) -> None:
        super().__init__(message(text, **values))


def counted(one: str, more: str, number: int, /, **values: object) -> Message:
    """A text of a number of things, which is shown as `{number}`."""
    shown = {name: _plain(value) for name, value in values.items()}
    form, figures = (one if number == 1 else more), {"number": f"{number:,}"}
    return Message(
        _ENGLISH.vformat(form, (), shown | figures), (one, more), {**shown, "number": number}
    )


def sentences(parts: Iterable[str], between: str = " ") -> Message:
    """Messages one after the other; empty ones are left out."""
    told = [part for part in parts if part]
    values = {str(place): part for place, part in enumerate(told)} | {"between": between}
    return Message(between.join(told), (), values)


def message_noop(text: str) -> str:
    """The text as it stands: a message is made of it elsewhere."""
    return text


def counted_noop(one: str, more: str) -> tuple[str, str]:
    """The same of a number of things."""
    return one, more


def _plain(value: object) -> str | float:
    if isinstance(value, str | int | float):
        return value
    return str(value)


def kept(value: Any) -> Any:
    """A value of JSON with its messages as texts that `read` makes messages of again."""
    if isinstance(value, Message):
        made_of = json.dumps([value.forms, kept(dict(value.values))], ensure_ascii=False)
        return f"{value.replace(_MARK, ' ')}{_MARK}{made_of}"
    if isinstance(value, str):
        # The text of a document, or its name, is never taken for a message.
        return value.replace(_MARK, " ")
    if isinstance(value, Mapping):
        return {name: kept(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [kept(part) for part in value]
    return value


def read(value: Any) -> Any:
    """What was `kept`; a text that was not made so is a text."""
    if isinstance(value, str):
        text, mark, made_of = value.partition(_MARK)
        if not mark:
            return value
        try:
            forms, values = json.loads(made_of)
            return Message(text, tuple(map(str, forms)), read(dict(values)))
        except (ValueError, TypeError, RecursionError):
            return text
    if isinstance(value, dict):
        return {name: read(part) for name, part in value.items()}
    if isinstance(value, list):
        return [read(part) for part in value]
    return value

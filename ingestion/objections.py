"""What pydantic objects to in what somebody gave, as messages; in English by its own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.messages import Message, message, message_noop, sentences

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_SAID = (
    message_noop("Field required"),
    message_noop("Extra inputs are not permitted"),
    message_noop("Input should be {expected}"),
    message_noop("Input should be a valid string"),
    message_noop("Input should be a valid list"),
    message_noop("Input should be a valid tuple"),
    message_noop("Input should be a valid dictionary"),
    message_noop("Input should be a valid number"),
    message_noop("Input should be a valid number, unable to parse string as a number"),
    message_noop("Input should be a valid integer"),
    message_noop("Input should be a valid integer, unable to parse string as an integer"),
    message_noop("Input should be greater than {gt}"),
    message_noop("Input should be greater than or equal to {ge}"),
    message_noop("Input should be less than or equal to {le}"),
    message_noop("String should have at least {min_length} character"),
    message_noop("String should have at least {min_length} characters"),
    message_noop("String should have at most {max_length} characters"),
)
"""Those that forms and files of people meet; others stay as pydantic has them."""


def objection(found: ErrorDetails) -> str:
    """One objection, without its place; that of a check of Strata's own is its error's message."""
    of = found.get("ctx", {})
    if isinstance(error := of.get("error"), Exception):
        return str(error)
    for text in _SAID:
        try:
            told = message(text, **of)
        except KeyError:
            continue
        if told == found["msg"]:
            return told
    return found["msg"]


def objections(error: ValidationError, whole: str = "") -> Message:
    """All of them with their places: "url: Field required"; what is `whole` has a name as well."""
    return sentences((_placed(found, whole) for found in error.errors()), "; ")


def first_objection(error: ValidationError) -> str:
    """The first of them: "rules.0: Field required"."""
    return _placed(error.errors()[0], "")


def _placed(found: ErrorDetails, whole: str) -> str:
    place = ".".join(map(str, found["loc"])) or whole
    told = objection(found)
    return message("{place}: {reason}", place=place, reason=told) if place else told

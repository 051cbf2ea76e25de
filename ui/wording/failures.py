"""Messages of failures for people, and for the server's log alone."""

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

from chatbot.settings import Settings
from chatbot.text.languages import gettext, gettext_noop
from ingestion.errors import StrataError

_log = logging.getLogger(__name__)
_SHOULD = re.compile(r"^\w+ should ")
_SAID = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "json_invalid": "is no JSON",
    "string_type": "has to be text",
    **dict.fromkeys(("int_type", "int_parsing"), "has to be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "has to be a number"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "has to be an object"),
}
INTERNAL_ERROR = gettext_noop("Something went wrong. The server's log has the details.")


def message_for(error: Exception, settings: Settings | None) -> str:
    """The message of an error; of one for operators only where the asker runs the server.

    That is where nobody signs in. Such errors, and those that nobody expected, are logged.
    """
    asker_operates = settings is not None and settings.sign_in == "none"
    if isinstance(error, StrataError) and (asker_operates or not error.for_operators):
        return str(error)
    _log.error("a request failed", exc_info=error)
    return gettext(INTERNAL_ERROR)


def objections(errors: Iterable[Mapping[str, Any]]) -> str:
    """What pydantic has against a request, in words, by the names that the request has."""
    told: dict[str, list[str]] = {}
    for error in errors:
        # Between the names of fields stand those of the types that were tried.
        names = [n for n in map(str, error["loc"]) if n.isidentifier() or n.isdecimal()]
        place = "the request" if error["type"] == "json_invalid" else ".".join(names)
        message = _SAID.get(error["type"]) or _SHOULD.sub("has to ", error["msg"])
        if isinstance(error.get("input"), str):
            # Of a text whose invisible characters were taken out.
            message = message.replace(" items after validation", " characters")
        told.setdefault(place or "the request", []).append(message)
    return "; ".join(f"{place} {' or '.join(of)}" for place, of in told.items())

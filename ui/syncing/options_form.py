"""Fields for the options of a kind of source, made from the model of that kind."""

import json
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import streamlit as st
from pydantic.fields import FieldInfo

from chatbot.text.languages import gettext, gettext_noop
from corpora.sources.options import SourceOptions
from ui.wording.escaping import as_label

_AT_ONCE = 4
"""A model names first what people mostly set; so many options are shown without a click."""
_LABELS = {
    "url": gettext_noop("Address"),
    "path": gettext_noop("Path"),
    "releases": gettext_noop("Releases"),
    "refs": gettext_noop("Releases are"),
    "newest": gettext_noop("Only the newest"),
    "since": gettext_noop("Only from this release on"),
    "next_branch": gettext_noop("Branch of the release “next”"),
    "link": gettext_noop("Links to the original"),
    "prereleases": gettext_noop("Pre-releases, too"),
    "discover": gettext_noop("Pages are found by"),
    "max_pages": gettext_noop("Pages of a release, at most"),
    "max_bytes": gettext_noop("Bytes of a release, at most"),
    "max_pictures": gettext_noop("Pictures of a release, at most"),
    "hosts": gettext_noop("Further hosts"),
    "private_hosts": gettext_noop("Hosts of a private network"),
    "delay": gettext_noop("Seconds between two requests"),
    "robots": gettext_noop("Follow robots.txt"),
    "key": gettext_noop("SSH key"),
    "known_hosts": gettext_noop("Keys of SSH hosts"),
    "token": gettext_noop("Token"),
    "ca": gettext_noop("Certificate"),
}


def option_fields(options: type[SourceOptions], key: str) -> dict[str, Any]:
    """Show a field for each option; return what was typed, without what was left as it is.

    Nothing is checked here: the model does that, and says what is wrong.
    """
    fields = list(options.model_fields.items())
    typed = {name: _field(name, field, key) for name, field in fields[:_AT_ONCE]}
    if rest := fields[_AT_ONCE:]:
        with st.expander(gettext("More options")):
            typed |= {name: _field(name, field, key) for name, field in rest}
    defaults = {name: field.get_default(call_default_factory=True) for name, field in fields}
    return {
        name: value
        for name, value in typed.items()
        if value not in (None, "") and value != defaults[name]
    }


def option_label(name: str) -> str:
    """The name of an option for people; those of packages by their own name."""
    return gettext(_LABELS.get(name, name.replace("_", " ").capitalize()))


def told_of(told: str | None) -> str:
    """What a kind of source, or an option of it, says of itself."""
    return gettext(told) if told else ""


def _field(name: str, field: FieldInfo, key: str) -> Any:
    told = told_of(field.description)
    options: dict[str, Any] = {
        "label": as_label(option_label(name)),
        "key": f"{key} {name}",
        "help": as_label(f"{told[:1].upper()}{told[1:]}", 400) or None,
    }
    required = field.is_required()
    default = None if required else field.get_default(call_default_factory=True)
    of = _without_none(field.annotation)
    origin = get_origin(of)
    if origin is Literal:
        choices = list(get_args(of))
        index = choices.index(default) if default in choices else None
        return st.selectbox(options=choices, index=index, **options)
    if of is bool:
        return st.toggle(value=bool(default), **options)
    if of in (int, float):
        return _number(of, default, field, options)
    if origin is tuple or origin is list:
        return _lines(gettext("one per line"), "\n".join(default or ()), options).splitlines()
    if origin is dict:
        lines = "\n".join(f"{name} = {value}" for name, value in (default or {}).items())
        return _pairs(_lines(gettext("one per line: name = value"), lines, options))
    if of is str:
        placeholder = as_plain(told) if required else ""
        return st.text_input(value=default or "", placeholder=placeholder, **options).strip()
    return _json(
        _lines(gettext("as JSON"), "" if default is None else json.dumps(default), options)
    )


def as_plain(text: str) -> str:
    """A placeholder, which is shown letter for letter."""
    return " ".join(text.split())


def _number(
    of: Callable[[Any], Any], default: Any, field: FieldInfo, options: Mapping[str, Any]
) -> Any:
    limits: dict[str, Any] = {
        name: next((of(getattr(m, at)) for m in field.metadata if hasattr(m, at)), None)
        for name, at in (("min_value", "ge"), ("max_value", "le"))
    }
    given: Any = None if default is None else of(default)
    return st.number_input(
        value=given,
        step=of(1),
        placeholder=gettext("no limit") if default is None else None,
        **limits,
        **options,
    )


def _lines(placeholder: str, value: str, options: Mapping[str, Any]) -> str:
    typed: str = st.text_area(value=value, placeholder=placeholder, height=68, **options)
    return typed.strip()


def _pairs(text: str) -> dict[str, str]:
    """A name and a value a line; a line without a value keeps its name, for the model to judge."""
    split = (line.partition("=") for line in text.splitlines() if line.strip())
    return {name.strip(): value.strip() for name, _, value in split}


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def _without_none(annotation: Any) -> Any:
    """What an option is where it is given."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    named = [one for one in get_args(annotation) if one is not type(None)]
    return named[0] if len(named) == 1 else annotation

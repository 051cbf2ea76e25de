"""The language of the page and of replies, and their texts in it.

English stands in the code and is what is shown where nothing else is known. Every other language
is one file, `translations/LANGUAGE.po`, which translators edit and `scripts/languages.py` keeps in
step with the code. Names of releases, quotes and text of documents are data, and never translated.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.text.words import listed
from corpora.catalog.languages import LANGUAGES as OF_DOCUMENTS
from ingestion.messages import Message, Places, counted_noop, message_noop

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

ENGLISH = "en"
LANGUAGES = {
    ENGLISH: "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "zh": "中文",
}
"""The languages there are, by their codes, and how each calls itself."""
FOLDER = Path(__file__).parent / "translations"

_SPOKEN: ContextVar[str | None] = ContextVar("language", default=None)
_of_page: Callable[[], str | None] = lambda: None  # noqa: E731 - a default that is replaced


def language() -> str:
    """The code of the language that texts are in: that of the question or request, or the page."""
    return _SPOKEN.get() or _of_page() or ENGLISH


def language_name(code: str) -> str:
    """A language of documents, as the language that is spoken calls it."""
    if language() == ENGLISH:
        return OF_DOCUMENTS[code]
    from babel import Locale

    return str(Locale.parse(language()).languages.get(code, OF_DOCUMENTS[code]))


def use_language_of(page: Callable[[], str | None]) -> None:
    """Ask `page` for the language wherever no other one is spoken.

    Scripts, fragments and callbacks of a page run in threads that begin without any context.
    """
    global _of_page
    _of_page = page


def load_translations() -> None:
    """Read those of all languages, which the first who asks in one would wait for."""
    for code in LANGUAGES:
        translations(code)


@contextmanager
def spoken(code: str | None) -> Iterator[None]:
    """Within it, also in tasks and threads that are begun there, texts are in this language.

    None leaves the language as it is.
    """
    token = _SPOKEN.set(code or _SPOKEN.get())
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def gettext(message: str, /, **shown: object) -> str:
    """The text in the language that is spoken, with what is `shown` in its places.

    What is shown is put in, never read as a text with places of its own.
    """
    return _filled(translations(language()).gettext(message), shown)


def ngettext(one: str, more: str, number: int, /, **shown: object) -> str:
    """The text for a number of things, which is shown as `{number}`."""
    text = translations(language()).ngettext(one, more, number)
    return _filled(text, {"number": figure(number), **shown})


def in_words(text: str) -> str:
    """A message in the language that is spoken, with those in its places; any other text itself.

    A message is in English where there is no translation of it, as of an earlier version's.
    """
    if not isinstance(text, Message) or language() == ENGLISH:
        return text
    shown = {
        name: in_words(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    if not text.forms:
        between = translations(language()).gettext(str(shown.pop("between", " ")))
        return between.join(map(str, shown.values()))
    if not text.forms[0] or text.forms[0] not in _catalog(language()):
        return text
    known, number = translations(language()), text.values.get("number")
    if len(text.forms) > 1 and isinstance(number, int):
        found = known.ngettext(text.forms[0], text.forms[1], number)
        shown["number"] = figure(number)
    else:
        found = known.gettext(text.forms[0])
    try:
        return _SPOKEN_PLACES.vformat(found, (), shown) if shown else found
    except (KeyError, ValueError):
        # It was kept by a version whose text had other places.
        return text


class _SpokenPlaces(Places):
    def figure(self, number: float, decimals: int) -> str:
        return figure(number, decimals)


_SPOKEN_PLACES = _SpokenPlaces()


gettext_noop, ngettext_noop = message_noop, counted_noop
"""The text as it stands in the code, or that of a number of things: translated where shown."""

_BETWEEN = (gettext_noop(", "), gettext_noop("; "))
"""What stands between messages, apart from a blank."""


def in_every_language(message: str) -> tuple[str, ...]:
    """The text in each language."""
    return tuple(translations(code).gettext(message) for code in LANGUAGES)


def figure(number: float, decimals: int = 0) -> str:
    """A number with the signs of the language: "1,200.5", "1.200,5"."""
    if language() == ENGLISH:
        return f"{number:,.{decimals}f}"
    from babel.numbers import format_decimal

    places = f".{'0' * decimals}" if decimals else ""
    return format_decimal(number, f"#,##0{places}", locale=language())


def moment_in_words(moment: datetime) -> str:
    """A day and the time of day, to the minute."""
    if language() == ENGLISH:
        return f"{moment:%d %b %Y, %H:%M}"
    from babel.dates import format_date, format_time, get_datetime_format

    # No skeleton has day and time of day in every language.
    day, of = format_date(moment, "medium", locale=language()), {"locale": language()}
    time = format_time(moment, "short", tzinfo=moment.tzinfo, **of)
    return str(get_datetime_format("medium", **of)).replace("{1}", day).replace("{0}", time)


def day_in_words(day: date) -> str:
    """A day: "3 Nov 2026"."""
    if language() == ENGLISH:
        return f"{day:%-d %b %Y}"
    from babel.dates import format_date

    return format_date(day, "medium", locale=language())


def shown_list(names: Iterable[str], *, choice: bool = False) -> str:
    """At least one name, in a sentence: "17.10, 17.20 and 18.00", or with "or" for a `choice`."""
    if language() == ENGLISH:
        return listed(names, "or" if choice else "and")
    from babel.lists import format_list

    return format_list(list(names), style="or" if choice else "standard", locale=language())


def chosen_from(accepted: str) -> str:
    """The language to speak to a browser that accepts these, as in the header Accept-Language.

    English where there is none of them, and for a header that cannot be read.
    """
    ranked: list[tuple[float, str]] = []
    for part in accepted[:500].split(","):
        name, _, quality = part.partition(";")
        weight = quality.replace(" ", "").removeprefix("q=") or "1"
        if weight.replace(".", "", 1).isdecimal():
            ranked.append((-float(weight), name.strip().replace("_", "-").split("-")[0].lower()))
    known = (code for weight, code in sorted(ranked, key=lambda r: r[0]) if weight)
    return next((code for code in known if code in LANGUAGES), ENGLISH)


@cache
def translations(code: str) -> NullTranslations:
    """The translations of a language, read from its file; English has none."""
    if code == ENGLISH:
        return NullTranslations()
    from babel.messages.mofile import write_mo

    compiled = BytesIO()
    write_mo(compiled, _catalog(code))
    compiled.seek(0)
    return GNUTranslations(compiled)


@cache
def _catalog(code: str) -> "Catalog":
    from babel.messages.pofile import read_po

    with (FOLDER / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def _filled(text: str, shown: dict[str, object]) -> str:
    told = {name: in_words(v) if isinstance(v, Message) else v for name, v in shown.items()}
    return text.format_map(told) if told else text

"""Whether an answer stands in the evidence, its figures too, and the citations that show it."""

import math
import re
import unicodedata
from collections.abc import Sequence

from chatbot.text.units import UNIT
from chatbot.turn import Citation, Origin, Record
from corpora.indexing.pages import StoredPage
from corpora.parameters.parameter import Fact, Parameter, Replacement

LONGEST_QUOTE = 800
"""Characters of a citation's words."""
_CLAIM = re.compile(
    r"[A-Za-z_][\w.]*\(|\w*[_.]\w[\w.]*|\b\w*\d[\w.%]*|\b[A-Z]{2,}\w*|(?<![\w-])--?[a-zA-Z][\w-]*"
)

_FACTORS = {
    "time": {
        "ns": 1e-9,
        "µs": 1e-6,
        "us": 1e-6,
        "ms": 1e-3,
        "tenths of a second": 0.1,
        "s": 1.0,
        "sec": 1.0,
        "second": 1.0,
        "min": 60.0,
        "minute": 60.0,
        "h": 3600.0,
        "hour": 3600.0,
        "day": 86400.0,
    },
    "frequency": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "thz": 1e12},
    "size": {"byte": 1.0, "kb": 1e3, "kib": 1024.0, "mb": 1e6, "mib": 1024.0**2, "gb": 1e9},
}
"""Units of a dimension in its base unit."""
_QUANTITY = re.compile(rf"(?<![\w.])-?\d[\d.,]*\s?{UNIT}")
_VALUE = re.compile(r"(?P<number>[-−]?\d[\d,]*(?:\.\d+)?)\s*(?P<unit>[^\d\s.,;()][^\d.,;()]*)?")
_FOLDED = str.maketrans(dict.fromkeys("‘’“”`'\"*", "") | dict.fromkeys("–—−", "-"))
_DOES_NOT_KNOW = re.compile(
    r"^\W*(?:(?:i|we) (?:don.?t|do not) know|not (?:specified|mentioned|documented|stated|provided)"
    r"|no (?:information|mention)\b"
    r"|(?:this|that|it) is not (?:specified|mentioned|documented|stated)"
    r"|the (?:chunks?|excerpts?|documentation) (?:do|does) not (?:tell|say|mention|specify|state))",
    re.I,
)
_NOT_TOLD = re.compile(
    r"\bnot (?:specified|mentioned|documented|stated|provided|given|described|explained)\b"
    r"[^.]*\b(?:chunks?|excerpts?|documentation|context|passages?|text)\b",
    re.I,
)


def plain(text: str) -> str:
    """Fold case, quotes, dashes and white space, so that equal words compare equal."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().translate(_FOLDED).split())


def says_unknown(reply: str) -> bool:
    """Whether a model says that it does not know, in the words asked for or in its own."""
    return (_DOES_NOT_KNOW.match(reply) or _NOT_TOLD.search(reply)) is not None


def claims(value: str) -> list[str]:
    """The names, figures and flags of an answer: what must not be invented."""
    return [c.rstrip("(.") for c in _CLAIM.findall(value) if c.rstrip("(.")]


def whole(text: str) -> re.Pattern[str]:
    """Finds the text where it is not a part of a longer word or figure: 5 not in 2.5 nor 5.1."""
    before = r"(?<![\w.])" if text[0].isdigit() else r"(?<!\w)"
    after = r"(?!\w|\.\d)" if text[-1].isdigit() else r"(?!\w)"
    return re.compile(before + re.escape(text) + after)


def names(text: str, *things: str) -> bool:
    """Whether a text names all these things, as whole words in letters of either case."""
    plainly = plain(text)
    return all(name and whole(name).search(plainly) for name in map(plain, things))


def cite(record: Record, release: str) -> Citation:
    """A citation of the record's words; raises ValueError if they do not stand in its page."""
    return cite_words(record.page, record.quote, record.path, record.anchor, release)


def cite_words(
    page: StoredPage,
    words: str,
    path: Sequence[str],
    anchor: str | None,
    release: str,
    *,
    longest: int = LONGEST_QUOTE,
) -> Citation:
    """Cite words of a page, at most `longest` characters; raises ValueError if not there."""
    quote = words if len(words) <= longest else words[:longest].rsplit(" ", 1)[0]
    if quote not in page.text:
        raise ValueError(f"{page.document.file}: the quoted words are not on the page")
    return Citation(
        document=page.document.title,
        file=page.document.file,
        release=release,
        page=page.number,
        section=" › ".join(path),
        anchor=anchor,
        quote=quote,
        page_id=page.id,
    )


def cite_stated(stated: Fact | Parameter | Replacement, release: str) -> Citation:
    """A citation of what a release states of a parameter."""
    place, quote = stated.place, stated.quote
    return Citation(
        document=place.document,
        file=place.file,
        release=release,
        page=place.page,
        section=place.section,
        anchor=place.anchor,
        quote=quote if len(quote) <= LONGEST_QUOTE else quote[:LONGEST_QUOTE].rsplit(" ", 1)[0],
        page_id=place.page_id,
        origin=Origin.GRAPH,
    )


def quantities(text: str) -> tuple[str, ...]:
    """The figures with their units: "300 ms", "10 Gbit/s", "-20 °C"; in order, each once."""
    return tuple(dict.fromkeys(m[0] for m in _QUANTITY.finditer(text)))


def same_value(values: Sequence[str]) -> bool:
    """Whether values say the same: in the same words, or as the same quantity in other units."""
    if len({plain(value).strip(" .'") for value in values}) == 1:
        return True
    (dimension, size), *others = map(_measured, values)
    return dimension is not None and all(
        other == dimension and math.isclose(told, size) for other, told in others
    )


def _measured(value: str) -> tuple[str | None, float]:
    """The dimension and the size in its base unit; None for what is no quantity."""
    match = _VALUE.fullmatch(value.strip(" ."))
    if match is None:
        return None, 0.0
    number = float(match["number"].replace(",", "").replace("−", "-"))
    unit = (match["unit"] or "").strip().casefold()
    for dimension, factors in _FACTORS.items():
        for name in (unit, unit.removesuffix("s")):
            if name in factors:
                return dimension, number * factors[name]
    return unit, number

"""A question in plain text: small letters, single spaces, "|" for punctuation, names set apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from chatbot.glossary import Term, stands_in, terms_in
from chatbot.memory.questions.wordings import KNOWN_NAMES, has_synonyms, in_full
from corpora.glossary import Entry

_FIRST = 0xE100
_MOST = 0xF8FF - _FIRST
_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "`": '"', "‐": "-", "‑": "-", "−": "-"}
)
_TOKEN = re.compile(
    r"(?P<name>(?<![\w-])--?[A-Za-z][\w-]*|(?<![\w.])(?:~?/[\w.$-]+)+)"
    r"|(?P<figure>(?<![\w.])\d+(?:[./:,-]\d+)*(?!\w|-[A-Z\d]))"
    r"|(?P<word>\w+(?:[.:@]\w+)*(?:-\w+)*(?:\(\))?)"
    r"|(?P<unit>[%°]\w?)"
    r"|(?P<stop>[,;:.?!()\[\]\n—–]+)"
)
_CONTRACTIONS = (
    (re.compile(r"\bhow 2\b", re.I), "how to"),
    (re.compile(r"\b(?:can't|cannot)\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"\b(what|which|who|where|when|how|that|there|it|why)'s\b", re.I), r"\1 is"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"'ll\b", re.I), " will"),
    (re.compile(r"\b(i|we|you|he|she|they|who)'d\b", re.I), r"\1 would"),
    (re.compile(r"\bi'm\b", re.I), "i am"),
    (re.compile(r"(?<=\w)'(?:d|m|s)?(?!\w)", re.I), ""),
)
_TOGETHER = re.compile(
    r"\b(sql|host|user|file|time|log|sign|data|e|on|off|work|white)[ -]"
    r"(server|name|outs?|base|mail|line|flow|space)\b",
    re.I,
)
_JOINED = """
sqlserver hostname username filename timeout timeouts database email online offline workflow
whitespace
"""
_CODE = re.compile(r"_|[A-Za-z)][.:@]+\w|\(\)$|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z]\d|\d[A-Za-z]")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]+s?")
_NO_VOWEL = re.compile(r"[b-df-hj-np-tv-xz]{2,6}")
_CAPITALISED = re.compile(r"(?<=[\w,] )[A-Z][a-z]+(?![\w.(])")
_SMALL = re.compile(r"(?<![\w.])[a-z]+(?![\w.(])")
_PREFIXES = frozenset(("non", "re", "pre", "un", "de", "sub", "multi", "inter", "auto", "a"))
_PARTICLES = frozenset(("over", "up", "down", "out", "off", "in", "back"))
_UNITS = frozenset(("ms", "s", "km", "nm", "mm", "cm", "kg", "kb", "mb", "gb", "tb", "hz", "vs"))
_LONGEST_SHORT = 5


@dataclass(frozen=True)
class Name:
    """A name as written, and as two notations of it have it in common.

    One that is not `coined` is spelt like a word, and may be written like one elsewhere.
    """

    written: str
    same: str
    coined: bool = True


class _Named(Protocol):
    def __call__(self, written: str, same: str, *, coined: bool = True) -> str: ...


@dataclass(frozen=True)
class Plain:
    """A question in plain text, in which a name is one character of the private use area.

    `capitalised` are words in small letters that are written with a capital letter though they do
    not begin a sentence, `small` those that are written without; a `careful` question begins with a
    capital.
    """

    text: str
    names: tuple[Name, ...]
    capitalised: frozenset[str]
    small: frozenset[str]
    careful: bool

    def name(self, token: str) -> Name | None:
        """The name that a token of the text stands for, if it does."""
        number = ord(token[0]) - _FIRST
        return self.names[number] if 0 <= number < len(self.names) else None


def plain_text(
    text: str,
    product: str,
    entries: Sequence[Entry],
    is_ordinary_word: Callable[[str], bool],
) -> Plain:
    """Write a question in plain text.

    Terms of the glossary become names, so that all wordings of one are the same. Names made of
    words (pool_size, pool-size, poolSize) become these words; others stay whole.
    """
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    if text.isupper():
        text = text.lower()
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    text = _TOGETHER.sub(_joined, text)
    names: list[Name] = []

    def named(written: str, same: str, *, coined: bool = True) -> str:
        # What is spelt like a word may be written like one elsewhere: NETCONF, netconf.
        like_a_word = same.isalpha() and len(same) > _LONGEST_SHORT and same not in KNOWN_NAMES
        name = Name(written, same, coined and not like_a_word)
        if name not in names:
            if len(names) == _MOST:
                return ""
            names.append(name)
        return chr(_FIRST + names.index(name))

    def words(part: str) -> list[str]:
        return [
            said
            for match in _TOKEN.finditer(part)
            for said in _said(match, product, is_ordinary_word, named)
        ]

    tokens: list[str] = []
    position = 0
    for term in terms_in(text.replace("_", "-"), entries, is_ordinary_word) if entries else ():
        wording = _entry_of(term, entries).term.lower()
        tokens += [*words(text[position : term.start]), named(wording, wording)]
        position = term.end
    tokens += words(text[position:])
    return Plain(
        " ".join(filter(None, tokens)),
        tuple(names),
        frozenset(match[0].lower() for match in _CAPITALISED.finditer(text)),
        frozenset(_SMALL.findall(text)),
        text[:1].isupper(),
    )


def _joined(match: re.Match[str]) -> str:
    together = match[1] + match[2]
    return together if together.lower() in _JOINED.split() else match[0]


def _entry_of(term: Term, entries: Sequence[Entry]) -> Entry:
    likely = [e for e in entries if term.synonyms[0] in e.wordings]
    meant = (e for e in likely if any(stands_in(term.written, w) for w in e.wordings))
    return next(meant, likely[0])


def _said(
    match: re.Match[str],
    product: str,
    is_ordinary_word: Callable[[str], bool],
    named: _Named,
) -> list[str]:
    """What a token is in plain text: words, a name, a figure, or a stop."""
    written = match[0]
    match match.lastgroup:
        case "stop":
            return ["|"]
        case "unit":
            return [written.lower()]
        case "figure":
            return [re.sub(r"(?<=\d),(?=\d{3})", "", written).replace("-", "/")]
        case "name":
            return [named(written, written.strip("-"))]
    if written.lower() == product.lower():
        return []
    if _is_letter(match):
        return [named(written, written.lower())]
    pieces = written.split("-")
    if len(pieces) > 1 and _is_one_word(pieces, is_ordinary_word):
        return ["".join(pieces).lower()]
    return [said for piece in pieces for said in _word(piece, is_ordinary_word, named)]


def _is_letter(match: re.Match[str]) -> bool:
    """Whether a capital letter stands for itself, as in "input A", and begins no sentence."""
    before = match.string[: match.start()].rstrip()
    return re.fullmatch("[A-HJ-Z]", match[0]) is not None and before[-1:].isalnum()


def _is_one_word(pieces: Sequence[str], is_ordinary_word: Callable[[str], bool]) -> bool:
    """Whether a word with a hyphen is written without it too: non-blocking, fail-over."""
    if pieces[0].lower() in _PREFIXES:
        return True
    if len(pieces) != 2 or not pieces[0].isalpha():
        return False
    return pieces[1].lower() in _PARTICLES or is_ordinary_word("".join(pieces).lower())


def _word(written: str, is_ordinary_word: Callable[[str], bool], named: _Named) -> list[str]:
    small = written.lower()
    full = in_full(small)
    if full != small:
        return [named(written, full)] if full in KNOWN_NAMES else [full]
    if small in KNOWN_NAMES:
        return [named(written, small)]
    if _CODE.search(written):
        return _code(written, is_ordinary_word, named)
    if _CAPITALS.fullmatch(written):
        bare = written.removesuffix("s").lower()
        return [named(written, bare, coined=not is_ordinary_word(bare))]
    if small in _UNITS or not small.isascii():
        return [small]
    singular = small[:-1] if len(small) > _LONGEST_SHORT - 1 and small.endswith("s") else small
    if _NO_VOWEL.fullmatch(singular) and len(small) > 1:
        return [named(written, singular)]
    if 2 < len(small) <= _LONGEST_SHORT and not any(
        (is_ordinary_word(small), is_ordinary_word(singular), has_synonyms(small))
    ):
        return [named(written, singular)]
    return [small]


def _code(written: str, is_ordinary_word: Callable[[str], bool], named: _Named) -> list[str]:
    bare = written.removesuffix("()").strip("_.:")
    if bare.islower() and bare.isalpha() and is_ordinary_word(bare):
        return [bare]
    if "_" in bare and not re.search(r"[.:@]", bare):
        return [said for part in bare.split("_") for said in _word(part, is_ordinary_word, named)]
    return [named(written, bare.replace("_", "").lower())]

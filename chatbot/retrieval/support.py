"""Whether documentation supports a sentence: what it names, counts and commands stands there."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile

from chatbot.retrieval.provenance import claims, plain, quantities, same_value, whole
from chatbot.text.units import UNIT
from corpora.indexing.lexical import tokens
from corpora.indexing.number_words import NUMBER_WORDS

_CODE = re.compile(r"`([^`]+)`")
_PLACEHOLDER = re.compile(r"[<{$\[(…].*|[A-Z][A-Z\d_-]*|\W*")
"""A part of a command that a reader replaces, or a sign."""
_WORD = re.compile(r"(?![A-Z\d_-]+$)\w[\w./:@+-]*")
"""A word of a command, and no option."""
_TENS = "|".join(word for word, number in NUMBER_WORDS.items() if number >= 20)
_SPELLED_OUT = re.compile(rf"\b(?:{_TENS})(?:[ -](?:{'|'.join(NUMBER_WORDS)}))?\b", re.IGNORECASE)
_MOST = 80
"""Claims of one sentence that are looked at: nobody writes so many."""
_PIECE = re.compile(r"[^\s=(),:;\[\]{}<>\"']+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_VERSION = re.compile(r"(?<![^\W_])v(?=\d)")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#+|>)\s+")
_IN_WORDS = {str(number): word for word, number in NUMBER_WORDS.items()}


def unsupported(sentence: str, texts: Sequence[str], own: str) -> list[str]:
    """What a sentence claims that stands neither in the texts nor in the asker's `own` words.

    Claims are names as in code, figures with their units, and what is written as code. Words of
    everyday language and abbreviations are none. `sentence` is Markdown without marks of citations.
    """
    evidence = [_plain(text) for text in (*texts, own)]
    return [
        claim for claim in claimed(sentence) if not any(_holds(text, claim) for text in evidence)
    ]


def claims_of_listing(listing: str) -> str:
    """A listing as a sentence of what it claims: its names, options and figures.

    Variables, keywords and values in everyday words are the writer's own.
    """
    parts = (part for line in listing.split("\n") for part in _PIECE.findall(line))
    told = (part for part in parts if len(part) > 1 and not part.isalpha())
    return " ".join(f"`{part}`" for part in told if "`" not in part)


def claimed(sentence: str) -> list[str]:
    """The claims of a sentence in Markdown, each once."""
    return list(dict.fromkeys(islice(_claims(_LIST_MARK.sub("", sentence)), _MOST)))


def _claims(sentence: str) -> Iterator[str]:
    for code in _CODE.findall(sentence):
        parts = code.split()
        # A command is its words, one behind the other, up to what a reader replaces.
        if command := list(takewhile(_WORD.fullmatch, parts)) or parts[: len(parts) == 1]:
            yield " ".join(command)
        yield from (p for p in parts[len(command) :] if not _PLACEHOLDER.fullmatch(p))
    prose = _CODE.sub(" ", sentence)
    measured = quantities(prose)
    yield from measured
    for quantity in measured:
        prose = prose.replace(quantity, " ")
    yield from (claim for claim in claims(prose) if not claim.isalpha())
    yield from _SPELLED_OUT.findall(prose)


@lru_cache(maxsize=256)
def _plain(text: str) -> str:
    return _VERSION.sub("", _THOUSANDS.sub("", plain(text))).replace("\\", "")


def _holds(text: str, claim: str) -> bool:
    claim = _plain(claim).strip(".,;:")
    if not claim or (claim in text and not claim[0].isdigit() and not claim[-1].isdigit()):
        return True
    if whole(claim).search(text):
        return True
    pieces = _PIECE.findall(claim)
    if pieces != [claim] and " " not in claim:
        # `timeout=None` is told where `timeout` is, and that it may be None.
        return all(_holds(text, piece) for piece in pieces)
    figure = re.match(r"-?[\d.]*\d", claim)
    if figure is None:
        return False
    unit = claim[figure.end() :].strip()
    if not unit:
        return claim in _IN_WORDS and whole(_IN_WORDS[claim]).search(text) is not None
    if not re.fullmatch(UNIT, unit, re.IGNORECASE):
        return False
    # "300 ms" is no "300 s"; where the figure stands alone, as in a table, its unit is elsewhere.
    behind = re.compile(rf"(?<![\w.]){re.escape(figure[0])}(?!\.?\d)\s?({UNIT})?", re.IGNORECASE)
    units = {found[1] for found in behind.finditer(text)}
    return (None in units and _names(text, unit)) or any(
        same_value((claim, f"{figure[0]} {other}")) for other in units if other
    )


def _names(text: str, unit: str) -> bool:
    return re.search(rf"(?<![^\W\d_]){re.escape(unit.removesuffix('s'))}s?(?!\w)", text) is not None


def shared(words: Collection[str], text: str) -> float:
    """The share of the words, 0 to 1, that a text holds in any form."""
    return len(set(words).intersection(tokens(text))) / len(words) if words else 0.0

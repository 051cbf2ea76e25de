"""Text as the words that it says: markup, layout and punctuation of prose left out."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from chatbot.retrieval.records import LIST_MARK
from corpora.catalog.release import name_tokens

_FOLDED = str.maketrans(dict.fromkeys("‘’“”`'\"*\\\u00ad\u200b", "") | dict.fromkeys("–—−‑‐", "-"))
_EMPTY_TEXT = re.compile(r"""(?<![\w"'`])(?:""|'')(?![\w"'`])""")
_WORD = re.compile(r"(?<!\w)-{0,2}\w+(?:[.,-]\w+)*|\[\]|\{\}|!=|[<>=%+/&~^$@]+|∅")
_WORD_OR_END = re.compile(rf"{_WORD.pattern}|[.!?:](?=\s|$)")
_ADDRESS_ENDS = re.compile(r"(://[^\s()<>]*?\w)/(?![\w/?#%~])")
_PROMPT_OR_LINE_GOES_ON = re.compile(r"^\s*\$ |\\$", re.M)
_OF_CODE = re.compile(r"\w+|[^\w\s]")
_BEFORE_A_RELEASE = ("v", "version", "release")
RELEASE = "#"
"""Stands in the place of the name of one's own release."""

END = "."
"""Stands between two sentences."""
Words = tuple[str, ...]


def words_of(text: str, *, is_code: bool = False) -> Words:
    """The words, figures, names and options of a text, in their order.

    Quotes, dashes, white space, emphasis, the last slash of an address and the capital letter of a
    sentence count for nothing; every sign of a listing but for its quotes and prompts does.
    """
    if is_code:
        text = _PROMPT_OR_LINE_GOES_ON.sub(" ", unicodedata.normalize("NFKC", text))
        return tuple(_OF_CODE.findall(text.translate(_FOLDED)))
    return tuple(map(_cased, _WORD.findall(_bare(text))))


def _bare(text: str) -> str:
    """Prose without what counts for nothing in it."""
    text = _EMPTY_TEXT.sub(" ∅ ", LIST_MARK.sub("", unicodedata.normalize("NFKC", text)))
    return _ADDRESS_ENDS.sub(r"\1", text.translate(_FOLDED))


def sentences_of(texts: Iterable[str]) -> Words:
    """The words of texts with `END` before, between and behind their sentences."""
    found = [END]
    for text in texts:
        for word in _WORD_OR_END.findall(_bare(text)):
            is_end = word in ".!?:"
            if not (is_end and found[-1] == END):
                found.append(END if is_end else _cased(word))
        if found[-1] != END:
            found.append(END)
    return tuple(found)


def _cased(word: str) -> str:
    """A word of prose in small letters; a name such as `maxSize`, and `-V`, as they are."""
    letters = word.replace("-", "")
    if word[0] == "-" or not letters.isalpha():
        return word
    return word.lower() if letters[1:].islower() or len(letters) == 1 else word


def without_release(words: Words, release: str, product: str) -> Words:
    """The words with `RELEASE` where a text names its own release: "valve 1.0", "version 1.0".

    A figure that only looks like one stays what it is.
    """
    names = _written(release)
    if names.isdisjoint(words):
        return words
    of_product = words_of(product)[-1:]
    changed = list(words)
    for i, word in enumerate(words):
        if word in names and _names_one(words[:i], words[i + 1 : i + 2], of_product, release):
            changed[i] = RELEASE
    return tuple(changed)


@lru_cache(256)
def _written(release: str) -> frozenset[str]:
    return frozenset((release, f"v{release}", *words_of(release)))


def _names_one(before: Words, behind: Words, of_product: Words, release: str) -> bool:
    """Whether a figure is the release: "coverage.py 5.5" of the product coverage, "version 5.5".

    That of another thing, "HTTP/2.0" or "TLS version 2.0", is none.
    """
    if not before or len(name_tokens(release)) > 2:
        return True
    told = before[-1].lower()
    is_path = told == "/" and ("/" in behind or not {"/", "//"}.isdisjoint(before[-3:-1]))
    is_told = told in _BEFORE_A_RELEASE and before[-2:-1] == tuple(map(str.lower, before[-2:-1]))
    of = before[-2:-1] if told in ("/", *_BEFORE_A_RELEASE) else before[-1:]
    is_product = any(word.lower().startswith(name) for word in of for name in of_product)
    return is_path or is_told or is_product


def stands_in(words: Sequence[str], other: Sequence[str]) -> bool:
    """Whether words stand in others one behind the other."""
    return joined(words) in joined(other)


def joined(words: Iterable[str]) -> str:
    """Words as one text, in which others that are joined stand one behind the other or not."""
    return f" {' '.join(words)} "


def in_order(parts: Iterable[Words], others: Iterable[Words]) -> bool:
    """Whether all parts stand among others in their order, such as the cells of a longer row."""
    rest = iter(others)
    return all(part in rest for part in parts)

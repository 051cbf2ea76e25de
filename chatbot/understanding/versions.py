"""The wall between releases as a check (law 2): every number of a question is accounted for.

A model may say which words of a question name a release and which numbers are something else. It
is believed only as far as the words stand in the question and the catalog agrees.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from chatbot.releases.product_names import product_spans
from chatbot.releases.release_names import release_names
from chatbot.text.phrasing import word_set
from chatbot.text.query_terms import STOP_WORDS
from corpora.catalog.release import Product, name_tokens

_NUMBERED = re.compile(r"[^\s,;!?()\[\]{}\"“”]*\d[^\s,;!?()\[\]{}\"“”]*")
"""A word with a figure in it: 17.10, v2, 500ms, utf-8, /api/v1."""
_NAME = re.compile(r"[^\W\d_]{2,}[-_.]?\d[\w.-]*|\w*_\w*|-{1,2}\w.*|.*[/=@:\\].*")
"""A word that has a figure in it and is a name, an option, a path, an address or a time."""
_JOINTS = re.compile(r"[/=@:]+")
_NEXT = re.compile(r"\s?(?:%|°|[^\W\d_]+)")
_BEFORE = re.compile(r"([^\W\d_][\w+#.-]*)\s+$")

_OF_A_RELEASE = word_set("release releases version versions rel ver series v r")

Span = tuple[int, int]


class _Like(Enum):
    """A word that may be a release: it is written as one, or near those there are."""

    WRITTEN = auto()
    NEAR = auto()


def check_versions(
    question: str, releases: Iterable[str], others: Iterable[str], product: Product
) -> None:
    """Raise ValueError unless all numbers of a question are releases or credibly something else.

    `releases` are the words that name one, of whatever product; `others` the numbers that do not.
    A number that is written as a release of the product is something else only with a unit or a
    noun behind it, or another name before it.
    """
    named = [span for words in releases for span in places(words, question)]
    named += [(start, end) for start, end, _ in product_spans(question, [product])]
    other = [span for words in others for span in places(words, question)]
    for start, end in _numbered(question):
        word = question[start:end]
        if _covered(word, start, named):
            continue
        is_other = _covered(word, start, [*named, *other]) or _NAME.fullmatch(word) is not None
        if not is_other:
            raise ValueError(f'"{word}" stands neither in "releases" nor in "other_numbers"')
        likeness = _likeness(word, product)
        if likeness and not _is_something_else(question, start, end, likeness):
            raise ValueError(
                f'"{word}" may be a release: put it into "releases", with "release": "" and '
                '"asked": false if it is a version of something else'
            )


def places(words: str, text: str) -> list[Span]:
    """Where words stand in a text, in either case, and not within a longer number or Latin word."""
    if not words.strip():
        return []
    pattern = r"\s+".join(map(re.escape, words.split()))
    before = r"(?<![\d.])" if words[0].isdigit() else r"(?<![a-zA-Z])" * words[0].isalpha()
    after = r"(?!\d|\.\d)" if words[-1].isdigit() else r"(?![a-zA-Z])" * words[-1].isalpha()
    return [m.span() for m in re.finditer(f"{before}{pattern}{after}", text, re.IGNORECASE)]


def _numbered(question: str) -> Iterator[Span]:
    for match in _NUMBERED.finditer(question):
        bare = match[0].rstrip(".:'`’")
        start = match.start() + len(bare) - len(bare.lstrip("'`‘<>~=.*"))
        if any(map(str.isdigit, bare)):
            yield start, match.start() + len(bare)


def _covered(word: str, start: int, spans: Sequence[Span]) -> bool:
    """Whether all figures of a word that begins at `start` lie in some of the spans."""
    figures = (start + i for i, letter in enumerate(word) if letter.isdigit())
    return all(any(first <= place < last for first, last in spans) for place in figures)


def _likeness(word: str, product: Product) -> _Like | None:
    """How a word with figures is like the releases of a product, if it is."""
    tokens, names = name_tokens(word), release_names(product)
    if not tokens or _NAME.fullmatch(word):
        parts = [] if word.startswith("/") or "://" in word else _JOINTS.split(word)
        is_one = any(names.names(name_tokens(part)) for part in parts if part)
        return _Like.WRITTEN if is_one else None
    if names.begins(tokens):
        return _Like.WRITTEN
    is_near = isinstance(tokens[0], int) and names.near(tokens) and names.resembles(tokens)
    return _Like.NEAR if is_near and len(tokens) > 1 else None


def _is_something_else(question: str, start: int, end: int, likeness: _Like) -> bool:
    """Whether a unit or a noun follows a number, or the name of another thing stands before it.

    Before what is written as a release only a name counts ("Python 3.9"), before others any word
    that carries a topic ("glibc 2.28").
    """
    following = _NEXT.match(question, end)
    if following and following[0].strip().casefold() not in STOP_WORDS:
        return True
    before = _BEFORE.search(question, 0, start)
    if before is None:
        return False
    if likeness is _Like.NEAR and before[1].casefold() not in STOP_WORDS | _OF_A_RELEASE:
        return True
    return before.start() > 0 and not before[1].islower()

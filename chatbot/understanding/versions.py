"""The wall between releases as a check (law 2): every number of a question is accounted for.

A model may say which words of a question name a release and which numbers are something else. It
is believed only as far as the words stand in the question and the catalog agrees.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from chatbot.releases.product_names import product_spans
from chatbot.releases.release_names import release_names
from chatbot.text.query_terms import STOP_WORDS
from corpora.catalog.release import Product, name_tokens

_NUMBERED = re.compile(r"[^\s,;!?()\[\]{}\"“”]*\d[^\s,;!?()\[\]{}\"“”]*")
"""A word with a figure in it: 17.10, v2, 500ms, utf-8, /api/v1."""
_NAME = re.compile(r"[^\W\d_]{2,}[-_.]?\d[\w.-]*|\w*_\w*|-{1,2}\w.*|.*[/=@:\\].*")
"""A word that has a figure in it and is a name, an option, a path, an address or a time."""
_JOINTS = re.compile(r"[/=@:]+")
_NEXT = re.compile(r"\s?(?:%|°|[^\W\d_]+)")
_BEFORE = re.compile(r"([^\W\d_][\w+#.-]*)\s+$")

Span = tuple[int, int]


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
        if _within((start, end), named):
            continue
        word = question[start:end]
        is_other = _within((start, end), other) or _NAME.fullmatch(word) is not None
        if not is_other:
            raise ValueError(f'"{word}" stands neither in "releases" nor in "other_numbers"')
        if _is_like_a_release(word, product) and not _is_something_else(question, start, end):
            raise ValueError(f'"{word}" may be a release: name it in "releases"')


def places(words: str, text: str) -> list[Span]:
    """Where words stand in a text, in either case, and not within a longer word or number."""
    if not words.strip():
        return []
    pattern = r"\s+".join(map(re.escape, words.split()))
    return [m.span() for m in re.finditer(rf"(?<![\w.]){pattern}(?!\w|\.\d)", text, re.IGNORECASE)]


def _numbered(question: str) -> Iterator[Span]:
    for match in _NUMBERED.finditer(question):
        bare = match[0].rstrip(".:'`’")
        start = match.start() + len(bare) - len(bare.lstrip("'`‘<>~=.*"))
        if any(map(str.isdigit, bare)):
            yield start, match.start() + len(bare)


def _within(span: Span, spans: Sequence[Span]) -> bool:
    """Whether the parts of a word with figures lie in some of the spans."""
    return any(start <= span[0] and span[1] <= end for start, end in spans) or (
        # "17.10→18.00" and "17.10/17.20" are two names in one word.
        len([1 for start, end in spans if span[0] <= start and end <= span[1]]) > 1
    )


def _is_like_a_release(word: str, product: Product) -> bool:
    tokens, names = name_tokens(word), release_names(product)
    if not tokens or _NAME.fullmatch(word):
        parts = [] if word.startswith("/") or "://" in word else _JOINTS.split(word)
        return any(names.names(name_tokens(part)) for part in parts if part)
    if names.begins(tokens):
        return True
    return isinstance(tokens[0], int) and (
        len(tokens) > 1 and names.resembles(tokens) and names.near(tokens)
    )


def _is_something_else(question: str, start: int, end: int) -> bool:
    """Whether a unit or a noun follows a number, or another name than a word stands before it."""
    following = _NEXT.match(question, end)
    if following and following[0].strip().casefold() not in STOP_WORDS:
        return True
    before = _BEFORE.search(question, 0, start)
    return bool(before and before.start() > 0 and not before[1].islower())

"""The lead: the supported sentences of a small model's reply, each with its passages."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatbot.answering.citing import LISTING
from chatbot.retrieval.asked_rows import excludes
from chatbot.retrieval.passages import Passage
from chatbot.retrieval.records import LIST_MARK, sentences
from chatbot.retrieval.support import is_denial, names, shared, unsupported
from chatbot.text.markdown import without_marks
from chatbot.text.words import filtered
from chatbot.turn import Record, Triplet
from corpora.indexing.lexical import tokens

_VERDICT = re.compile(r"\W*(?:yes|no)\b", re.I)
_MIN_SUPPORT = 0.5
"""The least share of a sentence's own words that has to stand in the passages."""


@dataclass(frozen=True)
class Sentence:
    """A sentence and the passages that support it, each with its best supporting record."""

    text: str
    supported_by: tuple[tuple[Passage, Record], ...]


@dataclass(frozen=True)
class Lead:
    """The supported sentences of a reply; none where its first sentence is not supported."""

    sentences: tuple[Sentence, ...]
    is_whole: bool


def checked(
    reply: str,
    passages: Sequence[Passage],
    own: str,
    outside: Sequence[Triplet] = (),
    weight: Callable[[str], float] = lambda word: 1.0,
) -> Lead:
    """The supported sentences of a small model's reply to a prompt with these passages.

    A sentence is supported if its claims stand in the passages or in the asker's `own` words, half
    of its other words do too, and it adds to the question, be it Yes or No. Without its first
    sentence a lead is empty. Listings are left out, the body shows them.

    A sentence with a relation that only other sources state (`outside`) needs all of its words
    there.
    """
    lines = (
        LIST_MARK.sub("", without_marks(x)).strip() for x in LISTING.sub("", reply).split("\n")
    )
    written = [sentence for line in lines if line for sentence in sentences(line)]
    # A passage as the model read it, and the headings above it.
    texts = ["\n".join((p.text, *(r.reading for r in p.records), *p.path)) for p in passages]

    def is_supported(sentence: str) -> bool:
        if unsupported(sentence, texts, own):
            return False
        if is_denial(sentence) and not _is_borne(sentence, passages, own, weight):
            return False
        new = _words(sentence) - set(tokens(own))
        if any(
            names(f"{own} {reply}", triplet.head, triplet.tail)
            and (names(sentence, triplet.head) or names(sentence, triplet.tail))
            for triplet in outside
        ):
            return shared(_words(sentence), " ".join(texts)) == 1
        if new:
            return shared(new, " ".join(texts)) >= _MIN_SUPPORT
        # In the asker's words it answers all the same: Yes, No, or one of two.
        return " or " in own or bool(_VERDICT.match(sentence) and _words(sentence))

    kept = [sentence for sentence in written if is_supported(sentence)]
    if kept[:1] != written[:1]:
        return Lead((), False)
    supported = tuple(Sentence(s, _supporting(s, passages, texts, own)) for s in kept)
    return Lead(supported, len(kept) == len(written))


def _is_borne(
    denial: str, passages: Sequence[Passage], own: str, weight: Callable[[str], float]
) -> bool:
    """Whether a record denies the same: it has most of what is denied, by `weight`.

    Where it has none of what the denial adds to the question, it has to deny itself. A figure that
    is denied stands nowhere.
    """
    words = _words(denial)
    new = words.difference(tokens(own))
    named = {word for word in words if word in new or not word[0].isdigit()}

    def bears(record: Record) -> bool:
        has = set(tokens(f"{record.reading} {' '.join(record.path)}"))
        if not (new & has or excludes(record)):
            return False
        return sum(map(weight, named & has)) >= _MIN_SUPPORT * sum(map(weight, named))

    return any(bears(record) for passage in passages for record in passage.records)


def _words(sentence: str) -> set[str]:
    return set(tokens(filtered(_VERDICT.sub("", sentence, count=1))))


def _supporting(
    sentence: str, passages: Sequence[Passage], texts: Sequence[str], own: str
) -> tuple[tuple[Passage, Record], ...]:
    """The passage that supports most of a sentence, and those for the claims left open."""
    words = _words(sentence) or set(tokens(own))

    def support_score(text: str) -> tuple[int, float]:
        return -len(unsupported(sentence, [text], own)), shared(words, text)

    def record(passage: Passage) -> Record:
        return max(passage.records, key=lambda r: support_score(f"{r.quote} {r.reading} {r.label}"))

    chosen: list[int] = []
    for i in sorted(range(len(texts)), key=lambda i: support_score(texts[i]), reverse=True):
        left = unsupported(sentence, [texts[j] for j in chosen], own)
        if not chosen or len(unsupported(sentence, [texts[j] for j in (*chosen, i)], own)) < len(
            left
        ):
            chosen.append(i)
    return tuple((passages[i], record(passages[i])) for i in chosen)

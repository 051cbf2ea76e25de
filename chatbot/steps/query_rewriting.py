"""Step 1 of QAMR III-B without a model: Base, Filtered and Versionless by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.release_rules import resolve_release
from chatbot.turn import Queries, Step, Turn
from chatbot.words import filtered
from corpora.release import Product

_CONTINUES = re.compile(r"^\s*(and|but|or|also|so|then|what about|how about|same)\b", re.I)
_REFERS = re.compile(
    r"\b(it|its|that|this|these|those|they|them|there|same|one|ones|he|she|above|previous)\b", re.I
)
_NUMBER = re.compile(r"^[\d.,%]+$")


def rewrite_query(products: Callable[[], Sequence[Product]]) -> Step:
    """Make standalone queries from the question and the conversation.

    A follow-up takes over what the last standalone question was about, without its release
    (QAMR, Base); Filtered drops stop words and keeps identifiers; Versionless drops the release
    and the word before it.
    """

    def rewrite(turn: Turn) -> Turn:
        assert turn.resolution is not None
        catalog = products()

        def without_release(text: str) -> str:
            found = resolve_release(text, catalog, product=turn.resolution.product)  # type: ignore[union-attr]
            return _cut(text, [(m.start, m.end) for m in found.mentions])

        base = standalone(turn.question, turn.history, without_release)
        spans = [(m.start, m.end) for m in turn.resolution.mentions]
        if not spans:
            return replace(turn, queries=Queries(base, filtered(base)))
        bare = _cut(turn.question, spans)
        context = base[len(turn.question) :] if base.startswith(turn.question) else ""
        versionless = filtered(bare + context)
        return replace(turn, queries=Queries(base, filtered(base), versionless or None))

    return rewrite


def is_follow_up(question: str, bare: str) -> bool:
    """Whether a question leans on the turn before it; `bare` is the question without a release."""
    words = filtered(bare).split()
    return (
        len(words) <= 2
        or bool(_CONTINUES.search(question))
        or (len(words) <= 5 and bool(_REFERS.search(bare)))
    )


def standalone(
    question: str,
    history: Sequence[tuple[str, str]],
    without_release: Callable[[str], str],
) -> str:
    """The Base query: the question, followed in brackets by what the conversation is about."""
    if not history or not is_follow_up(question, without_release(question)):
        return question
    previous, reply = history[-1]
    topic = without_release(standalone(previous, history[:-1], without_release))
    known = " ".join(w for w in filtered(without_release(reply)).split() if not _NUMBER.match(w))
    return f"{question} ({'; '.join(part for part in (topic.strip(), known[:200]) if part)})"


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    kept, position = [], 0
    for start, end in sorted(spans):
        kept.append(text[position:start])
        position = max(position, end)
    kept.append(text[position:])
    return re.sub(r"\s+", " ", " ".join(kept)).strip()

"""RuleStep 1 of QAMR III-B without a model: Base, Filtered and Versionless by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.release_resolution import Mention, resolve_release
from chatbot.turn import Queries, RuleStep, Turn
from chatbot.words import filtered
from corpora.release import Product

_CONTINUES = re.compile(r"^\s*(and|but|or|also|so|then|what about|how about|same)\b", re.I)
_REFERS = re.compile(
    r"\b(it|its|that|this|these|those|they|them|there|same|one|ones|he|she|above|previous)\b", re.I
)
_NUMBER = re.compile(r"^[\d.,%]+$")


def rewrite_query(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Make standalone queries from the question and the conversation.

    A follow-up takes over what the last standalone question was about, without its release
    (QAMR, Base); Filtered drops stop words and keeps identifiers; Versionless drops the release
    and the word before it.
    """

    def rewrite(turn: Turn) -> Turn:
        assert turn.resolution is not None
        catalog = products()
        product, releases = turn.resolution.product, turn.resolution.releases

        def of_another(mention: Mention) -> bool:
            """A release that is named but not asked about, as in an upgrade, is a part of it."""
            found = resolve_release(mention.text, catalog, product=product).releases
            return len(found) == 1 and found[0] not in releases

        def without_release(text: str) -> str:
            return cut(text, resolve_release(text, catalog, product=product).mentions)

        own = [m for m in turn.resolution.mentions if not of_another(m)]
        bare = cut(turn.question, own)
        topic, known = carried_over(bare, turn.history, without_release)
        context = "; ".join(part for part in (topic, known) if part)
        base = f"{turn.question} ({context})" if context else turn.question
        subject = f"{bare} {topic}".strip()
        versionless = filtered(f"{subject} {known}") if turn.resolution.mentions else None
        return replace(
            turn, queries=Queries(base, filtered(base), versionless or None, subject, known)
        )

    return rewrite


def is_follow_up(bare: str) -> bool:
    """Whether a question, given without its release, leans on the turn before it."""
    words = filtered(bare).split()
    return (
        len(words) <= 2
        or bool(_CONTINUES.search(bare))
        or (len(words) <= 5 and bool(_REFERS.search(bare)))
    )


def carried_over(
    bare: str,
    history: Sequence[tuple[str, str]],
    without_release: Callable[[str], str],
) -> tuple[str, str]:
    """What a follow-up takes over: the topic of the questions before it, the words of the reply.

    Both are empty for a question that stands on its own.
    """
    if not history or not is_follow_up(bare):
        return "", ""
    previous, reply = history[-1]
    asked = without_release(previous)
    earlier, _ = carried_over(asked, history[:-1], without_release)
    known = [w for w in filtered(without_release(reply)).split() if not _NUMBER.match(w)]
    return f"{asked} {earlier}".strip(), " ".join(known)[:200]


def cut(text: str, mentions: Sequence[Mention]) -> str:
    """The text without the mentions of a release in it."""
    kept, position = [], 0
    for mention in sorted(mentions, key=lambda m: m.start):
        kept.append(text[position : mention.start])
        position = max(position, mention.end)
    kept.append(text[position:])
    return re.sub(r"\s+", " ", " ".join(kept)).strip()

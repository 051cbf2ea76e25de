"""Do topic and release carry over a conversation, and are they dropped with the subject?

Any step that rewrites queries can be measured, by rules or by a model, on the same cases.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import isawaitable

from chatbot.queries.clarification import take_up_question
from chatbot.queries.release_extraction import extract_release
from chatbot.turn import Step, Turn
from corpora.catalog.release import Product, Release, is_prerelease
from eval.figures import Share, share
from eval.gold import Line


class ConversationCase(Line):
    """A conversation, the next question in it, and what has to become of that.

    Base has to hold every one of `topic_words` and none of `absent`, in any case; `release` is
    one name or several to compare. `catalog` names the releases of the products, oldest first.
    `rules_fail` marks a case that the rules are known to get wrong.
    """

    catalog: dict[str, str]
    product: str | None = None
    history: tuple[tuple[str, str], ...]
    question: str
    follow_up: bool
    release: str | tuple[str, ...]
    topic_words: tuple[str, ...]
    absent: tuple[str, ...] = ()
    rules_fail: bool = False

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases to answer from."""
        return (self.release,) if isinstance(self.release, str) else self.release


@dataclass(frozen=True, slots=True)
class CaseScore:
    """What a step made of a case: `base`, and whether topic, dropping and release are right."""

    question: str
    follow_up: bool
    base: str
    keeps_topic: bool
    drops_rest: bool
    right_release: bool
    fell_back: bool

    @property
    def right(self) -> bool:
        """Whether all of it is right."""
        return self.keeps_topic and self.drops_rest and self.right_release


def catalog_of(cases: Iterable[ConversationCase]) -> tuple[Product, ...]:
    """Return the products that the cases are about."""
    named = {name: releases.split() for case in cases for name, releases in case.catalog.items()}
    return tuple(
        Product(name, (), tuple(Release(name, r, (), is_prerelease(r)) for r in releases))
        for name, releases in sorted(named.items())
    )


def measure(
    rewrite_step: Step, cases: Sequence[ConversationCase], products: Sequence[Product]
) -> tuple[CaseScore, ...]:
    """Rewrite the question of every case and score it.

    The release is found by the rules first; what the step makes of it counts.
    """
    take_up, extract = take_up_question(lambda: products), extract_release(lambda: products)

    async def scores() -> tuple[CaseScore, ...]:
        found = []
        for case in cases:
            turn = extract(take_up(Turn(case.question, product=case.product, history=case.history)))
            if turn.answer is None:
                made = rewrite_step(turn)
                turn = await made if isawaitable(made) else made
            found.append(_score(case, turn))
        return tuple(found)

    return asyncio.run(scores())


def figures(scores: Sequence[CaseScore]) -> dict[str, Share]:
    """Cases that are right: in all, those that follow up, those that stand alone; and by part."""
    return {
        "all": share(s.right for s in scores),
        "follow-ups": share(s.right for s in scores if s.follow_up),
        "questions that stand alone": share(s.right for s in scores if not s.follow_up),
        "topic carried over": share(s.keeps_topic for s in scores),
        "what was left is dropped": share(s.drops_rest for s in scores),
        "release": share(s.right_release for s in scores),
        "left to the rules by the model": share(s.fell_back for s in scores),
    }


def wrong(scores: Iterable[CaseScore]) -> list[tuple[str, ...]]:
    """Each question that went wrong, with the Base it got."""
    return [(score.question, score.base) for score in scores if not score.right]


def _score(case: ConversationCase, turn: Turn) -> CaseScore:
    base = turn.queries.base if turn.queries else ""
    text = base.casefold()
    releases = turn.resolution.releases if turn.resolution else ()
    return CaseScore(
        question=case.question,
        follow_up=case.follow_up,
        base=base,
        keeps_topic=all(word.casefold() in text for word in case.topic_words),
        drops_rest=not any(word.casefold() in text for word in case.absent),
        right_release=releases == case.releases,
        fell_back=bool(turn.fallbacks),
    )

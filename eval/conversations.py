"""Do topic and release carry over a conversation, and are they dropped with the subject?

Any step that rewrites queries can be measured, by rules or by a model, on the same cases.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from inspect import isawaitable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chatbot.queries.clarification import take_up_question
from chatbot.queries.release_extraction import extract_release
from chatbot.turn import Step, Turn
from corpora.catalog.release import Product, Release, is_prerelease
from eval.answers import Share
from eval.gold import GoldError, read_lines


class ConversationCase(BaseModel):
    """A conversation, the next question in it, and what has to become of that.

    Base has to hold every one of `topic_words` and none of `absent`, in any case; `release` is
    one name or several to compare. `catalog` names the releases of the products, oldest first.
    `rules_fail` marks a case that the rules are known to get wrong.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

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


@dataclass(frozen=True, slots=True)
class ConversationFigures:
    """Cases that are right: in all, those that follow up, those that stand alone; and by part.

    `fell_back` counts the cases that a model's step left to the rules.
    """

    right: Share
    follow_ups: Share
    standalone: Share
    keeps_topic: Share
    drops_rest: Share
    right_release: Share
    fell_back: Share
    scores: tuple[CaseScore, ...]


def read_cases(path: Path) -> tuple[ConversationCase, ...]:
    """Read cases, one JSON object a line; raise GoldError for a line that is none."""
    cases = []
    for where, line in read_lines(path):
        try:
            cases.append(ConversationCase.model_validate_json(line))
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(map(str, problem["loc"])) or "the line"
            raise GoldError(f"{where}: {place}: {problem['msg']}") from error
    if not cases:
        raise GoldError(f"{path} holds no case")
    return tuple(cases)


def catalog_of(cases: Iterable[ConversationCase]) -> tuple[Product, ...]:
    """Return the products that the cases are about."""
    named = {name: releases.split() for case in cases for name, releases in case.catalog.items()}
    return tuple(
        Product(name, (), tuple(Release(name, r, (), is_prerelease(r)) for r in releases))
        for name, releases in sorted(named.items())
    )


def measure(
    rewrite_step: Step,
    cases: Sequence[ConversationCase],
    products: Sequence[Product],
    *,
    at_once: int = 8,
) -> ConversationFigures:
    """Rewrite the question of every case and score it.

    The release is found by the rules first; what the step makes of it counts. A step that calls a
    model works on `at_once` cases at a time, which its backend may batch.
    """
    scores = asyncio.run(_scores(rewrite_step, cases, products, at_once))
    return ConversationFigures(
        right=_share(s.right for s in scores),
        follow_ups=_share(s.right for s in scores if s.follow_up),
        standalone=_share(s.right for s in scores if not s.follow_up),
        keeps_topic=_share(s.keeps_topic for s in scores),
        drops_rest=_share(s.drops_rest for s in scores),
        right_release=_share(s.right_release for s in scores),
        fell_back=_share(s.fell_back for s in scores),
        scores=scores,
    )


def to_json(figures: ConversationFigures) -> dict[str, Any]:
    """The figures as plain JSON; a share becomes {"hits", "of"}."""
    made: dict[str, Any] = json.loads(json.dumps(asdict(figures)))
    return made


async def _scores(
    step: Step, cases: Sequence[ConversationCase], products: Sequence[Product], at_once: int
) -> tuple[CaseScore, ...]:
    take_up, extract = take_up_question(lambda: products), extract_release(lambda: products)

    free = asyncio.Semaphore(at_once)

    async def scored(case: ConversationCase) -> CaseScore:
        turn = Turn(case.question, product=case.product, history=case.history)
        turn = extract(take_up(turn))
        if turn.answer is None:
            async with free:
                made = step(turn)
                turn = await made if isawaitable(made) else made
        return _score(case, turn)

    return tuple(await asyncio.gather(*map(scored, cases)))


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


def _share(hits: Iterable[bool]) -> Share:
    counted = list(hits)
    return Share(sum(counted), len(counted))

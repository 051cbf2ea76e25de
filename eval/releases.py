"""Which release a question is taken to mean, over the ingested catalog; nothing is answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chatbot.queries.release_extraction import extract_release
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.turn import Turn
from corpora.catalog.release import Product
from eval.answers import Share, share
from eval.gold import GoldError, read_lines


class Meant(StrEnum):
    """How a question says its release."""

    STATED = "stated"
    LATEST = "latest"
    UNKNOWN = "unknown"
    COMPARED = "compared"
    AMBIGUOUS = "ambiguous"


class ReleaseQuestion(BaseModel):
    """A question and the releases that it means; `may_ask` if asking back is as good."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    product: str
    question: str
    releases: tuple[str, ...] = ()
    status: Meant
    may_ask: bool = False


class Outcome(StrEnum):
    """What became of a question, the gravest error first.

    `SILENTLY_WRONG`: the latest release was taken though another one is named, which may not be
    there. `WRONG_BUT_SAID`: taken for something else, which the reply says in the open.
    """

    SILENTLY_WRONG = "silently_wrong"
    WRONG_BUT_SAID = "wrong_but_said"
    ASKED_BACK = "asked_back"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class ReleaseScore:
    """A question, how its release was found, the releases taken, and what that is worth."""

    question: ReleaseQuestion
    status: ReleaseStatus
    releases: tuple[str, ...]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ReleaseFigures:
    """The outcomes of all questions, counted; `wrong` are those neither right nor asked back."""

    silently_wrong: Share
    right_or_asked: Share
    right: Share
    asked_back: Share
    wrong_but_said: Share
    wrong: tuple[ReleaseScore, ...]


def read_release_questions(path: Path) -> tuple[ReleaseQuestion, ...]:
    """Read one question a line; raises GoldError for a file or a line that is none."""
    questions = []
    for where, line in read_lines(path):
        try:
            questions.append(ReleaseQuestion.model_validate_json(line))
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(map(str, problem["loc"])) or "the line"
            raise GoldError(f"{where}: {place}: {problem['msg']}") from error
    if not questions:
        raise GoldError(f"{path}: no questions in this file")
    return tuple(questions)


def measure_releases(
    questions: Iterable[ReleaseQuestion], products: Sequence[Product]
) -> ReleaseFigures:
    """Resolve the release of every question as the chain does, and count what came of it.

    Raises GoldError for a product that the catalog does not have.
    """
    extract = extract_release(lambda: products)
    known = {product.name for product in products}
    scores = []
    for question in questions:
        if question.product not in known:
            raise GoldError(
                f"{question.id}: there is no product {question.product!r}; ingest it first"
            )
        found = extract(Turn(question.question, product=question.product)).resolution
        assert found is not None
        outcome = outcome_of(question, found)
        scores.append(ReleaseScore(question, found.status, found.releases, outcome))
    good = (Outcome.RIGHT, Outcome.ASKED_BACK)
    return ReleaseFigures(
        silently_wrong=share(s.outcome is Outcome.SILENTLY_WRONG for s in scores),
        right_or_asked=share(s.outcome in good for s in scores),
        right=share(s.outcome is Outcome.RIGHT for s in scores),
        asked_back=share(s.outcome is Outcome.ASKED_BACK for s in scores),
        wrong_but_said=share(s.outcome is Outcome.WRONG_BUT_SAID for s in scores),
        wrong=tuple(
            sorted(
                (s for s in scores if s.outcome not in good),
                key=lambda score: score.outcome is not Outcome.SILENTLY_WRONG,
            )
        ),
    )


def outcome_of(question: ReleaseQuestion, found: Resolution) -> Outcome:
    """What the release that was found is worth for the question."""
    meant = question.status
    if meant is Meant.UNKNOWN and found.status is ReleaseStatus.UNKNOWN:
        return Outcome.RIGHT
    same = bool(found.releases) and set(found.releases) == set(question.releases)
    if same and meant is not Meant.UNKNOWN:
        return Outcome.RIGHT
    may_ask = question.may_ask or meant is Meant.AMBIGUOUS
    if found.status is ReleaseStatus.AMBIGUOUS:
        return Outcome.RIGHT if meant is Meant.AMBIGUOUS else Outcome.ASKED_BACK
    if found.status is ReleaseStatus.UNKNOWN and may_ask:
        return Outcome.ASKED_BACK
    silent = found.status is ReleaseStatus.LATEST and meant is not Meant.LATEST
    return Outcome.SILENTLY_WRONG if silent else Outcome.WRONG_BUT_SAID


def to_json(figures: ReleaseFigures) -> dict[str, Any]:
    """The figures as plain JSON; a share becomes {"hits", "of"}."""
    found = asdict(figures)
    for row, score in zip(found["wrong"], figures.wrong, strict=True):
        row["question"] = score.question.model_dump(mode="json")
    return found

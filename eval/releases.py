"""Which release a question is taken to mean, over the ingested catalog; nothing is answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from rich.console import Group as Rows
from rich.markup import escape

from chatbot.queries.release_extraction import extract_release
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.turn import Turn
from corpora.catalog.release import Product
from eval.figures import Share, figures_table, share, texts_table
from eval.gold import GoldError, Line


class Meant(StrEnum):
    """How a question says its release."""

    STATED = "stated"
    LATEST = "latest"
    UNKNOWN = "unknown"
    COMPARED = "compared"
    AMBIGUOUS = "ambiguous"


class ReleaseQuestion(Line):
    """A question and the releases that it means; `may_ask` if asking back is as good."""

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


GOOD = (Outcome.RIGHT, Outcome.ASKED_BACK)


@dataclass(frozen=True, slots=True)
class ReleaseFigures:
    """The outcomes of all questions, and how many came to each."""

    scores: tuple[ReleaseScore, ...]

    def share(self, *outcomes: Outcome) -> Share:
        """How many came to one of these outcomes."""
        return share(score.outcome in outcomes for score in self.scores)

    @property
    def wrong(self) -> list[ReleaseScore]:
        """Those neither right nor asked back, the gravest first."""
        wrong = [score for score in self.scores if score.outcome not in GOOD]
        return sorted(wrong, key=lambda score: score.outcome is not Outcome.SILENTLY_WRONG)


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
    return ReleaseFigures(tuple(scores))


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
    return {
        **{outcome: asdict(figures.share(outcome)) for outcome in Outcome},
        "right_or_asked": asdict(figures.share(*GOOD)),
        "wrong": [
            {**asdict(score), "question": score.question.model_dump(mode="json")}
            for score in figures.wrong
        ],
    }


def release_tables(figures: ReleaseFigures) -> Rows:
    """What became of questions that name a release, and each that was taken for another one."""
    table = figures_table("Releases", "measure", "share")
    for label, outcomes in (
        ("silently wrong: the latest, though another is meant", (Outcome.SILENTLY_WRONG,)),
        ("right or asked back", GOOD),
        ("right", (Outcome.RIGHT,)),
        ("asked back", (Outcome.ASKED_BACK,)),
        ("wrong, but said", (Outcome.WRONG_BUT_SAID,)),
    ):
        table.add_row(label, figures.share(*outcomes).percent)
    wrong = texts_table("Wrong", "question", "meant", "taken", "outcome")
    for score in figures.wrong:
        meant = ", ".join(score.question.releases) or score.question.status
        taken = f"{', '.join(score.releases)} ({score.status})".lstrip()
        outcome = score.outcome.replace("_", " ")
        wrong.add_row(escape(score.question.question), escape(meant), escape(taken), outcome)
    return Rows(table, wrong) if figures.wrong else Rows(table)

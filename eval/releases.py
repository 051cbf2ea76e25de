"""Which release a question is taken to mean, over the ingested catalog; nothing is answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.turn import Turn
from chatbot.understanding.reading_by_rules import extract_release
from corpora.catalog.release import Product
from eval.figures import Share, share
from eval.gold import GoldError, Line


class ReleaseQuestion(Line):
    """A question and the releases that it means; `may_ask` if asking back is as good.

    `status` is how it says so: stated, latest, unknown, compared or ambiguous.
    """

    id: str
    product: str
    question: str
    releases: tuple[str, ...] = ()
    status: ReleaseStatus
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
    """A question and what it means, what it was taken for, and what that is worth."""

    id: str
    question: str
    meant: str
    taken: str
    outcome: Outcome


def measure_releases(
    questions: Iterable[ReleaseQuestion], products: Sequence[Product]
) -> tuple[ReleaseScore, ...]:
    """Resolve the release of every question as the chain does; the gravest errors come first.

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
        meant = ", ".join(question.releases) or str(question.status)
        taken = f"{', '.join(found.releases)} ({found.status})".lstrip()
        outcome = outcome_of(question, found)
        scores.append(ReleaseScore(question.id, question.question, meant, taken, outcome))
    return tuple(sorted(scores, key=lambda score: list(Outcome).index(score.outcome)))


def outcome_of(question: ReleaseQuestion, found: Resolution) -> Outcome:
    """What the release that was found is worth for the question."""
    meant, taken = question.status, found.status
    if taken is meant and not found.releases:
        return Outcome.RIGHT
    same = bool(found.releases) and set(found.releases) == set(question.releases)
    if same and meant is not ReleaseStatus.UNKNOWN:
        return Outcome.RIGHT
    may_ask = question.may_ask or meant is ReleaseStatus.AMBIGUOUS
    if taken is ReleaseStatus.AMBIGUOUS or (taken is ReleaseStatus.UNKNOWN and may_ask):
        return Outcome.ASKED_BACK
    silent = taken is ReleaseStatus.LATEST and meant is not ReleaseStatus.LATEST
    return Outcome.SILENTLY_WRONG if silent else Outcome.WRONG_BUT_SAID


def figures(scores: Iterable[ReleaseScore]) -> dict[str, Share]:
    """How many questions came to which outcome."""
    found = [score.outcome for score in scores]
    labels = {
        "silently wrong: the latest, though another is meant": (Outcome.SILENTLY_WRONG,),
        "right or asked back": (Outcome.RIGHT, Outcome.ASKED_BACK),
        "right": (Outcome.RIGHT,),
        "asked back": (Outcome.ASKED_BACK,),
        "wrong, but said": (Outcome.WRONG_BUT_SAID,),
    }
    return {label: share(outcome in of for outcome in found) for label, of in labels.items()}


def wrong(scores: Iterable[ReleaseScore]) -> list[tuple[str, ...]]:
    """A row for each question that was neither right nor asked back, the gravest first."""
    errors = (Outcome.SILENTLY_WRONG, Outcome.WRONG_BUT_SAID)
    return [
        (score.question, score.meant, score.taken, score.outcome.replace("_", " "))
        for score in scores
        if score.outcome in errors
    ]

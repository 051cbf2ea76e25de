"""What became of an answer, in the few words that a reader wants first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum

from chatbot.text.languages import gettext_noop
from eval.runs.folder import ScoreRecord

JUDGED_RIGHT = 0.5
"""Where no rule can tell, an answer is right whose correctness a judge puts at this or above."""


class Outcome(StrEnum):
    """The best first; `OTHER` is wrong in another way, or failed, and of `UNTOLD` nobody can say.

    That is an answer that no rule tells right from wrong, and no judge has looked at.
    """

    RIGHT = gettext_noop("right")
    WRONG_RELEASE = gettext_noop("wrong release")
    REFUSED = gettext_noop("refused")
    OTHER = gettext_noop("otherwise wrong")
    UNTOLD = gettext_noop("not judged")


Outcomes = Mapping[Outcome, int]


def outcome_of(score: ScoreRecord) -> Outcome:
    """What became of an answer; one from a wrong release is that, whatever it says."""
    if score.values.get("wrong_release"):
        return Outcome.WRONG_RELEASE
    if score.values.get("wrongly_refused"):
        return Outcome.REFUSED
    correct = _correct(score)
    if correct is None and not score.values.get("failed"):
        return Outcome.UNTOLD
    return Outcome.RIGHT if correct else Outcome.OTHER


def _correct(score: ScoreRecord) -> bool | None:
    by_rule, judged = (score.values.get(name) for name in ("correct", "answer_correctness"))
    if by_rule is not None:
        return by_rule == 1
    return None if judged is None else judged >= JUDGED_RIGHT


def counted(outcomes: Iterable[Outcome]) -> Outcomes:
    """How often each occurs, in their order."""
    found = Counter(outcomes)
    return {outcome: found[outcome] for outcome in Outcome}


def by_system(scores: Iterable[ScoreRecord]) -> dict[str, Outcomes]:
    """How often each occurs, by system."""
    found: dict[str, list[Outcome]] = defaultdict(list)
    for score in scores:
        found[score.system].append(outcome_of(score))
    return {system: counted(outcomes) for system, outcomes in found.items()}


def share(outcome: Outcome, outcomes: Outcomes) -> float | None:
    """The share of an outcome among the answers that are told of; None where there is none."""
    of = told(outcomes)
    return outcomes[outcome] / of if of else None


def told(outcomes: Outcomes) -> int:
    """How many answers are right or wrong, and not just given."""
    return sum(outcomes.values()) - outcomes[Outcome.UNTOLD]

"""Whether a judge sees what is wrong: right answers and the same ones damaged, scored alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from eval.figures import Share, figures_table, mean, share
from eval.gold import GoldError, GoldQuestion
from eval.judging.damage import DAMAGES
from eval.judging.judge import Judge, JudgedAnswer
from eval.judging.metrics import judge_answers
from eval.own_words import sentences
from prompts.fencing import visible

LOWER = 0.05
"""How much lower a damaged answer has to score to count as seen."""
PADDING_MAY_COST = 0.25
"""How much lower a padded answer may score: a step of the scale."""


@dataclass(frozen=True, slots=True)
class ValidityCase:
    """A right answer and the same one damaged, with their scores; None where one is unscored."""

    id: str
    damage: str
    answer: str
    right: float | None = None
    damaged: float | None = None
    reason: str = ""

    @property
    def seen(self) -> bool | None:
        """Whether the judge scored it as the damage deserves; None where there is no score."""
        if self.right is None or self.damaged is None:
            return None
        lost = self.right - self.damaged
        return lost >= LOWER if DAMAGES[self.damage].lowers else lost <= PADDING_MAY_COST


def damaged_cases(questions: Sequence[GoldQuestion], most: int) -> list[ValidityCase]:
    """Damaged gold answers, at most so many of each kind, those of the first questions.

    Raises GoldError where no question has an answer.
    """
    cases = []
    answerable = [question for question in questions if question.answerable]
    for name, damage in DAMAGES.items():
        made = (
            ValidityCase(question.id, name, answer)
            for question in answerable
            if (answer := damage.damaged(question, questions)) is not None
        )
        cases += [case for case, _ in zip(made, range(most), strict=False)]
    if not cases:
        raise GoldError("none of the questions has an answer that could be damaged")
    return cases


def check_validity(
    judge: Judge,
    questions: Sequence[GoldQuestion],
    cases: Sequence[ValidityCase],
    on_progress: Callable[[], None] = lambda: None,
) -> list[ValidityCase]:
    """The cases with the scores of their right and their damaged answers. Raises GeneratorError.

    Right answers are judged once each. `on_progress` hears of every answer that is judged.
    """
    of = {question.id: question for question in questions}
    scored: list[ValidityCase] = []
    for metric in dict.fromkeys(damage.metric for damage in DAMAGES.values()):
        some = [case for case in cases if DAMAGES[case.damage].metric == metric]
        ids = list(dict.fromkeys(case.id for case in some))
        answers = [
            *(_judged(of[id_], of[id_].gold_answer) for id_ in ids),
            *(_judged(of[case.id], case.answer) for case in some),
        ]
        judged = judge_answers(judge, answers, (metric,), lambda *_: on_progress())
        scores = [score for (score,) in judged]
        right = dict(zip(ids, scores, strict=False))
        scored += (
            replace(
                case,
                right=right[case.id].score,
                damaged=score.score,
                reason=score.reason or score.unscored or right[case.id].unscored,
            )
            for case, score in zip(some, scores[len(ids) :], strict=True)
        )
    return scored


def most_answers(cases: Sequence[ValidityCase]) -> int:
    """How many answers are judged: the right ones, once for each metric, and the damaged ones."""
    right = {(DAMAGES[case.damage].metric, case.id) for case in cases}
    return len(right) + len(cases)


def figures(cases: Sequence[ValidityCase]) -> dict[str, Share]:
    """By kind of damage, how often the judge saw it; unscored cases are not counted."""
    return {name: share(case.seen for case in cases if case.damage == name) for name in DAMAGES}


def unseen(cases: Sequence[ValidityCase], at_least: float) -> list[str]:
    """The kinds of damage of which the judge saw less than this share; unscored is not seen."""
    kinds = {
        case.damage: [c.seen is True for c in cases if c.damage == case.damage] for case in cases
    }
    return [kind for kind, seen in kinds.items() if sum(seen) < at_least * len(seen)]


def validity_tables(cases: Sequence[ValidityCase]) -> Group:
    """How often each kind was seen, with the mean scores, and the cases that were not."""
    table = figures_table("Damaged answers", "damage", "seen", "unscored", "right", "damaged")
    for name, seen in figures(cases).items():
        of_kind = [case for case in cases if case.damage == name]
        unscored = sum(case.seen is None for case in of_kind)
        means = (mean(c.right for c in of_kind), mean(c.damaged for c in of_kind))
        table.add_row(DAMAGES[name].label, seen.percent, str(unscored), *map(str, means))
    missed = Table("question", "damage", "right", "damaged", "answer", box=box.SIMPLE_HEAD)
    missed.title, missed.title_justify = "Not seen", "left"
    for case in cases:
        if case.seen is False:
            label = DAMAGES[case.damage].label
            written = (case.id, label, f"{case.right:.2f}", f"{case.damaged:.2f}", case.answer)
            missed.add_row(*(escape(visible(text)) for text in written))
    return Group(table, *([missed] if missed.row_count else []))


def _judged(question: GoldQuestion, answer: str) -> JudgedAnswer:
    """The answer with the gold answer as all that is documented."""
    gold = question.gold_answer
    return JudgedAnswer(
        question=question.in_conversation,
        answer=answer,
        context=(gold,),
        gold=gold,
        cited=tuple((sentence.text, (gold,)) for sentence in sentences(answer)),
    )

"""The benchmark's questions are put to any system, and what can be counted of its replies is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group as Rows

from chatbot.batch import Answer, BatchLine, BatchProgress, answer_lines
from chatbot.reply import Reply
from eval.answer_summary import Summary, score_answers, table_by, table_of_shares
from eval.answers import MEASURES, read_answers
from eval.figures import Share, in_seconds, share
from eval.foreign import with_refusal
from eval.gold import GoldQuestion, matches
from eval.own_words import own_words

OF_ANY_SYSTEM = (
    *("correct", "facts", "steps_complete", "rightly_refused", "wrongly_refused", "failed"),
)
"""The measures that need nothing but the words of an answer."""
LABELS = {
    **{name: MEASURES[name][0] for name in OF_ANY_SYSTEM},
    "says_elsewhere": "says what holds elsewhere",
}
"""How the report calls what is counted of a system."""


@dataclass(frozen=True)
class BenchmarkScores:
    """The scores of a system: `other_release` are answers that say what they must not.

    That is mostly what holds in another release than the one meant.
    """

    summary: Summary
    other_release: Share

    @property
    def figures(self) -> dict[str, Share]:
        """What was counted over all questions, by the names of `LABELS`."""
        found = {name: self.summary.overall.shares[name] for name in OF_ANY_SYSTEM}
        return {**found, "says_elsewhere": self.other_release}


def ask_system(
    answer: Answer,
    questions: Sequence[GoldQuestion],
    output: Path,
    on_progress: Callable[[BatchProgress], None],
    at_once: int = 1,
) -> None:
    """Ask every question that `output` has no reply to; what failed before is asked again.

    Whether a reply refuses is told by its words where the system does not say so itself.
    """
    by_id = {question.id: question for question in questions}

    def told(line: BatchLine, stopped: Callable[[], bool]) -> Reply:
        return with_refusal(by_id[str(line.id)], answer(line, stopped))

    lines = [BatchLine.model_validate(question.asked()) for question in questions]
    answer_lines(told, lines, output, on_progress, at_once)


def score_system(questions: Sequence[GoldQuestion], output: Path) -> BenchmarkScores:
    """Score the replies of a file. Raises GoldError for a file that cannot be read."""
    replies = read_answers(output)
    foreign = (_says_elsewhere(q, replies[q.id]) for q in questions if q.id in replies)
    return BenchmarkScores(score_answers(questions, replies), share(foreign))


def _says_elsewhere(question: GoldQuestion, reply: Reply) -> bool | None:
    if not question.must_not_include or not question.answerable:
        return None
    said = "" if reply.abstained else own_words(reply.answer)
    return any(matches(pattern, said) for pattern in question.must_not_include)


def score_tables(scores: BenchmarkScores) -> Rows:
    """The figures over all questions, and the main ones by kind."""
    summary = scores.summary
    table = table_of_shares({LABELS[name]: found for name, found in scores.figures.items()})
    seconds = in_seconds(summary.overall.median_seconds)
    table.add_row("seconds an answer, median", "", seconds)
    columns = {"correct": "right", "facts": "facts", "wrongly_refused": "refused, wrongly"}
    return Rows(table, table_by("kind", summary.kinds, columns))

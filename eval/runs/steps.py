"""What each step of `embedded` earns: the answers of a run with it and without it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean

from rich.table import Table

from eval.figures import figures_table
from eval.reports.outcomes import Outcome, outcome_of
from eval.runs.folder import Run
from eval.runs.systems.names import WITHOUT
from eval.statistics import bootstrap_interval

BASE = "embedded"
_WRONG = (Outcome.WRONG_RELEASE, Outcome.OTHER)


@dataclass(frozen=True, slots=True)
class Difference:
    """A change of a share by leaving a step out, and its 95 % interval, a bootstrap's.

    The interval is over the questions; none of fewer than two.
    """

    change: float
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        ends = self.interval or (self.change, self.change)
        return f"{100 * self.change:+.1f} ({100 * ends[0]:+.1f} to {100 * ends[1]:+.1f})"


@dataclass(frozen=True, slots=True)
class StepEarns:
    """What comes of leaving a step out, over the questions that both systems have answered.

    `right` and `wrong_shown` are changes of shares; wrong is shown what is neither right nor
    refused. `differ` counts answers with other words; `right_lost` and `right_won` are ids.
    """

    step: str
    questions: int
    differ: int
    right: Difference
    wrong_shown: Difference
    right_lost: tuple[str, ...]
    right_won: tuple[str, ...]

    @property
    def figures(self) -> dict[str, float | None]:
        """What a limit can be on; None where no question was told right from wrong."""
        return {name: of(self) if self.questions else None for name, of in FIGURES.items()}


FIGURES: Mapping[str, Callable[[StepEarns], float]] = {
    "right": lambda step: step.right.change,
    "wrong_shown": lambda step: step.wrong_shown.change,
    "right_lost": lambda step: len(step.right_lost),
    "right_won": lambda step: len(step.right_won),
    "differ": lambda step: step.differ,
}
"""What is told of leaving a step out, by the names that limits take."""


def what_steps_earn(run: Run) -> list[StepEarns]:
    """Each step that a system of the run lacks, with what it earns; first those that earn most."""
    base = _by_question(run, BASE)
    found = [
        _earned(step, base, _by_question(run, system))
        for system, step in WITHOUT.items()
        if system in run.manifest.systems
    ]
    return sorted(found, key=lambda step: (step.right.change, -step.wrong_shown.change))


@dataclass(frozen=True, slots=True)
class _Answered:
    outcome: Outcome
    said: str


def _by_question(run: Run, system: str) -> dict[tuple[str, int], _Answered]:
    said = {(a.id, a.repeat): a.reply.answer if a.reply else "" for a in run.answers[system]}
    return {
        (score.id, score.repeat): _Answered(outcome_of(score), said[score.id, score.repeat])
        for score in run.scores
        if score.system == system
    }


def _earned(
    step: str,
    base: Mapping[tuple[str, int], _Answered],
    without: Mapping[tuple[str, int], _Answered],
) -> StepEarns:
    shared = [key for key in base if key in without]
    told = [k for k in shared if Outcome.UNTOLD not in (base[k].outcome, without[k].outcome)]

    def change(counts: Callable[[Outcome], bool]) -> Difference:
        values = [counts(without[k].outcome) - counts(base[k].outcome) for k in told]
        return Difference(fmean(values) if values else 0.0, bootstrap_interval(values))

    def turned(before: bool) -> tuple[str, ...]:
        right = Outcome.RIGHT
        return tuple(
            k[0]
            for k in told
            if (base[k].outcome is right) is before and (without[k].outcome is right) is not before
        )

    return StepEarns(
        step,
        questions=len(told),
        differ=sum(base[k].said != without[k].said for k in shared),
        right=change(lambda outcome: outcome is Outcome.RIGHT),
        wrong_shown=change(lambda outcome: outcome in _WRONG),
        right_lost=turned(True),
        right_won=turned(False),
    )


def steps_table(found: list[StepEarns]) -> Table:
    """A row for each step: what leaving it out does, in points with the interval."""
    columns = ("questions", "other\nwords", "right,\npoints", "wrong shown,\npoints", "lost", "won")
    table = figures_table("Without one step", "step", *columns)
    for step in found:
        counts = (str(step.questions), str(step.differ))
        ids = (str(len(step.right_lost)), str(len(step.right_won)))
        table.add_row(step.step, *counts, str(step.right), str(step.wrong_shown), *ids)
    return table

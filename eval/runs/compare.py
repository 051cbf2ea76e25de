"""Two runs, or two systems of one, compared question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group as Rows
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from eval.figures import Mean, figures_table, mean
from eval.gold import GoldError
from eval.runs.folder import Manifest, Run
from eval.runs.means import by_question
from eval.runs.measures import MEASURES
from eval.statistics import (
    SIGNIFICANCE,
    EffectSize,
    bootstrap_interval,
    rank_sum,
    signed_rank,
    vargha_delaney,
)
from prompts.fencing import visible

_SAME = 1e-9
_LEAST_P = 0.001
"""Below it a p-value is shown as less than it."""
_MAY_DIFFER = ("strata", "commit", "model", "judge", "settings", "prompts", "corpora")
_SHOWN = ("answer_correctness", "correct", "wrong_release")
"""Measures whose questions are named that became better or worse."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A measure of the second beside the first, over the questions that both have scores of.

    `difference` is second less first, and its `interval` of 95 % is over the questions. `p` is that
    of the signed-rank test of the pairs, `rank_sum_p` and `effect` (1: the second is always larger)
    are those of the paper (QAMR IV-F). `better` and `worse` are ids; where neither way is good,
    `better` is more.
    """

    measure: str
    first: Mean
    second: Mean
    difference: float
    interval: tuple[float, float] | None
    p: float
    rank_sum_p: float
    effect: EffectSize
    better: tuple[str, ...]
    worse: tuple[str, ...]
    same: tuple[str, ...]

    @property
    def significant(self) -> bool:
        """Whether the difference is more than chance, at the level of the paper."""
        return self.p < SIGNIFICANCE


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two systems differ in; `made_with` names what else was not the same in their runs."""

    first: str
    second: str
    questions: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    made_with: tuple[str, ...]
    measures: tuple[Compared, ...]


def compare_runs(first: Run, second: Run, systems: Sequence[str] = ()) -> tuple[Comparison, ...]:
    """Each system that both runs have, or those named. Raises GoldError where there is none."""
    shared = [s for s in first.manifest.systems if s in second.manifest.systems]
    chosen = [s for s in shared if not systems or s in systems]
    if not chosen:
        raise GoldError(
            f"the runs share no system of this name: {first.folder} has "
            f"{', '.join(first.manifest.systems)}, {second.folder} "
            f"{', '.join(second.manifest.systems)}"
        )
    return tuple(compare_systems(first, system, second, system) for system in chosen)


def compare_systems(first: Run, system: str, second: Run, other: str) -> Comparison:
    """A system of a run beside one of another run, or of the same.

    Raises GoldError for a system that a run does not have, and where they share no question.
    """
    for run, name in ((first, system), (second, other)):
        if name not in run.manifest.systems:
            known = ", ".join(run.manifest.systems)
            raise GoldError(f"{run.folder} has no system {name!r}; it has {known}")
    asked, asked_too = ({q.id: q for q in run.questions} for run in (first, second))
    # What was worded anew is another question.
    shared = [i for i, question in asked.items() if asked_too.get(i) == question]
    if not shared:
        raise GoldError(f"{first.folder} and {second.folder} have no question in common")
    values, others = by_question(first, system), by_question(second, other)
    measured = [name for name in MEASURES if name in values and name in others]
    compared = (_compared(name, shared, values[name], others[name]) for name in measured)
    return Comparison(
        first=system,
        second=other,
        questions=len(shared),
        only_first=tuple(i for i in asked if i not in shared),
        only_second=tuple(i for i in asked_too if i not in shared),
        made_with=_made_with(first.manifest, second.manifest),
        measures=tuple(found for found in compared if found),
    )


def _compared(
    name: str, shared: Sequence[str], first: Mapping[str, float], second: Mapping[str, float]
) -> Compared | None:
    ids = [i for i in shared if i in first and i in second]
    if not ids:
        return None
    values, others = [first[i] for i in ids], [second[i] for i in ids]
    gains = {i: 0.0 if abs(second[i] - first[i]) < _SAME else second[i] - first[i] for i in ids}
    sign = -1 if MEASURES[name].better == "lower" else 1
    return Compared(
        measure=name,
        first=mean(values),
        second=mean(others),
        difference=sum(gains.values()) / len(gains),
        interval=bootstrap_interval(list(gains.values())),
        p=signed_rank(list(gains.values())),
        rank_sum_p=rank_sum(others, values),
        effect=vargha_delaney(others, values),
        better=tuple(i for i, gain in gains.items() if sign * gain > 0),
        worse=tuple(i for i, gain in gains.items() if sign * gain < 0),
        same=tuple(i for i, gain in gains.items() if not gain),
    )


def _made_with(first: Manifest, second: Manifest) -> tuple[str, ...]:
    return tuple(n for n in _MAY_DIFFER if getattr(first, n) != getattr(second, n))


def comparison_tables(comparison: Comparison, first: Run, second: Run) -> Rows:
    """Every measure that differs, and the questions that became better or worse by main ones."""
    columns = ("first", "second", "difference,\n95 % interval", "p", "A12", "better/\nworse/same")
    title = f"{comparison.second} beside {comparison.first}, {comparison.questions} questions"
    table = figures_table(escape(title), "measure", *columns)
    differ = [found for found in comparison.measures if found.better or found.worse]
    for found in differ:
        table.add_row(*_row(found), style="bold" if found.significant else None)
    parts: list[Table | Text] = [table]
    if alike := len(comparison.measures) - len(differ):
        parts.append(Text(f"The same for every question: {alike} more measures."))
    if comparison.made_with:
        parts.append(Text(f"Not the same in both: {', '.join(comparison.made_with)}."))
    alone = len(comparison.only_first) + len(comparison.only_second)
    if alone:
        parts.append(Text(f"Left out: {alone} questions that are not the same in both."))
    asked = {question.id: question.question for question in second.questions}
    for found in comparison.measures:
        if found.measure in _SHOWN and (found.better or found.worse):
            changed = Table(title=MEASURES[found.measure].label, title_justify="left", box=None)
            for word, ids in (("better", found.better), ("worse", found.worse)):
                for question in ids:
                    written = (question, asked[question])
                    changed.add_row(word, *(escape(visible(text)) for text in written))
            parts.append(changed)
    return Rows(*parts)


def _row(found: Compared) -> tuple[str, ...]:
    digits = ".2f" if MEASURES[found.measure].unit in ("share", "score") else ".1f"
    difference = f"{found.difference:+{digits}}"
    if found.interval:
        low, high = found.interval
        difference += f" [{low:+{digits}}, {high:+{digits}}]"
    return (
        MEASURES[found.measure].label,
        f"{found.first.value:{digits}}",
        f"{found.second.value:{digits}}",
        escape(difference),
        f"{found.p:.3f}" if found.p >= _LEAST_P else f"<{_LEAST_P}",
        f"{found.effect.a12:.2f}{found.effect.band[:1].upper():>2}",
        "/".join(str(len(ids)) for ids in (found.better, found.worse, found.same)),
    )

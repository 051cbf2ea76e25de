"""A run summed up: what its reports show, and what programs get as JSON."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from chatbot.text.languages import gettext_noop
from eval.gold import GoldQuestion
from eval.reports.outcomes import Outcome, Outcomes, counted, outcome_of, share
from eval.runs.compare import Compared, Comparison, compare_systems
from eval.runs.folder import AnswerRecord, Manifest, Run, ScoreRecord
from eval.runs.means import by_question
from eval.runs.measures import MEASURES, MeasureGroup
from eval.statistics import bootstrap_interval
from ingestion.messages import message, message_noop

OTHERS = gettext_noop("others")
_DRAWN = 5
SEVERAL = message_noop("{product}, several releases")
LATEST = message_noop("{product}, no release named")
LEVEL = 0.95
"""The share of repetitions in which an interval holds the true mean."""
_NO_FAILURES = (Outcome.RIGHT, Outcome.UNTOLD)
_YES_OR_NO = frozenset((0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a measure over `of` questions and its 95 % interval; `unscored` have no score.

    A question that was asked several times counts once, with the mean of its scores. The interval
    is Wilson's where every value is yes or no, else a bootstrap; none of fewer than two values.
    """

    mean: float
    interval: tuple[float, float] | None
    of: int
    unscored: int = 0


@dataclass(frozen=True, slots=True)
class Spread:
    """The five numbers of a box plot: whiskers are the least and the greatest."""

    least: float
    lower: float
    median: float
    upper: float
    greatest: float


@dataclass(frozen=True, slots=True)
class StepCost:
    """What a step of an answer takes on average; the tokens are those of its model calls."""

    seconds: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0

    def __add__(self, other: "StepCost") -> "StepCost":
        """Both steps as one."""
        return StepCost(
            self.seconds + other.seconds,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """What one system came to, over all questions and by their kind and release.

    `unscored` says of each measure how many answers have no score though it applies.
    """

    name: str
    outcomes: Outcomes
    measures: Mapping[str, Estimate]
    spreads: Mapping[str, Spread]
    steps: Mapping[str, StepCost]
    by_kind: Mapping[str, Outcomes]
    by_release: Mapping[str, Outcomes]
    unscored: Mapping[str, int]

    @property
    def answers(self) -> int:
        """The scored answers."""
        return sum(self.outcomes.values())

    @property
    def seconds(self) -> float:
        """What all steps of an answer take together, on average."""
        return sum(step.seconds for step in self.steps.values())

    @property
    def share_right(self) -> float | None:
        """The share of right answers; None where none is told right from wrong."""
        return share(Outcome.RIGHT, self.outcomes)


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """A scored answer, with all that there is to see what became of it and why."""

    system: str
    outcome: Outcome
    question: GoldQuestion
    answer: AnswerRecord
    score: ScoreRecord


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as its reports show it; `differences` are those of each system from the first."""

    manifest: Manifest
    systems: tuple[SystemSummary, ...]
    failures: tuple[ScoredAnswer, ...]
    differences: tuple[Comparison, ...]
    remarks: tuple[str, ...]

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes to tell of: that an answer is not judged only where one is not."""
        untold = any(system.outcomes[Outcome.UNTOLD] for system in self.systems)
        return tuple(o for o in Outcome if o is not Outcome.UNTOLD or untold)

    @property
    def measures(self) -> dict[MeasureGroup, tuple[str, ...]]:
        """The measures that some system has a figure of, or should have, by group."""
        found: dict[MeasureGroup, tuple[str, ...]] = {}
        for name, measure in MEASURES.items():
            if any(name in s.measures or s.unscored.get(name) for s in self.systems):
                found[measure.group] = (*found.get(measure.group, ()), name)
        return found

    @property
    def compared(self) -> dict[str, tuple[Compared | None, ...]]:
        """The measures of answers in which systems differ from the first, a difference for each."""
        found = [{c.measure: c for c in comparison.measures} for comparison in self.differences]
        return {
            name: tuple(measures.get(name) for measures in found)
            for group in ("answer", "judge")
            for name in self.measures.get(group, ())
            if any(name in measures and measures[name].difference for measures in found)
        }

    @property
    def plotted(self) -> tuple[str, ...]:
        """The measures that some system has a spread of."""
        return tuple(name for name in MEASURES if any(name in s.spreads for s in self.systems))

    def end_of_axis(self, measure: str) -> float:
        """Where the axis of a spread ends: at 1, or for an amount at the greatest there is."""
        if MEASURES[measure].unit in ("share", "score"):
            return 1.0
        greatest = (s.spreads[measure].greatest for s in self.systems if measure in s.spreads)
        return max(greatest, default=0.0) or 1.0

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that took time, those that took longest in all systems first."""
        seconds = Counter[str]()
        for system in self.systems:
            seconds.update({step: cost.seconds for step, cost in system.steps.items()})
        return tuple(step for step, _ in seconds.most_common())

    @property
    def longest_steps(self) -> tuple[str, ...]:
        """As many of them as can be told apart in a picture, and the others as one."""
        return (*self.steps[:_DRAWN], *([OTHERS] * (len(self.steps) > _DRAWN)))

    @property
    def slowest(self) -> float:
        """Seconds that an answer of the slowest system takes."""
        return max((system.seconds for system in self.systems), default=0.0) or 1.0

    def parts(self, system: SystemSummary) -> dict[str, StepCost]:
        """What the `longest_steps` of a system take."""
        none = StepCost()
        parts = {step: system.steps.get(step, none) for step in self.longest_steps}
        if OTHERS in parts:
            short = (system.steps.get(step, none) for step in self.steps[_DRAWN:])
            parts[OTHERS] = sum(short, none)
        return parts

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the questions, in the order of asking."""
        return _keys(system.by_kind for system in self.systems)

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases that the questions are about, in the order of asking."""
        return _keys(system.by_release for system in self.systems)


def summarize(run: Run) -> RunSummary:
    """Sum up a run, finished or not; only answers that are scored count."""
    questions = {question.id: question for question in run.questions}
    systems, failures = [], []
    for name in run.manifest.systems:
        answers = {(a.id, a.repeat): a for a in run.answers.get(name, ())}
        scored = [
            ScoredAnswer(name, outcome_of(score), questions[score.id], answer, score)
            for score in run.scores
            if score.system == name
            and score.id in questions
            and (answer := answers.get((score.id, score.repeat)))
        ]
        systems.append(_summary(name, scored, by_question(run, name)))
        failures += [one for one in scored if one.outcome not in _NO_FAILURES]
    return RunSummary(
        manifest=run.manifest,
        systems=tuple(systems),
        failures=tuple(failures),
        differences=tuple(
            compare_systems(run, run.manifest.systems[0], run, other)
            for other in run.manifest.systems[1:]
        ),
        remarks=_remarks(run),
    )


def _summary(
    name: str, scored: Sequence[ScoredAnswer], measured: Mapping[str, Mapping[str, float]]
) -> SystemSummary:
    values = {name: list(of.values()) for name, of in measured.items()}
    unscored = Counter(measure for one in scored for measure in one.score.unscored)
    return SystemSummary(
        name=name,
        outcomes=counted(one.outcome for one in scored),
        measures={
            m: Estimate(statistics.fmean(v), _interval(v), len(v), unscored[m])
            for m, v in values.items()
        },
        spreads={m: _spread(v) for m, v in values.items() if _is_spread(m, v)},
        steps=_steps([one.answer for one in scored]),
        by_kind=_grouped(scored, lambda one: message(one.question.kind.replace("_", " "))),
        by_release=_grouped(scored, lambda one: _release(one.question)),
        unscored=unscored,
    )


def _interval(values: Sequence[float]) -> tuple[float, float] | None:
    if len(values) < 2 or not _YES_OR_NO.issuperset(values):
        return bootstrap_interval(values, LEVEL)
    from scipy.stats import binomtest

    # A bootstrap of none of forty would say that there can be none: it draws what it was given.
    found = binomtest(round(sum(values)), len(values)).proportion_ci(LEVEL, "wilson")
    return float(found.low), float(found.high)


def _is_spread(measure: str, values: Sequence[float]) -> bool:
    """Whether a box says more than the mean: yes and no have no quartiles."""
    return MEASURES[measure].unit != "share" and not _YES_OR_NO.issuperset(values)


def _spread(values: Sequence[float]) -> Spread:
    least, greatest = min(values), max(values)
    if len(values) < 2:
        return Spread(least, least, least, greatest, greatest)
    lower, median, upper = statistics.quantiles(values, method="inclusive")
    return Spread(least, lower, median, upper, greatest)


def _steps(answers: Sequence[AnswerRecord]) -> dict[str, StepCost]:
    steps: dict[str, StepCost] = defaultdict(StepCost)
    for answer in answers:
        for step, seconds in answer.steps.items():
            steps[step] += StepCost(seconds / len(answers))
        for trace in (answer.trace, *answer.trace.sides) if answer.trace else ():
            for call in trace.calls:
                tokens = call.prompt_tokens, call.completion_tokens
                steps[call.step] += StepCost(0.0, *(number / len(answers) for number in tokens))
    return dict(steps)


def _grouped(
    scored: Sequence[ScoredAnswer], key: Callable[[ScoredAnswer], str]
) -> dict[str, Outcomes]:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in scored:
        groups[key(one)].append(one.outcome)
    return {name: counted(outcomes) for name, outcomes in groups.items()}


def _release(question: GoldQuestion) -> str:
    if len(question.releases) > 1:
        return message(SEVERAL, product=question.product)
    if question.release:
        return f"{question.product} {question.release}"
    return message(LATEST, product=question.product)


def _remarks(run: Run) -> tuple[str, ...]:
    """What has to be known to read the figures."""
    manifest, remarks = run.manifest, list[str]()
    asked = {name: len(manifest.asked_of(name, run.questions)) for name in manifest.systems}
    wanted = manifest.repeats * sum(asked.values())
    if len(run.scores) < wanted:
        of = {"number": len(run.scores), "all": wanted}
        remarks.append(message("Not finished: {number:,} of {all:,} answers are scored.", **of))
    remarks += (
        message(
            "Not asked of {name}: {number:,} follow-ups, since a tool has no conversation.",
            name=name,
            number=left,
        )
        for name, number in asked.items()
        if (left := len(run.questions) - number)
    )
    if manifest.judge and manifest.judge == manifest.model:
        remarks.append(message("The model that answered is the judge of its own answers."))
    if untold := sum(outcome_of(score) is Outcome.UNTOLD for score in run.scores):
        remarks.append(
            message(
                "Not judged: {number:,} answers, which no rule tells right from wrong. Have a "
                "judge look at them.",
                number=untold,
            )
        )
    if unscored := sum(len(score.unscored) for score in run.scores):
        remarks.append(
            message(
                "Scores that could not be made: {number:,}; the tables say of what.",
                number=unscored,
            )
        )
    return tuple(remarks)


def _keys(groups: Iterable[Mapping[str, Outcomes]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))

"""Figures of a run as all of its reports write them."""

from collections.abc import Iterator

from eval.reports.outcomes import Outcome, Outcomes, told
from eval.reports.summary import Estimate, StepCost
from eval.runs.compare import Compared
from eval.runs.folder import Manifest, ScoreRecord
from eval.runs.measures import MEASURES, MeasureGroup

GROUPS: dict[MeasureGroup, str] = {
    "answer": "Answers, by rules",
    "judge": "Answers, by a judge",
    "retrieval": "Retrieval",
    "likeness": "Likeness to the gold answer",
    "cost": "Cost",
}
ARROWS = {"higher": "↑", "lower": "↓", None: ""}
"""Which way is good."""
_LEAST_P = 0.001


def figure(measure: str, value: float) -> str:
    """A value in the unit of its measure."""
    match MEASURES[measure].unit if measure in MEASURES else "score":
        case "share":
            return f"{value:.0%}"
        case "score":
            return f"{value:.2f}"
        case "seconds":
            return f"{value:.1f} s" if value >= 0.95 else f"{value:.2f} s"
        case "count":
            return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"


def interval(measure: str, estimate: Estimate) -> str:
    """The 95 % interval of an estimate; of a single question there is none."""
    if estimate.interval is None:
        return "no interval"
    return " to ".join(figure(measure, end) for end in estimate.interval)


def scores_of(score: ScoreRecord) -> list[tuple[str, str]]:
    """What is said of an answer itself, measure by measure."""
    return [
        (measure.label, figure(name, value))
        for name, measure in MEASURES.items()
        if measure.group in ("answer", "judge") and (value := score.values.get(name)) is not None
    ]


def tokens(cost: StepCost) -> str:
    """The tokens of a step's model calls."""
    return f"{cost.prompt_tokens:,.0f} tokens read, {cost.completion_tokens:,.0f} written"


def gain(compared: Compared | None) -> str:
    """How far a system is from the first."""
    if compared is None:
        return "–"
    if MEASURES[compared.measure].unit == "share":
        return f"{100 * compared.difference:+.0f} points"
    return f"{compared.difference:+.2f}"


def chance(compared: Compared | None) -> str:
    """How much of the difference may be chance, and how large the effect is."""
    if compared is None:
        return ""
    p = "p < 0.001" if compared.p < _LEAST_P else f"p = {compared.p:.3f}"
    return f"{p}, A12 {compared.effect.a12:.2f} {compared.effect.band}".rstrip()


def all_of(outcomes: Outcomes) -> str:
    """Every outcome with its number."""
    return ", ".join(f"{outcome} {number:,}" for outcome, number in outcomes.items())


def readable(step: str) -> str:
    """The name of a step as words."""
    return step.replace("_", " ")


def tally(outcomes: Outcomes | None) -> str:
    """How many are right of those that are told of; how many are from a wrong release, if any."""
    if not outcomes:
        return "–"
    more = (
        f", {outcomes[outcome]} {outcome}"
        for outcome in (Outcome.WRONG_RELEASE, Outcome.UNTOLD)
        if outcomes[outcome]
    )
    return f"{outcomes[Outcome.RIGHT]} of {told(outcomes)}{''.join(more)}"


def manifest_rows(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """What was run, name by name; what is not known is left out."""
    rows = {
        "started": f"{manifest.started:%Y-%m-%d %H:%M %Z}".strip(),
        "finished": f"{manifest.finished:%Y-%m-%d %H:%M %Z}".strip() if manifest.finished else "",
        "state": manifest.state,
        "questions": f"{manifest.questions} of {manifest.questions_file}, "
        f"SHA-256 {manifest.questions_sha256[:12]}",
        "systems": ", ".join(
            f"{name} at {manifest.addresses[name]}" if name in manifest.addresses else name
            for name in manifest.systems
        ),
        "repeats": str(manifest.repeats),
        "model": manifest.model or "none",
        "judge": manifest.judge or "none",
        "Strata": " ".join(filter(None, (manifest.strata, manifest.commit[:12]))),
        "settings": ", ".join(f"{name}={value}" for name, value in manifest.settings.items()),
        "prompts": ", ".join(f"{name} {mark}" for name, mark in manifest.prompts.items()),
        "documents": ", ".join(
            f"{product} {release} {mark[:12]}"
            for product, releases in manifest.corpora.items()
            for release, mark in releases.items()
        ),
        "processor cores": str(manifest.cores),
    }
    return ((name, value) for name, value in rows.items() if value)

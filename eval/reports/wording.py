"""Figures of a run as all of its reports write them."""

from collections.abc import Iterator

from chatbot.text.languages import figure as shown
from chatbot.text.languages import gettext, gettext_noop, in_words
from chatbot.text.step_names import step_name
from eval.judging.judge import NOT_SHOWN, UNREADABLE
from eval.reports.outcomes import Outcome, Outcomes, told
from eval.reports.summary import OTHERS, Estimate, StepCost
from eval.runs.compare import Compared
from eval.runs.folder import Manifest, ScoreRecord
from eval.runs.measures import MEASURES, MeasureGroup

GROUPS: dict[MeasureGroup, str] = {
    "answer": gettext_noop("Answers, by rules"),
    "judge": gettext_noop("Answers, by a judge"),
    "retrieval": gettext_noop("Retrieval"),
    "likeness": gettext_noop("Likeness to the gold answer"),
    "cost": gettext_noop("Cost"),
}
WORDS = (
    *(gettext_noop("release specific differs"), gettext_noop("same in all")),
    *(gettext_noop("no release"), gettext_noop("follow up"), gettext_noop("table lookup")),
    *(gettext_noop("compare"), gettext_noop("unanswerable"), gettext_noop("alias")),
    *(gettext_noop("large"), gettext_noop("medium"), gettext_noop("small")),
)
"""The kinds of questions, and how large an effect is."""
ARROWS = {"higher": "↑", "lower": "↓", None: ""}
"""Which way is good."""
_LEAST_P = 0.001


def figure(measure: str, value: float) -> str:
    """A value in the unit of its measure."""
    match MEASURES[measure].unit if measure in MEASURES else "score":
        case "share":
            return f"{value:.0%}"
        case "score":
            return shown(value, 2)
        case "seconds":
            return f"{shown(value, 1 if value >= 0.95 else 2)} s"
        case "count":
            return shown(value, 0 if value >= 100 or value == int(value) else 1)


def interval(measure: str, estimate: Estimate) -> str:
    """The 95 % interval of an estimate; of a single question there is none."""
    if estimate.interval is None:
        return gettext("no interval")
    return span(*(figure(measure, end) for end in estimate.interval))


def span(least: str, greatest: str) -> str:
    """Two values as the ends of a span: "0.5 to 0.8"."""
    return gettext("{least} to {greatest}", least=least, greatest=greatest)


def scores_of(score: ScoreRecord) -> list[tuple[str, str]]:
    """What is said of an answer itself, measure by measure."""
    return [
        (in_words(measure.label), figure(name, value))
        for name, measure in MEASURES.items()
        if measure.group in ("answer", "judge") and (value := score.values.get(name)) is not None
    ]


def unscored_of(score: ScoreRecord) -> list[tuple[str, str]]:
    """Why measures of an answer have no score; what the judge's model said wrong is in English."""
    return [
        (in_words(MEASURES[name].label) if name in MEASURES else name, _why(reason))
        for name, reason in score.unscored.items()
    ]


def _why(reason: str) -> str:
    if reason == NOT_SHOWN:
        return gettext("the system does not show it")
    if reason.startswith(f"{UNREADABLE}: "):
        return gettext("unreadable: {problem}", problem=reason.removeprefix(f"{UNREADABLE}: "))
    return reason


def tokens(cost: StepCost) -> str:
    """The tokens of a step's model calls."""
    amounts = {"read": shown(cost.prompt_tokens), "written": shown(cost.completion_tokens)}
    return gettext("{read} tokens read, {written} written", **amounts)


def gain(compared: Compared | None) -> str:
    """How far a system is from the first."""
    if compared is None:
        return "–"
    if MEASURES[compared.measure].unit == "share":
        points = f"{100 * compared.difference:+.0f}"
        return gettext("{number} points", number=points)
    sign = "-" if compared.difference < 0 else "+"
    return f"{sign}{shown(abs(compared.difference), 2)}"


def chance(compared: Compared | None) -> str:
    """How much of the difference may be chance, and how large the effect is."""
    if compared is None:
        return ""
    p = f"p < {shown(_LEAST_P, 3)}" if compared.p < _LEAST_P else f"p = {shown(compared.p, 3)}"
    band = gettext(compared.effect.band) if compared.effect.band else ""
    return f"{p}, A12 {shown(compared.effect.a12, 2)} {band}".rstrip()


def all_of(outcomes: Outcomes) -> str:
    """Every outcome with its number."""
    return ", ".join(f"{gettext(outcome)} {shown(number)}" for outcome, number in outcomes.items())


def readable(step: str) -> str:
    """The name of a step as words."""
    return gettext(step) if step == OTHERS else step_name(step)


def failed_with(error: str) -> str:
    """What stands in place of an answer that failed."""
    return gettext("failed: {error}", error=error)


def tally(outcomes: Outcomes | None) -> str:
    """How many are right of those that are told of; how many are from a wrong release, if any."""
    if not outcomes:
        return "–"
    more = (
        f", {outcomes[outcome]} {gettext(outcome)}"
        for outcome in (Outcome.WRONG_RELEASE, Outcome.UNTOLD)
        if outcomes[outcome]
    )
    of = {"number": outcomes[Outcome.RIGHT], "all": told(outcomes)}
    return f"{gettext('{number} of {all}', **of)}{''.join(more)}"


def manifest_rows(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """What was run, name by name; what is not known is left out."""
    rows = {
        gettext("started"): f"{manifest.started:%Y-%m-%d %H:%M %Z}".strip(),
        gettext("finished"): f"{manifest.finished:%Y-%m-%d %H:%M %Z}".strip()
        if manifest.finished
        else "",
        gettext("state"): gettext(manifest.state),
        gettext("questions"): gettext(
            "{number} of {file}, SHA-256 {digest}",
            number=manifest.questions,
            file=manifest.questions_file,
            digest=manifest.questions_sha256[:12],
        ),
        gettext("systems"): ", ".join(
            gettext("{name} at {address}", name=name, address=manifest.addresses[name])
            if name in manifest.addresses
            else name
            for name in manifest.systems
        ),
        gettext("repeats"): str(manifest.repeats),
        gettext("model"): manifest.model or gettext("none"),
        gettext("judge"): manifest.judge or gettext("none"),
        "Strata": " ".join(filter(None, (manifest.strata, manifest.commit[:12]))),
        gettext("settings"): ", ".join(
            f"{name}={value}" for name, value in manifest.settings.items()
        ),
        gettext("prompts"): ", ".join(f"{name} {mark}" for name, mark in manifest.prompts.items()),
        gettext("documentation"): ", ".join(
            f"{product} {release} {mark[:12]}"
            for product, releases in manifest.corpora.items()
            for release, mark in releases.items()
        ),
        gettext("processor cores"): str(manifest.cores),
    }
    return ((name, value) for name, value in rows.items() if value)

"""Scores as tables for the terminal; every count is shown as n/N."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from rich import box
from rich.console import Group as Rows
from rich.markup import escape
from rich.table import Table

from eval.answer_summary import Group, Summary
from eval.answers import Share
from eval.conversations import ConversationFigures
from eval.hostile import Outcome
from eval.releases import ReleaseFigures
from eval.retrieval import CUTOFFS, RetrievalSummary
from prompts.fencing import visible


def answer_tables(summary: Summary) -> Rows:
    """Every measure over all questions, then the main ones by kind and by what is asked."""
    tables = [_overall(summary.overall), _by("kind", summary.kinds)]
    return Rows(*tables, *([_by("asks", summary.asks)] if summary.asks else []))


def release_tables(figures: ReleaseFigures) -> Rows:
    """What became of questions that name a release, and each that was taken for another one."""
    table = figures_table("Releases", "measure", "share")
    for label, share in (
        ("silently wrong: the latest, though another is meant", figures.silently_wrong),
        ("right or asked back", figures.right_or_asked),
        ("right", figures.right),
        ("asked back", figures.asked_back),
        ("wrong, but said", figures.wrong_but_said),
    ):
        table.add_row(label, _percent(share))
    wrong = Table("question", "meant", "taken", "outcome", title="Wrong", title_justify="left")
    wrong.box = box.SIMPLE_HEAD
    for score in figures.wrong:
        meant = ", ".join(score.question.releases) or score.question.status
        taken = f"{', '.join(score.releases)} ({score.status})".lstrip()
        outcome = score.outcome.replace("_", " ")
        wrong.add_row(escape(score.question.question), escape(meant), escape(taken), outcome)
    return Rows(table, wrong) if figures.wrong else Rows(table)


def retrieval_table(summary: RetrievalSummary) -> Table:
    """How often a gold page is among the first pages found, over all and by kind."""
    table = figures_table("Gold page among the first", "kind", *(str(cutoff) for cutoff in CUTOFFS))
    for group in (summary.overall, *summary.kinds):
        table.add_row(group.name, *(_percent(group.within[cutoff]) for cutoff in CUTOFFS))
    return table


def conversation_tables(figures: ConversationFigures) -> Rows:
    """What became of conversations, and each question that went wrong with the Base it got."""
    table = figures_table("Conversations", "measure", "right")
    for label, share in (
        ("all", figures.right),
        ("follow-ups", figures.follow_ups),
        ("questions that stand alone", figures.standalone),
        ("topic carried over", figures.keeps_topic),
        ("what was left is dropped", figures.drops_rest),
        ("release", figures.right_release),
        ("left to the rules by the model", figures.fell_back),
    ):
        table.add_row(label, _percent(share))
    wrong = Table("question", "Base", title="Wrong", title_justify="left", box=box.SIMPLE_HEAD)
    for score in figures.scores:
        if not score.right:
            wrong.add_row(escape(score.question), escape(score.base))
    return Rows(table, wrong)


def hostile_tables(outcomes: Sequence[Outcome]) -> Rows:
    """What came of attacks by kind, then every one that had an effect, with the answer."""
    table = figures_table(
        "Attacks", "kind", "cases", "a promise broken", "the model obeyed", "median s"
    )
    kinds = Counter(outcome.kind for outcome in outcomes)
    for kind in (*kinds, "all"):
        of = [o for o in outcomes if kind in (o.kind, "all")]
        counts = (len(of), sum(bool(o.broken) for o in of), sum(o.obeyed for o in of))
        table.add_row(kind, *map(str, counts), _seconds(median(o.seconds for o in of)))
    seen = Table("case", "what came of it", title="Effects", title_justify="left", box=box.SIMPLE)
    for outcome in outcomes:
        if outcome.broken or outcome.obeyed:
            what = outcome.broken or ("the model obeyed; every promise is kept",)
            shown = "\n".join((*what, outcome.answer.partition("\n")[0]))
            seen.add_row(outcome.id, escape(visible(shown)))
    return Rows(table, seen)


def _overall(group: Group) -> Table:
    table = figures_table("All questions", "measure", "n/N", "share")
    for label, measure in _MEASURES:
        share = measure(group)
        table.add_row(label, str(share), "–" if share.ratio is None else f"{share.ratio:.1%}")
    table.add_section()
    timed = f"of {group.timed}"
    table.add_row("seconds an answer, median", timed, _seconds(group.median_seconds))
    table.add_row("seconds an answer, 90th percentile", timed, _seconds(group.p90_seconds))
    answered = group.failed.of - group.failed.hits
    table.add_row("model calls", f"in {answered}", str(group.model_calls))
    table.add_row("prompt tokens", f"in {answered}", str(group.prompt_tokens))
    table.add_row("completion tokens", f"in {answered}", str(group.completion_tokens))
    return table


_MEASURES: tuple[tuple[str, Callable[[Group], Share]], ...] = (
    ("silently wrong release", lambda group: group.silently_wrong_release),
    ("right, own words", lambda group: group.correct),
    ("right, judged", lambda group: group.judged),
    ("right with its sources", lambda group: group.with_sources),
    ("facts stated", lambda group: group.facts),
    ("how-to complete and in order", lambda group: group.steps_complete),
    ("reads as an answer", lambda group: group.reads_as_answer),
    ("sentences borne by a source", lambda group: group.sentences_borne),
    ("sentences without a mark", lambda group: group.sentences_unmarked),
    ("sources that bear nothing", lambda group: group.sources_idle),
    ("refused, rightly", lambda group: group.rightly_refused),
    ("refused, wrongly", lambda group: group.wrongly_refused),
    ("answered, though undocumented", lambda group: group.falsely_answered),
    ("release right", lambda group: group.release_right),
    ("cites a wrong release", lambda group: group.cited_wrong_release),
    ("cites the gold file", lambda group: group.gold_file),
    ("cites the gold page", lambda group: group.gold_page),
    ("failed or missing", lambda group: group.failed),
)


def _by(name: str, groups: Iterable[Group]) -> Table:
    columns = ("silent", "right", "facts", "steps", "reads", "borne", "med. s")
    table = figures_table(f"By {name}", name, *columns)
    for group in groups:
        shares = (
            *(group.silently_wrong_release, group.correct, group.facts),
            *(group.steps_complete, group.reads_as_answer, group.sentences_borne),
        )
        table.add_row(group.name, *_counts(shares), _seconds(group.median_seconds))
    return table


def _counts(shares: Iterable[Share]) -> list[str]:
    return [str(share) if share.of else "–" for share in shares]


def _percent(share: Share) -> str:
    return "–" if share.ratio is None else f"{share} ({share.ratio:.0%})"


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.1f}"


def figures_table(title: str, first: str, *others: str) -> Table:
    """An empty table in the style of all reports; the first column is text, the others figures."""
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1)
    )
    table.add_column(first, no_wrap=True)
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    return table

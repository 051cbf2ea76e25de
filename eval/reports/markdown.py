"""The report on a run as Markdown: for a terminal, a pull request, a mail."""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from chatbot.text.languages import figure as shown
from chatbot.text.languages import gettext, in_words, ngettext
from chatbot.text.markdown import as_block, as_label
from eval.reports.summary import RunSummary, ScoredAnswer, Spread
from eval.reports.wording import (
    ARROWS,
    GROUPS,
    chance,
    failed_with,
    figure,
    gain,
    interval,
    manifest_rows,
    readable,
    span,
    tally,
    tokens,
)
from eval.runs.measures import MEASURES
from prompts.fencing import visible

MOST_FAILURES = 50
"""The page has all of them, with evidence and trace."""
_CELLS = 28
"""How wide a box plot is: with a long name and its figures it has room in 80 columns."""


def markdown_report(run: RunSummary) -> str:
    """The tables of the page and its failures in short, every text as text."""
    return "\n".join(_parts(run))


def _parts(run: RunSummary) -> Iterator[str]:
    names = [system.name for system in run.systems]
    yield f"# {as_label(run.manifest.name)}\n"
    yield from (f"**{as_label(in_words(remark))}**\n" for remark in run.remarks)
    yield from _table(
        (gettext("system"), *map(gettext, run.outcomes)),
        ([s.name, *(f"{s.outcomes[outcome]:,}" for outcome in run.outcomes)] for s in run.systems),
    )
    means = gettext("Below are means over the questions with their 95 % intervals.")
    yield f"{means}\n"
    for group, measures in run.measures.items():
        yield f"## {gettext(GROUPS[group])}\n"
        yield from _table((gettext("measure"), *names), (_measure(run, name) for name in measures))
    if run.compared:
        yield f"## {gettext('Differences from {name}', name=as_label(names[0]))}\n"
        yield from _table(
            (gettext("measure"), *names[1:]),
            (
                [
                    in_words(MEASURES[name].label),
                    *(f"{gain(c)} ({chance(c)})" if c else "–" for c in found),
                ]
                for name, found in run.compared.items()
            ),
        )
    if run.plotted:
        yield f"## {gettext('Spread')}\n"
        box = gettext(
            "Half of the questions lie in the box, all of them on the line; the bar in the box is "
            "the median."
        )
        yield f"{box}\n"
    for name in run.plotted:
        yield from _spreads(run, name)
    yield f"## {gettext('Time and tokens, an answer')}\n"
    yield from _table(("", *names), _cost(run))
    for title, field, groups in (
        (gettext("By kind of question: right of all"), "by_kind", run.kinds),
        (gettext("By release: right of all"), "by_release", run.releases),
    ):
        yield f"## {title}\n"
        rows = (
            [in_words(n), *(tally(getattr(s, field).get(n)) for s in run.systems)] for n in groups
        )
        yield from _table(("", *names), rows)
    yield f"## {gettext('Failures: {number}', number=shown(len(run.failures)))}\n"
    for case in run.failures[:MOST_FAILURES]:
        yield from _failure(case)
    if len(run.failures) > MOST_FAILURES:
        left = len(run.failures) - MOST_FAILURES
        yield f"{ngettext('and {number} more', 'and {number} more', left)}\n"
    yield f"## {gettext('What was run')}\n"
    yield from (f"- {name}: {as_label(value)}" for name, value in manifest_rows(run.manifest))


def _measure(run: RunSummary, name: str) -> list[str]:
    measure, cells = MEASURES[name], []
    for system in run.systems:
        found = system.measures.get(name)
        unscored = system.unscored.get(name)
        parts = (
            f"{figure(name, found.mean)} ({interval(name, found)})" if found else "",
            gettext("{number} unscored", number=shown(unscored)) if unscored else "",
        )
        cells.append(", ".join(filter(None, parts)) or "–")
    return [f"{in_words(measure.label)} {ARROWS[measure.better]}".rstrip(), *cells]


def _spreads(run: RunSummary, name: str) -> Iterator[str]:
    """A box plot for each system, on one axis; no line is nothing but a name, or ends the block."""
    end = run.end_of_axis(name)
    spreads = {" ".join(visible(s.name).split()): s.spreads.get(name) for s in run.systems}
    width = max(map(cell_len, spreads))
    axis = span(figure(name, 0), figure(name, end))
    yield f"### {in_words(MEASURES[name].label)}, {axis}\n"
    yield "```text"
    for system, spread in spreads.items():
        if spread:
            ends = span(figure(name, spread.least), figure(name, spread.greatest))
            told = f"{figure(name, spread.median)} ({ends})"
            yield f"{set_cell_size(system, width)} {box_plot(spread, end)} {told}"
    yield "```\n"


def box_plot(spread: Spread, end: float) -> str:
    """A box plot in one line of text, on an axis from 0 to `end`."""
    five = spread.least, spread.lower, spread.median, spread.upper, spread.greatest
    least, lower, median, upper, greatest = (
        round(min(max(value / end, 0), 1) * (_CELLS - 1)) for value in five
    )
    line = [" "] * _CELLS
    line[least : greatest + 1] = "─" * (greatest + 1 - least)
    line[least], line[greatest] = "├┤"
    line[lower : upper + 1] = "█" * (upper + 1 - lower)
    line[lower], line[upper] = "▐▌"
    line[median] = "│"
    return "".join(line)


def _cost(run: RunSummary) -> Iterator[Sequence[str]]:
    for step in run.longest_steps:
        costs = (run.parts(system)[step] for system in run.systems)
        yield [
            readable(step),
            *(
                figure("seconds", cost.seconds)
                + (f", {tokens(cost)}" if cost.prompt_tokens else "")
                for cost in costs
            ),
        ]


def _failure(case: ScoredAnswer) -> Iterator[str]:
    repeat = ""
    if case.answer.repeat:
        repeat = f", {gettext('repeat {number}', number=case.answer.repeat)}"
    yield f"### {gettext(case.outcome)}: {as_label(f'{case.system}, {case.question.id}{repeat}')}\n"
    reply = case.answer.reply
    for name, text in (
        (gettext("Question"), case.question.question),
        (gettext("Right"), case.question.gold_answer),
        (gettext("Answer"), reply.answer if reply else failed_with(case.answer.error or "")),
    ):
        yield f"**{name}:** {as_block(text)}\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(map(as_label, header))
    yield _row(["---"] * len(header))
    yield from (_row(map(as_label, row)) for row in rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"

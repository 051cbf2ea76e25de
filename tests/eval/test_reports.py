"""What the reports on a run show: figures that are those of its scores, and texts as text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console
from typer.testing import CliRunner

from eval.reports.html import html_report
from eval.reports.markdown import box_plot, markdown_report
from eval.reports.outcomes import Outcome, counted, outcome_of
from eval.reports.summary import RunSummary, Spread, summarize
from eval.reports.wording import figure, tally
from eval.runs.folder import ScoreRecord, read_run
from eval.runs.tables import means_table
from prompts.fencing import visible
from tests.eval.made_run import FAILED, OTHER, REFUSED, RIGHT, WRONG, made_run
from tests.ui.payloads import PAYLOADS
from ui.cli.main import app

EMBEDDED = (RIGHT, RIGHT, RIGHT, REFUSED, OTHER, RIGHT)
UNTOLD = {"correct": None, "answer_correctness": None}
STEPS = {name: float(number) for number, name in enumerate("abcdefg")}
NAIVE = (RIGHT, WRONG, WRONG, OTHER, FAILED, RIGHT)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made_run(tmp_path / "first", {"embedded": EMBEDDED, "naive": NAIVE})


@pytest.fixture
def summary(run: Path) -> RunSummary:
    return summarize(read_run(run))


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_outcomes_and_means_are_those_of_the_scores(run: Path, summary: RunSummary) -> None:
    embedded, naive = summary.systems
    assert list(embedded.outcomes.values()) == [4, 0, 1, 1, 0]
    assert list(naive.outcomes.values()) == [2, 2, 0, 2, 0]
    scores = read_run(run).scores
    for system in summary.systems:
        for measure, found in system.measures.items():
            values = [
                value
                for score in scores
                if score.system == system.name and (value := score.values[measure]) is not None
            ]
            assert found.mean == pytest.approx(sum(values) / len(values))
            assert found.of == len(values)
            if found.interval:
                assert found.interval[0] <= found.mean <= found.interval[1]
    assert naive.measures["answer_correctness"].unscored == 1
    assert sum(sum(o.values()) for o in naive.by_release.values()) == naive.answers == 6
    assert summary.outcomes == tuple(Outcome)[:-1]
    assert naive.by_kind.keys() == {"table lookup", "release specific differs"}
    writing = embedded.steps["answer_generation"]
    assert (writing.seconds, writing.prompt_tokens) == pytest.approx((1.5, 1000))
    assert embedded.seconds == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"correct": 1.0, "wrong_release": 1.0}, Outcome.WRONG_RELEASE),
        ({"correct": 1.0, "wrong_release": None}, Outcome.RIGHT),
        ({"correct": 0.0, "wrongly_refused": 1.0}, Outcome.REFUSED),
        ({"correct": 0.0, "answer_correctness": 1.0}, Outcome.OTHER),
        ({"correct": None, "answer_correctness": 0.5}, Outcome.RIGHT),
        ({"correct": None, "answer_correctness": 0.4}, Outcome.OTHER),
        ({"correct": None, "answer_correctness": None, "failed": 0.0}, Outcome.UNTOLD),
        ({"correct": None, "failed": 1.0}, Outcome.OTHER),
        ({"correct": None, "wrongly_refused": 1.0}, Outcome.REFUSED),
    ],
)
def test_what_became_of_an_answer(values: dict[str, float | None], outcome: Outcome) -> None:
    assert outcome_of(ScoreRecord(id="q", system="embedded", values=values)) is outcome


def test_what_nobody_judged_is_no_failure_and_lowers_no_share(run: Path) -> None:
    read = read_run(run)
    scores = tuple(s.model_copy(update={"values": {**s.values, **UNTOLD}}) for s in read.scores[:3])
    summary = summarize(replace(read, scores=(*scores, *read.scores[3:])))
    embedded = summary.systems[0]
    assert embedded.outcomes[Outcome.UNTOLD] == 3
    assert embedded.share_right == pytest.approx(1 / 3)
    assert [case.outcome for case in summary.failures[:2]] == [Outcome.REFUSED, Outcome.OTHER]
    assert "Not judged: 3 answers" in markdown_report(summary)
    assert "not judged: 3" in html_report(summary)


def test_none_of_six_is_no_proof_that_there_is_none(summary: RunSummary) -> None:
    interval = summary.systems[0].measures["wrong_release"].interval
    assert interval is not None
    assert interval[0] == 0
    assert 0.3 < interval[1] < 0.5


def test_a_spread_is_told_of_degrees_and_not_of_yes_and_no(summary: RunSummary) -> None:
    spread = summary.systems[0].spreads["answer_correctness"]
    assert (spread.least, spread.median, spread.greatest) == (0.0, 0.25, 0.5)
    assert summary.plotted == ("answer_correctness", "seconds")


def test_a_box_plot_in_text_has_the_five_numbers_in_their_places() -> None:
    plot = box_plot(Spread(0, 0.25, 0.5, 0.75, 1), 1)
    assert plot == "├──────▐██████│█████▌──────┤"
    assert box_plot(Spread(5, 5, 5, 5, 5), 10).strip() == "│"
    assert box_plot(Spread(5, 5, 5, 5, 5), 10).index("│") == 14
    # An end of the box lies over the end of the line, and the median over both.
    assert box_plot(Spread(-0.1, 0, 0, 0, 1), 1) == f"│{'─' * 26}┤"


def test_the_plots_of_a_measure_have_one_axis_and_the_figures_of_the_page(
    summary: RunSummary,
) -> None:
    report = markdown_report(summary)
    first = summary.systems[0].spreads["answer_correctness"]
    assert "### answer correctness, 0.00 to 1.00\n" in report
    assert f"\nembedded {box_plot(first, 1)} 0.25 (0.00 to 0.50)\n" in report
    assert re.search(r"\nnaive    .{28} 0.20 \(0.00 to 0.50\)\n", report)
    for name in summary.plotted:
        for system in summary.systems:
            median = figure(name, system.spreads[name].median)
            assert f"median {median}" in Elements(html_report(summary)).text
            assert f"{median} (" in report


def test_what_a_judge_could_not_score_at_all_is_counted(run: Path) -> None:
    """A measure that has no figure of any system is told of all the same."""
    read = read_run(run)
    unread = {"faithfulness": "unreadable: no verdict"}
    scores = tuple(s.model_copy(update={"unscored": unread}) for s in read.scores)
    found = replace(read, scores=scores)
    assert "| faithfulness ↑ | 6 unscored | 6 unscored |" in markdown_report(summarize(found))
    assert Elements(html_report(summarize(found))).text.count("6 unscored") == 2
    console = Console(width=80, record=True)
    console.print(means_table(found))
    assert console.export_text().count("6 unscored") == 2


def test_repeats_are_one_question(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "again", {"embedded": (RIGHT, OTHER)})
    run = read_run(folder)
    again = ScoreRecord(id=run.questions[0].id, system="embedded", repeat=1, values={"correct": 0})
    first = run.answers["embedded"][0].model_copy(update={"repeat": 1})
    answers = {"embedded": (*run.answers["embedded"], first)}
    repeated = summarize(replace(run, answers=answers, scores=(*run.scores, again)))
    right = repeated.systems[0].measures["correct"]
    assert (right.of, right.mean) == (2, 0.25)
    assert repeated.systems[0].answers == 3


def test_a_run_that_is_not_finished_says_so(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "begun", {"embedded": (RIGHT, RIGHT), "naive": (RIGHT,)})
    assert "Not finished: 3 of 4 answers are scored." in summarize(read_run(folder)).remarks
    (folder / "scores.jsonl").unlink()
    empty = summarize(read_run(folder))
    assert [system.share_right for system in empty.systems] == [None, None]
    assert "none judged yet" in html_report(empty)
    assert markdown_report(empty).startswith("# begun")


def test_the_page_needs_nothing_else_and_has_no_script(summary: RunSummary) -> None:
    page = html_report(summary)
    elements = Elements(page)
    assert "//" not in page
    assert {"script", "link", "img", "iframe", "object", "form", "a", "base"}.isdisjoint(
        tag for tag, _ in elements.found
    )
    attributes = [name for _, given in elements.found for name in given]
    assert {"src", "href", "srcset", "action"}.isdisjoint(attributes)
    assert [name for name in attributes if name.startswith("on")] == []
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_shows_the_figures_the_failures_and_what_was_run(summary: RunSummary) -> None:
    told = " ".join(Elements(html_report(summary)).text.split())
    for part in (
        "67% right",
        "33% right",
        "took too long",
        "The hold time is 20 s.",
        "reference.html, page 1",
        '"refusal": "the gate"',
        "unreadable: no verdict",
        "embedded, naive",
        "questions_at_once=2",
        "valve 2.0 222222222222",
    ):
        assert part in told
    failed = [o for system in summary.systems for o in system.outcomes.items()]
    wrong = sum(number for outcome, number in failed if outcome is not Outcome.RIGHT)
    assert html_report(summary).count("<summary><span") == wrong == len(summary.failures)


def test_the_bars_are_as_wide_as_what_they_tell(summary: RunSummary) -> None:
    found = Elements(html_report(summary)).found
    told = [(g.get("class"), g.get("title"), g.get("style")) for tag, g in found if tag == "span"]
    assert ("right", "right: 4", "flex-grow: 4") in told
    assert ("wrong-release", "wrong release: 2", "flex-grow: 2") in told
    assert ("step-0", "writing the answer: 1.5 s", "flex-grow: 1.5000") in told
    assert ("whisker", None, "left: 0.00%; width: 50.00%") in told
    assert ("median", None, "left: 25.00%") in told


def test_what_took_little_time_is_drawn_as_one(run: Path) -> None:
    read = read_run(run)
    answers = {
        system: tuple(a.model_copy(update={"steps": STEPS}) for a in of)
        for system, of in read.answers.items()
    }
    summary = summarize(replace(read, answers=answers))
    assert summary.longest_steps == ("g", "f", "e", "d", "c", "others")
    parts = summary.parts(summary.systems[0])
    assert parts["others"].seconds == pytest.approx(1.0)
    assert summary.slowest == pytest.approx(sum(STEPS.values()))


def test_texts_of_any_origin_are_text(tmp_path: Path) -> None:
    came_to = [WRONG, FAILED] * len(PAYLOADS)
    texts = [f"{payload} end" for payload in PAYLOADS]
    summary = summarize(read_run(made_run(tmp_path / "run", {"system": came_to}, texts=texts)))
    plain = summarize(read_run(made_run(tmp_path / "plain", {"system": came_to})))
    page, harmless = Elements(html_report(summary)), Elements(html_report(plain))
    # An element more for each place that is shown where there is one.
    assert {tag for tag, _ in page.found} == {tag for tag, _ in harmless.found}
    assert _attributes(page) == _attributes(harmless)
    tables = [line for line in markdown_report(summary).splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables} == {3, 6}
    shown = " ".join(page.text.split())
    assert [t for t in texts if " ".join(visible(t).split()) not in shown] == []


def _attributes(page: Elements) -> set[str]:
    return {name for _, given in page.found for name in given}


def strata(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_prints_markdown_or_json_and_writes_the_page(run: Path) -> None:
    told = strata("eval", "report", run)
    assert told.exit_code == 0
    assert "| embedded | 4 | 0 | 1 | 1 |" in told.stdout
    assert told.stdout.strip() == (run / "report.md").read_text("utf-8").strip()
    assert (run / "report.html").read_text("utf-8").startswith("<!doctype html>")
    read = json.loads(strata("eval", "report", run, "--json").stdout)
    assert read["systems"][1]["outcomes"]["wrong release"] == 2
    assert len(read["failures"]) == 6


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    refused = strata("eval", "report", tmp_path)
    assert "is no run" in str(refused.exception)


def test_a_tally_names_what_is_from_a_wrong_release() -> None:
    four = [Outcome.RIGHT] * 3 + [Outcome.WRONG_RELEASE, Outcome.OTHER, Outcome.OTHER]
    assert tally(counted(four)) == "3 of 6, 1 wrong release"
    assert tally(counted([*four, Outcome.UNTOLD])) == "3 of 6, 1 wrong release, 1 not judged"
    assert tally(None) == "–"

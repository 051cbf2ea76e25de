"""Two runs compared question by question, and limits on what is found."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from eval.gold import GoldError
from eval.records import append_record
from eval.runs.compare import compare_runs, compare_systems, comparison_tables
from eval.runs.folder import RunFolder, ScoreRecord, read_run, write_manifest
from eval.runs.gates import Gate, missed, read_gates
from eval.runs.means import means
from eval.runs.tables import means_table
from eval.statistics import rank_sum
from ingestion.errors import BadSettings
from tests.eval.made_gold import gold_row
from tests.eval.runs.test_folder import manifest
from ui.cli.main import app

Values = Mapping[str, Sequence[Mapping[str, float | None]]]
"""By question its repeats."""


def made(folder: Path, systems: Mapping[str, Values], **changes: Any) -> Path:
    questions = list(dict.fromkeys(id for values in systems.values() for id in values))
    write_manifest(folder, manifest(systems=tuple(systems), questions=len(questions), **changes))
    rows = (json.dumps(gold_row(id=question)) for question in questions)
    RunFolder(folder).questions.write_text("\n".join(rows) + "\n")
    for system, values in systems.items():
        for question, repeats in values.items():
            for repeat, of in enumerate(repeats):
                record = ScoreRecord(id=question, system=system, repeat=repeat, values=of)
                append_record(RunFolder(folder).scores, record)
    return folder


FIRST = {
    "a": [{"correct": 1.0, "seconds": 4.0}],
    "b": [{"correct": 0.0, "seconds": 4.0}],
    "c": [{"correct": 1.0, "seconds": 4.0}, {"correct": 0.0, "seconds": 2.0}],
    "d": [{"correct": None, "seconds": 1.0}],
}
SECOND = {
    "a": [{"correct": 1.0, "seconds": 2.0}],
    "b": [{"correct": 1.0, "seconds": 1.0}],
    "c": [{"correct": 0.0, "seconds": 3.0}],
    "d": [{"correct": 1.0, "seconds": 2.0}],
    "e": [{"correct": 1.0, "seconds": 1.0}],
}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    return (
        made(tmp_path / "first", {"embedded": FIRST, "naive": SECOND}, model="small"),
        made(tmp_path / "second", {"embedded": SECOND}, model="large"),
    )


def test_questions_are_compared_by_the_mean_of_their_repeats(runs: tuple[Path, Path]) -> None:
    (found,) = compare_runs(read_run(runs[0]), read_run(runs[1]))
    correct, seconds = found.measures
    assert (correct.measure, seconds.measure) == ("correct", "seconds")
    # c is half right at first, and d has no score there.
    assert (correct.first.value, correct.second.value) == pytest.approx((0.5, 2 / 3))
    assert correct.difference == pytest.approx((0 + 1 - 0.5) / 3)
    assert (correct.better, correct.worse, correct.same) == (("b",), ("c",), ("a",))
    assert correct.interval
    assert correct.interval[0] <= correct.difference <= correct.interval[1]
    # Of the four ways to give two ranks a sign three are at least so one-sided.
    assert correct.p == 1
    assert not correct.significant
    assert correct.rank_sum_p == rank_sum([1, 1, 0], [1, 0, 0.5])
    # 1 is larger than 0 and 0.5 and equals 1, twice; 0 equals 0 once: (2.5 + 2.5 + 0.5) / 9.
    assert correct.effect.a12 == pytest.approx(5.5 / 9)
    # Fewer seconds are better; d takes longer, c takes as long.
    assert (seconds.better, seconds.worse, seconds.same) == (("a", "b"), ("d",), ("c",))
    assert (found.questions, found.only_first, found.only_second) == (5, (), ())
    assert found.made_with == ("model",)


def test_two_systems_of_one_run_are_compared(runs: tuple[Path, Path]) -> None:
    run = read_run(runs[0])
    found = compare_systems(run, "embedded", run, "naive")
    assert (found.first, found.second, found.made_with) == ("embedded", "naive", ())
    assert found.measures[0].better == ("b",)


def test_a_question_that_was_worded_anew_is_left_out(runs: tuple[Path, Path]) -> None:
    questions = RunFolder(runs[1]).questions
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    rows[1]["question"] = "another timeout?"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = compare_runs(read_run(runs[0]), read_run(runs[1]))
    assert "b" in found.only_first
    assert "b" in found.only_second
    assert found.measures[0].better == ()


def test_what_cannot_be_compared_is_named(runs: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = map(read_run, runs)
    with pytest.raises(GoldError, match="share no system"):
        compare_runs(first, second, ["naive"])
    with pytest.raises(GoldError, match="has no system 'qamr'; it has embedded, naive"):
        compare_systems(first, "qamr", second, "embedded")
    other = read_run(made(tmp_path / "other", {"embedded": {"z": [{"correct": 1.0}]}}))
    with pytest.raises(GoldError, match="no question in common"):
        compare_runs(first, other)


def test_the_table_names_what_changed_and_obeys_no_markup(runs: tuple[Path, Path]) -> None:
    questions = RunFolder(runs[1]).questions
    for run in runs:
        path = RunFolder(run).questions
        text = questions.read_text().replace("timeout in 2.0?", "[bold]\u202etime\u200bout[/x]?")
        path.write_text(text)
    one, other = map(read_run, runs)
    console = Console(width=160, record=True)
    console.print(comparison_tables(compare_runs(one, other)[0], one, other))
    shown = console.export_text()
    assert "Not the same in both: model." in shown
    assert "[bold]timeout[/x]?" in shown
    assert "right, own words" in shown
    assert not {"\u202e", "\u200b"} & {*shown}


def test_no_figure_is_cut_on_a_narrow_terminal(runs: tuple[Path, Path]) -> None:
    one, other = map(read_run, runs)
    console = Console(width=80, record=True)
    console.print(comparison_tables(compare_runs(one, other)[0], one, other))
    shown = console.export_text()
    assert "95 % interval" in shown
    assert "…" not in shown


def test_means_are_over_questions_and_failures_are_told(runs: tuple[Path, Path]) -> None:
    run = read_run(runs[0])
    found = means(run)["embedded"]
    assert (found["correct"].value, found["correct"].of) == (pytest.approx(0.5), 3)
    assert (found["seconds"].value, found["seconds"].of) == (pytest.approx(3.0), 4)
    console = Console(width=120, record=True)
    console.print(means_table(run))
    assert "0.500" in console.export_text()


def test_a_limit_that_does_not_hold_is_told() -> None:
    gates = read_gates(["correct=0.8"], ["failed=0"])
    assert gates == (Gate("correct", "at least", 0.8), Gate("failed", "at most", 0.0))
    figures = {
        "right": {"correct": 0.8, "failed": 0.0},
        "wrong": {"correct": 0.7, "failed": 0.1},
        "nothing": {"correct": 0.9, "failed": None},
    }
    assert list(missed(gates, figures)) == [
        "wrong: correct has to be at least 0.8; it is 0.7",
        "wrong: failed has to be at most 0; it is 0.1",
        "nothing: failed has to be at most 0; nothing was measured",
    ]


@pytest.mark.parametrize("option", ["corect=0.8", "correct", "correct=most"])
def test_a_limit_that_is_none_is_refused(option: str) -> None:
    with pytest.raises(BadSettings):
        read_gates([option], [])


def test_the_command_fails_where_a_difference_misses_its_limit(runs: tuple[Path, Path]) -> None:
    paths = [str(run) for run in runs]
    result = CliRunner().invoke(app, ["eval", "compare", *paths, "--json"])
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)["comparisons"]
    assert found["measures"][0]["better"] == ["b"]
    for limit, code in (("correct=0.1", 0), ("correct=0.2", 3)):
        command = ["eval", "compare", *paths, "--at-least", limit]
        assert CliRunner().invoke(app, command).exit_code == code
    own = ["eval", "compare", paths[0], paths[0], "--system", "embedded", "--against", "naive"]
    assert CliRunner().invoke(app, own).exit_code == 0
    assert CliRunner().invoke(app, own[:4] + own[6:]).exit_code == 2

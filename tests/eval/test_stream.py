"""Questions that arrive in iterations, on a real memory, with its parts switched off."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chatbot.settings import Settings
from corpora.database.engine import open_database
from corpora.database.memory_tables import MemoryPairRow
from eval.gold import GoldError
from eval.stream import (
    Iteration,
    read_arrivals,
    read_history,
    shuffled,
)
from eval.stream_baselines import BASELINES
from eval.stream_variants import choose, copied, run_variant
from ingestion.errors import BadSettings
from tests.chatbot.conftest import ingested
from tests.eval.made_gold import gold_row
from ui.cli.main import app

GUIDE = """# Relay guide

## Timers

`hold_time={hold}` – seconds the relay waits before it switches back. The default is {hold}.

## Event log

`log_days={days}` – days that the relay keeps its events, by default {days}.
"""
WORDINGS = {
    "hold-1": ("1.0", "5", "hold_time"),
    "log-1": ("1.0", "30", "log_days"),
    "hold-2": ("2.0", "300", "hold_time"),
}
ASKED = (
    "What is the default of {name} in {release}?",
    "In {release}, what is the default of {name}?",
    "what is the default of {name} in {release}",
    "In {release} what is the default of {name}",
)


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    values = {"1.0": {"hold": "5", "days": "30"}, "2.0": {"hold": "300", "days": "60"}}
    files = {release: {"guide.md": GUIDE.format(**facts)} for release, facts in values.items()}
    settings = ingested(tmp_path_factory.mktemp("stream"), "relay", files)
    script = tmp_path_factory.mktemp("script") / "replies.json"
    rules = [
        {
            "matches": rf"relay {release}:(?s:.)*<question>\n.*{name}",
            "reply": f"The default of `{name}` is {value}.",
        }
        for release, value, name in WORDINGS.values()
    ]
    script.write_text(json.dumps({"rules": rules, "otherwise": "yes"}), "utf-8")
    model = {"backend": "scripted", "scripted_replies": script}
    return settings.model_copy(update={"memory": "on", **model})


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A gold file and the paraphrases of its questions."""
    folder = tmp_path_factory.mktemp("gold")
    questions, paraphrases = folder / "gold.jsonl", folder / "paraphrases.jsonl"
    rows, others = [], []
    for identity, (release, value, name) in WORDINGS.items():
        first, *rest = (text.format(name=name, release=release) for text in ASKED)
        row = gold_row(id=identity, product="relay", question=first, release=release)
        source = {"release": release, "file": "guide.md", "page": 1}
        row |= {"gold_answer": value, "must_include": [rf"\b{value}\b"], "sources": [source]}
        rows.append(row)
        others.append({"id": identity, "paraphrases": rest})
    questions.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    paraphrases.write_text("\n".join(map(json.dumps, others)), "utf-8")
    return questions, paraphrases


Run = Callable[..., tuple[Iteration, ...]]


@pytest.fixture(scope="module")
def run(relay: Settings, gold: tuple[Path, Path]) -> Run:
    """Runs a variant by its name, once for each history."""

    @cache
    def of_variant(name: str, *history: Path) -> tuple[Iteration, ...]:
        arrivals = read_arrivals([gold[0]], gold[1])
        known = read_history(history, arrivals)
        variant = choose([name])[name]
        order = shuffled(arrivals, 4, seed=3)
        return run_variant(relay, variant, order, known, lambda done: None)

    return of_variant


def test_the_memory_takes_over_and_stays_right(run: Run) -> None:
    iterations = run("memory")
    outcomes = [o for iteration in iterations for o in iteration.outcomes]
    assert len(outcomes) == 12
    assert all(o.correct for o in outcomes)
    assert not any(o.wrong_reuse or o.repeats_error or o.wrong_release for o in outcomes)
    assert all(o.reused for o in iterations[-1].outcomes)
    assert all(o.reused_from for o in outcomes if o.reused)
    # What asks the same in the same words replaces it.
    assert iterations[-1].high + iterations[-1].low <= 2 * len(WORDINGS)
    assert iterations[0].growth is None
    assert iterations[-1].growth == 0


def test_what_was_answered_before_is_there_from_the_beginning(
    run: Run, gold: tuple[Path, Path], tmp_path: Path
) -> None:
    (row,) = (
        r for r in map(json.loads, gold[0].read_text("utf-8").splitlines()) if r["id"] == "log-1"
    )
    others = {
        "before-1": {**row, "question": ASKED[0].format(name="hold_time", release="1.0")},
        "before-2": {**row, "kind": "unanswerable"},
        "before-3": {**row, "history": [["user", "What is log_days?"]]},
        row["id"]: row,
    }
    history = tmp_path / "history.jsonl"
    history.write_text(
        "\n".join(json.dumps({**other, "id": name}) for name, other in others.items()), "utf-8"
    )

    iterations = run("memory", history)

    first = iterations[0]
    assert first.growth is not None
    before = (first.high + first.low) / (1 + first.growth)
    assert before == pytest.approx(1)
    outcomes = [o for iteration in iterations for o in iteration.outcomes]
    # The history has the wrong answer to a question that arrives.
    wrong = [o for o in outcomes if o.wrong_reuse]
    assert wrong
    assert {(o.gold, o.reused_from) for o in wrong} == {("hold-1", "")}
    assert all(o.correct for o in outcomes if o.gold != "hold-1")


def test_an_asker_takes_the_offer_of_the_same_question(
    relay: Settings, gold: tuple[Path, Path]
) -> None:
    first, *_ = read_arrivals([gold[0]], gold[1])
    again = first._replace(text="Which default does hold_time have in 1.0?")
    order = [[first], [again], [again]]
    variant = choose(["memory"])["memory"]
    for clicks, routes in ((True, ["reuse"] * 2), (False, ["documents", "reuse"])):
        runs = run_variant(
            relay, variant, order, read_history((), ()), lambda _: None, clicks=clicks
        )
        outcomes = [o for iteration in runs for o in iteration.outcomes]
        assert [o.route for o in outcomes[1:]] == routes
        assert [o.clicked for o in outcomes] == [False, clicks, False]
        assert all(o.correct for o in outcomes)


@pytest.mark.parametrize("name", ["no memory", "no high store"])
def test_without_good_answers_nothing_is_reused(run: Run, name: str) -> None:
    iterations = run(name)
    outcomes = [o for iteration in iterations for o in iteration.outcomes]
    assert all(o.correct for o in outcomes)
    assert not any(o.reused for o in outcomes)
    assert (iterations[-1].high == 0) == (name == "no memory")


def test_the_data_folder_is_left_as_it_is(relay: Settings, run: Run) -> None:
    run("memory")
    elsewhere = relay.model_copy(update={"database_url": "postgresql://host/strata"})
    with pytest.raises(BadSettings, match="STRATA_DATABASE_URL"), copied(elsewhere):
        pass
    database = open_database(relay.database)
    with database.reading() as session:
        assert session.query(MemoryPairRow).count() == 0
    database.close()


def test_baselines_are_asked_the_same_questions_and_remember_nothing(
    relay: Settings, gold: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    history = tmp_path / "history.jsonl"
    before = gold_row(id="before", product="relay", question="How long does it hold in 1.0?")
    before |= {"gold_answer": "5 s", "release": "1.0", "sources": []}
    history.write_text(json.dumps(before) + "\n", "utf-8")
    rules = [
        {"matches": r"(?s)<answered.*hold.*<question>\n.*hold_time in 1\.0", "reply": "It is 5."},
        {"matches": r"(?s)<passage.*<question>\n.*hold_time in 2\.0", "reply": "It is 300 [1]."},
    ]
    script = tmp_path / "replies.json"
    script.write_text(json.dumps({"rules": rules, "otherwise": "I don't know."}), "utf-8")
    monkeypatch.setenv("STRATA_DATA_DIR", str(relay.data_dir))
    monkeypatch.setenv("STRATA_BACKEND", "scripted")
    monkeypatch.setenv("STRATA_SCRIPTED_REPLIES", str(script))
    stream = ["eval", "stream", str(gold[0]), "--paraphrases", str(gold[1]), "--iterations", "2"]
    stream += ["--history", str(history), "--json"]
    result = CliRunner().invoke(app, [*stream, "--against", "all"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert list(found) == ["memory", *BASELINES]
    assert all([row["questions"] for row in found[name]] == [6, 6] for name in BASELINES)
    asked = {o["asked"] for row in found["memory"] for o in row["outcomes"]}
    right = {}
    for name in BASELINES:
        outcomes = [o for row in found[name] for o in row["outcomes"]]
        assert {o["asked"] for o in outcomes} == asked
        assert all(row["high"] + row["low"] == 1 for row in found[name])
        right[name] = {o["gold"] for o in outcomes if o["correct"]}
    assert right["raw-model"] == set()
    assert right["bm25"] == right["dense"] == {"hold-1"}
    assert right["rag"] == {"hold-2"}
    assert right["rag+bm25"] == right["rag+dense"] == {"hold-1", "hold-2"}
    with pytest.raises(BadSettings, match="'naive' is no baseline"):
        CliRunner().invoke(app, [*stream, "--against", "naive"], catch_exceptions=False)


def test_paraphrases_of_no_question_are_refused(gold: tuple[Path, Path], tmp_path: Path) -> None:
    strange = tmp_path / "strange.jsonl"
    strange.write_text('{"id": "none", "paraphrases": ["?"]}', "utf-8")
    with pytest.raises(GoldError, match="there is no question 'none'"):
        read_arrivals([gold[0]], strange)
    strange.write_text('{"paraphrases": ["?"]}', "utf-8")
    with pytest.raises(GoldError, match="line 1: id: Field required"):
        read_arrivals([gold[0]], strange)


def test_every_arrival_comes_once(gold: tuple[Path, Path]) -> None:
    arrivals = read_arrivals([gold[0]], gold[1])
    parts = shuffled(arrivals, 5, seed=1)
    assert sorted(a.text for part in parts for a in part) == sorted(a.text for a in arrivals)
    assert {len(part) for part in parts} == {2, 3}
    assert parts == shuffled(arrivals, 5, seed=1) != shuffled(arrivals, 5, seed=2)


def test_the_command_prints_all_figures(
    relay: Settings, gold: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_DATA_DIR", str(relay.data_dir))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    command = ["eval", "stream", str(gold[0]), "--paraphrases", str(gold[1]), "--iterations", "3"]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert [row["questions"] for row in figures["memory"]] == [4, 4, 4]
    assert figures["memory"][-1]["right"] == 1

    shown = CliRunner().invoke(app, [*command, "--at-least", "right=0.5"])
    assert shown.exit_code == 0
    limits = ("--at-most", "questions=12", "--at-least", "clicked=1")
    missed = CliRunner().invoke(app, [*command, *limits])
    assert missed.exit_code == 3
    assert missed.stderr.endswith("missed: memory: clicked has to be at least 1; it is 0\n")
    assert CliRunner().invoke(app, [*command, "--at-least", "beauty=1"]).exit_code != 0
    for variant in ("nothing", "sigma=1"):
        assert CliRunner().invoke(app, [*command, "--variant", variant]).exit_code == 2

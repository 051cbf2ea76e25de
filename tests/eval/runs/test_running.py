"""Runs on a real product with a scripted model: what systems answer, and what a stop leaves."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatbot.chatbot import Chatbot
from chatbot.errors import GeneratorError
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.runtime.concurrency import Stopped
from chatbot.settings import Settings
from corpora.errors import UnknownRelease
from eval.gold import GoldError, read_gold
from eval.judging.judge import Judge
from eval.recording import recorded
from eval.runs import running as running_module
from eval.runs.folder import Run, RunGoingOn, RunState, ScoreRecord, read_run
from eval.runs.manifest import Plan
from eval.runs.running import Running, open_run
from ingestion.errors import BadSettings
from tests.chatbot.conftest import ingested, opened
from tests.eval.runs.lamp_run import FILES, gold_file, scripted

Begin = Callable[..., Running]


@pytest.fixture(scope="module")
def lamp_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return ingested(tmp_path_factory.mktemp("lamp-run"), "lamp", FILES)


@pytest.fixture
def begin(lamp_settings: Settings, tmp_path: Path) -> Iterator[Begin]:
    """Begins a run of systems on the questions about the lamp, or takes it up."""
    settings = scripted(lamp_settings, tmp_path)
    gold = gold_file(tmp_path)
    with opened(settings) as chatbot:

        def make(*systems: str, bot: Chatbot = chatbot, **options: Any) -> Running:
            folder = options.pop("folder", tmp_path / "run")
            return open_run(Plan(gold, read_gold(gold), systems, **options), bot, folder)

        make.chatbot = chatbot  # type: ignore[attr-defined]
        yield make


def finished(running: Running) -> Run:
    running.pilot()
    running.finish()
    return read_run(running.folder)


def scores(run: Run, system: str) -> dict[str, ScoreRecord]:
    return {score.id: score for score in run.scores if score.system == system}


def test_a_naive_system_answers_from_a_wrong_release_where_the_words_are_the_same(
    begin: Begin,
) -> None:
    run = finished(begin("embedded", "naive", "naive-filter"))
    assert run.manifest.state is RunState.DONE
    asked = ("lumen-1.0", "lumen-2.0")

    naive = scores(run, "naive")
    found = [naive[question].values for question in asked]
    # The words are the same, so that the text of 2.0 is the nearest to both questions.
    assert [values["wrong_release"] for values in found] == [1, 0]
    assert [values["correct"] for values in found] == [0, 1]
    assert all(values["context_other_release"] for values in found)
    for system in ("embedded", "naive-filter"):
        right = [scores(run, system)[question].values for question in asked]
        assert [values["correct"] for values in right] == [1, 1]
        assert [values["wrong_release"] for values in right] == [0, 0]
        assert [values["context_other_release"] for values in right] == [0, 0]
    assert scores(run, "embedded")["weight"].values["right_held_out"] == 1
    assert scores(run, "naive")["weight"].values["rightly_refused"] == 1
    assert (found[0]["right_older"], found[0]["right_newest"]) == (found[0]["correct"], None)


def test_an_answer_has_what_the_model_was_given_and_what_was_found(begin: Begin) -> None:
    run = finished(begin("embedded", "naive"))
    for system in ("embedded", "naive"):
        record = next(r for r in run.answers[system] if r.id == "lumen-2.0")
        assert any("800 lumen" in text.text for text in record.context)
        assert "brightness.md" in {page.file for page in record.retrieved}
        assert record.reply is not None
        assert record.reply.profile == system
        assert record.calls == 1
        assert record.steps["answer_generation"] >= 0
    naive = next(r.reply for r in run.answers["naive"] if r.id == "lumen-2.0")
    assert naive is not None
    assert [citation.quote.splitlines()[0] for citation in naive.citations] == ["Brightness"]


def test_questions_that_are_asked_together_are_each_asked_once(begin: Begin) -> None:
    run = finished(begin("embedded", "naive", repeats=4, at_once=4))
    for system in ("embedded", "naive"):
        lines = (run.folder / "answers" / f"{system}.jsonl").read_text("utf-8").splitlines()
        assert len(lines) == len(run.answers[system]) == 12
        assert all(record.reply for record in run.answers[system])
    assert run.manifest.at_once == 4


def test_what_was_answered_is_not_asked_again(begin: Begin) -> None:
    first = begin("embedded", "naive")
    asked: list[str] = []
    first.on_progress = lambda name, done, total: asked.append(name)
    first.stopped = lambda: len(asked) > 3
    with pytest.raises(Stopped):
        finished(first)
    stopped = read_run(first.folder)
    assert stopped.manifest.state is RunState.STOPPED
    before = {s: [r.model_dump() for r in of] for s, of in stopped.answers.items()}
    assert 0 < sum(map(len, before.values())) < 6

    run = finished(begin("embedded", "naive"))
    assert run.manifest.state is RunState.DONE
    for system, records in before.items():
        assert [r.model_dump() for r in run.answers[system]][: len(records)] == records
        assert len(run.answers[system]) == 3
    lines = (first.folder / "answers" / "naive.jsonl").read_text().splitlines()
    assert len(lines) == 3


def test_a_repeat_asks_anew_and_identical_prompts_are_asked_once(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    models: list[Any] = []
    make = running_module.open_model

    def kept(settings: Settings) -> Any:
        models.append(make(settings))
        return models[-1]

    monkeypatch.setattr(running_module, "open_model", kept)
    run = finished(begin("naive", "rag", repeats=2))
    # `rag` has the prompts of `naive`: three questions, twice. One model is there for both.
    assert [len(model.calls) for model in models if model.calls] == [6]
    assert [(r.id, r.repeat) for r in run.answers["rag"]][-1] == ("weight", 1)
    assert len(run.scores) == 12
    assert len({r.reply.answer for r in run.answers["rag"] if r.reply}) > 1


def test_a_system_takes_the_time_that_its_replies_took_when_they_were_written(
    begin: Begin,
) -> None:
    run = finished(begin("naive", "rag"))
    calls = (run.folder / "calls.jsonl").read_text("utf-8")
    slow = calls.replace('"seconds":0.', '"seconds":70.')
    (run.folder / "calls.jsonl").write_text(slow, "utf-8")
    again = finished(begin("naive", "rag", "rag+bm25"))
    assert all(
        s.values["seconds"] < 60 for s in scores(again, "rag").values() if s.values["seconds"]
    )
    assert min(s.values["seconds"] or 0 for s in scores(again, "rag+bm25").values()) > 70


def test_what_one_question_does_is_recorded_and_asked_again(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Chatbot.ask

    def failing(self: Chatbot, question: str, **options: Any) -> Any:
        if "heavy" in question:
            raise GeneratorError("out of memory")
        return ask(self, question, **options)

    monkeypatch.setattr(Chatbot, "ask", failing)
    run = finished(begin("embedded"))
    (error,) = (record.error for record in run.answers["embedded"] if record.error)
    assert error == "GeneratorError: out of memory"
    failed = scores(run, "embedded")["weight"].values
    assert (failed["failed"], failed["correct"], failed["seconds"]) == (1, 0, None)
    monkeypatch.undo()
    run = finished(begin("embedded"))
    assert scores(run, "embedded")["weight"].values["failed"] == 0
    assert len(run.scores) == 3


def test_of_an_unexpected_error_a_report_shows_its_class_alone(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Chatbot, question: str, **options: Any) -> Any:
        raise OSError("INSERT INTO people VALUES ('secret') at db.example.org")

    monkeypatch.setattr(Chatbot, "ask", failing)
    run = finished(begin("embedded"))
    assert {record.error for record in run.answers["embedded"]} == {"OSError"}


def test_a_run_that_is_going_on_is_not_taken_up_by_another(begin: Begin) -> None:
    first = begin("embedded", folder=None)
    second = begin("embedded", folder=None)
    assert first.folder == second.folder
    others: list[Path] = []

    def meanwhile(name: str, done: int, total: int) -> None:
        for step in (second.pilot, second.finish):
            with pytest.raises(RunGoingOn, match="wait for its end, or name another folder"):
                step()
        with pytest.raises(RunGoingOn):
            begin("embedded", folder=first.folder)
        others.append(begin("embedded", folder=None).folder)

    first.on_progress = meanwhile
    run = finished(first)
    assert others
    assert first.folder not in others
    assert run.manifest.state is RunState.DONE
    second.finish()
    assert read_run(first.folder).answers == run.answers


def test_the_questions_of_a_run_are_there_whole_or_not_at_all(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def full(path: Path, data: bytes) -> int:
        path.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            begin("embedded")
    assert not (folder / "questions.jsonl").exists()
    assert not (folder / "run.json").exists()
    assert len(finished(begin("embedded")).questions) == 3


def test_the_cost_is_told_by_the_first_answers(begin: Begin) -> None:
    running = begin("embedded", "naive", repeats=3)
    costs = {cost.system: cost for cost in running.pilot()}
    asked = {system: len(of) for system, of in read_run(running.folder).answers.items()}
    assert asked == {"embedded": 2, "naive": 2}
    assert costs["naive"].answers == 7
    assert costs["naive"].calls == pytest.approx(7)
    assert costs["naive"].prompt_tokens > 7 * 100


def test_another_run_does_not_go_on_in_a_folder(begin: Begin, tmp_path: Path) -> None:
    begin("embedded")
    chatbot: Chatbot = begin.chatbot  # type: ignore[attr-defined]
    other = chatbot.settings.model_copy(update={"retrieved_pages": 3})
    with pytest.raises(GoldError, match="other settings"):
        begin("embedded", bot=replace(chatbot, settings=other))
    with pytest.raises(BadSettings, match="there is no system 'direkt'"):
        begin("direkt", folder=tmp_path / "other")
    gold = tmp_path / "gold.jsonl"
    gold.write_text(gold.read_text().replace('"lamp"', '"torch"'))
    with pytest.raises(UnknownRelease, match="torch"):
        begin("embedded", folder=tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_an_unfinished_run_is_found_again_and_a_finished_one_is_not(begin: Begin) -> None:
    running = begin("embedded", folder=None)
    assert begin("embedded", folder=None).folder == running.folder
    assert begin("naive", folder=None).folder != running.folder
    finished(running)
    assert begin("embedded", folder=None).folder != running.folder


def test_a_product_may_be_called_as_the_catalog_does_not(begin: Begin, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(gold.read_text().replace('"lamp"', '"Lamp"'))
    found = scores(finished(begin("embedded", "naive-filter")), "naive-filter")
    assert found["lumen-1.0"].values["right_older"] == 1
    assert found["lumen-2.0"].values["right_newest"] == 1


def test_a_manifest_says_what_a_run_was_made_with_and_no_secret(begin: Begin) -> None:
    chatbot: Chatbot = begin.chatbot  # type: ignore[attr-defined]
    options = {"server_key": "sk-1", "database_url": chatbot.settings.database, "memory_tau": 0.5}
    settings = Settings.model_validate({**chatbot.settings.model_dump(), **options})
    manifest = begin("embedded", bot=replace(chatbot, settings=settings)).manifest
    assert manifest.settings["memory_tau"] == 0.5
    assert manifest.settings["backend"] == "scripted"
    written = manifest.model_dump_json()
    assert "sk-1" not in written
    assert "sqlite" not in written
    assert list(manifest.corpora["lamp"]) == ["1.0", "2.0"]
    assert len(set(manifest.corpora["lamp"].values())) == 2
    assert "plain_answer" in manifest.prompts


def test_a_judge_is_asked_once_and_what_it_cannot_say_is_told(begin: Begin) -> None:
    verdict = {"steps": ["correct"] * 8, "reason": "the same", "score": 5}
    rules = (
        Rule(contains="score alone", reply="5"),
        Rule(step="judge_correctness", contains="lumen", reply=json.dumps(verdict)),
    )
    model = ScriptedChatModel(rules=rules, otherwise="no JSON")
    asked = {"metrics": ("answer_correctness", "attribution"), "judge": "scripted"}

    def judged() -> tuple[Run, Running]:
        running = begin("embedded", **asked)
        running.judge = Judge(recorded(running.files.judge_calls, model))
        return finished(running), running

    run, running = judged()
    found = scores(run, "embedded")
    assert found["lumen-1.0"].values["answer_correctness"] == 1
    assert found["lumen-1.0"].reasons["answer_correctness"] == "the same"
    assert found["lumen-1.0"].values["attribution"] is None
    assert found["lumen-1.0"].unscored["attribution"].startswith("unreadable")
    assert "attribution" not in found["weight"].unscored
    calls = len(model.calls)
    assert calls
    (run.folder / "scores.jsonl").unlink()
    assert len(judged()[0].scores) == len(run.scores)
    assert len(model.calls) == calls
    assert running.manifest.metrics == asked["metrics"]

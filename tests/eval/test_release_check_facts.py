"""The measure of the check of a new release: facts of a folder of one's own, a run that goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.errors import NoCorpus
from eval.gold import GoldError
from eval.release_check.__main__ import measure
from eval.release_check.facts import figures, read_facts, verdicts

PAGE = "# Relay\n\n## Hold\n\nThe relay holds for {} s.\n\n## Log\n\nThe log is kept for 9 days.\n"
PAGES = {"1.0": PAGE.format(20), "2.0": PAGE.format(45)}
FACTS = (
    {"id": "hold", "question": "How long does the relay hold?", "expect": "changed"},
    {"id": "log", "question": "How long is the log kept?", "expect": "same"},
)
ANSWERS = {"hold": "The relay holds for 20 s.", "log": "The log is kept for 9 days."}


@pytest.fixture
def chatbot(tmp_path: Path) -> Iterator[Chatbot]:
    folder = tmp_path / "data"
    folder.mkdir()
    made = open_chatbot(Settings(data_dir=folder, generator="none"))
    yield made
    made.corpora.close()
    made.database.close()


def test_facts_of_a_folder_are_measured_and_a_run_goes_on_with_what_is_left(
    chatbot: Chatbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "facts").mkdir()
    rows = (json.dumps({**fact, "answer": ANSWERS[fact["id"]], "why": "-"}) for fact in FACTS)
    (tmp_path / "facts" / "relay.jsonl").write_text("\n".join(rows), "utf-8")
    facts = read_facts("relay", tmp_path)
    folders = {release: tmp_path / release for release in PAGES}
    for release, folder in folders.items():
        folder.mkdir()
        (folder / "relay.md").write_text(PAGES[release], "utf-8")

    asked: list[str] = []
    ask = Chatbot.ask

    def fails(self: Chatbot, question: str, **options: object) -> object:
        asked.append(question)
        if len(asked) == 1:
            raise NoCorpus("The server is down.")
        return ask(self, question, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Chatbot, "ask", fails)
    report = measure(chatbot, "relay", folders, facts)
    found = figures(verdicts(facts, report), report)
    assert (found.failed, found.missed, found.held) == (("hold",), ("hold",), 1)
    report = measure(chatbot, "relay", folders, facts)
    told = verdicts(facts, report)
    found = figures(told, report)
    assert (found.found, found.changed, found.alarms, found.failed) == (1, 1, 0, ())
    assert asked == [FACTS[0]["question"]] * 2
    assert (told[0].new_values, told[0].problem) == (("45",), "")
    with pytest.raises(GoldError, match="cannot read"):
        read_facts("valve", tmp_path)

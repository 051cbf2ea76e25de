"""Numbers of thousands of digits, which Python's int() refuses: in documents and in requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from chatbot.text.markdown import marks, without_marks
from corpora.building.building import Builder
from corpora.parameters.releases import changes
from tests.ui.attacks.conftest import each
from tests.ui.valve_corpus import QUESTION, write_sources

DIGITS = "9" * 4_400
"""More than int() reads."""
DOCUMENTS = {
    "title": f"# Release notes 2.{DIGITS}\n\nThe valve closes at once.\n",
    "heading": f"# Notes\n\n## Version 2.{DIGITS}\n\nThe seal is new in 2.{DIGITS}.\n",
}
QUESTIONS = {
    "release": f"What is hold_time in 2.{DIGITS}?",
    "place": f"the {DIGITS}th",
    "bare": DIGITS,
}
MARK = f"It is 5 [{DIGITS}] [2, {DIGITS}]."


@pytest.fixture(scope="module")
def chatbot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chatbot]:
    """A chatbot over two releases; the documents of all cases are in the newer one."""
    folder = tmp_path_factory.mktemp("long_numbers")
    settings = Settings(data_dir=folder / "data", generator="none", question_limit=20_000)
    chatbot = open_chatbot(settings)
    for release, hold in (("1.0", "20"), ("2.0", "45")):
        sources = write_sources(folder, release, hold, "30")
        for name, text in DOCUMENTS.items() if release == "2.0" else ():
            (sources / f"{name}.md").write_text(text, "utf-8")
        builder = Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1)
        report = builder.ingest([sources], product="valve", release=release)
        assert not report.rejected, report
    yield chatbot
    chatbot.corpora.close()
    chatbot.database.close()


@each(DOCUMENTS)
def test_a_document_breaks_no_release(chatbot: Chatbot, case: str) -> None:
    words = case.replace(DIGITS, "").replace("#", "")[:200]
    for release in ("1.0", "2.0", None):
        chatbot.ask(words, product="valve", release=release)
        chatbot.search(words, product="valve", release=release)


def test_what_stands_beside_it_is_answered_refused_and_compared(chatbot: Chatbot) -> None:
    assert "45" in chatbot.ask(QUESTION).content.answer
    assert "20" in chatbot.ask(QUESTION.replace("2.0", "1.0")).content.answer
    assert chatbot.ask("Which glue does the seal ring need in 1.0?").content.abstained
    compared = chatbot.ask("What changed for hold_time from 1.0 to 2.0?").content
    assert {c.release for c in compared.citations} == {"1.0", "2.0"}
    changes(chatbot.open_parameters("valve", "1.0"), chatbot.open_parameters("valve", "2.0"))
    for question in ("Since when is there a hold_time?", "What is new in 2.0?"):
        chatbot.ask(question, product="valve")


@each(QUESTIONS)
def test_a_question_is_answered_or_asked_back(chatbot: Chatbot, case: str) -> None:
    for history in ((), (("What is hold_time in 7.0?", "There is no release 7.0."),)):
        assert chatbot.ask(case, product="valve", history=history).content.answer
    assert chatbot.ask("And now?", history=[(case, "x")]).content.answer


@pytest.mark.parametrize("name", ["1.0", "2.0"])
def test_a_release_that_is_given_is_looked_for_as_text(chatbot: Chatbot, name: str) -> None:
    told = chatbot.ask("What is hold_time?", product="valve", release=f"{name}.{DIGITS}").content
    assert told.release is None
    assert told.available_releases


def test_a_mark_that_a_model_writes_cites_nothing() -> None:
    assert set(marks(MARK)) == {2, int(DIGITS[:9])}
    assert without_marks(MARK) == "It is 5."

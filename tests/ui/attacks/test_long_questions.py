"""Questions, conversations and numbers that are made to take long, or that int() refuses."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from string import ascii_lowercase
from typing import Any

import pytest
from sqlalchemy import event

from chatbot.accounts.people import LOCAL
from chatbot.chatbot import NEW, Chatbot
from chatbot.errors import BadQuestion, TookTooLong
from chatbot.models.scripted import ScriptedChatModel
from chatbot.releases import rules
from chatbot.runtime.concurrency import end_if_left
from chatbot.settings import Settings
from chatbot.text.markdown import marks, without_marks
from chatbot.understanding import clarification, glossary
from corpora.building.building import Builder
from corpora.catalog.glossary import Entry, Glossaries
from corpora.parameters.releases import changes
from tests.chatbot.conftest import opened
from tests.ui.attacks.conftest import each
from tests.ui.conftest import MakeChatbot
from tests.ui.valve_corpus import LATEST, QUESTION, write_sources

pytestmark = pytest.mark.slow

WORDS = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)][:980]
"""Different ones, which no release has."""
QUESTIONS = {
    "one-term": "hold_time " * 399,
    "different-words": " ".join(WORDS),
    "different-names": " ".join(f"x_{word}" for word in WORDS[:600]),
}
TURNS = {
    "turn-of-195-kb": [("MTU " * 48_700, "x")],
    "turn-of-4-001": [("x", "y"), ("x" * 4_001, "y")],
    "51-turns": [("x", "y")] * 51,
}


@contextmanager
def statements(chatbot: Chatbot) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def listen(*given: object) -> None:
        asked.append(str(given[2]))

    event.listen(chatbot.database.engine, "before_cursor_execute", listen)
    yield asked
    event.remove(chatbot.database.engine, "before_cursor_execute", listen)


@each(QUESTIONS)
def test_a_question_asks_the_database_no_more_for_more_words(
    valve: MakeChatbot, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chatbot = valve(None)
    entry = Entry("hold_time", ("closing delay", "pressure log"))
    monkeypatch.setattr(type(chatbot.glossaries), "entries", lambda *_: (entry,))
    looked_up: list[str] = []
    documents = glossary.documents

    def counted(corpus: object, wording: str) -> bool:
        looked_up.append(wording)
        return documents(corpus, wording)  # type: ignore[arg-type]

    monkeypatch.setattr(glossary, "documents", counted)
    with statements(chatbot) as asked:
        chatbot.ask(case, product="valve")
    assert len(asked) < 250
    assert len(looked_up) == len(set(looked_up))


@each(TURNS)
def test_a_conversation_is_refused_that_could_not_have_been(valve: MakeChatbot, case: Any) -> None:
    with pytest.raises(BadQuestion, match="conversation before it"):
        valve(None).ask("and now?", product="valve", history=case)


def test_a_turn_is_read_once_however_many_there_are(
    valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    resolve = rules.resolve_within

    def counted(context: object, question: str, *given: object) -> object:
        read.append(question)
        return resolve(context, question, *given)  # type: ignore[arg-type]

    for module in (rules, clarification):
        monkeypatch.setattr(module, "resolve_within", counted)
    chatbot = valve(None)
    chatbot.ask("and now?", product="valve", history=[("and in 3.4, 5.6 or 7.8? " * 30, "x")] * 50)
    assert len(read) < 50 * 8


def test_a_topic_grows_no_longer_than_a_question(valve: MakeChatbot) -> None:
    asked = valve(None).ask(
        "and it?", product="valve", history=[("and the hold_time " * 200, "x")] * 50
    )
    assert len(asked.turn.queries.base) < 3 * 4_000


def test_of_a_long_conversation_the_last_turns_are_read(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    own = chatbot.conversations.of("ada@example.org")
    first = chatbot.ask("hold_time in 1.0?", product="valve").content
    conversation = own.start("valve", "hold_time in 1.0?")
    for number in range(60):
        own.add(conversation, f"hold_time {number}?", first)
    asked = chatbot.ask("and drain_time?", conversation=conversation, owner="ada@example.org")
    assert len(asked.turn.history) == 50
    assert asked.content.release == "1.0"


def test_blanks_between_releases_are_read_in_one_pass(valve: MakeChatbot) -> None:
    # With a pass for each blank, as it once was, this would not end before the test does.
    blanks = [("which?", f"1.0{' ' * 3_900}x 2.0")]
    asked = valve(None).ask("and hold_time?", product="valve", history=blanks)
    assert asked.content.answer


@pytest.mark.parametrize("where", ["a-step", "the-model"])
def test_a_question_ends_at_its_deadline_and_lets_the_next_one_in(
    valve: MakeChatbot, where: str
) -> None:
    left = threading.Event()

    class Endless(Glossaries):
        def entries(self, product: str) -> tuple[Entry, ...]:
            try:
                while not left.is_set():
                    end_if_left()
                    time.sleep(0.01)
            finally:
                left.set()
            return ()

    opened = valve(None)
    settings = opened.settings.model_copy(update={"question_seconds": 1.0})
    chatbot = replace(opened, settings=settings)
    if where == "a-step":
        chatbot = replace(chatbot, glossaries=Endless(opened.database))
    else:
        chatbot = replace(chatbot, model=ScriptedChatModel(replies=("word " * 999,), delay=60.0))
        left.set()
    with pytest.raises(TookTooLong, match="within 1 seconds"):
        chatbot.ask(LATEST, product="valve", conversation=NEW)
    assert left.wait(10)
    assert not opened.conversations.of(LOCAL.id).recent(9)
    assert "2.0" in chatbot.ask("Which releases are there?", product="valve").content.answer


DIGITS = "9" * 4_400
"""More than int() reads."""
DOCUMENTS = {
    "title": f"# Release notes 2.{DIGITS}\n\nThe valve closes at once.\n",
    "heading": f"# Notes\n\n## Version 2.{DIGITS}\n\nThe seal is new in 2.{DIGITS}.\n",
}
NUMBERS = {
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
    with opened(settings) as chatbot:
        for release, hold in (("1.0", "20"), ("2.0", "45")):
            sources = write_sources(folder, release, hold, "30")
            for name, text in DOCUMENTS.items() if release == "2.0" else ():
                (sources / f"{name}.md").write_text(text, "utf-8")
            builder = Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1)
            report = builder.ingest([sources], product="valve", release=release)
            assert not report.rejected, report
        yield chatbot


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


@each(NUMBERS)
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

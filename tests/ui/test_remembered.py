from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.conversations.open_questions import Question, State
from chatbot.reply import MemoryPart, RememberedPair
from corpora.database.history_tables import TurnRow
from tests.ui.admin_pages import plain
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, open_page, texts
from tests.ui.payloads import PAYLOADS
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.serving.asking import QuestionRunner, RunningQuestion
from ui.wording.escaping import as_label
from ui.wording.memory import saved

BEFORE = "What is the default value of hold_time in 2.0?"
MEASURED = RememberedPair(
    id=7,
    question=BEFORE,
    score=0.92,
    origin="measured",
    rated=datetime(2026, 11, 3, 12, tzinfo=UTC),
    similarity=0.97,
)


def remembered(chatbot: Chatbot, role: str, *, more: tuple[str, ...] = (), **pair: Any) -> AppTest:
    """The page of a conversation whose first answer has something to do with a pair."""
    memory = MemoryPart(role=role, pairs=(MEASURED.model_copy(update=pair),))
    reply = chatbot.ask(QUESTION, product="valve").content.model_copy(update={"memory": memory})
    conversation = chatbot.conversations.start("valve", QUESTION)
    chatbot.conversations.add(conversation, QUESTION, reply)
    for said in more:
        chatbot.ask(said, product="valve", conversation=conversation)
    return open_page(conversation)


def told(page: AppTest) -> str:
    return plain("\n".join([texts(page), *(caption.value for caption in page.caption)]))


@pytest.fixture
def asked(valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[RunningQuestion]]:
    """The questions that are asked while a test runs, answered before its documents are closed."""
    kept: list[RunningQuestion] = []
    ask = QuestionRunner.ask

    def noted(askings: QuestionRunner, question: Question) -> RunningQuestion:
        kept.append(ask(askings, question))
        return kept[-1]

    monkeypatch.setattr(QuestionRunner, "ask", noted)
    yield kept
    for asking in kept:
        assert asking.wait(30).state is State.ANSWERED


def test_an_answer_that_was_given_before_says_so_and_as_what_it_was_asked(
    valve: MakeChatbot,
) -> None:
    shown = told(remembered(valve(None), "reuse"))
    assert "Saved answer · not rated yet" in shown
    assert f"Saved for “{BEFORE}”" in shown


def test_the_same_words_are_not_told_again(valve: MakeChatbot) -> None:
    shown = told(remembered(valve(None), "reuse", question=QUESTION))
    assert "Saved answer" in shown
    assert "Saved for" not in shown


def test_an_admin_who_rated_it_is_named_and_whoever_gave_a_thumb_is_not(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    rated = told(remembered(chatbot, "reuse", origin="rating", rated_by="Ada"))
    assert "rated good by Ada on 3 Nov 2026" in rated
    thumbs = told(remembered(chatbot, "reuse", origin="thumbs", rated_by="bob@example.org"))
    assert "rated helpful by people who asked" in thumbs
    assert "bob" not in thumbs


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("reference", "helped to write this one · score 0.92 on 3 Nov 2026"),
        ("avoid", "was rated poorly; this is a new answer"),
    ],
)
def test_what_helped_to_write_an_answer_is_told_without_another_s_question(
    valve: MakeChatbot, role: str, words: str
) -> None:
    page = remembered(valve(None), role)
    assert words in told(page)
    assert BEFORE not in told(page)
    assert not any(b.label == "Answer again from the documents" for b in page.button)


def test_an_answer_without_the_memory_or_of_an_earlier_version_says_nothing(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    conversation = chatbot.conversations.start("valve", QUESTION)
    reply = chatbot.ask(QUESTION, product="valve").content
    chatbot.conversations.add(
        conversation, QUESTION, reply.model_copy(update={"memory": MemoryPart()})
    )
    kept = chatbot.conversations.add(conversation, QUESTION, reply)
    with chatbot.database.writing() as session:
        row = session.get_one(TurnRow, kept)
        row.answer = reply.model_dump(mode="json", exclude={"memory"})
    shown = told(open_page(conversation))
    assert "before" not in shown
    assert "earlier answer" not in shown


def test_one_click_answers_the_last_question_afresh_in_its_place(
    valve: MakeChatbot, asked: list[RunningQuestion]
) -> None:
    page = remembered(valve(None), "reuse")
    button(page, "Answer again from the documents")
    (asking,) = asked
    assert (asking.question.text, asking.question.afresh) == (QUESTION, True)
    assert asking.question.instead_of is not None


def test_an_earlier_question_is_asked_again_at_the_end_so_that_nothing_is_lost(
    valve: MakeChatbot, asked: list[RunningQuestion]
) -> None:
    page = remembered(valve(None), "reuse", more=(LATEST,))
    button(page, "Answer again from the documents")
    (asking,) = asked
    assert asking.question.afresh
    assert asking.question.instead_of is None
    assert "hold_time" in asking.question.text


def test_regenerate_asks_without_the_memory(
    valve: MakeChatbot, asked: list[RunningQuestion]
) -> None:
    button(remembered(valve(None), "reference"), "Regenerate")
    assert [asking.question.afresh for asking in asked] == [True]


def test_an_edited_question_may_be_answered_from_the_memory(
    valve: MakeChatbot, asked: list[RunningQuestion]
) -> None:
    button(remembered(valve(None), "reuse"), "Ask")
    assert [asking.question.afresh for asking in asked] == [False]


@pytest.mark.parametrize("name", ["question", "rated_by"])
def test_hostile_text_is_shown_as_text(valve: MakeChatbot, name: str) -> None:
    chatbot = valve(None)
    memory = MEASURED.model_copy(update={"origin": "rating"})
    reply = chatbot.ask(QUESTION, product="valve").content
    conversation = chatbot.conversations.start("valve", QUESTION)
    for payload in PAYLOADS:
        said = MemoryPart(role="reuse", pairs=(memory.model_copy(update={name: payload}),))
        chatbot.conversations.add(conversation, QUESTION, reply.model_copy(update={"memory": said}))
    page = open_page(conversation)
    badges, captions = texts(page), "\n".join(caption.value for caption in page.caption)
    for payload in PAYLOADS:
        pair = memory.model_copy(update={name: payload})
        assert as_label(saved(pair), 200) in badges
        assert f"Saved for “{as_label(pair.question, 300)}”" in captions

"""What the chat says of an answer that has something to do with a saved one."""

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
NOVEMBER = datetime(2026, 11, 3, 12, tzinfo=UTC)
MEASURED = RememberedPair(id=7, question=BEFORE, score=0.92, origin="measured", rated=NOVEMBER)


def conversation_with(chatbot: Chatbot, *parts: MemoryPart | None) -> str:
    """A conversation with an answer for each part; None: it is of an earlier version."""
    conversation = chatbot.conversations.start("valve", QUESTION)
    reply = chatbot.ask(QUESTION, product="valve").content
    for part in parts:
        of = reply.model_copy(update={"memory": part or MemoryPart()})
        turn = chatbot.conversations.add(conversation, QUESTION, of)
        if part is None:
            with chatbot.database.writing() as session:
                answer = reply.model_dump(mode="json", exclude={"memory"})
                session.get_one(TurnRow, turn).answer = answer
    return conversation


def told(page: AppTest) -> str:
    return plain("\n".join([texts(page), *(caption.value for caption in page.caption)]))


@pytest.fixture
def asked(valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[RunningQuestion]]:
    """The questions that are asked while a test runs, answered before its documents are closed."""
    kept: list[RunningQuestion] = []
    ask = QuestionRunner.ask

    def noted(askings: QuestionRunner, question: Question, chatbot: Chatbot) -> RunningQuestion:
        kept.append(ask(askings, question, chatbot))
        return kept[-1]

    monkeypatch.setattr(QuestionRunner, "ask", noted)
    yield kept
    for asking in kept:
        assert asking.wait(30).state is State.ANSWERED


@pytest.mark.parametrize(
    ("role", "pair", "words"),
    [
        ("reuse", {}, f"Saved answer · not rated yet\nSaved for “{BEFORE}”"),
        ("reuse", {"question": QUESTION}, "Saved answer · not rated yet"),
        ("reuse", {"origin": "curated", "rated_by": "Ada"}, "Corrected by an admin"),
        ("reuse", {"origin": "imported", "rated_by": "Ada"}, "imported on 3 Nov 2026"),
        ("reuse", {"origin": "rating", "rated_by": "local"}, "rated good on 3 Nov 2026"),
        ("reuse", {"origin": "rating", "rated_by": "Ada@e.org"}, "rated good by Ada on 3 Nov 2026"),
        ("reuse", {"origin": "thumbs", "rated_by": "bob"}, "rated helpful by people who asked"),
        ("reference", {}, "helped to write this one · measured as 0.92 on 3 Nov 2026"),
        ("avoid", {}, "was rated poorly; this is a new answer"),
    ],
)
def test_it_is_told_where_an_answer_is_from_without_naming_other_people(
    valve: MakeChatbot, role: str, pair: dict[str, Any], words: str
) -> None:
    part = MemoryPart(role=role, pairs=(MEASURED.model_copy(update=pair),))
    page = open_page(conversation_with(valve(None), part))
    for line in words.split("\n"):
        assert line in told(page)
    assert "bob" not in told(page)
    assert ("Saved for" in told(page)) == (role == "reuse" and "question" not in pair)
    again = any(b.label == "Answer again from the documents" for b in page.button)
    assert again == (role == "reuse")


def test_an_answer_without_the_memory_or_of_an_earlier_version_says_nothing(
    valve: MakeChatbot,
) -> None:
    page = open_page(conversation_with(valve(None), MemoryPart(), None))
    assert "saved answer" not in told(page).lower()


@pytest.mark.parametrize(
    ("more", "label", "afresh", "replaces"),
    [
        ((), "Answer again from the documents", True, True),
        # Of an earlier question nothing is lost: it is asked again at the end.
        ((LATEST,), "Answer again from the documents", True, False),
        ((), "Regenerate", True, True),
        ((), "Ask", False, True),
    ],
)
def test_one_click_answers_a_question_without_the_memory(
    valve: MakeChatbot,
    asked: list[RunningQuestion],
    more: tuple[str, ...],
    label: str,
    *,
    afresh: bool,
    replaces: bool,
) -> None:
    chatbot = valve(None)
    conversation = conversation_with(chatbot, MemoryPart(role="reuse", pairs=(MEASURED,)))
    for question in more:
        chatbot.ask(question, product="valve", conversation=conversation)
    button(open_page(conversation), label)
    (asking,) = asked
    assert (asking.question.afresh, asking.question.instead_of is not None) == (afresh, replaces)
    assert "hold_time" in asking.question.text


@pytest.mark.parametrize("name", ["question", "rated_by"])
def test_hostile_text_is_shown_as_text(valve: MakeChatbot, name: str) -> None:
    pairs = [MEASURED.model_copy(update={"origin": "rating", name: p}) for p in PAYLOADS]
    parts = (MemoryPart(role="reuse", pairs=(pair,)) for pair in pairs)
    page = open_page(conversation_with(valve(None), *parts))
    badges, captions = texts(page), "\n".join(caption.value for caption in page.caption)
    for pair in pairs:
        assert as_label(saved(pair), 200) in badges
        assert f"Saved for “{as_label(pair.question, 300)}”" in captions

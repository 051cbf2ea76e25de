from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from sqlalchemy import delete
from streamlit.testing.v1 import AppTest

from chatbot.accounts.people import LOCAL
from chatbot.chain.reply import trace_of
from chatbot.chatbot import Chatbot
from chatbot.reply import Reply, Trace
from chatbot.review.turns import AllTurns
from corpora.database.history_tables import TurnTraceRow
from tests.ui.admin_pages import open_admin_page
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, texts
from tests.ui.valve_corpus import QUESTION, TORQUE

pytestmark = pytest.mark.database

DRAIN = "What is the default of drain_time?"
NOWHERE = "What is the default of hold_time in 7.5?"


_answered: dict[tuple[str, ...], list[tuple[Reply, Trace]]] = {}


def asked(chatbot: Chatbot, *questions: str, owner: str = "") -> list[int]:
    """Ask questions in a conversation; return the ids of the turns.

    What is answered once is kept by itself from then on: a page shows it as it would the first.
    """
    own = chatbot.conversations.of(owner)
    conversation = own.start("valve", questions[0])
    if questions in _answered:
        kept = zip(questions, _answered[questions], strict=True)
        return [own.add(conversation, q, reply, trace=trace) for q, (reply, trace) in kept]
    turns = [chatbot.ask(q, conversation=conversation, owner=owner) for q in questions]
    _answered[questions] = [(turn.content, trace_of(turn.turn)) for turn in turns]
    return [turn.kept_as for turn in turns if turn.kept_as is not None]


def open_history(turn: int | None = None, **filters: str) -> AppTest:
    address = {f"history-{name}": value for name, value in filters.items()}
    return open_admin_page("history", **address, **({} if turn is None else {"turn": str(turn)}))


def listed(page: AppTest) -> list[int]:
    return [int(number) for number in page.dataframe[0].value["Open"]] if page.dataframe else []


def opened(page: AppTest) -> int:
    """The turn that the address names; set by a test it is a list."""
    named = page.query_params["turn"]
    return int(named if isinstance(named, str) else named[0])


def review(chatbot: Chatbot, turn: int) -> Any:
    return AllTurns(chatbot.database).open(LOCAL, turn).review


def test_the_list_shows_everybodys_turns_and_is_filtered(chatbot: Chatbot) -> None:
    first, second = asked(chatbot, QUESTION, NOWHERE)
    (third,) = asked(chatbot, TORQUE, owner="bob@example.org")
    page = open_history()
    table = page.dataframe[0].value
    assert list(table["Open"]) == [str(third), str(second), str(first)]
    assert list(table["Question"]) == [TORQUE, NOWHERE, QUESTION]
    assert list(table["Outcome"]) == ["answered", "clarification needed", "answered"]
    assert list(table["Release"]) == ["valve 2.0", "valve", "valve 2.0"]
    page.selectbox(key="history-outcome").select("clarification needed").run()
    assert listed(page) == [second]
    page.button(key="history-clear").click().run()
    page.text_input(key="history-words").set_value("cover scr").run()
    assert listed(page) == [third]
    page.text_input(key="history-words").set_value("").run()
    page.selectbox(key="history-owner").select("bob@example.org").run()
    assert listed(page) == [third]
    page.selectbox(key="history-owner").select("local").run()
    assert listed(page) == [second, first]
    assert listed(open_history(outcome="clarification needed")) == [second]


def test_an_opened_turn_shows_answer_conversation_and_trace(chatbot: Chatbot) -> None:
    first, second, _ = asked(chatbot, QUESTION, DRAIN, TORQUE)
    page = open_history(second)
    shown = texts(page)
    assert "What is the default of drain\\_time\\?" in shown
    assert "The default of `drain_time` is 7" in shown
    expanders = [e.label for e in page.expander]
    assert "What is the default of hold\\_time in 2\\.0\\?" in expanders
    assert "Which torque does the cover screw need in 2\\.0\\?" in expanders
    tables = [set(table.value.columns) for table in page.dataframe]
    assert [True for columns in tables if {"Query", "Text"} <= columns]
    assert [True for columns in tables if {"Step", "Seconds"} <= columns]
    chunks = next(t.value for t in page.dataframe if "Score" in t.value.columns)
    assert "reference.html" in set(chunks["Document"])
    button(page, "**1**")
    assert ":yellow-background[7" in texts(page)
    button(page, "Open this answer")
    assert opened(page) == first


def test_what_the_model_was_asked_and_said_is_shown(chatbot: Chatbot, valve: MakeChatbot) -> None:
    with_model = valve(FakeListChatModel(responses=["90 days"]), chatbot.settings)
    turn = asked(with_model, "How long is the pressure log kept?")[0]
    page = open_history(turn)
    call = next(e for e in page.expander if e.label.startswith("writing the answer"))
    assert call.code[-1].value == "90 days"
    assert "How long is the pressure log kept?" in call.code[-2].value


def test_a_turn_without_a_trace_is_shown_all_the_same(chatbot: Chatbot) -> None:
    turn = asked(chatbot, QUESTION)[0]
    with chatbot.database.writing() as session:
        session.execute(delete(TurnTraceRow))
    assert "45" in texts(open_history(turn))


def test_buttons_rate_and_take_back(chatbot: Chatbot) -> None:
    turn = asked(chatbot, QUESTION)[0]
    page = open_history(turn)
    button(page, "Wrong release")
    assert review(chatbot, turn).rating == "wrong release"
    button(page, "Good")
    assert review(chatbot, turn).rating == "good"
    button(page, "Good")
    assert review(chatbot, turn).rating == ""


def test_keys_go_through_the_queue_of_the_filter(chatbot: Chatbot) -> None:
    oldest, _, middle, newest = asked(chatbot, NOWHERE, QUESTION, NOWHERE, NOWHERE)
    page = open_history(newest, outcome="clarification needed")
    shortcuts = [b.proto.shortcut for b in page.button if b.proto.shortcut]
    assert shortcuts == list("apngbwid")
    button(page, "Done")
    assert opened(page) == middle
    button(page, "Next")
    assert opened(page) == oldest
    assert next(b for b in page.button if b.label == "Next").disabled
    button(page, "Previous")
    assert opened(page) == middle
    assert review(chatbot, newest).status == "done"
    button(open_history(newest), "Reopen")
    assert review(chatbot, newest).status == "open"

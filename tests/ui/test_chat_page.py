from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.conversations.open_questions import Question
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.models.served import ServedChatModel
from chatbot.settings import Settings
from corpora.database.history_tables import ConversationRow
from tests.chatbot import lamp
from tests.chatbot.small_server import Answer, raw, refuses, serving, words
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, settle, texts
from tests.ui.scripted import Dead, Endless
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.chat.sidebar import by_age
from ui.serving import services


def test_an_empty_page_names_product_and_releases(valve: MakeChatbot) -> None:
    valve(None)
    page = open_page()
    assert page.title[0].value == "Ask about valve"
    assert page.selectbox[0].options == ["valve"]
    assert page.button_group[0].options == ["2\\.0 · latest", "1\\.0"]


def test_a_new_visit_begins_with_the_product_of_the_last_conversation(
    valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    chatbot = valve(None)
    (product,) = chatbot.products()
    both = (replace(product, name="anvil"), product)
    monkeypatch.setattr(type(chatbot), "products", lambda self: both)
    assert open_page().selectbox[0].value == "anvil"
    chatbot.conversations.start("valve", QUESTION)
    assert open_page().selectbox[0].value == "valve"


def test_the_release_of_the_next_question_is_told(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "What is the default of hold_time in 1.0?")
    about = "Questions are about 1\\.0 unless they name another release."
    assert about in [caption.value for caption in page.caption]
    button(page, "New conversation")
    assert about not in [caption.value for caption in page.caption]


def test_a_release_is_chosen_for_questions_that_name_none(valve: MakeChatbot) -> None:
    valve(None)
    page = open_page()
    page.button_group[0].set_value("1.0").run()
    assert page.chat_input[0].placeholder == "Ask about valve 1.0"
    assert "valve 1\\.0]" in texts(ask(page, "What is the default of hold_time?"))
    assert "valve 2\\.0]" in texts(ask(page, "What is the default of hold_time in 2.0?"))


def test_an_answer_that_is_asked_anew_is_not_shown_meanwhile_and_stands_again_if_stopped(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    conversation = chatbot.conversations.start("valve", QUESTION)
    old = chatbot.ask(QUESTION, conversation=conversation).kept_as
    again(chatbot, Endless())
    asking = services.open_questions().ask(
        Question(LATEST, conversation, instead_of=old), services.whole()
    )
    page = open_page(conversation)
    assert "45" not in texts(page)
    assert LATEST.replace("?", "\\?") in texts(page)
    settle(button(page, "Stop"))
    assert asking.wait(10)
    shown = texts(page)
    assert shown.index("45") < shown.index(LATEST.replace("?", "\\?")) < shown.index("Stopped")

    again(chatbot, FakeListChatModel(responses=["90 days"]))
    settle(button(page, "Ask again"))
    assert "90 days" in texts(page)
    assert "45" not in texts(page)


def test_a_question_that_was_stopped_can_be_discarded(valve: MakeChatbot) -> None:
    valve(Dead())
    page = ask(open_page(), LATEST)
    button(page, "Discard")
    assert not page.error
    assert LATEST.replace("?", "\\?") not in texts(page)
    assert "conversation" in page.query_params


def test_a_question_in_a_conversation_that_was_deleted_meanwhile_begins_a_new_one(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    page = ask(open_page(), LATEST)
    before = page.query_params["conversation"]
    chatbot.conversations.delete(before)
    ask(page, QUESTION)
    assert page.query_params["conversation"] != before
    assert "45" in texts(page)


@pytest.mark.parametrize(("reply", "value"), [("", "20"), ("1.0", "20"), ("the newest", "45")])
def test_an_unknown_release_is_asked_back_and_chosen_or_typed(
    valve: MakeChatbot, reply: str, value: str
) -> None:
    valve(None)
    page = ask(open_page("nothing"), "What is the default of hold_time in 7.5?")
    assert "unknown release" in texts(page)
    assert value in texts(ask(page, reply) if reply else settle(button(page, "1\\.0")))


def test_a_question_that_is_too_long_can_be_shortened(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "why " * 12_500)
    assert "49,999 characters" in page.error[0].value.replace("\\", "")
    assert len(page.text_area[0].value) >= 49_999
    page.text_area[0].set_value(QUESTION)
    settle(button(page, "Ask again"))
    assert "45" in texts(page)


def test_without_documentation_the_page_says_what_to_do(valve: MakeChatbot, tmp_path: Path) -> None:
    valve(None, Settings(data_dir=tmp_path / "data", generator="none"))
    page = open_page()
    assert page.title[0].value == "No documentation yet"
    assert not page.chat_input


def test_who_waits_sees_the_place_in_the_queue_and_can_stop(valve: MakeChatbot) -> None:
    valve(Endless())
    first, second = open_page(), open_page()
    first.chat_input[0].set_value(LATEST).run()
    second.chat_input[0].set_value(LATEST).run()
    while "Waiting" not in texts(second):
        second.run()
    assert ":gray[Waiting\\: 1 in line…]" in texts(second)
    assert "Waiting" not in texts(first)
    settle(button(second, "Stop"))
    assert "Stopped." in texts(second)
    settle(button(first, "Stop"))


READ = lamp.reading("How long is the pressure log kept?", search="pressure log kept")
COPIED = '{"needs": "days", "spans": ["The pressure log is kept for 90 days."]}'


def paper(settings: Settings) -> Settings:
    return settings.model_copy(update={"profile": "qamr", "selection": "listwise"})


def script(*, reading: str = COPIED) -> ScriptedChatModel:
    """Answers every step of the paper's chain on the pressure log."""
    return ScriptedChatModel(
        rules=(
            READ,
            Rule(step="answer_generation", reply="It is kept for 90 days [1]."),
            Rule(step="context_reduction", reply=reading),
            Rule(step="context_selection", reply='{"order": [1, 2, 3]}'),
        ),
        otherwise="I cannot",
    )


def test_a_step_that_fell_back_is_told_in_one_line_with_its_reason_behind_it(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    valve(script(reading="I cannot"), paper(valve_settings))
    page = ask(open_page(), LATEST)
    assert "90 days" in texts(page)
    assert [e.label for e in page.expander] == ["How this was found"]
    told = page.expander[0].caption[1].value.replace("\\", "")
    assert told.startswith("Without its model: reading what was found (3 of 3 chunks: ")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (refuses(429, "busy"), "is overloaded"),
        (raw("", pause=2), "sent nothing for 0.5 seconds"),
    ],
)
def test_a_server_that_fails_is_told_and_the_question_can_be_asked_again(
    valve: MakeChatbot, answer: Answer, told: str
) -> None:
    with serving(answer) as server:
        valve(served(server.url))
        page = ask(open_page(), "Which releases do you know?")
        ask(page, LATEST)
        assert told in page.error[0].value.replace("\\", "").replace("`", "")
        assert server.url in page.error[0].value.replace("\\", "")
        server.answers[:] = [words("90 days")]
        settle(button(page, "Ask again"))
    assert not page.error
    assert "of valve documented here" in texts(page)
    assert "90 days" in texts(page)


def served(url: str) -> BaseChatModel:
    return ServedChatModel(url=url, model="m", retries=0, timeout=0.5)


def again(chatbot: Chatbot, model: BaseChatModel) -> None:
    """Let the chatbot have another model from now on."""
    object.__setattr__(chatbot, "model", model)
    for made in ("_parts", "_profile", "_chain"):
        chatbot.__dict__.pop(made, None)


NOW = datetime(2026, 11, 20, 1, 30, tzinfo=timezone(timedelta(hours=2)))


def conversation(updated: datetime) -> ConversationRow:
    return ConversationRow(id="c", product="valve", title="title", updated=updated)


def forget(chatbot: Chatbot) -> None:
    """Begin without conversations."""
    for kept in chatbot.conversations.recent(1000):
        chatbot.conversations.delete(kept.id)


def listed(page: AppTest) -> list[str]:
    return [b.label for b in page.sidebar.button if "small[" in b.label]


def test_conversations_are_grouped_by_the_days_where_the_browser_is() -> None:
    # 1:30 in the morning there; UTC, which is kept, is still in the day before.
    times = {
        datetime(2026, 11, 19, 23, 0): "Today",
        datetime(2026, 11, 19, 21, 59): "Yesterday",
        datetime(2026, 11, 18, 22, 0): "Yesterday",
        datetime(2026, 11, 14, 12, 0): "Last 7 days",
        datetime(2026, 11, 1, 12, 0): "Last 30 days",
        datetime(2025, 11, 20, 12, 0): "Earlier",
    }
    grouped = by_age([conversation(time) for time in times], NOW)
    assert [name for name, _ in grouped] == list(dict.fromkeys(times.values()))
    assert {c.updated: name for name, group in grouped for c in group} == times


def test_of_many_conversations_the_last_thirty_are_listed_and_more_on_demand(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    forget(chatbot)
    newest = datetime.now(UTC)
    for number in range(40):
        identity = chatbot.conversations.start("valve", f"Question {number:02}")
        with chatbot.database.writing() as session:
            row = session.get_one(ConversationRow, identity)
            row.updated = newest - timedelta(days=number)
    page = open_page()
    assert len(listed(page)) == 30
    assert listed(page)[0].startswith("Question 00")
    button(page, "Show more")
    assert len(listed(page)) == 40
    assert "Show more" not in [b.label for b in page.button]

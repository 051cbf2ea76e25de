from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from corpora.database.history_tables import ConversationRow
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, texts
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.chat.sidebar import by_age
from ui.wording.escaping import as_label

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


def test_a_conversation_is_listed_with_product_and_releases_and_opened(valve: MakeChatbot) -> None:
    forget(valve(None))
    page = ask(open_page(), QUESTION)
    assert listed(page)[0].endswith(":small[valve 2\\.0]")
    button(page, "New conversation")
    ask(page, LATEST)
    assert len(listed(page)) == 2

    page.sidebar.button[2].click().run()

    assert "45" in texts(page)
    assert "90 days" not in texts(page)


def test_conversations_are_searched_in_full_text(valve: MakeChatbot) -> None:
    forget(valve(None))
    ask(open_page(), QUESTION)
    page = ask(open_page(), LATEST)
    for words, found in (("pressure lo", 1), ('nothing "of that', 0), ("", 2)):
        page.sidebar.text_input[0].set_value(words).run()
        assert len(listed(page)) == found


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


def test_titles_show_as_text(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    forget(chatbot)
    title = "![x](http://evil.test/p.png) :material/home: <b>"
    chatbot.conversations.start("valve", title)
    assert listed(open_page()) == [f"{as_label(title)} :small[valve]"]

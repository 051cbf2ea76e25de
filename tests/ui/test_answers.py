from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.conversations.feedback import DOWN, UP, Feedback
from chatbot.reply import Reply
from corpora.database.history_tables import TurnRow
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, settle, texts
from tests.ui.valve_corpus import LATEST, QUESTION

COMPARISON = "What is the default of hold_time in 1.0 and 2.0?"


def stored(
    chatbot: Chatbot, question: str = QUESTION, without: Sequence[str] = (), **changed: Any
) -> AppTest:
    """The page of a conversation of one turn, whose reply is changed, or lacks what it had not."""
    given = chatbot.ask(question, product="valve").content.model_dump(mode="json")
    reply = Reply.model_validate({**given, **changed})
    conversation = chatbot.conversations.start("valve", question)
    turn = chatbot.conversations.add(conversation, question, reply)
    kept = {
        key: value for key, value in reply.model_dump(mode="json").items() if key not in without
    }
    with chatbot.database.writing() as session:
        session.execute(update(TurnRow).where(TurnRow.id == turn).values(answer=kept))
    return open_page(conversation)


def labels(page: AppTest, begin: str) -> list[str]:
    """What the buttons are called whose keys begin so."""
    return [b.label for b in page.button if (b.key or "").startswith(begin)]


def test_an_answer_of_an_earlier_version_is_shown(valve: MakeChatbot) -> None:
    new = ("fallbacks", "sides", "seconds", "model", "nearest", "found_in")
    page = stored(valve(None), release_explanation="the latest", without=new)
    assert ":small[:gray[the latest]]" in texts(page)
    assert "45" in texts(page)


def test_the_sources_of_a_comparison_name_their_releases(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), COMPARISON)
    named = ["**1**  1\\.0 · Valve reference · Timers", "**2**  2\\.0 · Valve reference · Timers"]
    assert labels(page, "cite-") == named


def test_what_was_not_found_leads_on_and_shows_no_query(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    cited = chatbot.ask(QUESTION, product="valve").content.citations[0]
    page = stored(
        chatbot,
        abstained=True,
        answer="I couldn't find this in the 2.0 documentation.",
        citations=[],
        nearest=[replace(cited, quote="")],
        found_in=["1.0", "0.5"],
    )
    assert not page.expander
    assert labels(page, "near-") == ["Valve reference · Timers"]
    # A release that is not there any more is not offered.
    assert labels(page, "found-in-") == ["1\\.0"]

    button(page, "Valve reference")
    assert "drain\\_time" in texts(page)
    settle(
        page.button(key=next(b.key for b in page.button if "found-in" in (b.key or "")))
        .click()
        .run()
    )
    assert "What is the default of hold\\_time in 1\\.0\\?" in texts(page)
    assert "20" in texts(page)


def test_sources_of_one_page_are_one_chip(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    first = chatbot.ask(QUESTION, product="valve").content.citations[0]
    other = replace(first, quote="drain_time — 7 — s")
    page = stored(chatbot, answer="One [1]. Two [2].", citations=[first, other])
    assert labels(page, "cite-") == ["**1 · 2**  Valve reference · Timers"]
    button(page, "**1 · 2**")
    assert ":yellow-background[45]" in texts(page)
    assert ":yellow-background[7]" in texts(page)


def test_sources_that_would_read_the_same_say_what_they_cite(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    (citation, *_) = chatbot.ask(QUESTION, product="valve").content.citations
    rows = [
        replace(citation, page_id=citation.page_id + n, quote=f"{name} — 5 — s")
        for n, name in enumerate(("hold_time", "wait_time"))
    ]
    page = stored(chatbot, citations=rows)
    assert [label.rpartition(" · ")[2] for label in labels(page, "cite-")] == [
        "hold\\_time",
        "wait\\_time",
    ]


def test_the_rows_of_a_long_table_are_folded(valve: MakeChatbot) -> None:
    rows = "".join(f"| row {n} | {n} |\n" for n in range(1, 15))
    page = stored(valve(None), answer=f"Rows:\n\n| Row | Value |\n| --- | --- |\n{rows}\nEnd.")
    (folded,) = (e for e in page.expander if e.label == "4 more rows")
    assert "row 10" not in folded.markdown[0].value
    assert folded.markdown[0].value.startswith("| Row | Value |")
    assert "row 11" in folded.markdown[0].value
    assert texts(page).count("row 11") == 1
    assert "End" in texts(page)


def test_what_others_state_stands_apart_from_the_answer(valve: MakeChatbot) -> None:
    page = stored(valve(None), outside=["Wikidata: SQLite *programmed in* C."])
    told = [c.value for c in page.caption if "Not from the documentation" in c.value]
    assert told == [
        ":material/public: Not from the documentation – Wikidata\\: SQLite \\*programmed in\\* C\\."
    ]
    assert "Wikidata" not in texts(page)


def answered(chatbot: Chatbot, *questions: str) -> tuple[AppTest, list[int]]:
    """The page of a conversation with these questions, and the ids of its turns."""
    conversation = chatbot.conversations.start("valve", questions[0])
    for question in questions:
        chatbot.ask(question, product="valve", conversation=conversation)
    turns = chatbot.conversations.turns(conversation)
    return open_page(conversation), [turn.id for turn in turns]


def opened(page: AppTest) -> str:
    """The conversation that the address names."""
    named = page.query_params["conversation"]
    return named if isinstance(named, str) else named[0]


def kept(chatbot: Chatbot, turn: int) -> tuple[int, str, str] | None:
    said = Feedback(chatbot.database).of([turn]).get(turn)
    return (said.thumbs, said.reason, said.comment) if said else None


def thumb(page: AppTest, turn: int, value: int | None) -> AppTest:
    page.feedback(key=f"thumbs-{turn}").set_value(value).run()
    assert not page.exception
    return page


def questions(page: AppTest) -> list[str]:
    return [m.markdown[0].value for m in page.chat_message if m.name == "user"]


def test_only_the_last_question_can_be_asked_anew(valve: MakeChatbot) -> None:
    page, turns = answered(valve(None), QUESTION, LATEST)
    regenerates = [b.key for b in page.button if b.label == "Regenerate"]
    assert regenerates == [f"regenerate-{turns[-1]}"]
    settle(button(page, "Regenerate"))
    assert [text.replace("\\", "") for text in questions(page)] == [QUESTION, LATEST]
    assert f"regenerate-{turns[-1]}" not in [b.key for b in page.button]


def test_an_edited_question_takes_the_place_of_the_one_before(valve: MakeChatbot) -> None:
    page, turns = answered(valve(None), QUESTION)
    page.text_area(key=f"edited-{turns[0]}").set_value(QUESTION.replace("2.0", "1.0"))
    settle(button(page, "Ask"))
    assert [text.replace("\\", "") for text in questions(page)] == [QUESTION.replace("2.0", "1.0")]
    assert "20" in texts(page)
    assert "45 s" not in texts(page)


def test_a_release_that_was_chosen_is_kept_and_one_that_is_edited_out_is_not(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    conversation = chatbot.conversations.start("valve", LATEST)
    chatbot.ask(LATEST, product="valve", release="1.0", conversation=conversation)
    assert "valve 1\\.0]" in texts(settle(button(open_page(conversation), "Regenerate")))
    page, turns = answered(chatbot, QUESTION.replace("2.0", "1.0"))
    page.text_area(key=f"edited-{turns[0]}").set_value("What is the default of hold_time?")
    assert "valve 2\\.0]" in texts(settle(button(page, "Ask")))


def test_thumbs_are_kept_with_reason_and_comment_changed_and_withdrawn(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    page, (turn,) = answered(chatbot, QUESTION)
    thumb(page, turn, 1)
    assert kept(chatbot, turn) == (UP, "", "")
    thumb(page, turn, 0)
    page.button_group(key=f"reason-{turn}").set_value("wrong release")
    page.text_area(key=f"comment-{turn}").set_value("It is from 1.0.")
    button(page, "Send feedback")
    assert kept(chatbot, turn) == (DOWN, "wrong release", "It is from 1.0.")
    again = open_page(opened(page))
    assert again.feedback(key=f"thumbs-{turn}").value == 0
    button(again, "Change")
    assert again.text_area(key=f"comment-{turn}").value == "It is from 1.0."
    thumb(again, turn, None)
    assert kept(chatbot, turn) is None


def test_an_answer_that_is_gone_is_told(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    page, (turn,) = answered(chatbot, QUESTION)
    chatbot.conversations.delete(opened(page))
    thumb(page, turn, 1)
    assert page.toast

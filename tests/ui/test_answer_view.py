from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.reply import Reply
from corpora.database.history_tables import TurnRow
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, settle, texts
from tests.ui.valve_corpus import QUESTION

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

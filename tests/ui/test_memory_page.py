from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import ScoreOrigin
from chatbot.settings import Settings
from tests.ui.admin_pages import open_admin_page, plain, press, run, shown
from tests.ui.conftest import MakeChatbot, SignIn
from tests.ui.memory_pairs import keep, saved_answers, use
from tests.ui.payloads import PAYLOADS
from tests.ui.valve_corpus import QUESTION
from ui.wording.escaping import as_label

pytestmark = pytest.mark.database

HOLD = "What is the default of hold_time?"
LOG = "How long is the pressure log kept?"


def open_memory(**address: Any) -> AppTest:
    if not address:
        return saved_answers()
    return open_admin_page("history", **{key: str(value) for key, value in address.items()})


def totals(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def questions(page: AppTest) -> list[str]:
    """The questions in the table of the page."""
    return list(page.dataframe[0].value["Question"]) if page.dataframe else []


def captions(page: AppTest) -> str:
    return plain("\n".join(caption.value for caption in page.caption))


def test_an_empty_memory_says_what_to_do_and_offers_an_import(chatbot: Chatbot) -> None:
    page = open_memory()
    assert page.info[0].value.startswith("No saved answers yet. Answers from")
    assert not page.metric
    assert page.get("file_uploader")


def test_without_documents_it_says_to_upload_some(valve: MakeChatbot, tmp_path: Path) -> None:
    valve(None, Settings(data_dir=tmp_path / "data", generator="none"))
    page = open_memory()
    assert "upload documents on the page Documents first" in page.info[0].value
    assert not page.get("file_uploader")


def test_answers_that_were_read_by_earlier_rules_are_told_of(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD)
    assert not open_memory().warning
    keep(chatbot.database, LOG, embedding="all-minilm-l6-v2-int8/asks-1")
    (warning,) = open_memory().warning
    assert "Since an update, 1 saved answer is no longer reused." in warning.value
    assert "strata memory rebuild" in warning.value


def test_a_memory_that_is_off_says_so(chatbot: Chatbot, valve: MakeChatbot) -> None:
    valve(None, chatbot.settings.model_copy(update={"memory": "off"}))
    assert "Saving answers is off" in open_memory().warning[0].value


def test_figures_and_answers_of_a_release(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD, reused=3)
    keep(chatbot.database, f"{HOLD} Exactly?", relevancy=0.9)
    keep(chatbot.database, LOG, score=0.2, origin=ScoreOrigin.THUMBS, rated_by="bob@example.org")
    keep(chatbot.database, LOG, release="1.0", suspended="reference.html changed")
    page = open_memory()
    assert totals(page) == {
        "Good": "1",
        "Not rated": "1",
        "Poor": "1",
        "Suspended": "1",
        "Reused": "0",
    }
    page.selectbox(key="memory-product").set_value("valve").run()
    page.selectbox(key="memory-release").set_value("2.0").run()
    assert (totals(page)["Good"], totals(page)["Suspended"]) == ("1", "0")
    table = page.dataframe[0].value
    assert list(table["Question"]) == [f"{HOLD} Exactly?"]
    assert list(table["Rated by"]) == ["score 0.92 on 3 Nov 2026"]
    page.segmented_control(key="memory-show").set_value("Not rated").run()
    assert questions(page) == [HOLD]


def test_poor_and_suspended_answers_are_found(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD)
    keep(chatbot.database, LOG, score=0.1, origin=ScoreOrigin.RATING)
    keep(chatbot.database, "Which grease?", suspended="reference.html changed")
    page = open_memory()
    page.segmented_control(key="memory-show").set_value("Poor").run()
    assert questions(page) == [LOG]
    page.segmented_control(key="memory-show").set_value("Suspended").run()
    assert questions(page) == ["Which grease?"]
    assert list(page.dataframe[0].value["Suspended because"]) == ["reference.html changed"]


def test_questions_are_searched_and_paged(chatbot: Chatbot) -> None:
    for number in range(30):
        keep(chatbot.database, f"What is the default of timer {number}?", relevancy=1)
    page = open_memory()
    assert len(questions(page)) == 25
    assert "1–25 of 30 questions" in captions(page)
    page.text_input(key="memory-words").set_value("timer 29").run()
    assert questions(page) == ["What is the default of timer 29?"]
    page.text_input(key="memory-words").set_value("nothing like it").run()
    assert "No question matches" in shown(page)


def test_an_opened_answer_shows_who_vouches_for_it_and_what_used_it(chatbot: Chatbot) -> None:
    asked = chatbot.conversations.of("bob@example.org").start("valve", QUESTION)
    reply = chatbot.ask(QUESTION, conversation=asked, owner="bob@example.org", afresh=True)
    cited = reply.content.citations[0]
    at = {"rated_by": "ada@example.org", "origin": ScoreOrigin.RATING, "reused": 2}
    pair = keep(
        *(chatbot.database, HOLD, "It is 45 s [1]."),
        citations=(asdict(cited),),
        links=("https://evil.test/faq",),
        **at,
    )
    assert reply.kept_as is not None
    use(chatbot.database, reply.kept_as, pair, "reuse")
    page = open_memory(pair=pair)
    assert page.title[0].value == as_label(HOLD)
    told = shown(page)
    assert ":green-badge[good]" in told
    assert "It is 45 s" in told
    assert "Rated by:] rated by `ada@example.org` on 3 Nov 2026" in told
    assert "Measured:] faithfulness 0.95" in told
    assert "Reused:] 2 times, last on 03 Nov 2026" in told
    assert "`https://evil.test/faq`" in told
    assert [b.key for b in page.button if b.label.startswith("reused · ")] == [
        f"use-{reply.kept_as}"
    ]
    press(page, "**1**")
    assert ":yellow-background[45]" in shown(page)
    press(page, "All saved answers")
    assert totals(page)


def test_an_answer_that_is_not_used_says_why(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, suspended="reference.html changed")
    assert "reference\\.html changed" in open_memory(pair=pair).warning[0].value


def test_an_answer_that_is_gone_leads_back(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD)
    page = open_memory(pair=999_999)
    assert "no answer 999999" in page.toast[0].value.replace("\\", "")
    assert "pair" not in page.query_params


@pytest.mark.parametrize("name", ["question", "answer", "rated_by", "suspended", "links"])
def test_hostile_text_is_shown_as_text(chatbot: Chatbot, name: str) -> None:
    payload = " ".join(PAYLOADS[1:12])
    given: dict[str, Any] = {"question": HOLD, "origin": ScoreOrigin.RATING}
    given |= {name: (payload,) if name == "links" else payload}
    pair = keep(chatbot.database, **given)
    page = open_memory(pair=pair)
    written = [e.value for kind in (page.title, page.markdown, page.caption) for e in kind]
    written += [e.value for e in page.warning] + [b.label for b in page.button]
    assert any("evil" in text for text in written)
    for text in written:
        assert "<img" not in text.replace("\\<", "")
        assert "](http" not in text.replace("\\]`(", "")
    run(open_memory())


def test_who_is_no_admin_has_no_such_page(chatbot: Chatbot, signed_in: SignIn) -> None:
    pair = keep(chatbot.database, HOLD)
    signed_in(Person("u", "u", is_admin=False))
    with pytest.raises(ValueError, match="registered"):
        open_memory()
    page = AppTest.from_string("from ui.review.history_page import history\nhistory()")
    page.query_params["pair"] = str(pair)
    page.run()
    assert page.error[0].value.startswith("Only admins")
    assert not any((page.markdown, page.dataframe, page.metric, page.title))

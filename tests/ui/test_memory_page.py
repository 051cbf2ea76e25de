"""The tab of saved answers, an opened one, and what admins do with it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.overview import Overview, PairFilter
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import ScoreOrigin
from corpora.database.memory_tables import MemoryPairRow
from tests.ui.admin_pages import errors, open_admin_page, plain, press, run, shown
from tests.ui.conftest import MakeChatbot, SignIn
from tests.ui.memory_pairs import keep, saved_answers
from tests.ui.payloads import PAYLOADS
from tests.ui.valve_corpus import QUESTION

pytestmark = pytest.mark.database

HOLD = "What is the default of hold_time?"
LOG = "How long is the pressure log kept?"


def opened(pair: int) -> AppTest:
    return open_admin_page("history", pair=str(pair))


def questions(page: AppTest) -> list[str]:
    """The questions in the table of the page."""
    return list(page.dataframe[0].value["Question"]) if page.dataframe else []


def kept(chatbot: Chatbot) -> list[MemoryPairRow]:
    return [pair.row for pair in Overview(chatbot.database, LOCAL).pairs(PairFilter())]


def dialog(name: str, pair: int) -> AppTest:
    """One of the dialogs of an answer, opened as if by its button."""

    def opened(name: str, pair: int) -> None:
        from chatbot.accounts.people import LOCAL
        from chatbot.administration.overview import Overview, UnknownPair
        from ui.review import saved_answer
        from ui.serving import services

        try:
            kept = Overview(services.chatbot().database, LOCAL).pair(pair)
        except UnknownPair:
            return
        getattr(saved_answer, name)(kept.row)

    arguments = {"name": name, "pair": pair}
    return run(AppTest.from_function(opened, kwargs=arguments, default_timeout=30))


def test_an_empty_memory_that_is_off_says_so_and_offers_an_import(
    chatbot: Chatbot, valve: MakeChatbot
) -> None:
    valve(None, chatbot.settings.model_copy(update={"memory": "off"}))
    page = saved_answers()
    assert page.info[0].value.startswith("No saved answers yet.")
    assert "Saving answers is off" in page.warning[0].value
    assert page.get("file_uploader")


def test_figures_and_answers_are_found_by_release_worth_and_words(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD, reused=3)
    keep(chatbot.database, f"{HOLD} Exactly?", relevancy=0.9)
    keep(chatbot.database, LOG, score=0.2, origin=ScoreOrigin.THUMBS, rated_by="bob@example.org")
    keep(chatbot.database, LOG, release="1.0", suspended="reference.html changed")
    keep(chatbot.database, "Old?", score=0.1, origin=ScoreOrigin.RATING, embedding="minilm/asks-1")
    page = saved_answers()
    assert "1 good, 1 not rated, 2 poor, 1 suspended; reuses: 3" in shown(page)
    assert "No longer reused since an update: 1 saved answer." in page.warning[0].value
    assert questions(page) == [f"{HOLD} Exactly?"]
    assert list(page.dataframe[0].value["Rated by"]) == ["measured as 0.92 on 3 Nov 2026"]
    page.segmented_control(key="memory-show").set_value("Poor").run()
    page.text_input(key="memory-words").set_value("pressure").run()
    assert questions(page) == [LOG]
    page.text_input(key="memory-words").set_value("nothing like it").run()
    assert "No question matches" in shown(page)
    page.text_input(key="memory-words").set_value("").run()
    page.segmented_control(key="memory-show").set_value("Suspended").run()
    assert list(page.dataframe[0].value["Suspended because"]) == ["reference.html changed"]
    page.selectbox(key="memory-product").set_value("valve").run()
    page.selectbox(key="memory-release").set_value("2.0").run()
    assert "1 good, 1 not rated, 2 poor, 0 suspended" in shown(page)
    assert [e.label for e in page.get("download_button")] == ["CSV", "JSONL"]


def test_an_opened_answer_shows_who_vouches_for_it_and_its_sources(chatbot: Chatbot) -> None:
    cited = asdict(chatbot.ask(QUESTION, afresh=True).content.citations[0])
    rated = {"rated_by": "ada@example.org", "origin": ScoreOrigin.RATING, "reused": 2}
    links = ("https://evil.test/faq",)
    of = {"citations": (cited,), "links": links, "suspended": "reference.html changed", **rated}
    page = opened(keep(chatbot.database, HOLD, "It is 45 s [1].", **of))
    for part in (
        ":green-badge[good]",
        "It is 45 s",
        "Rated by:] rated by `ada@example.org` on 3 Nov 2026",
        "Reused:] 2 times",
        "`https://evil.test/faq`",
    ):
        assert part in shown(page)
    assert "reference\\.html changed" in page.warning[0].value
    press(page, "**1**")
    assert ":yellow-background[45]" in shown(page)
    press(page, "All saved answers")
    assert "0 good" in shown(page)


def test_an_answer_that_is_gone_leads_back(chatbot: Chatbot) -> None:
    page = opened(999_999)
    assert "no answer 999999" in page.toast[0].value.replace("\\", "")
    assert "pair" not in page.query_params


def test_an_edited_answer_is_curated_and_cites_its_pages(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, "It is 20 s [1].")
    press(opened(pair), "Edit …")
    page = dialog("edit", pair)
    assert page.text_area[0].value == "It is 20 s."
    page.text_area[0].set_value("  ")
    assert errors(press(page, "Save")).startswith("The answer is empty")
    page.text_area[0].set_value("The default of hold_time is 45 s.")
    press(page, "Save")
    (after,) = kept(chatbot)
    assert (after.origin, "45 s" in after.answer["text"]) == ("curated", True)
    assert {citation["file"] for citation in after.answer["citations"]} == {"reference.html"}
    assert page.session_state["notice"] == "The answer is saved."
    assert page.query_params["pair"] == str(after.id)


def test_a_deletion_asks_once_more(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, score=0.3)
    press(opened(pair), "Delete …")
    assert [p.origin for p in kept(chatbot)] == ["measured"]
    press(dialog("retire", pair), "Delete")
    assert not kept(chatbot)


def imported(page: AppTest, name: str, data: str) -> AppTest:
    page.get("file_uploader")[0].set_value((name, data.encode(), "text/csv"))
    return run(page)


def test_a_file_is_looked_at_and_then_imported(chatbot: Chatbot) -> None:
    lines = [
        {"question": HOLD, "answer": "The default of hold_time is 45 s.", "release": "2.0"},
        {"question": "Which?", "answer": "x", "release": "9.9"},
        {"question": "", "answer": "x", "release": "2.0", "mood": "good"},
    ]
    assert "a.csv, line 1" in errors(imported(saved_answers(), "a.csv", "a,b\n1,2\n"))
    page = saved_answers()
    page.selectbox(key="memory-import-product ").set_value("valve")
    page = imported(page, "faq.jsonl", "\n".join(map(json.dumps, lines)))
    assert "line 3" in plain(page.warning[0].value)
    assert any("mood" in caption.value for caption in page.caption)
    assert not kept(chatbot)
    press(page, "Import 2 answers")
    assert [(pair.question, pair.origin) for pair in kept(chatbot)] == [(HOLD, "imported")]
    report = plain("\n".join(message.value for message in page.success))
    assert "faq.jsonl: 1 answer added, 1 with citations." in report
    assert "line 2" in plain(page.warning[0].value)


@pytest.mark.parametrize("name", ["question", "answer", "rated_by", "suspended", "links"])
def test_hostile_text_is_shown_as_text(chatbot: Chatbot, name: str) -> None:
    payload = " ".join(PAYLOADS[1:12])
    given: dict[str, Any] = {"question": HOLD, "origin": ScoreOrigin.RATING}
    given |= {name: (payload,) if name == "links" else payload}
    page = opened(keep(chatbot.database, **given))
    written = [e.value for kind in (page.title, page.markdown, page.caption) for e in kind]
    written += [e.value for e in page.warning] + [b.label for b in page.button]
    assert any("evil" in text for text in written)
    for text in written:
        assert "<img" not in text.replace("\\<", "")
        assert "](http" not in text.replace("\\]`(", "")
    run(saved_answers())


def test_who_is_no_admin_has_no_such_page(chatbot: Chatbot, signed_in: SignIn) -> None:
    pair = keep(chatbot.database, HOLD)
    signed_in(Person("u", "u", is_admin=False))
    page = AppTest.from_string("from ui.review.history_page import history\nhistory()")
    page.query_params["pair"] = str(pair)
    page.run()
    assert page.error[0].value.startswith("Only admins")
    assert not any((page.markdown, page.dataframe, page.metric, page.title))

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.overview import Overview, PairFilter
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import ScoreOrigin
from corpora.database.memory_tables import MemoryPairRow
from tests.ui.admin_pages import errors, open_admin_page, plain, press, run
from tests.ui.memory_pairs import keep, saved_answers

HOLD = "What is the default of hold_time?"
LOG = "How long is the pressure log kept?"


def opened(pair: int) -> AppTest:
    return open_admin_page("history", pair=str(pair))


def kept(chatbot: Chatbot) -> list[MemoryPairRow]:
    return [pair.row for pair in Overview(chatbot.database, LOCAL).pairs(PairFilter())]


def recorded(chatbot: Chatbot) -> list[str]:
    return [entry.action for entry in AuditLog(chatbot.database).page(LOCAL)[0]]


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


def edited(pair: int, answer: str) -> AppTest:
    page = dialog("edit", pair)
    page.text_area[0].set_value(answer)
    return press(page, "Save")


def test_an_edited_answer_is_curated_and_cites_its_pages(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, "It is 20 s [1].")
    press(opened(pair), "Edit …")
    assert dialog("edit", pair).text_area[0].value == "It is 20 s."
    page = edited(pair, "The default of hold_time is 45 s.")
    (after,) = kept(chatbot)
    assert after.origin == ScoreOrigin.CURATED
    assert "45 s" in after.answer["text"]
    assert {citation["file"] for citation in after.answer["citations"]} == {"reference.html"}
    assert page.session_state["notice"] == "The answer is saved."
    assert page.query_params["pair"] == str(after.id)
    assert recorded(chatbot) == ["edit answer"]


def test_an_answer_cannot_be_edited_into_nothing(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, "It is 45 s.")
    assert errors(edited(pair, "  ")).startswith("The answer is empty")
    assert [p.answer["text"] for p in kept(chatbot)] == ["It is 45 s."]


def test_promotion_asks_once_more_and_makes_a_curated_answer(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, score=0.3)
    press(opened(pair), "Promote …")
    assert [p.origin for p in kept(chatbot)] == [ScoreOrigin.MEASURED]
    press(dialog("promote", pair), "Promote")
    (after,) = kept(chatbot)
    assert (after.origin, after.score, after.store) == (ScoreOrigin.CURATED, 1.0, "high")
    assert not any(b.label == "Promote …" for b in opened(after.id).button)
    assert recorded(chatbot) == ["promote answer"]


def test_what_is_suspended_is_not_promoted(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD, suspended="reference.html changed")
    labels = [b.label for b in opened(pair).button]
    assert [label for label in labels if label.endswith("…")] == ["Edit …", "Delete …"]


def test_deleting_asks_once_more(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, HOLD)
    keep(chatbot.database, LOG)
    press(opened(pair), "Delete …")
    assert len(kept(chatbot)) == 2
    press(dialog("retire", pair), "Delete")
    assert [p.question for p in kept(chatbot)] == [LOG]
    assert recorded(chatbot) == ["retire answer"]


def test_an_answer_that_somebody_else_retired_is_told(chatbot: Chatbot) -> None:
    def too_late() -> None:
        from ui.review.saved_answer import make_change

        make_change(lambda curation: curation.retire(999_999), "done")

    assert "999999" in errors(run(AppTest.from_function(too_late, default_timeout=30)))


def imported(page: AppTest, name: str, data: str) -> AppTest:
    page.get("file_uploader")[0].set_value((name, data.encode(), "text/csv"))
    return run(page)


def test_a_file_is_looked_at_and_then_imported(chatbot: Chatbot) -> None:
    lines = [
        {"question": HOLD, "answer": "The default of hold_time is 45 s.", "release": "2.0"},
        {"question": "Which?", "answer": "x", "release": "9.9"},
        {"question": "", "answer": "x", "release": "2.0", "mood": "good"},
    ]
    page = imported(saved_answers(), "faq.jsonl", "\n".join(map(json.dumps, lines)))
    assert "line 3" in plain(page.warning[0].value)
    assert any("mood" in caption.value for caption in page.caption)
    assert not kept(chatbot)
    page.selectbox(key="memory-import-product ").set_value("valve")
    run(page)
    press(page, "Import 2 answers")
    (pair,) = kept(chatbot)
    assert (pair.question, pair.origin) == (HOLD, ScoreOrigin.IMPORTED)
    told = plain("\n".join(message.value for message in page.success))
    assert "faq.jsonl: 1 answer added, 1 with citations." in told
    assert "line 2" in plain(page.warning[0].value)


def test_a_file_that_cannot_be_read_says_why(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD)
    page = saved_answers()
    page = imported(page, "faq.csv", "a,b\n1,2\n")
    assert "faq.csv, line 1" in errors(page)


def test_what_is_looked_at_is_exported(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD)
    page = saved_answers()
    assert [e.label for e in page.get("download_button")] == ["CSV", "JSONL"]

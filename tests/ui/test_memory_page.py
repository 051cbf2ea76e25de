"""The tab of saved answers, an opened one, and what admins do with it."""

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


def kept(chatbot: Chatbot) -> list[MemoryPairRow]:
    return [pair.row for pair in Overview(chatbot.database, LOCAL).pairs(PairFilter())]


def test_an_empty_memory_that_is_off_says_so_and_offers_an_import(
    chatbot: Chatbot, valve: MakeChatbot
) -> None:
    valve(None, chatbot.settings.model_copy(update={"memory": "off"}))
    page = saved_answers()
    assert page.info[0].value.startswith("No saved answers yet.")
    assert "Saving answers is off" in page.warning[0].value
    assert page.get("file_uploader")


def test_answers_are_found_by_release_worth_and_words(chatbot: Chatbot) -> None:
    keep(chatbot.database, HOLD, reused=3)
    keep(chatbot.database, f"{HOLD} Exactly?", relevancy=1)
    keep(chatbot.database, LOG, score=0, origin=ScoreOrigin.THUMBS, rated_by="bob@example.org")
    keep(chatbot.database, LOG, release="1.0", suspended="reference.html changed")
    page = saved_answers()

    def column(name: str, **choices: str) -> list[Any]:
        for key, value in choices.items():
            kind = {"show": page.segmented_control, "words": page.text_input}.get(key)
            (kind or page.selectbox)(key=f"memory-{key}").set_value(value).run()
        return list(page.dataframe[0].value[name]) if page.dataframe else []

    asked = [f"1.0 · {LOG}", f"2.0 · {LOG}", f"2.0 · {HOLD} Exactly?", f"2.0 · {HOLD}"]
    assert column("Question") == asked
    assert column("Rated by", show="Good") == ["measured as 0.92 on 3 Nov 2026"]
    assert column("Reused", show="Not rated") == [3]
    assert column("Rated by", show="Poor") == ["rated poor by people who asked"]
    assert column("Question", words="pressure") == [f"2.0 · {LOG}"]
    assert column("Question", words="nothing like it") == []
    assert "No saved answer matches" in page.info[0].value
    assert column("Suspended because", words="", show="Suspended") == ["reference.html changed"]
    assert column("Release", show="All", product="valve", release="1.0") == ["valve 1.0"]
    assert [e.label for e in page.get("download_button")] == ["CSV"]


def test_an_opened_answer_shows_who_vouches_for_it_and_its_sources(chatbot: Chatbot) -> None:
    cited = asdict(chatbot.ask(QUESTION, afresh=True).content.citations[0])
    rated = {"rated_by": "ada@example.org", "origin": ScoreOrigin.RATING, "reused": 2}
    of = {"citations": (cited,), "suspended": "reference.html changed", **rated}
    page = opened(keep(chatbot.database, HOLD, "It is 45 s [1].", **of))
    for part in (
        ":green-badge[good]",
        "It is 45 s",
        "rated good by ada on 3 Nov 2026",
        "reused 2 times",
    ):
        assert part in shown(page)
    assert "reference\\.html changed" in page.warning[0].value
    press(page, "**1**")
    assert ":yellow-background[45]" in shown(page)
    press(page, "All saved answers")
    assert page.dataframe
    page = opened(999_999)
    assert "no saved answer 999999" in page.toast[0].value.replace("\\", "")
    assert "pair" not in page.query_params


def test_an_answer_is_edited_and_its_deletion_asks_once_more(chatbot: Chatbot) -> None:
    page = opened(keep(chatbot.database, HOLD, "It is 20 s [1]."))
    assert page.text_area[0].value == "It is 20 s."
    page.text_area[0].set_value("  ")
    assert errors(press(page, "Save")).startswith("The answer is empty")
    page.text_area[0].set_value("The default of hold_time is 45 s.")
    press(page, "Save")
    (after,) = kept(chatbot)
    assert (after.origin, "45 s" in after.answer["text"]) == ("curated", True)
    assert {citation["file"] for citation in after.answer["citations"]} == {"reference.html"}
    assert page.query_params["pair"] == str(after.id)
    press(page, "Delete …")
    assert kept(chatbot)

    def asked(pair: int) -> None:
        """The dialog, opened as if by its button."""
        from chatbot.accounts.people import LOCAL
        from chatbot.administration.overview import Overview, PairFilter
        from ui.review.saved_answer import retire
        from ui.serving import services

        for pair in Overview(services.whole().database, LOCAL).pairs(PairFilter()):
            retire(pair)

    press(run(AppTest.from_function(asked, args=(after.id,), default_timeout=30)), "Delete")
    assert not kept(chatbot)


def test_a_file_is_imported_and_what_is_left_out_is_told(chatbot: Chatbot) -> None:
    def imported(data: str) -> AppTest:
        page = saved_answers()
        page.selectbox(key="memory-product").set_value("valve").run()
        page.get("file_uploader")[0].set_value(("faq.csv", data.encode(), "text/csv"))
        return press(page, "Import")

    assert "faq.csv, line 1" in errors(imported("a,b\n1,2\n"))
    assert not kept(chatbot)
    lines = (f"{HOLD},The default of hold_time is 45 s.,2.0", "Which?,x,9.9", ",x,2.0")
    page = imported("\n".join(("question,answer,release", *lines)))
    assert [(pair.question, pair.origin) for pair in kept(chatbot)] == [(HOLD, "imported")]
    report = plain("\n".join(message.value for message in page.info))
    for part in ("faq.csv: 1 answer added, 1 with citations.", "Line 3 skipped", "Line 4 skipped"):
        assert part in report
    assert list(page.dataframe[0].value["Question"]) == [f"2.0 · {HOLD}"]


@pytest.mark.parametrize("name", ["question", "answer", "rated_by", "suspended"])
def test_hostile_text_is_shown_as_text(chatbot: Chatbot, name: str) -> None:
    payload = " ".join(PAYLOADS[1:12])
    given: dict[str, Any] = {"question": HOLD, "origin": ScoreOrigin.RATING, name: payload}
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

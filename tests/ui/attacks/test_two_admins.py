"""Two admins change one answer at once: what one wrote is neither lost nor replaced in silence."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.curation import Curation, ratings
from chatbot.administration.overview import Overview, PairFilter
from chatbot.assembly import Chatbot
from chatbot.errors import BadInput, UnknownPair
from tests.ui.conftest import SignIn
from tests.ui.memory_pairs import keep
from tests.ui.pages import button
from tests.ui.test_history_page import asked, open_history, review
from tests.ui.valve_corpus import QUESTION

ADA = Person("ada@example.org", "Ada", is_admin=True)
CYD = Person("cyd@example.org", "Cyd", is_admin=True)


def write(page: AppTest, label: str, text: str) -> None:
    next(area for area in page.text_area if area.label == label).set_value(text)


def written(page: AppTest, label: str) -> str:
    (text,) = (area.value for area in page.text_area if area.label == label)
    return str(text)


def kept(chatbot: Chatbot, turn: int, label: str) -> str:
    found = review(chatbot, turn)
    return str(found.note if label == "Note" else found.corrected_answer)


@pytest.mark.parametrize("second", ["Note", "Corrected answer"])
@pytest.mark.parametrize("first", ["Note", "Corrected answer"])
def test_two_who_review_one_answer_lose_nothing(
    chatbot: Chatbot, signed_in: SignIn, first: str, second: str
) -> None:
    turn = asked(chatbot, QUESTION)[0]
    pages = [open_history(turn), open_history(turn)]
    write(pages[0], first, "It is 45 s.")
    write(pages[1], second, "It is 46 s.")
    signed_in(ADA)
    button(pages[0], "Save")
    assert kept(chatbot, turn, first) == "It is 45 s."
    signed_in(CYD)
    button(pages[1], "Save")
    if first == second:
        (told,) = pages[1].error
        assert "ada" in told.value
        assert r"It is 45 s\." in told.value
        assert kept(chatbot, turn, first) == "It is 45 s."
        assert written(pages[1], second) == "It is 46 s."
        # Who has been told what is there may put their own in its place.
        button(pages[1], "Save")
    else:
        assert kept(chatbot, turn, first) == "It is 45 s."
        assert written(pages[1], first) == "It is 45 s."
    assert not pages[1].error
    assert kept(chatbot, turn, second) == "It is 46 s."


def answers(chatbot: Chatbot) -> list[str]:
    pairs = Overview(chatbot.database, LOCAL).pairs(PairFilter())
    return [pair.row.answer["value"] for pair in pairs]


def edits(chatbot: Chatbot) -> list[str]:
    entries = AuditLog(chatbot.database).page(LOCAL)[0]
    return [entry.person for entry in entries if entry.action == "edit answer"]


def test_an_answer_that_another_admin_edited_is_edited_by_nobody(chatbot: Chatbot) -> None:
    pair = keep(chatbot.database, QUESTION, "It is 20 s [1].")
    Curation(chatbot, ADA).edit(pair, "It is 45 s.")
    with pytest.raises(UnknownPair):
        Curation(chatbot, CYD).edit(pair, "It is 46 s.")
    assert answers(chatbot) == ["It is 45 s."]


class During:
    """Lets somebody else change something while an admin's change is on its way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._put = Curation._put
        self.other: Any = None
        monkeypatch.setattr(Curation, "_put", lambda *args, **options: self(*args, **options))

    def __call__(self, curation: Curation, *args: Any, **options: Any) -> Any:
        other, self.other = self.other, None
        if other:
            other()
        return self._put(curation, *args, **options)


def test_of_two_who_edit_an_answer_at_once_one_is_told(
    chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = keep(chatbot.database, QUESTION, "It is 20 s [1].")
    during = During(monkeypatch)
    during.other = lambda: Curation(chatbot, CYD).edit(pair, "It is 46 s.")
    with pytest.raises(BadInput, match="is curated already and stays"):
        Curation(chatbot, ADA).edit(pair, "It is 45 s.")
    assert answers(chatbot) == ["It is 46 s."]
    assert edits(chatbot) == [CYD.id]


def test_of_two_who_correct_an_answer_at_once_people_get_what_the_review_says(
    chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(chatbot, QUESTION)[0]
    during = During(monkeypatch)
    late = ratings(chatbot)
    during.other = lambda: late.change(CYD, turn, corrected_answer="It is 46 s.")
    ratings(chatbot).change(ADA, turn, corrected_answer="It is 45 s.")
    assert review(chatbot, turn).corrected_answer == "It is 46 s."
    assert answers(chatbot) == ["It is 46 s."]

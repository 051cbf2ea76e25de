"""What admins do with saved answers: look, edit, retire."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.curation import LONGEST_ANSWER, Curation
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter, Worth
from chatbot.errors import BadInput, NotAllowed, UnknownPair
from chatbot.settings import Settings
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from tests.chatbot.made_memory import suspend
from tests.chatbot.memory_bots import Bot, remembering

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
ROWS = (
    FaqRow(1, "lamp", "2.0", "How bright is the lamp?", "It gives 800 lumen."),
    FaqRow(2, "lamp", "2.0", "How much power does the lamp draw?", "12 W", score=0.9),
    FaqRow(3, "lamp", "2.0", "What is the default of dim_step?", "7 %", score=0.2),
)


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    """A memory with three imported answers of release 2.0."""
    bot = remembering(lamp_settings, tmp_path)
    Exchange(bot.chatbot, ADA).bring_in(FaqFile("faq", ROWS))
    yield bot
    bot.close()


@pytest.fixture
def curation(bot: Bot) -> Curation:
    return Curation(bot.chatbot, ADA)


def test_an_edited_answer_is_curated_and_rests_on_the_pages_of_today(
    bot: Bot, curation: Curation
) -> None:
    wrong = bot.pairs[2]
    assert (wrong.store, wrong.answer["citations"]) == ("low", [])
    suspend(bot.chatbot.database, wrong.id)
    row = curation.edit(wrong.id, "5 % [3]").row
    assert (row.store, row.origin, row.score, row.suspended) == ("high", "curated", 1.0, "")
    assert (row.question, row.rated_by) == (wrong.question, ADA.id)
    assert (row.answer["text"], row.answer["value"]) == ("5 % [1]", "5 %")
    assert "The default of dim_step is 5 %." in row.answer["citations"][0]["quote"]
    curation.retire(row.id)
    assert row.id not in [pair.id for pair in bot.pairs]
    for gone in (curation.retire, lambda pair: curation.edit(pair, "x")):
        with pytest.raises(UnknownPair):
            gone(row.id)
    (retired, edited, *_) = AuditLog(bot.chatbot.database).page(ADA)[0]
    assert retired.action == "retire answer"
    assert (edited.person, edited.action, edited.subject) == (ADA.id, "edit answer", "lamp 2.0")
    # The log is kept for good, and holds no words of anybody.
    assert edited.details == {"pair": wrong.id, "characters": 3, "citations": 1}


def test_an_answer_that_cannot_be_kept_changes_nothing(bot: Bot, curation: Curation) -> None:
    before = [(pair.id, pair.answer) for pair in bot.pairs]
    pair = bot.pairs[0].id
    with pytest.raises(BadInput, match="The answer is empty"):
        curation.edit(pair, " [1] ")
    with pytest.raises(BadInput, match="the limit is 20,000: shorten it"):
        curation.edit(pair, "x" * (LONGEST_ANSWER + 1))
    administration = ReleaseAdministration(bot.chatbot.database)
    administration.change_release("lamp", "2.0", ReleaseSettings(hidden=True))
    with pytest.raises(BadInput, match="There is no documentation of lamp"):
        curation.edit(pair, "It gives light.")
    assert [(pair.id, pair.answer) for pair in bot.pairs] == before


def test_only_admins_see_the_memory_filtered(bot: Bot) -> None:
    user = Person("user@example.org", "User", is_admin=False)
    for refused in (Curation, Exchange, lambda chatbot, by: Overview(chatbot.database, by)):
        with pytest.raises(NotAllowed):
            refused(bot.chatbot, user)
    overview = Overview(bot.chatbot.database, ADA)
    suspend(bot.chatbot.database, bot.pairs[1].id)
    for wanted, number in (
        (PairFilter(), 3),
        (PairFilter(worth=Worth.GOOD), 1),
        (PairFilter(worth=Worth.POOR), 1),
        (PairFilter(worth=Worth.SUSPENDED), 1),
        (PairFilter(words="DIM_STEP"), 1),
        (PairFilter(words="100%"), 0),
        (PairFilter(ReleaseFilter("lamp", "1.0")), 0),
    ):
        assert overview.count(wanted) == len(overview.pairs(wanted)) == number
    newest = [pair.row.id for pair in overview.pairs(PairFilter(), offset=1, limit=2)]
    assert newest == [pair.id for pair in bot.pairs][1::-1]
    assert [p.row.id for p in overview.every(PairFilter())] == [p.id for p in bot.pairs]

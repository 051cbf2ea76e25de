from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.curation import LONGEST_ANSWER, Curation, Rebuilt
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import parse_faq
from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter, Worth
from chatbot.errors import BadInput, NotAllowed, UnknownPair
from chatbot.memory.pairs import ScoreOrigin, Store
from chatbot.settings import Settings
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
from tests.chatbot.memory_bots import Bot, remembering

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
USER = Person("user@example.org", "User", is_admin=False)

QUESTIONS = (
    ("How bright is the lamp?", "It gives 800 lumen.", 1.0),
    ("How much power does the lamp draw?", "12 W", 0.9),
    ("What is the default of dim_step?", "7 %", 0.2),
)


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    """A memory with three imported answers of release 2.0."""
    bot = remembering(lamp_settings, tmp_path)
    data = "\n".join(
        json.dumps({"question": q, "answer": a, "score": s, "release": "2.0"})
        for q, a, s in QUESTIONS
    )
    Exchange(bot.chatbot, ADA).bring_in(parse_faq(data.encode(), "faq.jsonl", "lamp"))
    yield bot
    bot.close()


@pytest.fixture
def curation(bot: Bot) -> Curation:
    return Curation(bot.chatbot, ADA)


@pytest.fixture
def overview(bot: Bot) -> Overview:
    return Overview(bot.chatbot.database, ADA)


def test_an_edited_answer_is_curated_and_rests_on_the_pages_of_today(
    bot: Bot, curation: Curation, overview: Overview
) -> None:
    wrong = bot.pairs[2]
    assert (wrong.store, wrong.answer["citations"]) == ("low", [])
    edited = curation.edit(wrong.id, "5 % [3]")
    row, answer = edited.row, edited.row.answer
    assert (row.store, row.origin, row.score) == (Store.HIGH, ScoreOrigin.CURATED, 1.0)
    assert (row.question, row.rated_by) == (wrong.question, ADA.id)
    assert (answer["text"], answer["value"]) == ("5 % [1]", "5 %")
    assert "The default of dim_step is 5 %." in answer["citations"][0]["quote"]
    with bot.chatbot.database.reading() as session:
        assert session.get(MemoryPageRow, (row.id, 0)) is not None
    with pytest.raises(UnknownPair):
        overview.pair(wrong.id)
    (entry, *_) = AuditLog(bot.chatbot.database).page(LOCAL)[0]
    assert (entry.person, entry.action, entry.subject) == (ADA.id, "edit answer", "lamp 2.0")
    # The log is kept for good, and holds no words of anybody.
    assert entry.details == {"pair": wrong.id, "characters": 3, "citations": 1}


def test_an_answer_that_cannot_be_kept_changes_nothing(bot: Bot, curation: Curation) -> None:
    before = [(pair.id, pair.answer) for pair in bot.pairs]
    pair = bot.pairs[0].id
    with pytest.raises(BadInput, match="The answer is empty"):
        curation.edit(pair, " [1] ")
    with pytest.raises(BadInput, match="the limit is 20,000: shorten it"):
        curation.edit(pair, "x" * (LONGEST_ANSWER + 1))
    ReleaseAdministration(bot.chatbot.database).change_release(
        "lamp", "2.0", ReleaseSettings(hidden=True)
    )
    with pytest.raises(BadInput, match="There is no documentation of lamp"):
        curation.edit(pair, "It gives light.")
    assert [(pair.id, pair.answer) for pair in bot.pairs] == before
    assert AuditLog(bot.chatbot.database).page(LOCAL)[0][0].action == "import answers"


def test_a_promoted_answer_is_in_the_high_store_and_outdone_by_no_measure(
    bot: Bot, curation: Curation
) -> None:
    pair = bot.pairs[2]
    promoted = curation.promote(pair.id).row
    assert (promoted.id, promoted.store, promoted.origin) == (
        pair.id,
        Store.HIGH,
        ScoreOrigin.CURATED,
    )
    assert (promoted.score, promoted.rated_by) == (1.0, ADA.id)
    assert promoted.rated is not None
    assert AuditLog(bot.chatbot.database).page(LOCAL)[0][0].action == "promote answer"


def test_a_suspended_answer_is_edited_and_not_promoted(bot: Bot, curation: Curation) -> None:
    pair = bot.pairs[0].id
    with bot.chatbot.database.writing() as session:
        session.get_one(MemoryPairRow, pair).suspended = "the page 1 of it has changed"
    with pytest.raises(BadInput, match="This answer is suspended: the page 1 of it has changed"):
        curation.promote(pair)
    edited = curation.edit(pair, "The lamp gives 800 lumen.").row
    assert (edited.suspended, len(edited.answer["citations"])) == ("", 1)


def test_a_retired_answer_is_gone(bot: Bot, curation: Curation) -> None:
    pair = bot.pairs[1].id
    curation.retire(pair)
    assert pair not in [p.id for p in bot.pairs]
    assert AuditLog(bot.chatbot.database).page(LOCAL)[0][0].action == "retire answer"
    for gone in (curation.promote, curation.retire):
        with pytest.raises(UnknownPair):
            gone(pair)
    with pytest.raises(UnknownPair):
        curation.edit(pair, "x")


def test_stores_are_built_again_by_the_settings_of_today(
    bot: Bot, curation: Curation, overview: Overview
) -> None:
    with bot.chatbot.database.writing() as session:
        row = session.get_one(MemoryPairRow, bot.pairs[0].id)
        row.embedding, row.vector = "an older one", np.full(4, 0.5, "<f4").tobytes()
    told: list[tuple[str, int, int]] = []
    assert curation.rebuild(ReleaseFilter("lamp"), lambda *done: told.append(done)) == (
        Rebuilt("lamp", "2.0", 3, 3),
    )
    assert told[-1] == ("lamp 2.0", 3, 3)
    assert len({pair.embedding for pair in bot.pairs}) == 1
    (figures,) = overview.releases()
    assert (figures.good, figures.poor) == (2, 1)
    assert AuditLog(bot.chatbot.database).page(LOCAL)[0][0].action == "rebuild memory"
    assert curation.rebuild(ReleaseFilter("lamp", "1.0")) == ()


def test_nobody_but_an_admin_sees_or_changes_anything(bot: Bot) -> None:
    for refused in (
        lambda: Curation(bot.chatbot, USER),
        lambda: Overview(bot.chatbot.database, USER),
        lambda: Exchange(bot.chatbot, USER),
    ):
        with pytest.raises(NotAllowed):
            refused()


def test_the_overview_counts_and_filters(bot: Bot, overview: Overview) -> None:
    bot.ask("How bright is the lamp in 2.0?")
    (figures,) = overview.releases(ReleaseFilter("lamp"))
    assert (figures.product, figures.release, figures.pairs) == ("lamp", "2.0", len(bot.pairs))
    assert (figures.good, figures.unrated, figures.poor) == (2, len(bot.pairs) - 3, 1)
    assert overview.count(PairFilter(worth=Worth.POOR)) == 1
    assert overview.count(PairFilter(words="DIM_STEP")) == 1
    assert overview.count(PairFilter(words="100%")) == 0
    assert overview.count(PairFilter(worth=Worth.SUSPENDED)) == 0
    assert overview.pairs(PairFilter(ReleaseFilter("lamp", "1.0"))) == ()
    first, second = (overview.pairs(PairFilter(), offset=i, limit=1)[0] for i in (0, 1))
    assert first.row.id > second.row.id
    assert [p.row.id for p in overview.every(PairFilter())] == [p.id for p in bot.pairs]
    assert overview.usage() == (1, 1)

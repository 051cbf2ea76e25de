"""The memory in the chain: what is reused, referred to, avoided, remembered and forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from chatbot.accounts.people import LOCAL
from chatbot.administration.curation import ratings
from chatbot.conversations.personal_data import delete_person
from chatbot.memory.prompting import REJECTED
from chatbot.memory.scoring import is_vouched
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.database.memory_tables import MemoryPairRow
from corpora.errors import DatabaseFull
from tests.chatbot.conftest import GUIDE, RELEASES
from tests.chatbot.memory_bots import KEPT, LOG, LOG_AGAIN, MakeBot, bots, remembering, says

pytestmark = pytest.mark.database

LOG_BEFORE = "How long is the event log kept in 17.10?"
RELATED = "How long does the relay keep events?"
UP, DOWN = 1, -1
KEPT_SO = KEPT.removesuffix(".")
"""As an answer begins, before the mark of its citation."""
WRONG = "The relay keeps its event log for 300."


@pytest.fixture
def bot(relay_settings: Settings, tmp_path: Path) -> Iterator[MakeBot]:
    with bots(relay_settings, tmp_path) as make:
        yield make


def prompt_of(model: ScriptedChatModel) -> str:
    return model.calls[-1].messages[-1][1]


def test_a_question_asked_again_in_the_same_words_gets_the_same_answer(bot: MakeBot) -> None:
    model = says(KEPT)
    asked = bot(model=model)
    first, second = asked.ask(LOG).content, asked.ask(LOG_AGAIN).content
    assert (first.route, second.route) == ("documents", "reuse")
    assert (second.answer, second.citations) == (first.answer, first.citations)
    assert (second.release, second.model_calls, len(model.calls)) == ("17.20", 0, 1)
    assert asked.pair.reused == 1


def test_a_release_is_a_wall(bot: MakeBot) -> None:
    asked = bot()
    asked.ask(LOG)
    other = asked.ask(LOG_BEFORE)
    assert other.content.route == "documents"
    assert other.turn.recollection is not None
    assert other.turn.recollection.good == ()
    assert {c.release for c in other.content.citations} == {"17.10"}
    assert len({pair.release_id for pair in asked.pairs}) == 2


def test_what_asks_for_another_thing_is_not_reused(bot: MakeBot) -> None:
    asked = bot()
    one, two = ("What rate has port XF-1 in 17.20?", "What rate has port XF-2 in 17.20?")
    asked.ask(one)
    other = asked.ask(two).content
    assert (other.route, "100 Gbit/s" in other.answer) == ("documents", True)
    assert "100 Gbit/s" not in asked.ask(one).content.answer


def test_who_asks_afresh_compares_or_switches_it_off_knows_no_memory(bot: MakeBot) -> None:
    asked = bot(KEPT, KEPT, "1 Gbit/s", "10 Gbit/s")
    asked.ask(LOG)
    again = asked.ask(LOG, afresh=True)
    assert (again.content.route, again.turn.recollection) == ("documents", None)
    # Its answer competes with the one before: it is the same, which stays.
    assert len(asked.pairs) == 1
    compared = asked.ask("What rate has port XF-1: 17.10 vs 17.20?")
    assert compared.content.route == "compare"
    assert all(side.recollection is None for side in compared.turn.sides)
    off = bot(memory="off")
    off.ask(LOG)
    assert (off.ask(LOG).content.route, off.pairs) == ("documents", [])


@pytest.mark.parametrize(
    "changed",
    [{"suspended": "the page has changed"}, {"release_id": 1}, {"embedding": "another model"}],
)
def test_a_pair_that_may_not_be_used_is_not(bot: MakeBot, changed: dict[str, Any]) -> None:
    asked = bot()
    asked.ask(LOG)
    with asked.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(**changed))
    assert asked.ask(LOG).content.route == "documents"


def test_an_answer_follows_the_page_it_cites(tmp_path: Path, bot: MakeBot) -> None:
    asked = bot()
    asked.ask(LOG)
    source = tmp_path / "moved"
    source.mkdir()
    # Sections of more than a page, so that what follows has another number.
    preface = "\n\n".join(f"# Part {n}\n\n{'A relay needs a dry place. ' * 150}" for n in (1, 2))
    (source / "guide.md").write_text(GUIDE.format(**RELEASES["17.20"]), "utf-8")
    (source / "preface.md").write_text(preface, "utf-8")
    chatbot = asked.chatbot
    builder = Builder(chatbot.database, chatbot.settings.data_dir, chatbot.embedder)
    builder.ingest([source], product="relay", release="17.20")
    again = asked.ask(LOG).content
    assert again.route == "reuse"
    corpus = chatbot.corpora.corpus("relay", "17.20")
    for citation in again.citations:
        page = corpus.page(citation.page_id)
        assert page.document.id in {document.id for document in corpus.documents()}
        assert (citation.quote in page.text, page.number) == (True, citation.page)


@pytest.mark.parametrize("says_more", [KEPT, "I don't know"])
def test_a_good_answer_to_a_similar_question_stands_in_the_prompt(
    bot: MakeBot, says_more: str
) -> None:
    model = says(says_more)
    asked = bot(model=model)
    asked.answered_before(RELATED, "30 days")
    reply = asked.ask(LOG).content
    assert "<answered>" in prompt_of(model)
    assert "→ 30 days" in prompt_of(model)
    # No note of help stands above a refusal.
    helped = ("reference", "reference") if says_more == KEPT else ("reference", None)
    assert (reply.route, reply.memory.role) == helped


def test_what_stands_in_no_document_is_not_answered_with(bot: MakeBot) -> None:
    asked = bot("42 weeks")
    asked.answered_before(RELATED, "42 weeks")
    reply = asked.ask(LOG)
    assert reply.turn.recollection is not None
    assert [pair.value for pair in reply.turn.recollection.good] == ["42 weeks"]
    assert "42" not in reply.content.answer
    assert "30 days" in reply.content.answer


def test_a_bad_answer_is_avoided_and_another_one_takes_its_place(bot: MakeBot) -> None:
    model = says(WRONG, WRONG, KEPT)
    asked = bot(model=model)
    asked.think(asked.ask(LOG), DOWN)
    assert (asked.pair.store, asked.pair.origin) == ("low", "thumbs")
    refused = asked.ask(LOG_AGAIN).content
    assert "<rejected>" in prompt_of(model)
    assert (refused.abstained, refused.warnings, refused.memory.role) == (True, (REJECTED,), None)
    right = asked.ask(LOG).content
    assert (right.memory.role, right.answer[: len(KEPT_SO)]) == ("avoid", KEPT_SO)
    assert asked.ask(LOG).content.route == "reuse"


def test_what_nobody_rated_lends_nothing_to_other_questions(bot: MakeBot) -> None:
    model = says(KEPT)
    asked = bot(model=model)
    asked.ask(LOG)
    assert not is_vouched(asked.pair)
    other = asked.ask(f"{RELATED} (17.20)").content
    assert "<answered>" not in prompt_of(model)
    assert "<rejected>" not in prompt_of(model)
    assert other.route == "documents"
    assert asked.ask(LOG).content.route == "reuse"


@pytest.mark.parametrize(
    ("question", "model"),
    [
        (LOG, "I don't know"),
        (LOG, "42 weeks"),
        (LOG, f"{KEPT} Alarms stay for 42 weeks."),
        ("How do I turn on warp_drive in 17.20?", "never asked"),
        ("Which releases of relay are there?", "never asked"),
        ("Which rate does XF-1 have in relay 16.40?", "never asked"),
        (f"How long is the event log kept in 17.20? {'I wonder. ' * 60}", "30 days"),
    ],
)
def test_what_is_no_answer_to_reuse_is_not_remembered(
    bot: MakeBot, question: str, model: str
) -> None:
    asked = bot(model)
    asked.ask(question)
    assert asked.pairs == []


def test_passages_for_want_of_a_model_are_not_remembered(
    relay_settings: Settings, tmp_path: Path
) -> None:
    asked = remembering(relay_settings, tmp_path)
    assert asked.ask(LOG).turn.answer is not None
    assert asked.pairs == []
    asked.close()


def test_a_failure_to_remember_disturbs_no_answer(
    bot: MakeBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise DatabaseFull("no room")

    monkeypatch.setattr("chatbot.memory.stores.stores.Stores.add", fail)
    asked = bot()
    assert asked.ask(LOG).content.answer.startswith(KEPT_SO)
    assert (asked.pairs, "no room" in caplog.text) == ([], True)


def test_people_say_how_good_an_answer_is_and_take_it_back(bot: MakeBot) -> None:
    asked = bot()
    reply = asked.ask(LOG)
    assert reply.kept_as is not None
    before, rate = asked.pair, ratings(asked.chatbot).change

    def found() -> tuple[str, float, str, str]:
        return asked.pair.store, asked.pair.score, asked.pair.origin, asked.pair.rated_by

    asked.think(reply, UP)
    assert found() == ("high", 1.0, "thumbs", "")
    asked.think(reply, DOWN)
    assert found() == ("low", 0.0, "thumbs", "")
    rate(LOCAL, reply.kept_as, rating="good")
    assert found() == ("high", 1.0, "rating", "local")
    rate(LOCAL, reply.kept_as, rating="incomplete")
    assert found() == ("low", 0.0, "rating", "local")
    rate(LOCAL, reply.kept_as, rating="")
    assert found() == ("low", 0.0, "thumbs", "")
    asked.think(reply, 0)
    assert found() == (before.store, before.score, "measured", "")


def test_a_deleted_conversation_or_person_is_forgotten(bot: MakeBot) -> None:
    asked = bot()
    asked.ask(LOG_BEFORE, owner="ada@example.org")
    reply = asked.ask(LOG)
    assert reply.conversation is not None
    delete_person(asked.chatbot.database, "ada@example.org")
    assert len(asked.pairs) == 1
    asked.chatbot.conversations.delete(reply.conversation)
    assert asked.pairs == []
    assert asked.ask(LOG).content.route == "documents"

"""The memory in the chain: what is reused, referred to, avoided, remembered and forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from chatbot.conversations.personal_data import delete_person
from chatbot.memory.prompting import REJECTED
from chatbot.memory.scoring import is_vouched
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.database.memory_tables import MemoryPairRow
from corpora.errors import DatabaseFull
from tests.chatbot.conftest import GUIDE, RELEASES
from tests.chatbot.memory_bots import KEPT, LOG, LOG_AGAIN, MakeBot, remembering, says

pytestmark = pytest.mark.database

LOG_BEFORE = "How long is the event log kept in 17.10?"
RELATED = "How long does the relay keep events?"
UP, DOWN = 1, -1
KEPT_SO = KEPT.removesuffix(".")
"""As an answer begins, before the mark of its citation."""
WRONG = "The relay keeps its event log for 300."


def prompt_of(model: ScriptedChatModel) -> str:
    return model.calls[-1].messages[-1][1]


def test_a_question_asked_again_in_the_same_words_gets_the_same_answer(remember: MakeBot) -> None:
    model = says(KEPT)
    asked = remember(model)
    first, second = asked.ask(LOG).content, asked.ask(LOG_AGAIN).content
    assert (first.route, second.route) == ("documents", "reuse")
    assert (second.answer, second.citations) == (first.answer, first.citations)
    assert (second.release, second.model_calls, len(model.calls)) == ("17.20", 0, 1)
    assert asked.pair.reused == 1


def test_a_release_is_a_wall_and_so_is_another_thing(remember: MakeBot) -> None:
    asked = remember()
    asked.ask(LOG)
    other = asked.ask(LOG_BEFORE)
    assert (other.content.route, {c.release for c in other.content.citations}) == (
        "documents",
        {"17.10"},
    )
    assert other.turn.recollection is not None
    assert other.turn.recollection.good == ()
    assert len({pair.release_id for pair in asked.pairs}) == 2
    asked.ask("What rate has port XF-1 in 17.20?")
    other = asked.ask("What rate has port XF-2 in 17.20?")
    assert (other.content.route, "100 Gbit/s" in other.content.answer) == ("documents", True)


def test_who_asks_afresh_compares_or_switches_it_off_knows_no_memory(remember: MakeBot) -> None:
    asked = remember(KEPT, KEPT, "1 Gbit/s", "10 Gbit/s")
    asked.ask(LOG)
    again = asked.ask(LOG, afresh=True)
    assert (again.content.route, again.turn.recollection) == ("documents", None)
    # Its answer competes with the one before: it is the same, which stays.
    assert len(asked.pairs) == 1
    compared = asked.ask("What rate has port XF-1: 17.10 vs 17.20?")
    assert compared.content.route == "compare"
    assert all(side.recollection is None for side in compared.turn.sides)
    off = remember(memory="off")
    off.ask(LOG)
    assert (off.ask(LOG).content.route, off.pairs) == ("documents", [])


@pytest.mark.parametrize(
    "changed",
    [{"suspended": "the page has changed"}, {"release_id": 1}, {"embedding": "another model"}],
)
def test_a_pair_that_may_not_be_used_is_not(remember: MakeBot, changed: dict[str, Any]) -> None:
    asked = remember()
    asked.ask(LOG)
    with asked.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(**changed))
    assert asked.ask(LOG).content.route == "documents"


def test_an_answer_follows_the_page_it_cites(tmp_path: Path, remember: MakeBot) -> None:
    asked = remember()
    asked.ask(LOG)
    (source := tmp_path / "moved").mkdir()
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


@pytest.mark.parametrize(
    ("says_more", "saved", "in_answer", "role"),
    [
        (KEPT, "30 days", "30 days", "reference"),
        # No note of help stands above a refusal.
        ("I don't know", "30 days", "", None),
        # What stands in no document is not answered with.
        ("42 weeks", "42 weeks", "30 days", "reference"),
    ],
)
def test_a_good_answer_to_a_similar_question_stands_in_the_prompt(
    remember: MakeBot, says_more: str, saved: str, in_answer: str, role: str | None
) -> None:
    model = says(says_more)
    asked = remember(model)
    asked.answered_before(RELATED, saved)
    reply = asked.ask(LOG).content
    assert f"<answered>\n{RELATED} → {saved}" in prompt_of(model)
    assert (reply.route, reply.memory.role) == ("reference", role)
    assert in_answer in reply.answer
    assert "42" not in reply.answer


def test_a_bad_answer_is_avoided_and_another_one_takes_its_place(remember: MakeBot) -> None:
    model = says(WRONG, WRONG, KEPT)
    asked = remember(model)
    asked.think(asked.ask(LOG), DOWN)
    assert (asked.pair.store, asked.pair.origin) == ("low", "thumbs")
    refused = asked.ask(LOG_AGAIN).content
    assert "<rejected>" in prompt_of(model)
    assert (refused.abstained, refused.warnings, refused.memory.role) == (True, (REJECTED,), None)
    right = asked.ask(LOG).content
    assert (right.memory.role, right.answer[: len(KEPT_SO)]) == ("avoid", KEPT_SO)
    assert asked.ask(LOG).content.route == "reuse"


def test_what_nobody_rated_lends_nothing_to_other_questions(remember: MakeBot) -> None:
    model = says(KEPT)
    asked = remember(model)
    asked.ask(LOG)
    assert not is_vouched(asked.pair)
    other = asked.ask(f"{RELATED} (17.20)").content
    assert not [tag for tag in ("<answered>", "<rejected>") if tag in prompt_of(model)]
    assert other.route == "documents"
    assert asked.ask(LOG).content.route == "reuse"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (LOG, "I don't know"),
        (LOG, "42 weeks"),
        (LOG, f"{KEPT} Alarms stay for 42 weeks."),
        ("How do I turn on warp_drive in 17.20?", "never asked"),
        ("Which releases of relay are there?", "never asked"),
        ("Which rate does XF-1 have in relay 16.40?", "never asked"),
    ],
)
def test_what_is_no_answer_to_reuse_is_not_remembered(
    remember: MakeBot, question: str, said: str
) -> None:
    asked = remember(said)
    asked.think(asked.ask(question), UP)
    assert asked.pairs == []


def test_passages_for_want_of_a_model_are_not_remembered(
    relay_settings: Settings, tmp_path: Path
) -> None:
    asked = remembering(relay_settings, tmp_path)
    assert asked.ask(LOG).turn.answer is not None
    assert asked.pairs == []
    asked.close()


def test_a_failure_of_the_memory_disturbs_no_answer(
    remember: MakeBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise DatabaseFull("no room")

    for what in ("add", "refresh"):
        monkeypatch.setattr(f"chatbot.memory.stores.stores.Stores.{what}", fail)
    asked = remember()
    assert asked.ask(LOG).content.answer.startswith(KEPT_SO)
    assert (asked.pairs, caplog.text.count("no room") >= 2) == ([], True)


def test_people_say_how_good_an_answer_is_and_take_it_back(remember: MakeBot) -> None:
    asked = remember()
    reply = asked.ask(LOG)
    before = asked.pair
    for said, found in (
        (UP, ("high", 1.0, "thumbs", "")),
        (DOWN, ("low", 0.0, "thumbs", "")),
        ("good", ("high", 1.0, "rating", "local")),
        ("incomplete", ("low", 0.0, "rating", "local")),
        ("", ("low", 0.0, "thumbs", "")),
        (0, (before.store, before.score, "measured", "")),
    ):
        if isinstance(said, str):
            asked.review(reply, rating=said)
        else:
            asked.think(reply, said)
        pair = asked.pair
        assert (pair.store, pair.score, pair.origin, pair.rated_by) == found


def test_a_deleted_conversation_or_person_is_forgotten(remember: MakeBot) -> None:
    asked = remember()
    asked.ask(LOG_BEFORE, owner="ada@example.org")
    reply = asked.ask(LOG)
    delete_person(asked.chatbot.database, "ada@example.org")
    assert len(asked.pairs) == 1
    asked.chatbot.conversations.delete(reply.conversation or "")
    assert asked.pairs == []
    assert asked.ask(LOG).content.route == "documents"

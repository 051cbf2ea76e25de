"""The memory in the chain: what is reused, referred to, avoided, remembered and forgotten."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from sqlalchemy import update

from chatbot.accounts.people import LOCAL
from chatbot.administration.curation import ratings
from chatbot.conversations.personal_data import delete_person
from chatbot.memory.background_worker import BACKGROUND
from chatbot.memory.pairs import NewPair, Score, ScoreOrigin
from chatbot.memory.prompting import REJECTED
from chatbot.memory.recall import is_vouched
from chatbot.memory.scoring.measuring import Measured
from chatbot.settings import Settings
from chatbot.turn import Recollection
from corpora.building.building import Builder
from corpora.catalog.catalog import require_release
from corpora.database.memory_tables import MemoryPairRow
from tests.chatbot.conftest import GUIDE, RELEASES
from tests.chatbot.memory_bots import KEPT, LOG, LOG_AGAIN, Bot, remembering, says

pytestmark = pytest.mark.database

MakeBot = Callable[..., Bot]
LOG_BEFORE = "How long is the event log kept in 17.10?"
RELATED = "How long does the relay keep events?"
XF1, XF2 = "What rate has port XF-1 in 17.20?", "What rate has port XF-2 in 17.20?"
UP, DOWN = 1, -1
KEPT_SO = KEPT.removesuffix(".")
"""As an answer begins, before the mark of its citation."""
WRONG = "The relay keeps its event log for 300."


@pytest.fixture
def bot(relay_settings: Settings, tmp_path: Path) -> Iterator[MakeBot]:
    """Makes a chatbot that remembers, from a model and other settings."""
    made: list[Bot] = []

    def make(model: BaseChatModel | None = None, **options: Any) -> Bot:
        folder = tmp_path / str(len(made))
        made.append(remembering(relay_settings, folder, model or says(KEPT), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


# Reuse


def test_a_question_asked_again_in_other_words_gets_the_same_answer(bot: MakeBot) -> None:
    model = says(KEPT)
    asked = bot(model)
    first, second = asked.ask(LOG), asked.ask(LOG_AGAIN)
    assert (first.content.route, second.content.route) == ("documents", "reuse")
    assert second.content.answer == first.content.answer
    assert second.content.citations == first.content.citations
    assert second.content.release == "17.20"
    assert len(model.calls) == 1
    assert second.content.model_calls == 0
    assert "context_retrieval" not in second.content.timings


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
    asked.ask(XF1)
    other = asked.ask(XF2)
    assert other.content.route == "documents"
    assert "100 Gbit/s" in other.content.answer
    assert "100 Gbit/s" not in asked.ask(XF1).content.answer


def test_a_turn_asked_afresh_knows_no_memory(bot: MakeBot) -> None:
    model = says(KEPT)
    asked = bot(model)
    asked.ask(LOG)
    again = asked.ask(LOG, afresh=True)
    assert again.content.route == "documents"
    assert again.turn.recollection is None
    assert len(model.calls) == 2
    # Its answer competes with the one before: it is the same, which stays.
    assert len(asked.pairs) == 1


def test_the_settings_leave_it_out(bot: MakeBot) -> None:
    asked = bot(memory="off")
    asked.ask(LOG)
    again = asked.ask(LOG)
    assert again.content.route == "documents"
    assert "memory" not in again.content.timings
    assert asked.pairs == []


def test_a_comparison_asks_the_documents(bot: MakeBot) -> None:
    asked = bot(says(KEPT, "1 Gbit/s", "10 Gbit/s"))
    asked.ask(LOG)
    compared = asked.ask("What rate has port XF-1: 17.10 vs 17.20?")
    assert compared.content.route == "compare"
    assert all(side.recollection is None for side in compared.turn.sides)
    assert len(asked.pairs) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"suspended": "the page has changed"},
        {"release_id": 1},
    ],
)
def test_a_pair_that_may_not_be_used_is_not(bot: MakeBot, changed: dict[str, Any]) -> None:
    asked = bot()
    asked.ask(LOG)
    with asked.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(**changed))
    again = asked.ask(LOG)
    assert again.content.route == "documents"


def test_another_embedding_says_nothing_of_how_near_a_question_is(bot: MakeBot) -> None:
    asked = bot()
    first = asked.ask(LOG)
    recall = asked.chatbot.memory.recall
    assert recall.recall(first.turn).reused is not None
    with asked.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(embedding="another model"))
    assert recall.recall(first.turn) == Recollection()


def test_an_answer_follows_the_page_it_cites(tmp_path: Path, bot: MakeBot) -> None:
    asked = bot()
    asked.ask(LOG)
    before = asked.pair.answer["citations"][0]
    source = tmp_path / "moved"
    source.mkdir()
    text = GUIDE.format(**RELEASES["17.20"])
    # Sections of more than a page, so that what follows has another number.
    preface = "\n\n".join(
        f"# Part {part}\n\n" + "A relay needs a dry place. " * 150 for part in range(2)
    )
    (source / "guide.md").write_text(text, "utf-8")
    (source / "preface.md").write_text(preface, "utf-8")
    chatbot = asked.chatbot
    Builder(chatbot.database, chatbot.settings.data_dir, chatbot.embedder).ingest(
        [source], product="relay", release="17.20"
    )
    again = asked.ask(LOG)
    assert again.content.route == "reuse"
    corpus = chatbot.corpora.corpus("relay", "17.20")
    serving = {document.id for document in corpus.documents()}
    for citation in again.content.citations:
        page = corpus.page(citation.page_id)
        assert page.document.id in serving
        assert citation.quote in page.text
        assert (page.number, page.document.file) == (citation.page, before["file"])


# References and what to avoid


def test_a_good_answer_to_a_similar_question_stands_in_the_prompt(bot: MakeBot) -> None:
    model = says(KEPT)
    asked = bot(model)
    keep(asked, RELATED, "30 days")
    reply = asked.ask(LOG)
    prompt = model.calls[-1].messages[-1][1]
    assert "<answered>" in prompt
    assert "→ 30 days" in prompt
    assert reply.content.route == "reference"
    assert reply.content.memory.role == "reference"
    assert "reference" in asked.uses(reply).values()


def test_what_stands_in_no_document_is_not_answered_with(bot: MakeBot) -> None:
    asked = bot(says("42 weeks"))
    keep(asked, RELATED, "42 weeks")
    reply = asked.ask(LOG)
    assert reply.turn.recollection is not None
    assert [pair.value for pair in reply.turn.recollection.good] == ["42 weeks"]
    assert "42" not in reply.content.answer
    assert "30 days" in reply.content.answer


def test_an_answer_that_was_called_bad_is_not_given_again(bot: MakeBot) -> None:
    model = says(KEPT)
    asked = bot(model)
    first = asked.ask(LOG)
    asked.think(first, DOWN)
    assert asked.pair.store == "low"
    again = asked.ask(LOG_AGAIN)
    prompt = model.calls[-1].messages[-1][1]
    assert "<rejected>" in prompt
    assert again.content.route == "documents"
    # The passage that could be shown instead says the same: this is no new answer.
    assert again.content.memory.role is None
    assert again.content.abstained
    assert not again.content.answer.startswith(KEPT_SO)
    assert again.content.warnings == (REJECTED,)
    assert not again.content.citations
    assert len(asked.pairs) == 1


def test_another_answer_takes_its_place(bot: MakeBot) -> None:
    asked = bot(says(WRONG, KEPT))
    wrong = asked.ask(LOG)
    assert wrong.content.answer.startswith(WRONG.removesuffix("."))
    asked.think(wrong, DOWN)
    right = asked.ask(LOG)
    assert right.content.memory.role == "avoid"
    assert "avoid" in asked.uses(right).values()
    assert right.content.answer.startswith(KEPT_SO)
    assert asked.ask(LOG).content.route == "reuse"


@pytest.mark.parametrize("measure", [0.2, 1.0])
def test_what_nobody_rated_lends_nothing_to_other_questions(
    bot: MakeBot, monkeypatch: Any, measure: float
) -> None:
    model = says(KEPT)
    asked = bot(model)
    measured(monkeypatch, lambda of: Measured(measure))
    asked.ask(LOG)
    other = asked.ask(f"{RELATED} (17.20)")
    prompt = model.calls[-1].messages[-1][1]
    assert "<answered>" not in prompt
    assert "<rejected>" not in prompt
    assert other.content.route == "documents"
    assert (asked.ask(LOG).content.route == "reuse") == (measure == 1)


def test_what_a_capable_model_wrote_is_good_by_measure(bot: MakeBot) -> None:
    asked = bot()
    remembering = replace(asked.chatbot.memory.remembering, capable=True)
    reply = asked.chatbot.ask(LOG, conversation=asked.chatbot.conversations.start("relay", LOG))
    remembering.flush(60)
    assert not is_vouched(asked.pair)
    asked.chatbot.memory.stores.remove([asked.pair.id])
    remembering.delivered(reply.turn, reply.kept_as)
    remembering.flush(60)
    assert is_vouched(asked.pair)


def test_no_note_of_help_stands_above_a_refusal(bot: MakeBot) -> None:
    asked = bot(says("I don't know"))
    keep(asked, RELATED, "30 days")
    reply = asked.ask(LOG).content
    assert (reply.abstained, reply.memory.role) == (True, None)


# What is remembered


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
    asked = bot(says(model))
    asked.ask(question)
    assert asked.pairs == []


def test_passages_for_want_of_a_model_are_not_remembered(
    relay_settings: Settings, tmp_path: Path
) -> None:
    asked = remembering(relay_settings, tmp_path)
    reply = asked.ask(LOG)
    assert reply.turn.answer is not None
    assert reply.turn.answer.unwritten
    assert asked.pairs == []
    asked.close()


def test_a_failure_to_score_disturbs_no_answer(
    bot: MakeBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = bot()

    def fail(of: object) -> Measured:
        raise RuntimeError("no score today")

    measured(monkeypatch, fail)
    assert asked.ask(LOG).content.answer.startswith(KEPT_SO)
    assert asked.pairs == []
    assert "no score today" in caplog.text


def test_a_process_that_ends_remembers_first() -> None:
    script = (
        "import time\n"
        "from chatbot.memory.background_worker import BACKGROUND\n"
        "BACKGROUND.do(lambda: (time.sleep(0.3), print('remembered')))\n"
        "print('answered', flush=True)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert told.stdout.split() == ["answered", "remembered"]


# Opinions


def test_thumbs_move_a_pair_at_once_and_back(bot: MakeBot) -> None:
    asked = bot()
    reply = asked.ask(LOG)
    before = asked.pair
    asked.think(reply, DOWN)
    assert (asked.pair.store, asked.pair.origin) == ("low", "thumbs")
    asked.think(reply, 0)
    after = asked.pair
    assert (after.store, after.score, after.origin) == (before.store, before.score, "measured")


def test_a_thumb_that_is_quicker_than_the_memory_makes_no_answer_worse(bot: MakeBot) -> None:
    asked = bot(says("In 17.20 the relay keeps its event log for 30 days."))
    free = Event()
    BACKGROUND.do(partial(free.wait, 60))
    conversation = asked.chatbot.conversations.of("").start("relay", LOG)
    reply = asked.chatbot.ask(LOG, conversation=conversation)
    assert reply.kept_as is not None
    asked.chatbot.feedback("").give(reply.kept_as, UP)
    assert asked.pairs == []
    free.set()
    assert BACKGROUND.flush(60)
    assert (asked.pair.store, asked.pair.origin) == ("high", "thumbs")
    assert asked.pair.faithfulness == 1


def test_an_admin_outranks_thumbs(bot: MakeBot) -> None:
    asked = bot()
    reply = asked.ask(LOG)
    asked.think(reply, DOWN)
    assert reply.kept_as is not None
    ratings(asked.chatbot).change(LOCAL, reply.kept_as, rating="good")
    assert (asked.pair.store, asked.pair.origin, asked.pair.score) == ("high", "rating", 1.0)
    assert asked.pair.rated_by == "local"
    ratings(asked.chatbot).change(LOCAL, reply.kept_as, rating="")
    assert (asked.pair.store, asked.pair.origin) == ("low", "thumbs")


# Forgetting


def test_a_deleted_conversation_is_forgotten(bot: MakeBot) -> None:
    asked = bot()
    reply = asked.ask(LOG)
    assert reply.conversation is not None
    asked.chatbot.conversations.delete(reply.conversation)
    assert asked.pairs == []
    assert asked.ask(LOG).content.route == "documents"


def test_a_deleted_person_is_forgotten(bot: MakeBot) -> None:
    asked = bot()
    asked.ask(LOG, owner="ada@example.org")
    asked.ask(LOG_BEFORE, owner="bo@example.org")
    _, other = asked.pairs
    delete_person(asked.chatbot.database, "ada@example.org")
    assert asked.pair.id == other.id


def measured(monkeypatch: pytest.MonkeyPatch, measure: Any) -> None:
    """Let answers be scored so."""
    monkeypatch.setattr("chatbot.memory.remembering.measure", lambda *of, **_: measure(of))


def keep(asked: Bot, question: str, value: str) -> None:
    """Put an answer into the memory that an admin brought, and that rests on no page."""
    memory = asked.chatbot.memory
    with asked.chatbot.database.reading() as session:
        release = require_release(session, "relay", "17.20").id
    memory.stores.add(
        release,
        NewPair(
            memory.reader.read(question, "relay"),
            {"text": value, "value": value, "citations": []},
            Score(1.0, ScoreOrigin.IMPORTED, datetime.now(UTC)),
        ),
    )

"""Two questions that the same passage answers: when the answer to one is reused for the other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

import eval
from chatbot.answering.forms import Reading
from chatbot.memory import passage_recall
from chatbot.memory.questions.asking import Reader
from chatbot.memory.questions.same_passage import asks_for_another_part
from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from chatbot.turn import Record
from corpora.embedding import MiniLM
from corpora.glossary_file import read_glossary
from corpora.memory_tables import MemoryPageRow, MemoryPairRow
from ingestion.page import Block, BlockKind
from tests.chatbot.conftest import ingested
from tests.chatbot.memory_bots import Bot, remembering, says
from tests.chatbot.stored import stored_page

REPOSITORY = Path(eval.__file__).parents[1]
FILE = REPOSITORY / "eval" / "questions" / "same_passage_pairs.jsonl"
PAIRS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
LEAST_ACCEPTED = 0.65

DISPLAY = "After how many minutes does the display go dark in 2.0?"
DARK = "The display goes dark after 20 minutes."
IN_OTHER_WORDS = "In 2.0, when does the display of an unattended relay switch itself to black?"
GUIDE = """# Relay guide

## Display

The display goes dark after {minutes} minutes without a touch.

## Housing

The housing is black and weighs 4 kg. An idle relay draws 2 W.
"""


Readers = Callable[[str], Reader]
"""Makes the reader of a product."""


@pytest.fixture(scope="module")
def readers() -> Readers:
    entries = read_glossary(REPOSITORY / "examples" / "glossary.csv")
    models = Settings().models_dir
    minilm = MiniLM(EMBEDDING.path_in(models), TOKENIZER.path_in(models))

    def of(product: str) -> Reader:
        glossary = entries if product == "tessaline" else ()
        return Reader(product, glossary, minilm.knows_word)

    return of


def passage_of(pair: dict[str, Any]) -> Record:
    cells = tuple((header, cell) for header, cell in pair.get("cells", ()))
    text = pair.get("passage") or "; ".join(f"{header}: {cell}" for header, cell in cells)
    kind = BlockKind(pair["form"])
    page = stored_page(Block(kind, text))
    label = pair["label"]
    return Record(page, text, label, text, kind, None, (label,), cells)


def differs(readers: Readers, pair: dict[str, Any]) -> str:
    reader = readers(pair.get("product", ""))
    asked = [reader.read(pair[side]) for side in ("a", "b")]
    passage = passage_of(pair)
    whys = [asks_for_another_part(a, b, passage) for a, b in (asked, reversed(asked))]
    assert bool(whys[0]) == bool(whys[1]), pair
    return whys[0]


# The pairs


def test_the_pairs_are_what_they_say() -> None:
    counted = Counter(pair["same"] for pair in PAIRS)
    assert counted[False] >= 150
    assert counted[True] >= 100
    assert len({(p["label"], p["a"], p["b"], p.get("passage")) for p in PAIRS}) == len(PAIRS)
    assert all(p["same"] == ("/" not in p["kind"]) for p in PAIRS)


def test_no_answer_of_one_part_is_given_for_another(readers: Readers) -> None:
    wrong = [(p["a"], p["b"]) for p in PAIRS if not p["same"] and not differs(readers, p)]
    assert wrong == []


def test_most_paraphrases_are_seen_as_such(readers: Readers) -> None:
    same = [pair for pair in PAIRS if pair["same"]]
    accepted = [pair for pair in same if not differs(readers, pair)]
    assert len(accepted) >= LEAST_ACCEPTED * len(same)


PORT = {
    "label": "Ports",
    "form": "table_row",
    "cells": [
        ["Port", "XF-1"],
        ["Rate", "10 Gbit/s"],
        ["Longest cable", "30 m"],
        ["Use", "client"],
    ],
}
SHUTDOWN = {
    "label": "Fan",
    "form": "paragraph",
    "passage": "The fan stops 3 minutes after the shelf, and 90 seconds after it with a filter.",
}
ENGINE = {
    "label": "open_pool",
    "form": "signature",
    "passage": "open_pool(url, *, pool_size=5, max_overflow=10, timeout=30)",
}


@pytest.mark.parametrize(
    ("passage", "a", "b", "same"),
    [
        (PORT, "What rate has XF-1?", "rate of port XF-1", True),
        (PORT, "What rate has XF-1?", "What is XF-1 used for?", False),
        (PORT, "How long may the cable of XF-1 be?", "maximum cable length of XF-1", True),
        (PORT, "How long may the cable of XF-1 be?", "What rate has XF-1?", False),
        (SHUTDOWN, "How long after the shelf does the fan stop?", "When does the fan stop?", False),
        (ENGINE, "default pool size of open_pool", "How big is the pool by default?", True),
        (ENGINE, "default pool size", "default overflow", False),
        (ENGINE, "default timeout", "maximum timeout", False),
        (ENGINE, "default timeout", "What does timeout mean?", False),
        (ENGINE, "How many connections are kept?", "How many connections are opened?", False),
    ],
)
def test_the_parts_of_a_passage(
    readers: Readers, passage: dict[str, Any], a: str, b: str, same: bool
) -> None:
    assert (not differs(readers, {**passage, "a": a, "b": b})) is same


# Through the chain


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder with two releases of a relay with a display."""
    files = {
        release: {"guide.md": GUIDE.format(minutes=minutes)}
        for release, minutes in (("1.0", 5), ("2.0", 20))
    }
    return ingested(tmp_path_factory.mktemp("display"), "relay", files)


@pytest.fixture
def model() -> ScriptedChatModel:
    return says(DARK)


@pytest.fixture
def asked(settings: Settings, tmp_path: Path, model: ScriptedChatModel) -> Iterator[Bot]:
    """A chatbot that has been asked when the display goes dark in 2.0."""
    bot = remembering(settings, tmp_path, model)
    assert bot.ask(DISPLAY).content["route"] == "documents"
    yield bot
    bot.close()


def test_an_answer_is_reused_though_the_question_has_other_words(
    asked: Bot, model: ScriptedChatModel
) -> None:
    reply = asked.ask(IN_OTHER_WORDS)
    assert (reply.content["route"], reply.content["model_calls"]) == ("reuse", 0)
    assert len(model.calls) == 1
    assert reply.content["answer"].startswith(DARK.removesuffix("."))
    assert "goes dark after 20 minutes" in reply.content["citations"][0]["quote"]
    assert {citation["release"] for citation in reply.content["citations"]} == {"2.0"}
    # The embedding alone would not have found it.
    (pair,) = reply.content["memory"]["pairs"]
    assert pair["similarity"] < asked.chatbot.settings.memory_delta
    assert "memory_of_passage" in reply.content["timings"]


def test_another_release_is_asked_itself(asked: Bot) -> None:
    reply = asked.ask(IN_OTHER_WORDS.replace("2.0", "1.0"))
    assert reply.content["route"] == "documents"
    assert "20 minutes" not in reply.content["answer"]
    assert {citation["release"] for citation in reply.content["citations"]} <= {"1.0"}


def test_who_asks_afresh_gets_no_answer_from_before(asked: Bot, model: ScriptedChatModel) -> None:
    reply = asked.ask(IN_OTHER_WORDS, afresh=True)
    assert reply.content["route"] == "documents"
    assert len(model.calls) == 2


def test_a_suspended_answer_is_not_reused(asked: Bot) -> None:
    with asked.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(suspended="the page has changed"))
    assert asked.ask(IN_OTHER_WORDS).content["route"] == "documents"


@pytest.mark.parametrize(
    ("value", "origin", "route"),
    [
        (DARK, "measured", "reuse"),
        (DARK.replace("20", "21"), "measured", "documents"),
        (DARK, "thumbs", "documents"),
    ],
)
def test_the_same_answer_that_is_only_measured_as_bad_does_not_stand_in_its_way(
    asked: Bot, value: str, origin: str, route: str
) -> None:
    wording = "the display of the relay goes dark when nobody touches it for how long?"
    with asked.chatbot.database.writing() as session:
        for table, changed in (
            (
                MemoryPairRow,
                {"id": 99, "store": "low", "origin": origin, "question": wording},
            ),
            (MemoryPageRow, {"pair_id": 99}),
        ):
            row = dict(session.execute(select(*table.__table__.columns)).mappings().first() or {})
            if table is MemoryPairRow:
                row["answer"] = {**row["answer"], "value": value}
            session.execute(insert(table).values({**row, **changed}))
    assert asked.ask(IN_OTHER_WORDS).content["route"] == route


def test_a_bad_answer_is_not_reused(asked: Bot, model: ScriptedChatModel) -> None:
    with asked.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(store="low"))
    assert asked.ask(IN_OTHER_WORDS).content["route"] != "reuse"
    assert len(model.calls) == 2


def test_where_a_reader_reads_another_value_it_is_right(
    asked: Bot, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        passage_recall, "read_value", lambda subject, records: Reading("4", records[0], "display")
    )
    assert asked.ask(IN_OTHER_WORDS).content["route"] != "reuse"
    assert len(model.calls) == 2


def test_another_part_of_the_passage_is_asked_itself(asked: Bot, model: ScriptedChatModel) -> None:
    reply = asked.ask("In 2.0, what happens to the display without a touch?")
    assert reply.content["route"] != "reuse"
    assert len(model.calls) == 2

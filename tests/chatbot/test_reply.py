"""The reply as it is kept: what earlier versions kept opens, and its schema says what it is."""

import json
import zlib
from datetime import UTC, datetime

from sqlalchemy import update
from typer.testing import CliRunner

from chatbot.conversations.conversations import Conversations
from chatbot.reply import VERSION, MemoryPart, Reply, Trace
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from tests.chatbot.asked import answer
from ui.cli.main import app

FIRST = {
    "answer": "It is 300 [1].",
    "abstained": False,
    "product": "relay",
    "release": "17.20",
    "release_status": "stated",
    "release_explanation": "you said 17.20",
    **{name: [] for name in ("compared_releases", "available_releases", "warnings")},
    "route": "documents",
    "queries": {"base": "hold?", "filtered": "hold", "versionless": None, "subject": "it"},
    "citations": [
        {
            "document": "Relay guide",
            "file": "guide.md",
            "release": "17.20",
            "page": 2,
            "section": "Timers",
            "anchor": None,
            "quote": "300",
            "page_id": 7,
        }
    ],
    "timings": {"context_retrieval": 0.2},
    **dict.fromkeys(("model_calls", "prompt_tokens", "completion_tokens"), 0),
    "profile": "embedded",
}
"""A reply as the first version kept it."""


def test_a_turn_of_the_first_version_opens(database: Database) -> None:
    conversations = Conversations(database)
    conversation = conversations.start("relay", "hold_time?")
    turn = conversations.add(conversation, "hold_time?", answer())
    with database.writing() as session:
        session.execute(update(TurnRow).where(TurnRow.id == turn).values(answer=FIRST))
    (kept,) = conversations.turns(conversation)
    assert (kept.reply.version, kept.reply.answer) == (0, "It is 300 [1].")
    assert kept.reply.citations[0].quote == "300"
    assert (kept.reply.memory, kept.reply.seconds) == (MemoryPart(), None)


def test_a_trace_of_an_earlier_version_opens() -> None:
    pair = {"id": 1, "question": "?", "score": 0.9, "origin": "measured", "rated": "2026-11-03"}
    told = {"value": "300", "memory": {"good": [pair]}, "sides": [{"value": "5"}]}
    trace = Trace.unpacked(zlib.compress(json.dumps(told).encode()))
    assert (trace.version, trace.value, trace.sides[0].value) == (0, "300", "5")
    assert trace.memory.good[0].rated == datetime(2026, 11, 3, tzinfo=UTC)


def test_what_is_kept_is_read_as_it_was() -> None:
    reply = answer(citations=FIRST["citations"], version=VERSION)
    assert Reply.model_validate(reply.model_dump(mode="json")) == reply
    trace = Trace(version=VERSION, value="5", timings={"spelling": 0.1})
    assert Trace.unpacked(trace.packed()) == trace


def test_the_schema_is_printed() -> None:
    schema = json.loads(CliRunner().invoke(app, ["schema"]).stdout)
    assert {"answer", "citations", "release_status"} <= set(schema["properties"])
    assert "page_id" in schema["$defs"]["Citation"]["properties"]
    trace = json.loads(CliRunner().invoke(app, ["schema", "--trace"]).stdout)
    assert "retrieved" in trace["$defs"]["Trace"]["properties"]

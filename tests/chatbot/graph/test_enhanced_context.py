"""The paper's four systems as profiles: what they put beside the evidence, and of which release."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chatbot.chatbot import AnsweredTurn
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.turn import Origin
from ingestion.errors import BadSettings
from tests.chatbot import lamp
from tests.chatbot.memory_bots import KEPT, LOG, Bot

pytestmark = pytest.mark.database

MakeBot = Callable[..., Bot]
SYSTEMS = ("textgen", "textcontextgen", "graphgen", "graphcontextgen")
NEAR = "How long does the relay keep its event log?"
PORT = "Which ports of the relay have a rate, and what is the event log?"
PORT_ANSWER = "Port XF-1 runs at 10 Gbit/s and is for a client."
TRIPLETS = [
    {"head": "XF-1", "relation": "runs at", "tail": "10 Gbit/s"},
    {"head": "XF-1", "relation": "is for", "tail": "client"},
]
READS = "triplets"
"""What the last message of the triplets' prompt begins with."""


def model(triplets: str = json.dumps({"triplets": TRIPLETS})) -> ScriptedChatModel:
    return ScriptedChatModel(
        rules=[Rule(step=READS, reply=triplets), lamp.STUBBORN, lamp.answer(KEPT)]
    )


@pytest.fixture
def bot(remember: MakeBot) -> MakeBot:
    def make(profile: str, answers: ScriptedChatModel | None = None, **options: Any) -> Bot:
        return remember(
            answers or model(), **{"profile": profile, "graph_threshold": 0.5} | options
        )

    return make


def related(reply: AnsweredTurn) -> list[int]:
    return [pair.id for pair in reply.turn.recollection.good] if reply.turn.recollection else []


def sentences(reply: AnsweredTurn) -> list[str]:
    found = reply.turn.recollection
    return [relation.sentence for relation in found.relations] if found else []


def prompt(reply: AnsweredTurn) -> str:
    """What the answer was written from."""
    (asked,) = (c for c in reply.turn.calls if c.step == "answer_generation")
    return asked.prompt[-1][1]


@pytest.mark.parametrize("profile", SYSTEMS)
def test_related_questions_of_this_release_stand_beside_the_evidence(
    bot: MakeBot, profile: str
) -> None:
    asked = bot(profile)
    asked.answered_before(NEAR, "The relay keeps its event log for 99 days.", "17.10")
    reply = asked.ask(LOG)
    assert related(reply) == []
    assert "99 days" not in prompt(reply)
    assert [c.step for c in reply.turn.calls] == ["answer_generation"]
    pair = asked.answered_before(NEAR, KEPT)
    reply = asked.ask(LOG)
    assert related(reply) == [pair]
    assert f"<answered>\n{NEAR} → {KEPT}\n</answered>" in prompt(reply)
    assert reply.content.answer.startswith(KEPT.removesuffix("."))
    assert {c.release for c in reply.content.citations} == {"17.20"}
    assert reply.content.route == "reference"
    memory = reply.content.memory
    assert (memory.role, [p.id for p in memory.pairs]) == ("reference", [pair])
    assert asked.ask(LOG, afresh=True).turn.recollection is None


def test_the_graph_leaves_out_what_is_far_and_cosine_takes_the_nearest_there_is(
    bot: MakeBot,
) -> None:
    for profile, taken in (("textgen", 1), ("graphgen", 0)):
        asked = bot(profile)
        asked.answered_before("Which colour has the case?", "The case is grey.")
        assert len(related(asked.ask(LOG))) == taken


@pytest.mark.parametrize("profile", ["textcontextgen", "graphcontextgen"])
def test_relations_of_what_they_name_come_as_sentences(bot: MakeBot, profile: str) -> None:
    """Two from the model, and those that the table of this release has between the same names."""
    asked = bot(profile, graph_threshold=0.2)
    asked.answered_before(PORT, PORT_ANSWER)
    reply = asked.ask(LOG)
    assert sentences(reply) == [
        "XF-1 rate 10 Gbit/s.",
        "XF-1 use client.",
        "XF-1 runs at 10 Gbit/s.",
        "XF-1 is for client.",
    ]
    assert "<relations>\nXF-1 rate 10 Gbit/s.\nXF-1 use client.\n" in prompt(reply)
    assert [c.step for c in reply.turn.calls] == ["triplets", "answer_generation"]
    # The table of another release is not told.
    asked.answered_before(PORT, PORT_ANSWER, "17.10")
    older = sentences(asked.ask(LOG.replace("17.20", "17.10")))
    assert "XF-1 rate 10 Gbit/s." not in older
    assert "XF-1 use client." in older


def test_what_the_graph_states_has_a_citation_of_its_own_kind(bot: MakeBot) -> None:
    """Where a sentence of the answer names both ends; what only the model read has none."""
    said = [Rule(step=READS, reply=json.dumps({"triplets": TRIPLETS})), lamp.answer(PORT_ANSWER)]
    asked = bot("textcontextgen", ScriptedChatModel(rules=said), graph_threshold=0.2)
    asked.answered_before(PORT, PORT_ANSWER)
    reply = asked.ask("What do the ports of relay 17.20 run at, and what for?").content
    by_origin = {c.origin: c for c in reply.citations}
    assert set(by_origin) == {Origin.DOCUMENTS, Origin.GRAPH}
    of_graph = by_origin[Origin.GRAPH]
    assert "XF-1" in of_graph.quote
    assert "10 Gbit/s" in of_graph.quote
    assert f"[{reply.citations.index(of_graph) + 1}]" in reply.answer
    assert [c.origin for c in reply.citations].count(Origin.GRAPH) == 1


def test_without_usable_triplets_the_answer_is_given_all_the_same(bot: MakeBot) -> None:
    asked = bot("graphcontextgen", model(triplets="none that I know"))
    asked.answered_before(NEAR, KEPT)
    reply = asked.ask(LOG)
    assert [f.step for f in reply.turn.fallbacks] == ["triplets"]
    assert sentences(reply) == []
    assert reply.content.answer.startswith(KEPT.removesuffix("."))


def test_without_a_memory_the_profiles_say_what_they_need(bot: MakeBot) -> None:
    with pytest.raises(BadSettings, match="STRATA_MEMORY=on"):
        bot("graphgen", memory="off").ask(LOG)

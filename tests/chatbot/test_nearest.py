from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.assembly import open_chatbot
from chatbot.chain.release_fallback import answer_from_newest
from chatbot.chain.reply import trace_of
from chatbot.chatbot import Chatbot
from chatbot.memory.remembering import candidate_of
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.settings import Settings
from chatbot.turn import Answer, Queries, Turn
from tests.chatbot import lamp
from tests.chatbot.conftest import ingested

MakeRelay = Callable[[BaseChatModel | None], Chatbot]

PUMP = """# Pump manual

## Pressure

The pressure is measured every minute. {pressure}

## Log

The log holds {entries} entries. {log}

## Days off

The pump rests for some days of the year.
"""
KEPT = "The pressure log is kept for {days} days and then written over."
PUMPS = {
    "1.0": {"pressure": "", "entries": "500", "log": ""},
    "2.0": {"pressure": "", "entries": "500", "log": KEPT.format(days=30)},
    "3.0": {"pressure": "A log is kept.", "entries": "900", "log": ""},
    "4.0": {"pressure": "", "entries": "900", "log": KEPT.format(days=90)},
}
REFUSAL = Answer("I don't know", abstained=True)
KEEPING = "For how many days is the pressure log kept in {release}?"


@pytest.fixture(scope="module")
def pump_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    files = {release: {"manual.md": PUMP.format(**facts)} for release, facts in PUMPS.items()}
    return ingested(tmp_path_factory.mktemp("pump"), "pump", files)


@pytest.fixture
def pump(pump_settings: Settings) -> Iterator[Chatbot]:
    """A chatbot on the pump whose model never knows."""
    model = FakeListChatModel(responses=["I don't know."])
    chatbot = replace(open_chatbot(pump_settings), model=model)
    yield chatbot
    chatbot.corpora.close()
    chatbot.database.close()


def test_a_name_that_others_document_is_found_where_the_gate_knows_it(relay: MakeRelay) -> None:
    reply = relay(None).ask("What does warp_drive do in 17.20?").content
    assert reply.abstained
    assert reply.found_in == ("18.00",)


def test_the_trace_says_which_step_refused_and_why(relay: MakeRelay, pump: Chatbot) -> None:
    refusals = [
        trace_of(chatbot.ask(question).turn).refusal
        for chatbot, question in (
            (relay(None), "What does warp_drive do in 17.20?"),
            (relay(None), "How is sourdough bread baked in 17.20?"),
            (relay(None), "What is hold_time in 17.20?"),
            (pump, KEEPING.format(release="1.0")),
        )
    ]
    assert refusals == [
        "gate: `warp_drive` only in 18.00",
        "gate: coverage 0.00 < 0.15",
        "",
        "model: I don't know (doubt 0.00, limit 0.18)",
    ]


def test_the_nearest_pages_are_of_the_release_that_was_asked(relay: MakeRelay) -> None:
    nearest = relay(None).ask("What does warp_drive do to timers in 17.20?").content.nearest
    assert 1 <= len(nearest) <= 3
    assert {(page.release, page.quote) for page in nearest} == {("17.20", "")}
    assert len({page.page_id for page in nearest}) == len(nearest)


def test_a_refusal_before_retrieval_has_its_nearest_pages_too(relay_settings: Settings) -> None:
    settings = relay_settings.model_copy(update={"profile": "qamr"})
    question = "What does warp_drive do to timers in 17.20?"
    model = lamp.model(lamp.reading(question, ("17.20", "17.20"), search="warp_drive timers"))
    reply = replace(open_chatbot(settings), model=model).ask(question).content
    assert reply.found_in == ("18.00",)
    assert [page.document for page in reply.nearest] == ["Relay guide"]


def test_what_only_a_passage_of_other_releases_tells_is_found_there(pump: Chatbot) -> None:
    reply = pump.ask(KEEPING.format(release="1.0")).content
    assert reply.abstained
    assert reply.found_in == ("4.0", "2.0")


def test_where_the_release_says_as_much_itself_no_other_is_named(pump: Chatbot) -> None:
    reply = pump.ask(KEEPING.format(release="2.0")).content
    assert reply.abstained
    assert reply.found_in == ()


def test_where_no_release_is_named_the_newest_that_tells_answers_and_says_so(
    relay: MakeRelay, pump_settings: Settings
) -> None:
    model = FakeListChatModel(responses=["I don't know.", "30 days", "I don't know."])
    latest = ingested_pump_without_newest(pump_settings, model)
    question = "For how many days is the pressure log kept?"
    reply = latest.ask(question, conversation=latest.conversations.start("pump", question))
    content = reply.content
    assert content.answer.startswith("3.0 does not document this. From 2.0: ")
    assert (content.release, content.release_status) == ("2.0", "latest")
    assert content.found_in[0] == "2.0"
    assert {c.release for c in content.citations} == {"2.0"}
    assert content.model_calls == 2
    assert trace_of(reply.turn).refusal.startswith("model: I don't know")
    with latest.database.reading() as session:
        assert candidate_of(session, reply.kept_as or 0) is None
    named = latest.ask(f"{question[:-1]} in the latest release?").content
    assert named.abstained
    assert named.release == "3.0"


def ingested_pump_without_newest(settings: Settings, model: BaseChatModel) -> Chatbot:
    """The pump's chatbot, of whose releases the newest is hidden."""
    chatbot = replace(open_chatbot(settings), model=model)
    (pump,) = chatbot.catalog.products()
    only = replace(pump, releases=pump.releases[:3])
    object.__setattr__(chatbot.catalog, "products", lambda: (only,))
    return chatbot


@pytest.mark.parametrize(
    "question",
    [
        "Which colour has the roof of the pressure house in 1.0?",
        "What is the capital of France? I use 1.0",
        "How do I grind coffee with florbomat 1.0?",
    ],
)
def test_what_no_release_tells_is_found_nowhere(pump: Chatbot, question: str) -> None:
    assert pump.ask(question).content.found_in == ()


def test_an_answer_offers_nothing_and_nothing_is_looked_for(
    relay: MakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    chatbot = relay(None)
    monkeypatch.setattr("chatbot.chain.release_fallback.nearest_pages", None)
    reply = chatbot.ask("What is the default of hold_time in 17.20?").content
    assert not reply.abstained
    assert (reply.nearest, reply.found_in) == ((), ())


@pytest.mark.parametrize(
    "question", ["What is hold_time in 99.1?", "Compare warp_drive in 17.10 and 17.20"]
)
def test_a_question_to_no_release_or_to_several_offers_no_pages(
    relay: MakeRelay, question: str
) -> None:
    reply = relay(None).ask(question).content
    assert (reply.nearest, reply.found_in) == ((), ())


@pytest.mark.parametrize("tries", [True, False])
@pytest.mark.parametrize("knows", [True, False])
def test_of_a_release_that_is_named_the_refusal_stays_and_names_the_one_that_tells(
    tries: bool, knows: bool
) -> None:
    asked_of: list[str] = []

    async def answering(turn: Turn) -> Turn:
        asked_of.append(turn.target[1])
        known = Answer("It is kept for 30 days [1].", abstained=False)
        return replace(turn, answer=known if knows else REFUSAL)

    step = answer_from_newest(
        answering, lambda turn: turn, lambda turn: "2.0", tries_when_named=tries
    )
    question = "How long is it kept in 3.0?"
    turn = Turn(
        question,
        resolved=Resolution(ReleaseStatus.STATED, "pump", ("3.0",)),
        phrased=Queries(question, question, None, question),
        answer=REFUSAL,
    )
    after = asyncio.run(step(turn))
    assert after.answer == REFUSAL
    assert after.target == ("pump", "3.0")
    assert after.found_in == (("2.0",) if tries and knows else ())
    assert asked_of == ["2.0"] * tries

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.chain.release_fallback import answer_from_newest
from chatbot.chain.reply import trace_of
from chatbot.chatbot import Chatbot
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.settings import Settings
from chatbot.turn import Answer, Queries, Turn
from tests.chatbot.conftest import ingested, opened

MakeRelay = Callable[[BaseChatModel | None], Chatbot]

PUMP = (
    "# Pump manual\n\n## Pressure\n\nThe pressure is measured every minute. {pressure}\n\n"
    "## Log\n\nThe log holds {entries} entries. {log}\n\n"
    "## Days off\n\nThe pump rests for some days of the year.\n\n"
    "## Settings\n\n| Setting | Default |\n| --- | --- |\n| hold_off | 45 s |\n"
)
KEPT = "The pressure log is kept for {days} days and then written over."
PUMPS = {
    "1.0": {"pressure": "", "entries": "500", "log": ""},
    "2.0": {"pressure": "", "entries": "500", "log": KEPT.format(days=30)},
    "3.0": {"pressure": "A log is kept.", "entries": "900", "log": ""},
    "4.0": {"pressure": "", "entries": "900", "log": KEPT.format(days=90)},
}
KEEPING = "For how many days is the pressure log kept in {release}?"
EACH = "the pressure is measured every minute and the log holds 500 entries."
ENTRIES = "The log holds 500 entries."
REFUSAL = Answer("I don't know", abstained=True)


@pytest.fixture(scope="module")
def pump_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    files = {release: {"manual.md": PUMP.format(**facts)} for release, facts in PUMPS.items()}
    return ingested(tmp_path_factory.mktemp("pump"), "pump", files)


@pytest.fixture
def pump(pump_settings: Settings) -> Iterator[Chatbot]:
    """A chatbot on the pump whose model never knows."""
    model = FakeListChatModel(responses=["I don't know."])
    with opened(pump_settings) as chatbot:
        yield replace(chatbot, model=model)


def test_the_trace_says_which_step_refused_and_why(relay: MakeRelay, pump: Chatbot) -> None:
    for chatbot, question, refusal in (
        (relay(None), "What does warp_drive do in 17.20?", "gate: `warp_drive` only in 18.00"),
        (relay(None), "How is sourdough bread baked in 17.20?", "gate: coverage 0.00 < 0.15"),
        (relay(None), "What is hold_time in 17.20?", ""),
        (pump, KEEPING.format(release="1.0"), "model: I don't know (doubt 0.00, limit 0.18)"),
    ):
        assert trace_of(chatbot.ask(question).turn).refusal == refusal


@pytest.mark.parametrize(
    ("question", "reply", "doubt", "is_refused"),
    [
        ("How many entries does the log hold in 1.0?", ENTRIES, 0.17, False),
        ("How many entries does the log hold in 1.0?", ENTRIES, 0.2, False),
        ("How many entries does the log hold in 1.0?", ENTRIES, 0.3, True),
        # Its words stand in two records.
        ("How many entries does the log hold while the pump rests in 1.0?", ENTRIES, 0.17, False),
        ("How many entries does the log hold while the pump rests in 1.0?", ENTRIES, 0.2, True),
        # Most of them stand in none.
        ("How do I print the log on blue paper in 1.0?", ENTRIES, 0.2, True),
        # A "No" that no page bears.
        ("Is the log printed on blue paper in 1.0?", "No, the log is not printed.", 0.1, True),
        ("Is the log printed on blue paper in 1.0?", "No, the log is not printed.", 0.01, False),
        ("What is the default of hold_off in 1.0?", "No, hold_off has no default.", 0.1, False),
        ("What does the pump do in 1.0?", f"Non-stop, {EACH}", 0.1, False),
        ("Does the pump rest all year in 1.0?", "No, it rests for some days.", 0.1, False),
    ],
)
def test_more_doubt_is_borne_where_one_record_has_the_words_of_the_question(
    pump: Chatbot, question: str, reply: str, doubt: float, is_refused: bool
) -> None:
    rule = Rule(reply=reply, probabilities={reply.split()[0]: 1 - doubt, "I": doubt})
    asked = replace(pump, model=ScriptedChatModel(rules=[rule]))
    assert asked.ask(question).content.abstained == is_refused


def test_the_nearest_pages_are_of_the_release_that_was_asked(relay: MakeRelay) -> None:
    content = relay(None).ask("What does warp_drive do to timers in 17.20?").content
    assert content.found_in == ("18.00",)
    assert {(page.release, page.quote) for page in content.nearest} == {("17.20", "")}
    assert len({page.page_id for page in content.nearest}) == len(content.nearest) <= 3


@pytest.mark.parametrize(
    ("question", "found_in"),
    [
        (KEEPING.format(release="1.0"), ("4.0", "2.0")),
        # The release says as much itself.
        (KEEPING.format(release="2.0"), ()),
        ("Which colour has the roof of the pressure house in 1.0?", ()),
        ("What is the capital of France? I use 1.0", ()),
    ],
)
def test_releases_that_tell_what_this_one_does_not_are_named(
    pump: Chatbot, question: str, found_in: tuple[str, ...]
) -> None:
    content = pump.ask(question).content
    assert (content.abstained, content.found_in) == (True, found_in)


def test_where_no_release_is_named_the_newest_that_tells_answers_and_says_so(pump: Chatbot) -> None:
    model = FakeListChatModel(responses=["I don't know.", "30 days", "I don't know."])
    (product,) = pump.catalog.products()
    without_newest = replace(product, releases=product.releases[:3])
    object.__setattr__(pump.catalog, "products", lambda: (without_newest,))
    question = "For how many days is the pressure log kept?"
    chatbot = replace(pump, model=model)
    reply = chatbot.ask(question, conversation=chatbot.conversations.start("pump", question))
    content = reply.content
    assert content.answer.startswith("3.0 does not document this. From 2.0: ")
    assert (content.release, content.release_status) == ("2.0", "latest")
    assert content.found_in[0] == "2.0"
    assert {c.release for c in content.citations} == {"2.0"}
    assert content.model_calls == 2
    assert trace_of(reply.turn).refusal.startswith("model: I don't know")
    with chatbot.database.reading() as session:
        assert chatbot.memory.pair_of(session, reply.kept_as or 0) is None
    named = chatbot.ask(f"{question[:-1]} in the latest release?").content
    assert (named.abstained, named.release) == (True, "3.0")


@pytest.mark.parametrize(
    "question", ["What is hold_time in 99.1?", "Compare warp_drive in 17.10 and 17.20"]
)
def test_a_question_to_no_release_or_to_several_offers_no_pages(
    relay: MakeRelay, question: str
) -> None:
    reply = relay(None).ask(question).content
    assert (reply.nearest, reply.found_in) == ((), ())


@pytest.mark.parametrize(("tries", "knows"), [(True, True), (True, False), (False, True)])
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
    turn = Turn(
        "How long is it kept in 3.0?",
        resolved=Resolution(ReleaseStatus.STATED, "pump", ("3.0",)),
        phrased=Queries("kept?", "kept?", None, "kept?"),
        answer=REFUSAL,
    )
    after = asyncio.run(step(turn))
    assert (after.answer, after.target) == (REFUSAL, ("pump", "3.0"))
    assert after.found_in == (("2.0",) if tries and knows else ())
    assert asked_of == ["2.0"] * tries

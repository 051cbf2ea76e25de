"""An answer that rules begin while a server reads the question: taken up, or dropped unheard."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from sqlalchemy import select

from chatbot.accounts.people import LOCAL
from chatbot.chain.ahead import Ahead
from chatbot.chatbot import AnsweredTurn, Chatbot
from chatbot.errors import GeneratorError
from chatbot.models.scripted import ScriptedChatModel
from chatbot.models.streaming import Chunks
from chatbot.review.model_servers import server_figures
from chatbot.runtime.events import Event, ModelAsked, StepStarted, Token
from chatbot.runtime.model_calls import STEP, STOPPED
from chatbot.turn import Turn
from corpora.catalog.catalog import Catalog
from corpora.catalog.release import Product
from corpora.database.history_tables import ServerCallRow
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]
QUESTION = "What is the default of dim_step?"
WRITTEN = "The default of dim_step is 5 % [1]."
READ = lamp.reading(QUESTION, search="dim_step default")


class SlowReader(ScriptedChatModel):
    """Has read the question only when an answer is being written."""

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        reads = STEP.get() == lamp.READING
        async with aclosing(super()._chunks(messages, stop, options)) as chunks:
            async for chunk in chunks:
                while reads and len(self.calls) < 2:
                    await asyncio.sleep(0.01)
                yield chunk


@pytest.fixture
def bots() -> list[Chatbot]:
    """The chatbots that were asked."""
    return []


@pytest.fixture
def ask(
    lamp_chatbot: MakeChatbot, bots: list[Chatbot]
) -> Callable[..., tuple[AnsweredTurn, list[Event]]]:
    """Asks a server that reads slowly; returns the turn, and what was heard."""

    def asked(
        *rules: lamp.Rule,
        make: type[ScriptedChatModel] = SlowReader,
        question: str = QUESTION,
        **options: Any,
    ) -> tuple[AnsweredTurn, list[Event]]:
        bot = lamp_chatbot(make(rules=rules), "direct", backend="server", **options)
        bots.append(bot)
        heard: list[Event] = []
        return bot.ask(question, listener=heard.append), heard

    return asked


def words(heard: list[Event]) -> str:
    return "".join(event.text for event in heard if isinstance(event, Token))


def calls(turn: AnsweredTurn) -> list[str]:
    return [call.step for call in turn.turn.calls]


def test_it_is_taken_up_where_the_reading_agrees(ask: Callable[..., Any]) -> None:
    turn, heard = ask(READ, lamp.answer(WRITTEN))
    assert turn.content.answer == WRITTEN
    assert [c.release for c in turn.content.citations] == ["2.0"]
    assert calls(turn) == [lamp.READING, lamp.ANSWER]
    assert words(heard) == WRITTEN
    assert [e.step for e in heard if isinstance(e, StepStarted)].count(lamp.ANSWER) == 1
    assert "answer_ahead" in turn.content.timings


def test_its_model_is_asked_before_it_is_told_that_nothing_is_left_to_compute(
    lamp_chatbot: MakeChatbot,
) -> None:
    model = SlowReader(rules=(READ, lamp.answer(WRITTEN)))
    bot = lamp_chatbot(model, "direct", backend="server")
    told: list[int] = []

    def listen(event: Event) -> None:
        if isinstance(event, ModelAsked):
            told.append(len(model.calls))

    bot.ask(QUESTION, listener=listen)
    assert told == [1]


def test_it_is_not_begun_where_the_setting_says_so(ask: Callable[..., Any]) -> None:
    turn, _ = ask(READ, lamp.answer(WRITTEN), make=ScriptedChatModel, answer_ahead="off")
    assert turn.content.answer == WRITTEN
    assert "answer_ahead" not in turn.content.timings


@pytest.mark.parametrize(
    ("fields", "written"),
    [
        ({"every_release": True}, "In 1.0 it is 10 % [1]. In 2.0 it is 5 % [2]."),
        ({"search": "cover screws warranty cloth"}, "Turn the cover to the left [1]."),
    ],
)
def test_it_is_dropped_unheard_where_the_reading_finds_other_evidence(
    ask: Callable[..., Any], fields: dict[str, Any], written: str
) -> None:
    other = lamp.Rule(step=lamp.ANSWER, contains="left to take it off", reply=written)
    of_all = lamp.Rule(contains='<documentation release="1.0">', reply=written)
    begun = lamp.answer("This is never heard.")
    reading = lamp.reading(QUESTION, **{"search": "dim_step default", **fields})
    turn, heard = ask(reading, other if "search" in fields else of_all, begun)
    assert turn.content.answer.startswith(written[:12])
    assert words(heard) == written
    assert "answer_ahead" not in turn.content.timings
    assert calls(turn) == [lamp.READING, lamp.ANSWER]


def test_what_the_release_lacks_is_said_also_where_the_reading_alone_names_it(
    ask: Callable[..., Any],
) -> None:
    read = "How does the app show every lamp in wall_mode?"
    reading = lamp.reading(read, ("1.0", "1.0"), search="wall_mode app shows every lamp house")
    question = "How does the app in 1.0 show every lamp in wall mode?"
    turn, heard = ask(reading, lamp.answer("The app shows every lamp [1]."), question=question)
    assert "does not document `wall_mode`" in turn.content.answer
    assert words(heard) == turn.content.answer


def test_the_best_pages_of_the_reading_stand_in_its_prompt(ask: Callable[..., Any]) -> None:
    turn, _ = ask(READ, lamp.answer(WRITTEN))
    read = replace(turn.turn, answer=None)
    (first, *_) = read.retrieved
    pages = [
        replace(first, page=replace(first.page, id=100 + n), score=1 - n / 10) for n in range(7)
    ]
    begun = Ahead(QUESTION, gathered=replace(read, retrieved=tuple(pages)))
    of_five = 5 * len(first.text) + len(first.page.text) - 1

    def is_taken_up(*found: int, question: str = QUESTION) -> bool:
        scored = enumerate(found)
        chunks = (replace(pages[n], score=1 - at / 10) for at, n in scored)
        return begun.is_for(replace(read, question=question, retrieved=tuple(chunks)), of_five)

    assert is_taken_up(4, 6)
    assert not is_taken_up(5, 0)
    assert is_taken_up(5, 0, 1)  # most of the first three
    assert not is_taken_up(5, 0, 6, 1)
    assert not is_taken_up()
    assert not is_taken_up(4, 6, question="What is the default of another thing?")

    async def taken_up_for_parts() -> list[Turn]:
        begun._task = asyncio.create_task(asyncio.sleep(60, read))
        parts = (replace(read, question="What is the default of another thing?"), own)
        return [await begun.taken_up(part, of_five) for part in parts]

    # What was dropped for the first of several parts is not waited for by the next one.
    own = replace(read, retrieved=(pages[4],))
    assert begun.is_for(own, of_five)
    assert all(turn.answer is None for turn in asyncio.run(taken_up_for_parts()))


COMPARED = "What is the default of dim_step in 1.0 and in 2.0?"
OF_EACH = "In 1.0 it is 10 % [1]. In 2.0 it is 5 % [2]."


@pytest.mark.parametrize(
    ("older_is_asked", "search", "heard_ahead"),
    [
        (True, "dim_step default", True),
        (False, "dim_step default", False),
        (True, "cover screws warranty cloth", False),
    ],
)
def test_a_comparison_is_taken_up_where_the_reading_finds_both_releases_and_their_pages(
    ask: Callable[..., Any], older_is_asked: bool, search: str, heard_ahead: bool
) -> None:
    older = {"words": "1.0", "release": "1.0", "asked": older_is_asked}
    newer = {"words": "2.0", "release": "2.0", "asked": True}
    reading = lamp.reading(COMPARED, releases=[older, newer], search=search)
    begun = lamp.Rule(matches=r'(?s)<documentation release="1.0">.*10 %', reply=OF_EACH)
    of_one = lamp.answer("It is 5 % [1].")
    turn, heard = ask(reading, begun, of_one, question=COMPARED, context_limit=350)
    assert ("answer_ahead" in turn.content.timings) is heard_ahead
    assert calls(turn) == [lamp.READING, lamp.ANSWER]
    assert words(heard) == (OF_EACH if older_is_asked else "It is 5 % [1].")
    cited = {citation.release for citation in turn.content.citations}
    assert cited == ({"1.0", "2.0"} if older_is_asked else {"2.0"})


def test_what_was_written_of_a_dropped_one_is_counted(
    ask: Callable[..., Any], bots: list[Chatbot]
) -> None:
    other = lamp.Rule(step=lamp.ANSWER, contains="left to take it off", reply="To the left [1].")

    class NeverEnds(SlowReader):
        async def _chunks(
            self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
        ) -> Chunks:
            begins = STEP.get() == lamp.ANSWER and len(self.calls) < 2
            async with aclosing(super()._chunks(messages, stop, options)) as chunks:
                async for chunk in chunks:
                    yield chunk
            if begins:
                await asyncio.sleep(60)

    reading = lamp.reading(QUESTION, search="cover screws warranty cloth")
    turn, _ = ask(reading, other, lamp.answer("This is never heard."), make=NeverEnds)
    assert turn.content.answer.startswith("To the left")
    with bots[0].database.reading() as session:
        stopped = select(ServerCallRow).where(ServerCallRow.error == STOPPED)
        # Other tests leave calls and failures there.
        row = session.scalars(stopped.order_by(ServerCallRow.id.desc())).first()
    assert row is not None
    assert row.completion_tokens > 0
    assert all(STOPPED not in dict(of.errors) for of in server_figures(bots[0].database, LOCAL))


def test_the_products_are_read_once(ask: Callable[..., Any], monkeypatch: Any) -> None:
    read = []
    known = Catalog._products

    def counted(self: Catalog, every: bool) -> tuple[Product, ...]:
        read.append(every)
        return known(self, every)

    monkeypatch.setattr(Catalog, "_products", counted)
    ask(READ, lamp.answer(WRITTEN))
    assert len(read) <= 2  # the rules and the reading begin at the same moment


def test_it_is_stopped_where_the_catalog_answers(ask: Callable[..., Any]) -> None:
    turn, heard = ask(lamp.reading(QUESTION, asks="which_releases"), lamp.answer(WRITTEN))
    assert calls(turn) == [lamp.READING]
    assert words(heard) == ""


def test_one_that_fails_is_written_anew(ask: Callable[..., Any]) -> None:
    class FailsOnce(SlowReader):
        async def _chunks(
            self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
        ) -> Chunks:
            async with aclosing(super()._chunks(messages, stop, options)) as chunks:
                async for chunk in chunks:
                    if STEP.get() == lamp.ANSWER and len(self.calls) == 2:
                        raise GeneratorError("overloaded")
                    yield chunk

    turn, _ = ask(READ, lamp.answer(WRITTEN), make=FailsOnce)
    assert turn.content.answer == WRITTEN

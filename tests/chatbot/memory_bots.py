"""Chatbots that remember, each on documentation of its own; and what the memory of one holds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from sqlalchemy import select

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.curation import ratings
from chatbot.assembly import open_chatbot
from chatbot.chatbot import AnsweredTurn, Chatbot
from chatbot.memory.pairs import MemoryQuestion, ScoreOrigin, new_pair
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from corpora.catalog.catalog import require_release
from corpora.database.memory_tables import MemoryPairRow
from tests.data_folders import copy_data

LOG = "How long is the event log kept in 17.20?"
LOG_AGAIN = "In 17.20, how long is the event log kept?"
KEPT = "The relay keeps its event log for 30 days."
"""What a model says to the first two, and the documentation with it."""
HOLD = "What is the default of hold_time in 17.20?"


class Bot:
    """A chatbot, and what a test asks of it."""

    def __init__(self, chatbot: Chatbot) -> None:
        self.chatbot = chatbot

    def ask(self, question: str, *, owner: str = "", **options: Any) -> AnsweredTurn:
        """Ask in a conversation of its own."""
        conversation = self.chatbot.conversations.of(owner).start("a product", question)
        return self.chatbot.ask(question, conversation=conversation, owner=owner, **options)

    def answered_before(
        self,
        question: str,
        answer: str,
        release: str = "17.20",
        product: str = "relay",
        *,
        origin: ScoreOrigin = ScoreOrigin.IMPORTED,
        read: MemoryQuestion | None = None,
    ) -> int:
        """Put a pair into the memory that cites nothing; return the id of the one that stands."""
        memory = self.chatbot.memory
        with self.chatbot.database.reading() as session:
            release_id = require_release(session, product, release).id
        said = {"text": answer, "value": answer, "citations": []}
        read = read or memory.recall.reader.read(question, product)
        return memory.stores.add(release_id, new_pair(read, said, origin=origin))

    def think(self, reply: AnsweredTurn, thumbs: int, owner: str = "") -> None:
        """Say what the person who asked thinks of an answer; 0 takes it back."""
        feedback, turn = self.chatbot.feedback(owner), reply.kept_as or 0
        feedback.give(turn, thumbs) if thumbs else feedback.withdraw(turn)

    def review(self, reply: AnsweredTurn, by: Person = LOCAL, **changes: str) -> None:
        """Let an admin rate or correct an answer."""
        ratings(self.chatbot).change(by, reply.kept_as or 0, **changes)

    @property
    def pairs(self) -> list[MemoryPairRow]:
        """All pairs, the oldest first."""
        with self.chatbot.database.reading() as session:
            return list(session.scalars(select(MemoryPairRow).order_by(MemoryPairRow.id)))

    @property
    def pair(self) -> MemoryPairRow:
        """The only pair."""
        (pair,) = self.pairs
        return pair

    def close(self) -> None:
        """Let go of all files."""
        self.chatbot.corpora.close()
        self.chatbot.database.close()


MakeBot = Callable[..., Bot]


def says(*replies: str) -> ScriptedChatModel:
    """A model that says this, in order, and then the last for ever."""
    return ScriptedChatModel(replies=replies[:-1], otherwise=replies[-1])


def remembering(
    settings: Settings, folder: Path, model: BaseChatModel | None = None, **options: Any
) -> Bot:
    """A chatbot on a copy of the documentation, with a memory that is empty."""
    data_dir = folder / "data"
    copy_data(settings.data_dir, data_dir)
    own = settings.model_copy(update={"data_dir": data_dir, "memory": "on", **options})
    return Bot(replace(open_chatbot(own), model=model))


@contextmanager
def bots(settings: Settings, folder: Path, **usual: Any) -> Iterator[MakeBot]:
    """Makes chatbots that remember, from a model, or what one says, and settings."""
    made: list[Bot] = []

    def make(*said: Any, **options: Any) -> Bot:
        scripted = says(*said or [KEPT]) if not said or isinstance(said[0], str) else said[0]
        own = folder / f"bot-{len(made)}"
        made.append(remembering(settings, own, scripted, **usual, **options))
        return made[-1]

    yield make
    for bot in made:
        bot.close()

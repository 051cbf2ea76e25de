"""The memory of a chatbot, wired from its settings."""

from dataclasses import dataclass

from chatbot.memory.pairs import Thresholds
from chatbot.memory.questions import QuestionReader
from chatbot.memory.recall import Recall
from chatbot.memory.remembering import Remembering
from chatbot.memory.stores.neighbours import Neighbours
from chatbot.memory.stores.stores import Stores
from chatbot.settings import Settings
from corpora.database.engine import Database
from corpora.indexing.embedding import MiniLM

WITH_MEMORY = ("direct", "embedded", "qamr")
"""The profiles with a memory; the others are baselines, which are measured without one.

Those of GraphContextGen and `extractive` read from it, and neither reuse an answer nor remember
one.
"""


@dataclass(frozen=True)
class Memory:
    """The parts of the memory: what keeps pairs, reads questions, recalls, remembers."""

    stores: Stores
    reader: QuestionReader
    recall: Recall
    remembering: Remembering


def open_memory(settings: Settings, database: Database, embedder: MiniLM) -> Memory:
    """Wire the memory; admins can see it even where the settings leave it out of answering."""
    thresholds = Thresholds(settings.memory_tau, settings.memory_delta, settings.memory_gamma)
    reader = QuestionReader(embedder)
    stores = Stores(database, thresholds, settings.memory_limit)
    recall = Recall(database, Neighbours(database), reader, thresholds)
    profile = settings.profile_in_use
    active = settings.memory == "on" and profile in WITH_MEMORY
    capable = profile in ("direct", "qamr")
    return Memory(
        stores, reader, recall, Remembering(database, stores, recall, active, capable=capable)
    )

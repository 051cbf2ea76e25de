"""Jobs done in this process, as a worker does them."""

from pathlib import Path
from typing import Any

from chatbot.chatbot import Chatbot
from corpora.building.fingerprints import ChunkingSettings
from corpora.database.engine import Database
from corpora.documents.worker import JobWork
from corpora.generations.processes import this_process
from corpora.indexing.embedding import Embedder
from corpora.jobs.jobs import Claims
from tests.hash_embedder import HashEmbedder


def worker(
    database: Database, data_dir: Path, embedder: Embedder | None = None, **options: Any
) -> JobWork:
    """A worker on a data folder."""
    claims, cut = Claims(database, this_process()), ChunkingSettings()
    return JobWork(claims, database, data_dir, embedder or HashEmbedder(), cut, **options)


def worker_of(chatbot: Chatbot, **options: Any) -> JobWork:
    """A worker on the documents of a chatbot."""
    return worker(chatbot.database, chatbot.settings.data_dir, chatbot.embedder, **options)


def work_off(chatbot: Chatbot, **options: Any) -> None:
    """Do all that waits."""
    work = worker_of(chatbot, **options)
    while work.do_next():
        pass

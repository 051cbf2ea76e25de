"""How the memory grows over many turns, with real embeddings: part of `eval.benchmarks.memory`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import psutil
from sqlalchemy import event, func, select

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.memory.pairs import MemoryQuestion, NewPair, Origin, Role, Score, Store
from chatbot.memory.questions.question import QuestionReader
from chatbot.memory.uses import count_reuse
from chatbot.settings import Settings
from corpora.catalog import Catalog
from corpora.database import Database
from corpora.memory_tables import MemoryClusterRow, MemoryEventRow, MemoryPairRow
from eval.benchmarks.made_up_questions import MadeUpQuestions

_PRODUCT, _RELEASE = "harbour", "4.2"
_READ_AT_ONCE = 256
_KNOWN = 8192
_ANSWER = (
    "The manual says so in the chapter on operation, with all that has to be kept in mind. " * 4
)


@dataclass(frozen=True)
class Moment:
    """The memory after so many turns; `reused` is the share of the turns since the moment before.

    Sizes are megabytes: of the database, of the indexes on disk, and of this process.
    """

    turns: int
    reused: float
    high: int
    low: int
    clusters: int
    events: int
    database: float
    indexes: float
    process: float


def grow(
    folder: Path, turns: int, moments: int, on_moment: Callable[[Moment], None], limit: int
) -> list[Moment]:
    """Ask made-up questions of an empty memory: each is searched for, and reused or remembered."""
    settings = Settings(data_dir=folder, generator="none", memory_limit=limit)
    chatbot = open_chatbot(settings)
    _hurry(chatbot.database)
    release = Catalog(chatbot.database).add_release(_PRODUCT, _RELEASE)
    found: list[Moment] = []
    reused, since = 0, 0
    every = max(turns // moments, 1)
    random = Random(7)  # noqa: S311
    questions = _read(chatbot.memory.reader, MadeUpQuestions().stream())
    for turn, question in enumerate(islice(questions, turns), start=1):
        reused += _turn(chatbot, release, question, random)
        if turn % every == 0 or turn == turns:
            found.append(_moment(chatbot, folder, release, turn, reused / (turn - since)))
            on_moment(found[-1])
            reused, since = 0, turn
    chatbot.memory.nearest.close()
    chatbot.database.close()
    return found


def _turn(chatbot: Chatbot, release: int, question: MemoryQuestion, random: Random) -> bool:
    """What the memory does for a turn and after it; whether an answer was reused."""
    memory, delta = chatbot.memory, chatbot.settings.memory_delta
    for pair in memory.nearest.nearest(release, Store.HIGH, question).at_least(delta):
        with chatbot.database.writing() as session:
            count_reuse(session, {pair.row.id: Role.REUSE}, datetime.now(UTC))
        return True
    memory.nearest.nearest(release, Store.LOW, question)
    # Three quarters are good answers.
    gamma = chatbot.settings.memory_gamma
    good = random.random() < 0.75
    value = random.uniform(gamma, 1) if good else random.uniform(0, gamma)
    answer = {"text": _ANSWER, "value": "so", "citations": []}
    score = Score(value, Origin.MEASURED, datetime.now(UTC), faithfulness=value, relevancy=value)
    memory.stores.add(release, NewPair(question, answer, score))
    return False


def _read(reader: QuestionReader, texts: Iterator[str]) -> Iterator[MemoryQuestion]:
    """Read questions some at once, and the next ones meanwhile; those known of late only once."""
    known: OrderedDict[str, MemoryQuestion] = OrderedDict()

    def read() -> list[MemoryQuestion]:
        some = list(islice(texts, _READ_AT_ONCE))
        new = list(dict.fromkeys(text for text in some if text not in known))
        known.update(zip(new, reader.of(_PRODUCT).read_all(new), strict=True))
        found = [known[text] for text in some]
        while len(known) > _KNOWN:
            known.popitem(last=False)
        return found

    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(read)
        while True:
            some, ahead = ahead.result(), pool.submit(read)
            yield from some


def _moment(chatbot: Chatbot, folder: Path, release: int, turns: int, reused: float) -> Moment:
    with chatbot.database.reading() as session:
        pairs = dict(
            session.execute(
                select(MemoryPairRow.store, func.count())
                .where(MemoryPairRow.release_id == release)
                .group_by(MemoryPairRow.store)
            ).all()
        )
        clusters = session.scalar(select(func.count()).select_from(MemoryClusterRow)) or 0
        events = session.scalar(select(func.count()).select_from(MemoryEventRow)) or 0
    return Moment(
        turns,
        reused,
        pairs.get(Store.HIGH, 0),
        pairs.get(Store.LOW, 0),
        clusters,
        events,
        _megabytes(folder.glob("strata.db*")),
        _megabytes((folder / "memory").rglob("*")),
        psutil.Process().memory_info().rss / 1e6,
    )


def _megabytes(files: Iterator[Path]) -> float:
    total = 0
    for file in files:
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            # A snapshot that was replaced while this counts.
            continue
    return total / 1e6


def _hurry(database: Database) -> None:
    """Do not wait for the disk with every turn: what is measured is sizes, not times."""

    def configure(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(database.engine, "connect", configure)
    database.engine.dispose()

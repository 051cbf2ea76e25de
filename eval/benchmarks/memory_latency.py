"""How long the memory takes where it is full: part of `eval.benchmarks.memory`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from math import ceil
from pathlib import Path
from statistics import median

from sqlalchemy import func, select

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.memory.pairs import CitedPage, Happened, MemoryQuestion, NewPair, Origin, Score, Store
from chatbot.settings import Settings
from chatbot.turn import Citation, Route
from corpora.building import ingest
from corpora.memory_tables import MemoryPairRow
from corpora.remembered import page_hash
from corpora.tables import DocumentRow, PageRow, ReleaseRow
from eval.benchmarks.made_up_questions import ASPECTS, THINGS, MadeUpQuestions

PRODUCT, RELEASE = "harbour", "4.2"
BAD_SHARE = 0.2
"""Of so many good pairs there are so many bad ones beside them."""
_READ_AT_ONCE = 256


@dataclass(frozen=True)
class Timing:
    """How long something takes, in milliseconds; `p95` is the nearest-rank percentile."""

    name: str
    n: int
    median: float
    p95: float
    most: float


@dataclass(frozen=True)
class _Manual:
    """A chatbot on a manual, the id of its release, and the page on every thing."""

    chatbot: Chatbot
    release: int
    pages: Mapping[str, CitedPage]

    def pair(self, question: MemoryQuestion, score: float) -> NewPair:
        """An answer to a question, that cites what the manual says of its thing."""
        thing = max((t for t in THINGS if t in question.text), key=len)
        aspect = max((a for a in ASPECTS if a in question.text), key=len)
        quote, cited = _sentence(thing, aspect), self.pages[thing]
        citation = Citation("Manual", cited.file, RELEASE, 1, "", None, quote, cited.page_id)
        answer = {"text": f"{quote} [1]", "value": quote, "citations": [asdict(citation)]}
        scored = Score(score, Origin.MEASURED, datetime.now(UTC))
        return NewPair(question, answer, scored, pages=(cited,))

    def ask(self, question: str) -> tuple[Route, float]:
        """Ask as a person in the chat; how it was answered, and the seconds of the lookup."""
        conversation = self.chatbot.conversations.start(PRODUCT, question)
        reply = self.chatbot.ask(
            question, product=PRODUCT, release=RELEASE, conversation=conversation
        )
        timings = reply.turn.timings.items()
        return reply.turn.route, sum(took for step, took in timings if step.startswith("memory"))


def fill(folder: Path, pairs: int, on_progress: Callable[[int], None]) -> None:
    """Ingest a manual, and remember so many answers on it, unless there are as many already."""
    with _opened(folder, pairs) as manual:
        for store, score, wanted in ((Store.HIGH, 1.0, pairs), (Store.LOW, 0.0, _bad(pairs))):
            texts = MadeUpQuestions(seed=7, again=0).stream()
            while (there := _count(manual, store)) < wanted:
                on_progress(there)
                for question in _read(manual, list(islice(texts, _READ_AT_ONCE))):
                    manual.chatbot.memory.stores.add(manual.release, manual.pair(question, score))


def measure(folder: Path, pairs: int, asked: int, on_progress: Callable[[], None]) -> list[Timing]:
    """Ask what is remembered and what is not, each as a turn of a conversation that is kept."""
    with _opened(folder, pairs) as manual:
        memory = manual.chatbot.memory
        memory.nearest.rebuild(manual.release)
        unknown = list(islice(MadeUpQuestions(seed=8, again=0).stream(), asked + 1))
        manual.ask(unknown.pop())
        whole: list[float] = []
        lookups: dict[bool, list[float]] = {True: [], False: []}
        for both in zip(_known(manual, asked), unknown, strict=True):
            for question in both:
                started = time.perf_counter()
                route, took = manual.ask(question)
                if route is Route.REUSE:
                    whole.append(time.perf_counter() - started)
                lookups[route is Route.REUSE].append(took)
                # Whoever asks reads the answer before they ask again.
                memory.remembering.flush()
                on_progress()
        parts = _parts(manual, unknown)
    return [
        _timing("reuse", whole),
        _timing("lookup with reuse", lookups[True]),
        _timing("lookup without reuse", lookups[False]),
        *(_timing(name, seconds) for name, seconds in parts.items()),
    ]


def _parts(manual: _Manual, texts: Sequence[str]) -> dict[str, list[float]]:
    """What lookups are made of, and what comes after the answer."""
    memory = manual.chatbot.memory
    parts: dict[str, list[float]] = {"reading a question": [], "searching a store": []}
    added = parts["adding a pair, afterwards"] = []
    for text in texts:
        started = time.perf_counter()
        question = memory.reader.of(PRODUCT).read(text)
        read = time.perf_counter()
        next(memory.nearest.nearest(manual.release, Store.HIGH, question).at_least(0), None)
        searched = time.perf_counter()
        pair = memory.stores.add(manual.release, manual.pair(question, 1.0)).pair
        parts["reading a question"].append(read - started)
        parts["searching a store"].append(searched - read)
        added.append(time.perf_counter() - searched)
        # The next one who asks them finds them unknown again.
        memory.stores.remove([pair or 0], Happened.RETIRED, "measured")
    return parts


@contextmanager
def _opened(folder: Path, pairs: int) -> Iterator[_Manual]:
    # The made-up questions share their answers; all of them are wanted here.
    settings = Settings(
        data_dir=folder, generator="none", memory_limit=pairs, memory_wordings=pairs
    )
    chatbot = open_chatbot(settings)
    if not chatbot.products():
        manual = folder / "manual.md"
        manual.write_text(_text(), encoding="utf-8")
        ingest(
            [manual],
            product=PRODUCT,
            release=RELEASE,
            database=chatbot.database,
            data_dir=folder,
            embedder=chatbot.embedder,
        )
    with chatbot.database.reading() as session:
        release = session.scalars(select(ReleaseRow.id)).one()
        rows = session.execute(
            select(DocumentRow.file, PageRow.text, PageRow.id)
            .join(PageRow, PageRow.document_id == DocumentRow.id)
            .order_by(PageRow.id)
        ).all()
    pages = {
        thing: next(
            CitedPage(row.file, page_hash(row.text), row.id)
            for row in rows
            if _sentence(thing, ASPECTS[0]) in row.text
        )
        for thing in THINGS
    }
    try:
        yield _Manual(chatbot, release, pages)
    finally:
        chatbot.memory.nearest.close()
        chatbot.corpora.close()
        chatbot.database.close()


def _text() -> str:
    """A manual that has a chapter on every thing."""
    lines = ["# Manual"]
    for thing in THINGS:
        lines.append(f"# About {thing}")
        lines += (_sentence(thing, aspect) for aspect in ASPECTS)
    return "\n\n".join(lines)


def _sentence(thing: str, aspect: str) -> str:
    return f"The {aspect} of {thing} is set at installation."


def _bad(pairs: int) -> int:
    return int(pairs * BAD_SHARE)


def _count(manual: _Manual, store: Store) -> int:
    with manual.chatbot.database.reading() as session:
        count = select(func.count()).where(
            MemoryPairRow.release_id == manual.release, MemoryPairRow.store == store
        )
        return session.scalar(count) or 0


def _read(manual: _Manual, texts: Sequence[str]) -> list[MemoryQuestion]:
    return manual.chatbot.memory.reader.of(PRODUCT).read_all(texts)


def _known(manual: _Manual, count: int) -> list[str]:
    """Questions that have a good answer, spread over all."""
    with manual.chatbot.database.reading() as session:
        of_store = select(MemoryPairRow.question).where(MemoryPairRow.store == Store.HIGH)
        questions = session.scalars(of_store.order_by(MemoryPairRow.id)).all()
    return list(questions[:: max(len(questions) // count, 1)][:count])


def _timing(name: str, seconds: Sequence[float]) -> Timing:
    took = sorted(1000 * s for s in seconds)
    if not took:
        return Timing(name, 0, 0.0, 0.0, 0.0)
    return Timing(name, len(took), median(took), took[ceil(0.95 * len(took)) - 1], took[-1])

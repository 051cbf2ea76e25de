"""Documents → a new generation of a release → published (QAMR III-A, one corpus per release)."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event, Thread

from sqlalchemy import func, select

from corpora.building.gathering import ChunkingSettings, Gathered, Gathering
from corpora.catalog.catalog import Catalog
from corpora.catalog.memory_review import MemoryReview
from corpora.database.engine import Database
from corpora.database.tables import (
    EmbeddingModelRow,
    GenerationRow,
    MemberRow,
    PageRow,
    SearchChunkRow,
)
from corpora.generations import generations
from corpora.generations.answers_first import pause_for_answers
from corpora.generations.disk import full_disk_is_named, require_room
from corpora.generations.generations import IngestError
from corpora.generations.progress import Progress, Stage
from corpora.indexing.embedding import Embedder
from corpora.indexing.indexes import build_indexes
from corpora.indexing.missing_vectors import embed_missing
from ingestion.errors import StrataError
from ingestion.listing import DEFAULT_LIMITS, Limits
from ingestion.page import Rejected, Remark

_INDEX_BYTES = 10
"""What both indexes take on the disk for a number of a vector: 8.4 bytes were measured."""


_LOOK_SECONDS = 0.2
"""From a look at what was read meanwhile to the next."""


class _Over(Exception):
    """Everything is read, so that the rest is embedded in its stage."""


class IngestCancelled(IngestError):
    """The ingest was stopped; what was read and embedded is kept for the next try."""


class NothingToIngest(IngestError):
    """There is no file under the given paths."""


class Outcome(StrEnum):
    """What an ingest came to."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    NOTHING_READABLE = "nothing_readable"


@dataclass(frozen=True)
class IngestReport:
    """What an ingest did, and which generation serves the release after it.

    Of the files under the given paths `read` were read now, `unchanged` taken over, `rejected`
    left out; `skipped` counts, by suffix, what is no documentation. `dropped` are files that the
    release held and holds no more, because they are gone or cannot be read now; `remarks` tell what
    was left out of files that were read. `documents`,
    `pages` and `chunks` count all that serves; of the chunks' vectors `embedded` were computed
    and the others reused. `remembered` says what became of remembered answers; `seconds` are by
    stage.
    """

    product: str
    release: str
    outcome: Outcome
    generation: int | None
    read: int
    unchanged: int
    rejected: tuple[Rejected, ...]
    skipped: Mapping[str, int]
    dropped: tuple[str, ...]
    remarks: tuple[Remark, ...]
    documents: int
    pages: int
    chunks: int
    embedded: int
    remembered: MemoryReview
    seconds: Mapping[str, float] = field(repr=False)

    @property
    def reused(self) -> int:
        """How many chunks needed no embedding."""
        return self.chunks - self.embedded


@dataclass(frozen=True)
class Builder:
    """What it takes to build generations, who is told of it, and who may stop it."""

    database: Database
    data_dir: Path
    embedder: Embedder
    settings: ChunkingSettings
    on_progress: Callable[[Progress], None] = lambda progress: None
    cancelled: Callable[[], bool] = lambda: False
    workers: int | None = None
    limits: Limits = DEFAULT_LIMITS

    def build(
        self, product: str, release: str, gather: Callable[[Gathering], Gathered]
    ) -> IngestReport:
        """Publish a new generation of a release, of what is gathered.

        If it would hold the same as the one that serves, nothing is published. Raises as `ingest`
        does.
        """
        self.data_dir.mkdir(parents=True, exist_ok=True)
        with full_disk_is_named(self.data_dir):
            release_id = Catalog(self.database).add_release(product, release)
            model_id = _model_id(self.database, self.embedder)
            generation_id = generations.claim(
                self.database, release_id, model_id, self.settings.fingerprint
            )
            try:
                with generations.heartbeat(self.database, generation_id):
                    report = self._report_of(generation_id, product, release, gather)
            finally:
                # This leaves a published generation alone.
                generations.abandon(self.database, self.data_dir, generation_id)
            generations.prune(self.database, self.data_dir, release_id)
        return report

    def _report_of(
        self,
        generation_id: int,
        product: str,
        release: str,
        gather: Callable[[Gathering], Gathered],
    ) -> IngestReport:
        seconds: dict[str, float] = {}
        gathering = Gathering(
            self.database, generation_id, self.settings, self._report, self.workers, self.limits
        )
        with (
            _timed(seconds, Stage.READING),
            self._embedding_meanwhile(generation_id) as embedded_meanwhile,
        ):
            gathered = gather(gathering)
        serving = generations.serving_beside(self.database, generation_id)
        contents = _contents(self.database, generation_id)
        embedded, remembered = 0, MemoryReview()
        if not (gathered.read or gathered.unchanged):
            outcome = Outcome.NOTHING_READABLE
        elif serving is not None and contents == _contents(self.database, serving):
            outcome = Outcome.UNCHANGED
        else:
            embedded, remembered = self._publish(generation_id, seconds)
            embedded += embedded_meanwhile()
            outcome, serving = Outcome.PUBLISHED, generation_id
        documents, pages, chunks = _counts(self.database, serving)
        return IngestReport(
            product=product,
            release=release,
            outcome=outcome,
            generation=serving,
            read=gathered.read,
            unchanged=gathered.unchanged,
            rejected=gathered.rejected,
            skipped=gathered.skipped,
            dropped=gathered.dropped,
            remarks=gathered.remarks,
            documents=documents,
            pages=pages,
            chunks=chunks,
            embedded=embedded,
            remembered=remembered,
            seconds=seconds,
        )

    def _publish(self, generation_id: int, seconds: dict[str, float]) -> tuple[int, MemoryReview]:
        """Embed what is new, build the indexes and let them serve; count what was embedded."""
        with _timed(seconds, Stage.EMBEDDING):
            embedded = embed_missing(self.database, generation_id, self.embedder, self._report)
        _, _, chunks = _counts(self.database, generation_id)
        require_room(self.data_dir, chunks * self.embedder.dimension * _INDEX_BYTES)
        with _timed(seconds, Stage.INDEXING):
            build_indexes(
                self.database,
                self.data_dir,
                generation_id,
                lambda done, total: self._report(Progress(Stage.INDEXING, done, total)),
            )
        with _timed(seconds, Stage.PUBLISHING):
            self._report(Progress(Stage.PUBLISHING, 0, 1))
            remembered = generations.publish(self.database, generation_id)
            self.on_progress(Progress(Stage.PUBLISHING, 1, 1))
        return embedded, remembered

    @contextmanager
    def _embedding_meanwhile(self, generation_id: int) -> Iterator[Callable[[], int]]:
        """Embed what is written while more is read, which leaves a core idle now and then.

        Yields what tells, at the end, how many texts that were.
        """
        over = Event()
        done: list[int] = []

        def go_on(progress: Progress) -> None:
            done[-1] = progress.done
            pause_for_answers(self.data_dir)
            if over.is_set():
                raise _Over

        def work() -> None:
            with suppress(_Over, StrataError, OSError):
                # What fails here fails again, and is told, when all is read.
                while not over.wait(_LOOK_SECONDS):
                    done.append(0)
                    embed_missing(self.database, generation_id, self.embedder, go_on)

        thread = Thread(target=work, name="embedding-meanwhile", daemon=True)
        thread.start()
        try:
            yield lambda: sum(done)
        finally:
            over.set()
            thread.join()

    def _report(self, progress: Progress) -> None:
        self.on_progress(progress)
        pause_for_answers(self.data_dir)
        require_room(self.data_dir)
        if self.cancelled():
            raise IngestCancelled(
                "The ingest was stopped and changed nothing. Run the same command to continue "
                "where it stopped."
            )


def ingest(
    paths: Sequence[Path],
    *,
    product: str,
    release: str,
    database: Database,
    data_dir: Path,
    embedder: Embedder,
    settings: ChunkingSettings | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
    workers: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> IngestReport:
    """Build a new generation of a release from files, folders and zips, and publish it.

    All files that came from one of `paths` before are replaced by those that are there now; what
    came from other paths stays. Until the end the published generation serves as before. After a
    failure, a cancellation or a kill the same call picks up where this one was: documents and
    vectors that were committed are used again. If nothing has changed, or no file can be read,
    nothing is published.

    Raises IngestError (BeingBuilt, IngestCancelled, DiskFull, NothingToIngest, TakenOver) with
    what to do, and UnusableName for a name that cannot be one.
    """
    builder = Builder(
        database,
        data_dir,
        embedder,
        settings or ChunkingSettings(),
        on_progress,
        cancelled,
        workers,
        limits,
    )

    def gather(gathering: Gathering) -> Gathered:
        found = gathering.from_paths([Path(path) for path in paths])
        if not (found.read or found.unchanged or found.rejected):
            raise NothingToIngest(
                f"No files found in {', '.join(map(str, paths))}. "
                "Give files, folders or zips of documentation."
            )
        return found

    return builder.build(product, release, gather)


@contextmanager
def _timed(seconds: dict[str, float], stage: Stage) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - started


def _model_id(database: Database, embedder: Embedder) -> int:
    with database.writing() as session:
        row = session.scalar(
            select(EmbeddingModelRow).where(EmbeddingModelRow.name == embedder.name)
        )
        if row is None:
            row = EmbeddingModelRow(name=embedder.name, dimension=embedder.dimension)
            session.add(row)
            session.flush()
        return row.id


def _contents(database: Database, generation_id: int) -> tuple[int, frozenset[tuple[int, str]]]:
    """Generations of the same documents, sources and model answer alike."""
    members = select(MemberRow.document_id, MemberRow.source)
    with database.reading() as session:
        rows = session.execute(members.where(MemberRow.generation_id == generation_id))
        held = frozenset((document_id, source) for document_id, source in rows)
        return session.get_one(GenerationRow, generation_id).model_id, held


def _counts(database: Database, generation_id: int | None) -> tuple[int, int, int]:
    """Count the documents, pages and search chunks of a generation; none are of no generation."""
    documents = select(MemberRow.document_id).where(MemberRow.generation_id == generation_id)
    pages = select(PageRow.id).where(PageRow.document_id.in_(documents))
    chunks = select(SearchChunkRow.id).where(SearchChunkRow.page_id.in_(pages))
    with database.reading() as session:
        first, second, third = (
            session.scalar(select(func.count()).select_from(rows.subquery())) or 0
            for rows in (documents, pages, chunks)
        )
    return first, second, third

"""Documents → a new generation of a release → published (QAMR III-A, one corpus per release)."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread

from sqlalchemy import func, select

from corpora.building.detection import detect_missing
from corpora.building.fingerprints import ChunkingSettings
from corpora.building.gathering import Gathering
from corpora.building.report import IngestReport, Outcome
from corpora.catalog.catalog import Catalog, require_release
from corpora.catalog.languages import LANGUAGES, languages_of
from corpora.database.engine import Database
from corpora.database.tables import (
    DocumentRow,
    EmbeddingModelRow,
    GenerationRow,
    MemberRow,
    PageRow,
    SearchChunkRow,
)
from corpora.errors import IngestCancelled, NothingLeft, NothingToIngest
from corpora.generations import generations
from corpora.generations.disk import full_disk_is_named, require_room
from corpora.generations.progress import Progress, Stage
from corpora.indexing import vectors
from corpora.indexing.embedding import Embedder
from corpora.indexing.indexes import build_indexes
from corpora.indexing.missing_vectors import embed_missing
from corpora.indexing.vectors import Prober
from corpora.packs.container import PackFile
from ingestion.listing import DEFAULT_LIMITS, Limits
from ingestion.messages import message, sentences
from ingestion.reading import Parsers

_INDEX_BYTES = 10
"""What both indexes take on the disk for a number of a vector: 8.4 bytes were measured."""
_LOOK_SECONDS = 0.2
"""From a look at what was read meanwhile to the next."""

_OPEN_ORDER = message(
    "The names of its releases do not tell their order, so none is taken for the latest: set which "
    "one is (`strata releases alias PRODUCT RELEASE latest`, or Latest on the page Documents), or "
    "give each a sort order there."
)


class _Over(Exception):
    """Everything is read, so that the rest is embedded in its stage."""


@dataclass(frozen=True)
class Builder:
    """Builds generations and publishes them, tells who wants to know, and can be stopped.

    After a failure, a cancellation or a kill the same call picks up where this one was. What would
    hold the same as what serves is not published. With `waits` a generation that is complete waits
    for an admin's yes, and the next one goes on from it. All raise IngestError with what to do.
    `pause` returns when the next step may be done. `parsers` and `prober` are child processes that
    outlive one ingest.
    """

    database: Database
    data_dir: Path
    embedder: Embedder
    settings: ChunkingSettings = field(default_factory=ChunkingSettings)
    on_progress: Callable[[Progress], None] = lambda progress: None
    cancelled: Callable[[], bool] = lambda: False
    workers: int | None = None
    limits: Limits = DEFAULT_LIMITS
    pause: Callable[[], None] = lambda: None
    waits: bool = False
    parsers: Parsers | None = None
    prober: Prober | None = None

    @contextmanager
    def for_several(self) -> Iterator["Builder"]:
        """Yield one like this that builds one release after the other by the same children."""
        with (
            closing(Parsers(self.limits, self.workers)) as parsers,
            closing(vectors.Prober()) as prober,
        ):
            yield replace(self, parsers=parsers, prober=prober)

    def ingest(
        self, paths: Sequence[Path], *, product: str, release: str, language: str | None = None
    ) -> IngestReport:
        """Build a generation of a release from files, folders and zips.

        What came from one of `paths` before is replaced by what is there now; the rest stays.
        `language` is said of the release from now on; "": each document tells its own. Raises
        NothingToIngest, and UnusableName for a name or a language that cannot be one.
        """
        if language is not None:
            Catalog(self.database).add_release(product, release, language)

        def gather(gathering: Gathering) -> None:
            gathering.from_paths(paths)
            found = gathering.report
            if not (found.read or found.unchanged or found.rejected):
                names = ", ".join(map(str, paths))
                raise NothingToIngest(
                    "No files found in {names}. Give files, folders or zips of documentation.",
                    names=names,
                )

        return self._build(product, release, gather)

    def from_source(
        self,
        folder: Path,
        source: str,
        addresses: Mapping[str, str],
        *,
        product: str,
        release: str,
    ) -> IngestReport:
        """Build a generation of a release from all files of a source, laid out in a folder.

        What `source` brought before and has no more is left out; the rest stays. `addresses` are
        those of the originals by file.
        """

        def gather(gathering: Gathering) -> None:
            gathering.from_source(folder, source, addresses)

        return self._build(product, release, gather)

    def take(self, pack: PackFile, *, product: str, release: str) -> IngestReport:
        """Build a generation of a release from the documents and vectors of a pack.

        What an earlier pack of it brought is replaced; the rest stays. What its maker said of the
        language of all documents is said of the release here. Raises BadPack.
        """
        if pack.manifest.language in LANGUAGES:
            Catalog(self.database).add_release(product, release, pack.manifest.language)
        return self._build(
            product, release, lambda gathering: gathering.from_pack(pack), brings_vectors=True
        )

    def reread(self, product: str, release: str) -> IngestReport:
        """Read all files of a release again, from the bytes that were kept.

        One that cannot be read any more is left out. Raises NoCorpus.
        """
        serving = Catalog(self.database).serving(product, release)
        return self._build(serving.product, serving.release, Gathering.from_originals)

    def embed_anew(self, product: str, release: str) -> IngestReport:
        """Build the same documents with vectors by this embedder. Raises NoCorpus.

        They wait for an admin's yes only where a generation waits that they go on from.
        """
        serving = Catalog(self.database).serving(product, release)
        with self.database.reading() as session:
            row = require_release(session, product, release)
            waits = generations.waiting_of(session, row.id) is not None
        builder = replace(self, waits=waits)
        return builder._build(serving.product, serving.release, lambda g: g.all_but(()))

    def remove_documents(self, product: str, release: str, files: Collection[str]) -> IngestReport:
        """Leave some files of a release out; raise NothingLeft where none remains, NoCorpus."""
        serving = Catalog(self.database).serving(product, release)

        def gather(gathering: Gathering) -> None:
            gathering.all_but(files)
            if not gathering.report.unchanged:
                raise NothingLeft(
                    "{product} {release} would have no documents left. Delete the release instead.",
                    product=serving.product,
                    release=serving.release,
                )

        return self._build(serving.product, serving.release, gather)

    def _build(
        self,
        product: str,
        release: str,
        gather: Callable[[Gathering], None],
        *,
        brings_vectors: bool = False,
    ) -> IngestReport:
        self.data_dir.mkdir(parents=True, exist_ok=True)
        report = IngestReport(product, release)
        with full_disk_is_named(self.data_dir):
            release_id = Catalog(self.database).add_release(product, release)
            generation_id = generations.claim(
                self.database,
                release_id,
                _model_id(self.database, self.embedder),
                self.settings.fingerprint,
            )
            try:
                with generations.heartbeat(self.database, generation_id):
                    self._build_generation(generation_id, report, gather, brings_vectors)
            finally:
                # This leaves a published generation alone.
                generations.abandon(self.database, self.data_dir, generation_id)
            generations.prune(self.database, self.data_dir, release_id)
        return report

    def _build_generation(
        self,
        generation_id: int,
        report: IngestReport,
        gather: Callable[[Gathering], None],
        brings_vectors: bool,
    ) -> None:
        gathering = Gathering(
            self.database,
            generation_id,
            self.settings,
            report,
            self._report,
            self.workers,
            self.limits,
            self.parsers,
        )
        # What has no vector yet may get the one that comes behind the documents.
        meanwhile = nullcontext(()) if brings_vectors else self._embedding_meanwhile(generation_id)
        with _timed(report, Stage.READING), meanwhile as embedded:
            gather(gathering)
        with _timed(report, Stage.DETECTING):
            detect_missing(self.database, generation_id, self._report)
        report.generation = generations.built_before(self.database, generation_id)
        if report.read or report.unchanged:
            contents = _contents(self.database, generation_id)
            if report.generation and contents == _contents(self.database, report.generation):
                report.outcome = Outcome.UNCHANGED
            else:
                self._publish(generation_id, report)
                report.embedded += sum(embedded)
        report.documents, report.pages, report.chunks = _counts(self.database, report.generation)
        with self.database.reading() as session:
            report.languages = languages_of(session, report.generation).documents

    def _publish(self, generation_id: int, report: IngestReport) -> None:
        """Embed what is new, build the indexes and let them serve."""
        with _timed(report, Stage.EMBEDDING):
            report.embedded = embed_missing(
                self.database, generation_id, self.embedder, self._report
            )
        _, _, chunks = _counts(self.database, generation_id)
        require_room(self.data_dir, chunks * self.embedder.dimension * _INDEX_BYTES)
        with _timed(report, Stage.INDEXING):
            build_indexes(
                self.database,
                self.data_dir,
                generation_id,
                lambda done, total: self._report(Progress(Stage.INDEXING, done, total)),
                self.prober,
            )
        with _timed(report, Stage.PUBLISHING):
            self._report(Progress(Stage.PUBLISHING, 0, 1))
            complete = generations.put_aside if self.waits else generations.publish
            follows = complete(self.database, generation_id)
            is_open = not self.waits and Catalog(self.database).has_open_order(report.product)
            report.consequences = sentences([follows, _OPEN_ORDER if is_open else ""])
            report.outcome = Outcome.WAITING if self.waits else Outcome.PUBLISHED
            report.generation = generation_id
            self.on_progress(Progress(Stage.PUBLISHING, 1, 1))

    @contextmanager
    def _embedding_meanwhile(self, generation_id: int) -> Iterator[Sequence[int]]:
        """Embed what is written while more is read; yield how many texts each look embedded."""
        over = Event()
        done: list[int] = []

        def go_on(progress: Progress) -> None:
            done[-1] = progress.done
            self.pause()
            if over.is_set():
                raise _Over

        def work() -> None:
            # The edge of a thread: whatever fails here fails again, and is told, when all is read.
            with suppress(Exception):
                while not over.wait(_LOOK_SECONDS):
                    done.append(0)
                    embed_missing(self.database, generation_id, self.embedder, go_on)

        thread = Thread(target=work, name="embedding-meanwhile", daemon=True)
        thread.start()
        try:
            yield done
        finally:
            over.set()
            thread.join()

    def _report(self, progress: Progress) -> None:
        self.on_progress(progress)
        self.pause()
        require_room(self.data_dir)
        if self.cancelled():
            raise IngestCancelled(
                "The ingest was stopped and changed nothing. Run the same command to continue "
                "where it stopped."
            )


@contextmanager
def _timed(report: IngestReport, stage: Stage) -> Iterator[None]:
    started = time.perf_counter()
    yield
    report.seconds[stage] = time.perf_counter() - started


def _model_id(database: Database, embedder: Embedder) -> int:
    with database.writing() as session:
        row = session.scalar(
            select(EmbeddingModelRow).where(EmbeddingModelRow.name == embedder.name)
        )
        if row is None:
            row = EmbeddingModelRow(name=embedder.name, dimension=embedder.dimension)
            session.add(row)
        row.setting = embedder.setting
        session.flush()
        return row.id


def _contents(
    database: Database, generation_id: int
) -> tuple[int, frozenset[tuple[int, str, str, str]]]:
    """Generations of the same documents, sources, addresses, languages and model answer alike."""
    columns = MemberRow.document_id, MemberRow.source, MemberRow.address, DocumentRow.language
    members = select(*columns).join(DocumentRow, DocumentRow.id == MemberRow.document_id)
    with database.reading() as session:
        languages = languages_of(session, generation_id)
        rows = session.execute(members.where(MemberRow.generation_id == generation_id))
        held = frozenset(
            (i, source, address, languages.of(own)) for i, source, address, own in rows
        )
        return session.get_one(GenerationRow, generation_id).model_id, held


def _counts(database: Database, generation_id: int | None) -> tuple[int, int, int]:
    """Count the documents, pages and search chunks of a generation; none are of no generation."""
    counted = (
        select(
            func.count(MemberRow.document_id.distinct()),
            func.count(PageRow.id.distinct()),
            func.count(SearchChunkRow.id),
        )
        .outerjoin(PageRow, PageRow.document_id == MemberRow.document_id)
        .outerjoin(SearchChunkRow, SearchChunkRow.page_id == PageRow.id)
        .where(MemberRow.generation_id == generation_id)
    )
    with database.reading() as session:
        documents, pages, chunks = session.execute(counted).one()
    return documents, pages, chunks

"""A run of a source: what is new there is fetched, read, and published release by release."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError
from sqlalchemy import delete, insert, literal, select, update

from corpora.building.building import Builder
from corpora.building.report import Outcome
from corpora.catalog.catalog import check_name, find_release
from corpora.database.engine import Database, insert_into, portions
from corpora.database.originals import Originals, pack
from corpora.database.source_tables import SourceFileRow, SourceReleaseRow, SourceRow
from corpora.database.tables import DocumentRow, FileRow, MemberRow
from corpora.errors import (
    BeingBuilt,
    DiskFull,
    IngestCancelled,
    SourceError,
    TakenOver,
    UnusableDatabase,
)
from corpora.generations.disk import full_disk_is_named
from corpora.generations.progress import Progress, Stage
from corpora.sources.allowed import AT_THE_SERVER, require_allowed
from corpora.sources.kinds import source_kind
from corpora.sources.run_report import ReleaseRun, SourceRun
from corpora.sources.source import (
    FetchedFile,
    FoundRelease,
    Secrets,
    SourceReader,
    has_short_parts,
)
from ingestion.archives import canonical_name, stays_inside
from ingestion.errors import StrataError
from ingestion.figures import PICTURES
from ingestion.includes import LARGEST_READ
from ingestion.loaders import known_suffixes

_FILES_AT_ONCE, _BYTES_AT_ONCE = 100, 16_000_000
_NAMED = 50
"""So many files of a kind of change are named in a report."""
_EXAMPLES = 3
_LONGEST_ADDRESS = 2_000


def source_name(source: int) -> str:
    """What documents of a source say that they came from."""
    return f"source:{source}"


def open_source(
    kind: str, options: Mapping[str, Any], secrets: Secrets, *, anywhere: bool = False
) -> SourceReader:
    """Make the reader of a source; raises SourceError where its options are no longer good.

    It lies in a folder that settings name, unless it may lie `anywhere`.
    """
    try:
        of = source_kind(kind)
        checked = of.options.model_validate(options)
        require_allowed(checked, secrets.folders, anywhere=anywhere)
        return of.open(checked, secrets)
    except (ValidationError, ValueError) as error:
        raise SourceError(
            f"The options of this {kind} source cannot be used ({error}). Add it again."
        ) from error


class _Held(NamedTuple):
    """What is known of a file of a release, as in its row."""

    digest: str
    address: str
    content_hash: str


@dataclass(frozen=True)
class Syncing:
    """Runs a source for a job; what it fetched outlives a failure, a cancellation and a kill.

    `check_stop` raises IngestCancelled where the run is to end.
    """

    database: Database
    data_dir: Path
    builder: Builder
    secrets: Secrets
    report: Callable[[Progress], None]
    check_stop: Callable[[], None]

    def run(self, source_id: int, job_id: int) -> SourceRun:
        """Take what is new; raises SourceError where the source as a whole cannot be read.

        A release that fails is told and stops no other. Raises BeingBuilt at the end where another
        process was busy with a release.
        """
        with self.database.reading() as session:
            source = session.get(SourceRow, source_id)
            if source is None:
                raise SourceError("This source was removed.")
            known = {
                row.name: row
                for row in session.scalars(
                    select(SourceReleaseRow).where(SourceReleaseRow.source_id == source_id)
                )
            }
        run, busy = SourceRun(), None
        # What a killed run left; of a source there is one run at a time.
        shutil.rmtree(self._place(source_id))
        anywhere = source.person == AT_THE_SERVER
        reader = open_source(source.kind, source.options, self.secrets, anywhere=anywhere)
        self.report(Progress(Stage.FETCHING, 0, 1))
        found = reader.releases(self.check_stop)
        if not found and known:
            raise SourceError(
                "The source had releases and has none any more. Nothing was changed; check its "
                "address and its pattern of releases."
            )
        for done, release in enumerate(found):
            self.check_stop()
            self.report(Progress(Stage.FETCHING, 0, 0, release.name, (done, len(found))))
            said = len(reader.remarks)
            try:
                one = self._release(source, reader, release, known.get(release.name), job_id)
            except (BeingBuilt, TakenOver) as error:
                busy = error
                continue
            except (IngestCancelled, DiskFull, UnusableDatabase):
                raise
            except StrataError as error:
                one = ReleaseRun(release.name, "failed", release.revision, message=str(error))
                self._keep(source_id, release.name, error=str(error))
            one.remarks = [*reader.remarks[said:], *one.remarks]
            run.releases.append(one)
        for name in sorted(known.keys() - {release.name for release in found}):
            told = "no longer at the source, or not chosen; its documents stay."
            run.releases.append(ReleaseRun(name, "gone", message=told))
        own = (remark for one in run.releases for remark in one.remarks)
        run.remarks = list(dict.fromkeys([*reader.remarks, *own]))
        if busy is not None:
            raise busy
        return run

    def _release(
        self,
        source: SourceRow,
        reader: SourceReader,
        found: FoundRelease,
        last: SourceReleaseRow | None,
        job_id: int,
    ) -> ReleaseRun:
        check_name("release", found.name)
        serving = self._serving(source.product, found.name)
        before = last.revision if last else ""
        run = ReleaseRun(found.name, "unchanged", found.revision, before)
        if serving is not None and found.revision and found.revision == before:
            return run
        release_id = self._keep(source.id, found.name)
        with (
            _errors_of_files(self.data_dir, found.name),
            TemporaryDirectory(prefix="source-", dir=self._place(source.id)) as place,
        ):
            if source_kind(source.kind).by_content:
                self._begin_like_last(source.id, release_id)
            self._fetch(reader, found, release_id, job_id, Path(place))
        contents = self._digest(release_id)
        if serving is None or last is None or contents != last.taken:
            self._publish(source, found.name, release_id, job_id, run, serving)
        self._keep(source.id, found.name, revision=found.revision, taken=contents, error="")
        return run

    def _begin_like_last(self, source_id: int, release_id: int) -> None:
        """Give a release without files those of the one taken last, for what is the same there."""
        own = select(SourceFileRow.path).where(SourceFileRow.release_id == release_id)
        last = (
            select(SourceReleaseRow.id)
            .where(SourceReleaseRow.source_id == source_id, SourceReleaseRow.published.is_not(None))
            .order_by(SourceReleaseRow.published.desc(), SourceReleaseRow.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        same = SourceFileRow.path, SourceFileRow.digest, SourceFileRow.content_hash
        files = select(literal(release_id), literal(0), literal(""), *same)
        with self.database.writing() as session:
            session.execute(
                insert(SourceFileRow).from_select(
                    ["release_id", "job_id", "address", *(column.key for column in same)],
                    files.where(SourceFileRow.release_id == last, ~own.exists()),
                )
            )

    def _place(self, source_id: int) -> Path:
        place = self.data_dir / "fetching" / str(source_id)
        place.mkdir(parents=True, exist_ok=True)
        return place

    def _fetch(
        self,
        reader: SourceReader,
        found: FoundRelease,
        release_id: int,
        job_id: int,
        place: Path,
    ) -> None:
        """Keep what is new of a release; what is gone goes when all has been seen."""
        with self.database.reading() as session:
            rows = session.execute(
                select(
                    SourceFileRow.path, *(getattr(SourceFileRow, n) for n in _Held._fields)
                ).where(SourceFileRow.release_id == release_id)
            )
            held = {path: _Held(*of) for path, *of in rows}
        # Pictures were not kept once.
        known = {p: of.digest for p, of in held.items() if of.content_hash or not _is_picture(p)}

        furthest = 0.0

        def progress(done: int, total: int | None) -> None:
            nonlocal furthest
            share = done / total if total else 0.0
            # A site finds more pages while it is read: what is done never seems to become less.
            if share >= furthest:
                furthest = share
                self.report(Progress(Stage.FETCHING, done, total or 0, found.name))

        waiting: list[tuple[FetchedFile, bytes | None]] = []
        size = seen = 0
        files = reader.fetch(found, known, place, self.check_stop, progress)
        try:
            for file in files:
                if (
                    not stays_inside(file.path)
                    or "\\" in file.path
                    or not has_short_parts(file.path)
                ):
                    reader.remarks.append(
                        f"{file.path!r} is no plain relative path of short names, and was left out."
                    )
                    continue
                if file.content is None and file.path not in known:
                    raise SourceError(
                        f"{file.path} came without its content. Report this to the "
                        "makers of this kind of source."
                    )
                seen += 1
                data = None if file.content is None else _bytes_of(file)
                size += len(data or b"")
                waiting.append((file, data))
                if len(waiting) >= _FILES_AT_ONCE or size >= _BYTES_AT_ONCE:
                    self._store(release_id, job_id, waiting, held)
                    waiting, size = [], 0
        finally:
            # What was fetched before a failure or a stop is not fetched again.
            self._store(release_id, job_id, waiting, held)
        if not seen:
            raise SourceError(
                f"The source yields no file for {found.name}"
                + (f", and had {len(known):,}. What it brought still serves" if known else "")
                + ". Check its address and options."
            )
        with self.database.writing() as session:
            gone = SourceFileRow.release_id == release_id, SourceFileRow.job_id != job_id
            session.execute(delete(SourceFileRow).where(*gone))

    def _store(
        self,
        release_id: int,
        job_id: int,
        files: list[tuple[FetchedFile, bytes | None]],
        held: Mapping[str, _Held],
    ) -> None:
        """Write files into their rows; `held` is what the last run left of those without bytes."""
        rows, still, originals = [], [], []
        for file, data in files:
            before = held[file.path] if data is None else None
            # An unchanged file keeps the address at which it was read: it says the same there.
            address = (before and before.address) or web_address(file.address)
            if before and before[:2] == (file.digest, address):
                still.append(file.path)
                continue
            content_hash = before.content_hash if before else ""
            if data is not None:
                original = pack(data)
                if _is_used(file.path, original):
                    originals.append(original)
                    content_hash = original.content_hash
            new = _Held(file.digest, address, content_hash)._asdict()
            rows.append({"release_id": release_id, "path": file.path, "job_id": job_id, **new})
        with self.database.writing() as session:
            Originals(self.database).store(session, *originals)
            if rows:
                insert = insert_into(session, SourceFileRow)
                key = [SourceFileRow.release_id, SourceFileRow.path]
                changed = {name: insert.excluded[name] for name in ("job_id", *_Held._fields)}
                session.execute(
                    insert.on_conflict_do_update(index_elements=key, set_=changed), rows
                )
            # Of most files there is only to say that they are there still.
            session.execute(
                update(SourceFileRow)
                .where(SourceFileRow.release_id == release_id, SourceFileRow.path.in_(still))
                .values(job_id=job_id)
            )

    def _publish(
        self,
        source: SourceRow,
        release: str,
        release_id: int,
        job_id: int,
        run: ReleaseRun,
        serving: int | None,
    ) -> None:
        with TemporaryDirectory(prefix="source-", dir=self._place(source.id)) as place:
            with _errors_of_files(self.data_dir, release):
                addresses = self._lay_out(release_id, Path(place))
            report = self.builder.from_source(
                Path(place),
                source_name(source.id),
                addresses,
                product=source.product,
                release=release,
            )
        if report.outcome is Outcome.NOTHING_READABLE:
            raise SourceError("No file of the release could be read, so nothing changed.")
        if report.outcome in (Outcome.PUBLISHED, Outcome.WAITING):
            run.outcome = "published" if report.outcome is Outcome.PUBLISHED else "waits"
            run.message = report.consequences
        self._compare(run, serving, report.generation, source.id)
        run.remarks += [f"{release}: {f.file}: {f.reason}" for f in report.rejected[:_NAMED]]
        if report.apart:
            named = ", ".join(report.apart[:_EXAMPLES])
            run.remarks.append(
                f"{release}: documents from elsewhere have the names of {len(report.apart):,} of "
                f"its files ({named}). Both are kept: all files of this source stand in the folder "
                f"{source_name(source.id).replace(':', '-')}."
            )

    def _lay_out(self, release_id: int, place: Path) -> dict[str, str]:
        """Write all files of a release, for texts include others; return their addresses."""
        with self.database.reading() as session:
            rows = session.execute(
                select(SourceFileRow.path, SourceFileRow.content_hash, SourceFileRow.address)
                .where(SourceFileRow.release_id == release_id, SourceFileRow.content_hash != "")
                .order_by(SourceFileRow.path)
            ).all()
        for some in portions(rows, _FILES_AT_ONCE):
            self.check_stop()
            paths = defaultdict(list)
            for row in some:
                paths[row.content_hash].append(row.path)
            for content_hash, data in Originals(self.database).read_each([*paths]):
                for path in paths.pop(content_hash):
                    _write(place, path, data)
            for path, *_ in paths.values():
                raise SourceError(f"{path} is not kept any more. Run the source again.")
        return {canonical_name(row.path): row.address for row in rows}

    def _digest(self, release_id: int) -> str:
        digest = sha256()
        with self.database.reading() as session:
            rows = session.execute(
                select(SourceFileRow.path, SourceFileRow.content_hash, SourceFileRow.address)
                .where(SourceFileRow.release_id == release_id, SourceFileRow.content_hash != "")
                .order_by(SourceFileRow.path)
            )
            for row in sorted(map(tuple, rows)):
                digest.update(repr(row).encode())
        return digest.hexdigest()

    def _serving(self, product: str, release: str) -> int | None:
        with self.database.reading() as session:
            row = find_release(session, product, release)
            return row.published_generation_id if row else None

    def _compare(
        self, run: ReleaseRun, before: int | None, after: int | None, source_id: int
    ) -> None:
        old, new = self._files(before, source_id), self._files(after, source_id)
        for name, files in (
            ("added", new.keys() - old.keys()),
            ("changed", {file for file in new.keys() & old.keys() if new[file] != old[file]}),
            ("removed", old.keys() - new.keys()),
        ):
            setattr(run, name, len(files))
            run.names[name] = sorted(files)[:_NAMED]

    def _files(self, generation: int | None, source_id: int) -> dict[str, str]:
        query = (
            select(DocumentRow.file, DocumentRow.content_hash)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id == generation)
            .where(MemberRow.source == source_name(source_id))
        )
        with self.database.reading() as session:
            return {row.file: row.content_hash for row in session.execute(query)}

    def _keep(self, source_id: int, name: str, **values: Any) -> int:
        """Write what is known of a release, and return its id; raises SourceError."""
        with self.database.writing() as session:
            if session.get(SourceRow, source_id) is None:
                raise SourceError("This source was removed while it was read.")
            of = SourceReleaseRow.source_id == source_id, SourceReleaseRow.name == name
            row = session.scalar(select(SourceReleaseRow).where(*of))
            if row is None:
                row = SourceReleaseRow(source_id=source_id, name=name)
                session.add(row)
            for key, value in values.items():
                setattr(row, key, value)
            if "taken" in values:
                row.published = datetime.now(UTC)
            session.flush()
            return row.id


def keep_outcome(database: Database, source_id: int, outcome: str, message: str, run: Any) -> None:
    """Write what came of a run into the row of its source."""
    with database.writing() as session:
        session.execute(
            update(SourceRow)
            .where(SourceRow.id == source_id)
            .values(
                last_run=datetime.now(UTC),
                outcome=outcome,
                message=message,
                report=asdict(run) if run else {},
            )
        )


def web_address(address: str | None) -> str:
    """An http(s) address without credentials, or "" for anything else."""
    if not address or len(address) > _LONGEST_ADDRESS or not address.isprintable():
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    is_plain = " " not in address and "@" not in parts.netloc
    return address if parts.scheme in ("http", "https") and parts.netloc and is_plain else ""


@contextmanager
def _errors_of_files(data_dir: Path, release: str) -> Iterator[None]:
    """Turn what the system raises for a file into an error of its release alone."""
    try:
        with full_disk_is_named(data_dir):
            yield
    except OSError as error:
        raise SourceError(
            f"A file of {release} cannot be written or read ({error}). Check the disk that holds "
            f"{data_dir} and the names of the files at the source."
        ) from error


def _write(place: Path, path: str, data: bytes) -> None:
    file = place / path
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise SourceError(
            f"{path} cannot lie beside the other files: one name is both a file and a "
            "folder. Change one of the two at the source."
        ) from error


def _bytes_of(file: FetchedFile) -> bytes:
    assert file.content is not None
    data = file.content.read_bytes()
    file.content.unlink()
    return data


def _is_used(path: str, original: FileRow) -> bool:
    """Whether a file is read, or may be included or shown by one that is."""
    suffix = Path(path).suffix.lower()
    if suffix in {*known_suffixes(), ".zip"}:
        return True
    return original.size <= LARGEST_READ and suffix not in _UNUSED


def _is_picture(path: str) -> bool:
    return Path(path).suffix.lower() in PICTURES


_UNUSED = {
    *(".avif", ".ico", ".mp4", ".webm"),
    *(".woff", ".woff2", ".ttf", ".eot", ".otf", ".js", ".css", ".map", ".gz", ".whl", ".exe"),
}

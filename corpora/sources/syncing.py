"""A run of a source: what is new there is fetched, read, and published release by release."""

import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select, update

from corpora.building.building import Builder
from corpora.building.report import Outcome
from corpora.catalog.catalog import check_name, find_release, taken_of
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow
from corpora.database.source_tables import SourceReleaseRow, SourceRow
from corpora.database.tables import DocumentRow, MemberRow
from corpora.errors import (
    BeingBuilt,
    DiskFull,
    IngestCancelled,
    NothingLeft,
    NothingThere,
    SourceError,
    TakenOver,
    UnusableDatabase,
)
from corpora.generations.disk import full_disk_is_named
from corpora.generations.progress import Progress, Stage
from corpora.sources.allowed import AT_THE_SERVER, require_allowed
from corpora.sources.kept_files import KeptFiles, is_picture
from corpora.sources.kinds import source_kind
from corpora.sources.run_report import ReleaseRun, SourceRun, of_release
from corpora.sources.source import (
    FetchedFile,
    FoundRelease,
    Secrets,
    SourceReader,
    has_short_parts,
)
from ingestion.archives import stays_inside
from ingestion.errors import StrataError
from ingestion.listing import passed_over
from ingestion.messages import message, message_noop
from ingestion.objections import objections

_FILES_AT_ONCE, _BYTES_AT_ONCE = 100, 16_000_000
_NAMED = 50
"""So many files of a kind of change are named in a report."""
_EXAMPLES = 3
_NONE_LEFT = message_noop(
    "The source had releases and none is found any more. Nothing was changed. Check that its place "
    "is there, such as a share that is mounted, and its address and pattern of releases. If they "
    "were removed there, remove the source or hide its releases."
)
_IF_REMOVED = message_noop(
    "{why} If the release was removed there, hide it: strata releases retire {product} {release}"
)
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
            "The options of this {kind} source cannot be used ({error}). Add it again.",
            kind=kind,
            error=objections(error) if isinstance(error, ValidationError) else error,
        ) from error


@dataclass(frozen=True)
class Syncing:
    """Runs a source for a job; what it fetched outlives a failure, a cancellation and a kill.

    `check_stop` raises IngestCancelled where the run is to end; `tell` gets a product and what left
    it as its source has it no more, and returns who was told.
    """

    database: Database
    data_dir: Path
    builder: Builder
    secrets: Secrets
    report: Callable[[Progress], None]
    check_stop: Callable[[], None]
    tell: Callable[[str, Sequence[ReleaseRun]], str] = lambda product, withdrawn: ""

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
        nowhere: set[str] = set()
        # What a killed run left; of a source there is one run at a time.
        shutil.rmtree(self._place(source_id))
        anywhere = source.person == AT_THE_SERVER
        reader = open_source(source.kind, source.options, self.secrets, anywhere=anywhere)
        self.report(Progress(Stage.FETCHING, 0, 1))
        none: NothingThere | None = None
        try:
            found = reader.releases(self.check_stop)
        except NothingThere as error:
            found, none = [], error
        if not found and known and none is None:
            raise SourceError(_NONE_LEFT)
        for done, release in enumerate(found):
            self.check_stop()
            self.report(Progress(Stage.FETCHING, 0, 0, release.name, (done, len(found))))
            said = len(reader.remarks)
            try:
                one = self._release(source, reader, release, known.get(release.name), job_id)
                if (last := known.get(release.name)) is not None and last.hidden:
                    one.back = self._show_again(source, release.name)
            except (BeingBuilt, TakenOver) as error:
                busy = error
                continue
            except (IngestCancelled, DiskFull, UnusableDatabase):
                raise
            except StrataError as error:
                told = str(error)
                if isinstance(error, NothingThere):
                    nowhere.add(release.name)
                    if self._serving(source.product, release.name) is not None:
                        told = message(_IF_REMOVED, why=error, **_named(source, release.name))
                one = ReleaseRun(release.name, "failed", release.revision, message=told)
                self._keep(source_id, release.name, error=told)
            one.remarks = [*reader.remarks[said:], *one.remarks]
            run.releases.append(one)
        absent = known.keys() - {release.name for release in found}
        missed = [n for n in sorted(absent | (nowhere & known.keys())) if known[n].published]
        gone = {name for name in missed if self._is_gone(reader, name)}
        if none is not None and not gone:
            if any(row.published for row in known.values()):
                raise SourceError(_NONE_LEFT) from none
            raise none
        # A place of which nothing can be read has failed as a whole: it takes nothing away.
        rest = [one.outcome for one in run.releases if one.release not in gone]
        if rest and set(rest) == {"failed"}:
            gone.clear()
        if not rest and len(self._shown(source.product, gone)) > 1:
            # It may have moved as a whole, or what answers may not be it.
            raise SourceError(_NONE_LEFT)
        run.releases = [one for one in run.releases if one.release not in gone]
        try:
            for name in sorted(gone):
                try:
                    run.releases.append(self._withdraw(source, name))
                except (BeingBuilt, TakenOver) as error:
                    busy = error
                except NothingLeft as error:
                    run.releases.append(ReleaseRun(name, "failed", message=str(error)))
        finally:
            # The next run withdraws these no more, however this one ends.
            if withdrawn := [one for one in run.releases if one.withdrawn]:
                run.told = self.tell(source.product, withdrawn)
        stays = message("no longer at the source, or not chosen; what serves stays.")
        run.releases += [ReleaseRun(n, "gone", message=stays) for n in sorted(absent - gone)]
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
        moved = found.fixed and before not in ("", found.revision)
        run = ReleaseRun(found.name, "unchanged", found.revision, before, moved=moved)
        if serving is not None and found.revision and found.revision == before:
            return run
        kept = KeptFiles(self.database, self._keep(source.id, found.name))
        with (
            _errors_of_files(self.data_dir, found.name),
            TemporaryDirectory(prefix="source-", dir=self._place(source.id)) as place,
        ):
            if source_kind(source.kind).by_content:
                kept.begin_like_last(source.id)
            self._fetch(reader, found, kept, job_id, Path(place), serves=serving is not None)
        contents = kept.digest()
        if serving is None or last is None or contents != last.taken:
            self._publish(source, found.name, kept, run, serving)
        self._keep(source.id, found.name, revision=found.revision, taken=contents, error="")
        return run

    def _is_gone(self, reader: SourceReader, release: str) -> bool:
        try:
            return reader.is_gone(release, self.check_stop)
        except SourceError:
            # What is not known to be gone stays.
            return False

    def _withdraw(self, source: SourceRow, release: str) -> ReleaseRun:
        """Let nothing be served that a source brought to a release which is gone there.

        A release that holds nothing else is hidden, once: whoever shows it again is not overruled.
        """
        run = ReleaseRun(release, "gone")
        serving = self._serving(source.product, release)
        own = self._files(serving, source.id)
        subject = f"{source.product} {release}"
        if own and self._holds_more(serving, source.id):
            report = self.builder.remove_documents(source.product, release, own)
            self._compare(run, serving, report.generation, source.id)
            run.withdrawn = report.outcome is not Outcome.UNCHANGED
            run.message = message(
                "no longer at the source, and its documents were removed; those from elsewhere "
                "stay."
                if report.outcome is Outcome.PUBLISHED
                else "no longer at the source; a version without its documents waits to be "
                "published."
            )
            self._keep(source.id, release, revision="", taken="", error=run.message)
            with self.database.writing() as session:
                if run.withdrawn:
                    session.add(_audited(source, "remove documents", subject, files=sorted(own)))
            return run
        run.message = message(
            "no longer at the source and is hidden. To show it again: strata releases retire "
            "{product} {release} --restore, or its settings on the page Documents.",
            **_named(source, release),
        )
        with self.database.writing() as session:
            row = find_release(session, source.product, release)
            of = SourceReleaseRow.source_id == source.id, SourceReleaseRow.name == release
            kept = session.scalar(select(SourceReleaseRow).where(*of))
            if row is None or kept is None or not own:
                run.message = message("no longer at the source; nothing of it serves.")
            elif not row.retired and kept.hidden:
                run.message = message("no longer at the source; it was shown again by an admin.")
            elif not row.retired:
                row.retired = kept.hidden = run.withdrawn = True
                session.add(_audited(source, "hide", subject, before=False, now=True))
                self.database.on_change(session, row.id)
            if kept is not None:
                kept.error = run.message
        return run

    def _show_again(self, source: SourceRow, release: str) -> bool:
        """Show a release that is back at its source, if it is hidden; say whether it was."""
        with self.database.writing() as session:
            row = find_release(session, source.product, release)
            of = SourceReleaseRow.source_id == source.id, SourceReleaseRow.name == release
            kept = session.scalars(select(SourceReleaseRow).where(*of)).one()
            kept.hidden, kept.error = False, ""
            if row is None or not row.retired:
                return False
            row.retired = False
            subject = f"{source.product} {release}"
            session.add(_audited(source, "hide", subject, before=True, now=False))
            self.database.on_change(session, row.id)
            return True

    def _shown(self, product: str, releases: Collection[str]) -> list[str]:
        with self.database.reading() as session:
            rows = {name: find_release(session, product, name) for name in releases}
            return [name for name, row in rows.items() if row is not None and not row.retired]

    def _holds_more(self, generation: int | None, source_id: int) -> bool:
        """Whether a generation has documents that others than a source brought."""
        query = select(MemberRow.document_id).where(
            MemberRow.generation_id == generation, MemberRow.source != source_name(source_id)
        )
        with self.database.reading() as session:
            return session.scalar(query.limit(1)) is not None

    def _place(self, source_id: int) -> Path:
        place = self.data_dir / "fetching" / str(source_id)
        place.mkdir(parents=True, exist_ok=True)
        return place

    def _fetch(
        self,
        reader: SourceReader,
        found: FoundRelease,
        kept: KeptFiles,
        job_id: int,
        place: Path,
        *,
        serves: bool,
    ) -> None:
        """Keep what is new of a release; what is gone goes when all has been seen."""
        held = kept.held()
        # Pictures were not kept once.
        known = {p: of.digest for p, of in held.items() if of.content_hash or not is_picture(p)}

        furthest = 0.0

        def progress(done: int, total: int | None) -> None:
            nonlocal furthest
            share = done / total if total else 0.0
            # A site finds more pages while it is read: what is done never seems to become less.
            if share >= furthest:
                furthest = share
                self.report(Progress(Stage.FETCHING, done, total or 0, found.name))

        waiting: list[FetchedFile] = []
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
                        message(
                            "{path!r} is no plain relative path of short names, and was left out.",
                            path=file.path,
                        )
                    )
                    continue
                if file.content is None and file.path not in known:
                    raise SourceError(
                        "{path} came without its content. Report this to the makers of this "
                        "kind of source.",
                        path=file.path,
                    )
                seen += 1
                size += file.content.stat().st_size if file.content else 0
                waiting.append(file)
                if len(waiting) >= _FILES_AT_ONCE or size >= _BYTES_AT_ONCE:
                    kept.store(waiting, held, job_id)
                    waiting, size = [], 0
        finally:
            # What was fetched before a failure or a stop is not fetched again.
            kept.store(waiting, held, job_id)
        if not seen:
            raise SourceError(
                "The source yields no file for {release}. What it brought before still serves. "
                "Check its address and options."
                if serves
                else "The source yields no file for {release}. Check its address and options.",
                release=found.name,
            )
        kept.drop_unseen(job_id)

    def _publish(
        self,
        source: SourceRow,
        release: str,
        kept: KeptFiles,
        run: ReleaseRun,
        serving: int | None,
    ) -> None:
        with TemporaryDirectory(prefix="source-", dir=self._place(source.id)) as place:
            with _errors_of_files(self.data_dir, release):
                addresses = kept.lay_out(Path(place), self.check_stop)
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
        run.skipped = dict(Counter(report.skipped) + kept.unused())
        if missed := passed_over(run.skipped):
            run.remarks.append(of_release(release, missed))
        run.remarks += [of_release(release, told) for told in report.archives]
        run.remarks += [
            of_release(release, message("{place}: {reason}", place=f.file, reason=f.reason))
            for f in report.rejected[:_NAMED]
        ]
        if report.apart:
            named = ", ".join(report.apart[:_EXAMPLES])
            run.remarks.append(
                message(
                    "{release}: documents from elsewhere have the names of {number:,} of its files "
                    "({names}). Both are kept: all files of this source stand in the folder "
                    "{folder}.",
                    release=release,
                    number=len(report.apart),
                    names=named,
                    folder=source_name(source.id).replace(":", "-"),
                )
            )

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


def forget_taken(database: Database, product: str, release: str) -> None:
    """Let the next run of each source of a release take again what it took last."""
    with database.writing() as session:
        row = find_release(session, product, release)
        for taken in taken_of(session, row) if row else ():
            taken.revision = taken.taken = ""


def _named(source: SourceRow, release: str) -> dict[str, str]:
    """A release as a command names it."""
    return {"product": shlex.quote(source.product), "release": shlex.quote(release)}


def _audited(source: SourceRow, action: str, subject: str, **details: Any) -> AuditRow:
    details = {"source": source.id, **details}
    at, person = datetime.now(UTC), source_name(source.id)
    return AuditRow(at=at, person=person, action=action, subject=subject, details=details)


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


@contextmanager
def _errors_of_files(data_dir: Path, release: str) -> Iterator[None]:
    """Turn what the system raises for a file into an error of its release alone."""
    try:
        with full_disk_is_named(data_dir):
            yield
    except OSError as error:
        raise SourceError(
            "A file of {release} cannot be written or read ({error}). Check the disk that "
            "holds {data_dir} and the names of the files at the source.",
            release=release,
            error=error,
            data_dir=data_dir,
        ) from error

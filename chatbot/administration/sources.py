"""Sources of documentation as admins manage them: the same for page, API and command line."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select

from chatbot.accounts.audit import recorded
from chatbot.accounts.people import Person
from chatbot.settings import Settings
from chatbot.text.languages import gettext
from corpora.catalog.catalog import check_name
from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.database.source_tables import SourceReleaseRow, SourceRow
from corpora.database.tables import DocumentRow, MemberRow, ProductRow, ReleaseRow
from corpora.errors import JobError, NoSuchSource, SourceError
from corpora.jobs.jobs import JobFile, JobKind, Jobs, JobState
from corpora.sources.allowed import AT_THE_SERVER, require_allowed, require_possible
from corpora.sources.kept_files import web_address
from corpora.sources.kinds import kinds, source_kind
from corpora.sources.options import SourceOptions
from corpora.sources.schedules import NEVER, next_run
from corpora.sources.source import Secrets
from corpora.sources.syncing import open_source, source_name
from ingestion.listing import SourceFile
from ingestion.loaders import known_suffixes
from ingestion.objections import objections
from ingestion.page import Rejected
from ingestion.reading import read_files

TRIED = 10
"""So many pages are shown before a source is added."""
_TRY_SECONDS = 90.0
_SHOWN = 300


@dataclass(frozen=True)
class ListedSource:
    """A source with what it last found; `job` is that of a run that waits or goes on."""

    id: int
    product: str
    kind: str
    options: dict[str, Any]
    schedule: str
    next_run: datetime | None
    has_hook: bool
    last_run: datetime | None
    outcome: str
    message: str
    report: dict[str, Any]
    job: int | None
    releases: tuple[dict[str, Any], ...]

    @property
    def place(self) -> str:
        """Where it lies."""
        return str(self.options.get("url") or self.options.get("path") or self.kind)


@dataclass(frozen=True)
class TriedPage:
    """A page as it would be read: `problem` says why it would be left out."""

    file: str
    address: str
    title: str = ""
    text: str = ""
    problem: str = ""


@dataclass
class Trial:
    """What a source would bring: its releases, and up to ten pages of one of them."""

    releases: list[str]
    release: str
    pages: list[TriedPage] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Sources:
    """Manages sources for one admin; raises NotAllowed for anybody else.

    An admin of products runs and schedules those of their products. What is looked at, with the
    sign-ins of this Strata, only an admin of Strata says.

    `anywhere` lets a source lie in any folder, for who is at this machine's command line.
    """

    database: Database
    settings: Settings
    person: Person
    anywhere: bool = False

    def __post_init__(self) -> None:
        self.person.require_admin(self.database)

    def add(
        self, product: str, kind: str, options: Mapping[str, Any], schedule: str = NEVER
    ) -> ListedSource:
        """Add a source; its first run is ordered by `sync`. Raises SourceError, UnusableName."""
        self.person.require_admin()
        now = datetime.now(UTC)
        check_name("product", product)
        checked = self._checked(kind, options)
        require_possible(checked, is_here=self.anywhere)
        with self.database.writing() as session:
            row = SourceRow(
                product=product.strip(),
                kind=kind,
                options=checked.model_dump(mode="json", exclude_defaults=True),
                schedule=schedule,
                next_run=next_run(schedule, now),
                person=AT_THE_SERVER if self.anywhere else self.person.id,
                created=now,
            )
            session.add(row)
            session.flush()
            details = {"source": row.id, "kind": kind, "options": row.options}
            recorded(session, self.person, "add source", row.product, **details)
        return self.show(row.id)

    def every(self, product: str = "") -> tuple[ListedSource, ...]:
        """All sources, or those of a product."""
        query = select(SourceRow.id).order_by(SourceRow.product, SourceRow.id)
        if product:
            query = query.where(SourceRow.product == product)
        with self.database.reading() as session:
            ids = session.scalars(query).all()
        return tuple(map(self.show, ids))

    def show(self, source: int) -> ListedSource:
        """One source; raises SourceError where there is none."""
        with self.database.reading() as session:
            row = session.get(SourceRow, source)
            if row is None:
                raise NoSuchSource(
                    "There is no source {source}. `strata source list` shows all.", source=source
                )
            releases = session.scalars(
                select(SourceReleaseRow)
                .where(SourceReleaseRow.source_id == source)
                .order_by(SourceReleaseRow.id)
            )
            known = tuple(
                {
                    "release": r.name,
                    "revision": r.revision,
                    "published": r.published,
                    "error": r.error,
                }
                for r in releases
            )
            is_open = JobRow.state.in_((JobState.WAITING, JobState.RUNNING))
            job = session.scalar(select(JobRow.id).where(JobRow.source_id == source, is_open))
        return ListedSource(
            row.id,
            row.product,
            row.kind,
            dict(row.options),
            row.schedule,
            row.next_run,
            bool(row.hook_secret),
            row.last_run,
            row.outcome,
            row.message,
            dict(row.report),
            job,
            known,
        )

    def set_schedule(self, source: int, schedule: str) -> ListedSource:
        """Change when a source is run by itself: never, hourly, daily, or five fields of cron.

        Raises SourceError.
        """
        listed = self.show(source)
        due = next_run(schedule, datetime.now(UTC))
        with self.database.writing() as session:
            row = session.get_one(SourceRow, source)
            row.schedule, row.next_run = schedule, due
            details = {"source": source, "before": listed.schedule, "now": schedule}
            recorded(session, self.person, "schedule source", listed.product, **details)
        return self.show(source)

    def make_hook(self, source: int) -> str:
        """Make a secret that lets a webhook start runs, and return it; an earlier one ends."""
        listed = self.show(source)
        secret = token_urlsafe(32)
        with self.database.writing() as session:
            session.get_one(SourceRow, source).hook_secret = secret
            recorded(session, self.person, "make webhook", listed.product, source=source)
        return secret

    def end_hook(self, source: int) -> None:
        """Let no webhook start runs any more."""
        listed = self.show(source)
        with self.database.writing() as session:
            session.get_one(SourceRow, source).hook_secret = ""
            recorded(session, self.person, "end webhook", listed.product, source=source)

    def sync(self, source: int) -> int:
        """Order a run and return its job; raises JobError while one is not over."""
        listed = self.show(source)
        with self.database.writing() as session:
            is_open = JobRow.state.in_((JobState.WAITING, JobState.RUNNING))
            if session.scalar(select(JobRow.id).where(JobRow.source_id == source, is_open)):
                raise JobError(gettext("Source {number} is being run already.", number=source))
            job = Jobs(self.database).add(
                JobKind.SYNC, listed.product, "", self.person.id, source=source, session=session
            )
            recorded(session, self.person, "run source", listed.product, source=source, job=job)
        return job

    def remove(self, source: int, *, documents: bool = False) -> tuple[int, ...]:
        """Remove a source; with `documents` order that what it brought leaves, by these jobs."""
        self.person.require_admin()
        listed = self.show(source)
        brought = self._brought(source) if documents else {}
        jobs = Jobs(self.database)
        if listed.job is not None:
            jobs.cancel(listed.job)
        ordered = []
        with self.database.writing() as session:
            session.delete(session.get_one(SourceRow, source))
            for release, (files, others) in brought.items():
                kind = JobKind.REMOVE if others else JobKind.DELETE
                leaving = [JobFile(file) for file in files] if others else []
                ordered.append(
                    jobs.add(
                        kind, listed.product, release, self.person.id, leaving, session=session
                    )
                )
            details = {"source": source, "documents": documents, "jobs": ordered}
            recorded(session, self.person, "remove source", listed.product, **details)
        return tuple(ordered)

    def try_out(self, kind: str, options: Mapping[str, Any], release: str = "") -> Trial:
        """Read up to ten pages of a release (the last that is found), and change nothing."""
        self.person.require_admin()
        checked = self._checked(kind, options)
        end = time.monotonic() + _TRY_SECONDS

        def check_stop() -> None:
            if time.monotonic() > end:
                raise SourceError(
                    "The source did not show {tried} pages within {seconds} seconds.",
                    tried=TRIED,
                    seconds=f"{_TRY_SECONDS:.0f}",
                )

        reader = open_source(kind, checked.model_dump(), self._secrets, anywhere=self.anywhere)
        found = {one.name: one for one in reader.releases(check_stop)}
        if not found:
            raise SourceError(
                gettext("The source has no release that fits. Check its address and pattern.")
            )
        if release and release not in found:
            raise SourceError(
                "The source has no release {release}; it has {found}.",
                release=release,
                found=", ".join(found),
            )
        chosen = found[release or [*found][-1]]
        trial = Trial([*found], chosen.name)
        with TemporaryDirectory(prefix="strata-try-") as place:
            files = reader.fetch(chosen, {}, Path(place), check_stop, lambda done, total: None)
            readable = (f for f in files if Path(f.path).suffix.lower() in known_suffixes())
            fetched = [f for f in islice(readable, TRIED) if f.content is not None]
            listed = [
                SourceFile(f.path, f.content, f.content.stat().st_size, Path(place))
                for f in fetched
                if f.content is not None
            ]
            addresses = {f.path: web_address(f.address) for f in fetched}
            for read in read_files(listed, limits=self.settings.reading_limits, workers=1):
                page = TriedPage(read.file, addresses.get(read.file, ""))
                if isinstance(read, Rejected):
                    trial.pages.append(TriedPage(page.file, page.address, problem=read.reason))
                    continue
                text = read.pages[0].text[:_SHOWN] if read.pages else ""
                trial.pages.append(TriedPage(page.file, page.address, read.title, text))
        trial.remarks = list(reader.remarks)
        return trial

    @property
    def _secrets(self) -> Secrets:
        of = self.settings
        return Secrets(of.source_tokens, of.source_files, of.source_folders)

    def _checked(self, kind: str, options: Mapping[str, Any]) -> SourceOptions:
        try:
            of = source_kind(kind)
        except ValueError as error:
            known = ", ".join(kinds())
            raise SourceError(
                "There is no kind {kind} of source; there are {known}.", kind=kind, known=known
            ) from error
        try:
            checked = of.options.model_validate(options)
        except ValidationError as error:
            raise SourceError(
                "This {kind} source cannot be used: {told}.",
                kind=kind,
                told=objections(error, whole=kind),
            ) from error
        require_allowed(checked, self.settings.source_folders, anywhere=self.anywhere)
        return checked

    def _brought(self, source: int) -> dict[str, tuple[list[str], bool]]:
        """By release that serves: the files of a source, and whether there are others."""
        rows = (
            select(ReleaseRow.name, DocumentRow.file, MemberRow.source)
            .join(MemberRow, MemberRow.generation_id == ReleaseRow.published_generation_id)
            .join(DocumentRow, DocumentRow.id == MemberRow.document_id)
            .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
            .where(ProductRow.name == self.show(source).product)
        )
        files: dict[str, list[str]] = {}
        others: set[str] = set()
        with self.database.reading() as session:
            for name, file, came_from in session.execute(rows):
                if came_from == source_name(source):
                    files.setdefault(name, []).append(file)
                else:
                    others.add(name)
        return {name: (sorted(some), name in others) for name, some in files.items()}

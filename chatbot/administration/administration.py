"""Changes by admins to products, releases, documents and glossaries, with the audit log."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from pydantic_core import to_jsonable_python

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.limits import UsageLimits
from chatbot.accounts.people import Person
from chatbot.text.languages import gettext
from corpora.catalog.catalog import Catalog, require_product, require_release
from corpora.catalog.glossary import Changes, Entry, Glossaries
from corpora.catalog.languages import check_language
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration, ReleaseSettings
from corpora.catalog.rights import Audience, ProductRights, Right, Rights
from corpora.database.engine import Database
from corpora.documents.uploads import Pieces, UploadedFile, store
from corpora.errors import JobError
from corpora.generations.generations import discard_waiting, publish_waiting, waiting_of
from corpora.jobs.jobs import DRAFTS, EVALUATIONS, Job, JobFile, JobKind, Jobs
from corpora.packs.container import open_pack
from corpora.packs.signing import require_trusted
from corpora.sources.syncing import forget_taken
from ingestion.messages import message, message_noop, sentences

_OF_PRODUCTS = (
    *(JobKind.UPLOAD, JobKind.REREAD, JobKind.REMOVE, JobKind.DELETE, JobKind.PACK),
    *(JobKind.CHECK, JobKind.UNPACK),
)
"""What an admin of products orders, each of a release, beside runs of sources."""
_ACTIONS = {
    "aliases": "alias",
    "sorts_as": "order",
    "prerelease": "pre-release",
    "end_of_life": "end of life",
    "language": "language of documents",
    "hidden": "hide",
    "latest": "latest",
}


@dataclass(frozen=True)
class Administration:
    """Makes and records the changes of one admin; raises NotAllowed for anybody else.

    An admin of products changes what is in these. Only an admin of Strata adds, renames and deletes
    products, and says who may see and administer them.
    """

    database: Database
    person: Person
    limits: UsageLimits | None = None

    def __post_init__(self) -> None:
        self.person.require_admin(self.database)

    def change_release(self, product: str, release: str, new: ReleaseSettings) -> str:
        """Change the settings of a release; say what became of its remembered answers."""
        administration = ReleaseAdministration(self.database)
        old = administration.settings(product, release)
        consequences = administration.change_release(product, release, new)
        self._record_changes(old, administration.settings(product, release), product, release)
        return consequences

    def change_product(self, product: str, new: ProductSettings) -> None:
        """Change the aliases of a product, and which release is its latest."""
        administration = ReleaseAdministration(self.database)
        old = administration.overview(product).settings
        if new.aliases != old.aliases:
            # Another product may be called so, which not everybody sees.
            self.person.require_admin()
        administration.change_product(product, new)
        self._record_changes(old, administration.overview(product).settings, product)

    def serve(self, product: str, release: str, generation: int) -> str:
        """Let another generation of a release serve; say what became of remembered answers."""
        before = ReleaseAdministration(self.database).overview(product).release(release)
        consequences = Catalog(self.database).serve(product, release, generation)
        versions = {"generation": generation, "before": before.generation if before else None}
        self._record("rollback", product, release, **versions, consequences=consequences)
        return consequences

    def publish(self, product: str, release: str, data_dir: Path, only: int | None = None) -> str:
        """Let the generation that waits serve, the `only` one if given; say what follows.

        Raises NothingWaits.
        """
        release_id, generation = self._waiting(product, release)
        consequences = publish_waiting(self.database, data_dir, release_id, only)
        self._record("publish", product, release, generation=generation, consequences=consequences)
        return consequences

    def discard(self, product: str, release: str, data_dir: Path, only: int | None = None) -> None:
        """Throw away the generation that waits, the `only` one if given. Raises NothingWaits.

        The next run of a source that brought it brings the same again.
        """
        release_id, generation = self._waiting(product, release)
        # First: what was discarded and is not forgotten would never come again.
        forget_taken(self.database, product, release)
        discard_waiting(self.database, data_dir, release_id, only)
        self._record("discard", product, release, generation=generation)

    def check(self, product: str, release: str) -> int:
        """Order that accepted answers are held against a release; return the id of the job."""
        with self.database.reading() as session:
            row = require_release(session, product, release)
            of = row.product.name, row.name
        job = Jobs(self.database).add(JobKind.CHECK, *of, self.person.id)
        self._record("check", *of, job=job)
        return job

    def change_right(self, product: str, release: str, right: Right | None) -> None:
        """Say to whom a product, or a release of it, is open; None takes back what was said."""
        self.person.require_admin()
        rights = Rights(self.database)
        before = _told(rights.of(product), release)
        rights.change(product, release, right)
        self._record(
            "rights", product, release, before=before, now=_told(rights.of(product), release)
        )

    def change_admins(self, product: str, admins: Iterable[str]) -> None:
        """Say who administers a product, by address or as "group:NAME"."""
        self.person.require_admin()
        rights = Rights(self.database)
        before = rights.of(product).admins
        rights.change_admins(product, admins)
        self._record("product admins", product, before=before, now=rights.of(product).admins)

    def upload(
        self,
        product: str,
        release: str,
        files: Sequence[UploadedFile],
        data_dir: Path,
        language: str | None = None,
        left_out: Mapping[str, str] = MappingProxyType({}),
    ) -> int:
        """Order that files become documents of a release; return the job's id.

        The job names those that were `left_out`, with the reason.
        A `language` is said of the release from then on ("": each document tells its own). Raises
        LimitReached where this admin has uploaded too often today, UnusableName.
        """
        order = {} if language is None else {"language": check_language(language)}
        self._require_own(product)
        if self.limits is not None:
            self.limits.upload(self.person)
        job = store(
            self.database,
            data_dir,
            files,
            product=product,
            release=release,
            person_id=self.person.id,
            order=order,
            left_out=left_out,
        )
        size = sum(file.size for file in files)
        self._record("upload", product, release, job=job, files=len(files), size=size, **order)
        return job

    def pack(self, product: str, release: str, *, originals: bool = False) -> int:
        """Order that a release is written into a signed file; return the job's id."""
        with self.database.reading() as session:
            row = require_release(session, product, release)
            of = row.product.name, row.name
        job = Jobs(self.database).add(
            JobKind.PACK, *of, self.person.id, order={"originals": originals}
        )
        self._record("order release pack", *of, job=job, originals=originals)
        return job

    def unpack(self, file: IO[bytes], data_dir: Path, trust: str = "") -> int:
        """Order that a release pack is taken in; return the job's id.

        `trust` is the fingerprint of a key whose packs are trusted from now on, which an admin of
        Strata says. Raises BadPack, UntrustedPack, and LimitReached.
        """
        if trust:
            self.person.require_admin()
        if self.limits is not None:
            self.limits.upload(self.person)
        with open_pack(file) as pack:
            require_trusted(data_dir, pack.signer, trust)
            of, signer = pack.manifest, pack.signer
        self._require_own(of.product)
        job = store(
            self.database,
            data_dir,
            Pieces(file),
            product=of.product,
            release=of.release,
            person_id=self.person.id,
            kind=JobKind.UNPACK,
            order={"signer": signer},
        )
        self._record("upload release pack", of.product, of.release, job=job, signer=signer)
        return job

    def read_again(self, product: str, release: str) -> int:
        """Order that the kept originals of a release are read again; return the job's id."""
        self._require_own(product)
        job = Jobs(self.database).add(JobKind.REREAD, product, release, self.person.id)
        self._record("read again", product, release, job=job)
        return job

    def remove_documents(self, product: str, release: str, files: Sequence[str]) -> int:
        """Order that documents leave a release; return the id of the job."""
        self._require_own(product)
        leaving = [JobFile(file) for file in files]
        job = Jobs(self.database).add(JobKind.REMOVE, product, release, self.person.id, leaving)
        self._record("remove documents", product, release, job=job, files=list(files))
        return job

    def delete(self, product: str, release: str = "") -> int:
        """Order that a release, or a product with all of them, is deleted; return the job's id."""
        if not release:
            self.person.require_admin()
        self._require_own(product)
        job = Jobs(self.database).add(JobKind.DELETE, product, release, self.person.id)
        self._record("delete", product, release, job=job)
        return job

    def evaluate(self, product: str) -> int:
        """Order that the regression set of a product is asked and scored; return the job's id.

        One that an admin of products orders sees this product alone. Raises JobError while another
        evaluation is not over: they would slow each other down.
        """
        self._require_own(product)
        if any(job.is_open for job in Jobs(self.database.whole).recent(1, kinds=EVALUATIONS)):
            raise JobError(gettext("An evaluation is running. Stop it, or wait until it is done."))
        order = {} if self.person.is_admin else {"alone": True}
        job = Jobs(self.database).add(
            JobKind.EVALUATE, product, "", self.person.id, order=order or None
        )
        self._record("evaluate", product, job=job)
        return job

    def draft(
        self, product: str, release: str, since: str | None, number: int, *, with_model: bool
    ) -> int:
        """Order that questions are proposed from a release; return the job's id.

        They are of what it says otherwise than `since`, if that is named. Raises JobError while
        others are being proposed.
        """
        self.person.require_admin()
        jobs = Jobs(self.database)
        if any(job.is_open for job in jobs.recent(1, kinds=DRAFTS)):
            raise JobError(
                gettext("Questions are being proposed. Stop that, or wait until it is done.")
            )
        order = {"since": since or "", "number": number, "with_model": with_model}
        job = jobs.add(JobKind.DRAFT, product, release, self.person.id, order=order)
        self._record("order questions", product, release, job=job, **order)
        return job

    def cancel(self, job: int) -> None:
        """Stop a job."""
        self._require_own_job(job)
        Jobs(self.database).cancel(job)
        self._record_of_job("cancel job", job)

    def retry(self, job: int) -> None:
        """Let a job that failed or was cancelled wait for a worker again."""
        self._require_own_job(job)
        Jobs(self.database).retry(job)
        self._record_of_job("retry job", job)

    def put_term(self, product: str, entry: Entry, instead_of: str) -> None:
        """Put an entry into a glossary, in place of the one with a term; empty: a new one."""
        Glossaries(self.database).put(product, entry, instead_of=instead_of)
        self._record("change term" if instead_of else "add term", product, **asdict(entry))

    def remove_term(self, product: str, term: str) -> None:
        """Remove an entry from a glossary."""
        Glossaries(self.database).remove(product, term)
        self._record("remove term", product, term=term)

    def replace_glossary(self, product: str, entries: Iterable[Entry]) -> Changes:
        """Make entries the whole glossary of a product."""
        changes = Glossaries(self.database).replace(product, entries)
        self._record("import glossary", product, **asdict(changes))
        return changes

    def _require_own(self, product: str) -> None:
        """Raise UnknownRelease for a product that an admin of products does not administer.

        A job is ordered by name, and would make what is not there.
        """
        if not self.person.is_admin:
            with self.database.reading() as session:
                require_product(session, product)

    def may_change(self, job: Job) -> bool:
        """Whether this person may stop a job, or have it tried again."""
        # An evaluation that an admin of Strata ordered asks as somebody who sees everything.
        is_alone = job.kind is JobKind.EVALUATE and bool(job.order.get("alone"))
        of_product = job.kind is JobKind.SYNC or is_alone
        return self.person.is_admin or of_product or bool(job.release and job.kind in _OF_PRODUCTS)

    def _require_own_job(self, job: int) -> None:
        """Raise JobError, or NotAllowed for a job that an admin of products cannot order."""
        if not self.may_change(Jobs(self.database).get(job)):
            self.person.require_admin()

    def _waiting(self, product: str, release: str) -> tuple[int, int | None]:
        with self.database.reading() as session:
            row = require_release(session, product, release)
            found = waiting_of(session, row.id)
            return row.id, found.id if found else None

    def _record_changes(self, old: object, new: object, product: str, release: str = "") -> None:
        before, now = to_jsonable_python(old), to_jsonable_python(new)
        for name, action in _ACTIONS.items():
            if now.get(name) != before.get(name):
                self._record(action, product, release, before=before[name], now=now[name])

    def _record_of_job(self, action: str, job: int) -> None:
        of = Jobs(self.database).get(job)
        self._record(action, of.product, of.release, job=job)

    def _record(self, action: str, product: str, release: str = "", **details: Any) -> None:
        subject = f"{product} {release}".strip()
        AuditLog(self.database).record(self.person, action, subject, **details)


_AUDIENCES = {
    Audience.ALL: message_noop("all"),
    Audience.GROUPS: message_noop("groups"),
    Audience.ADMINS: message_noop("admins"),
}


def _told(rights: ProductRights, release: str) -> str:
    """To whom a product or release is open, in words for the log."""
    right = rights.of(release) if release else rights.right
    return sentences((message(_AUDIENCES[right.audience]), *right.groups), ", ")

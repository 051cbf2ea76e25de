"""What is kept of the files that a source brought, release by release, in the database."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Row, delete, insert, literal, select, update

from corpora.database.engine import Database, insert_into, portions
from corpora.database.originals import Originals, pack
from corpora.database.source_tables import SourceFileRow, SourceReleaseRow
from corpora.database.tables import FileRow
from corpora.errors import SourceError
from corpora.sources.source import FetchedFile
from ingestion.archives import canonical_name
from ingestion.figures import PICTURES
from ingestion.includes import LARGEST_READ
from ingestion.loaders import known_suffixes

_FILES_AT_ONCE = 100
_LONGEST_ADDRESS = 2_000
_UNUSED = {
    *(".avif", ".ico", ".mp4", ".webm"),
    *(".woff", ".woff2", ".ttf", ".eot", ".otf", ".js", ".css", ".map", ".gz", ".whl", ".exe"),
}


class Held(NamedTuple):
    """What is known of a file of a release, as in its row; no `content_hash` if it is not kept."""

    digest: str
    address: str
    content_hash: str


@dataclass(frozen=True)
class KeptFiles:
    """The files of one release of a source (`release` is the id of its row)."""

    database: Database
    release: int

    def begin_like_last(self, source: int) -> None:
        """Give a release without files those of the one taken last, for what is the same there."""
        own = select(SourceFileRow.path).where(SourceFileRow.release_id == self.release)
        last = (
            select(SourceReleaseRow.id)
            .where(SourceReleaseRow.source_id == source, SourceReleaseRow.published.is_not(None))
            .order_by(SourceReleaseRow.published.desc(), SourceReleaseRow.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        same = SourceFileRow.path, SourceFileRow.digest, SourceFileRow.content_hash
        files = select(literal(self.release), literal(0), literal(""), *same)
        with self.database.writing() as session:
            session.execute(
                insert(SourceFileRow).from_select(
                    ["release_id", "job_id", "address", *(column.key for column in same)],
                    files.where(SourceFileRow.release_id == last, ~own.exists()),
                )
            )

    def held(self) -> dict[str, Held]:
        """What is known of each file, by path."""
        columns = (getattr(SourceFileRow, name) for name in Held._fields)
        query = select(SourceFileRow.path, *columns)
        with self.database.reading() as session:
            rows = session.execute(query.where(SourceFileRow.release_id == self.release))
            return {path: Held(*of) for path, *of in rows}

    def store(self, files: Iterable[FetchedFile], held: Mapping[str, Held], run: int) -> None:
        """Keep what a `run` (the id of its job) found; of those without content `held` tells."""
        rows, still, originals = [], [], []
        for file in files:
            before = held[file.path] if file.content is None else None
            # An unchanged file keeps the address at which it was read: it says the same there.
            address = (before and before.address) or web_address(file.address)
            if before and before[:2] == (file.digest, address):
                still.append(file.path)
                continue
            content_hash = before.content_hash if before else ""
            if file.content is not None:
                original = pack(file.content.read_bytes())
                file.content.unlink()
                if _is_used(file.path, original):
                    originals.append(original)
                    content_hash = original.content_hash
            new = Held(file.digest, address, content_hash)._asdict()
            rows.append({"release_id": self.release, "path": file.path, "job_id": run, **new})
        with self.database.writing() as session:
            Originals(self.database).store(session, *originals)
            if rows:
                insert = insert_into(session, SourceFileRow)
                key = [SourceFileRow.release_id, SourceFileRow.path]
                changed = {name: insert.excluded[name] for name in ("job_id", *Held._fields)}
                session.execute(
                    insert.on_conflict_do_update(index_elements=key, set_=changed), rows
                )
            # Of most files there is only to say that they are there still.
            session.execute(
                update(SourceFileRow)
                .where(SourceFileRow.release_id == self.release, SourceFileRow.path.in_(still))
                .values(job_id=run)
            )

    def drop_unseen(self, run: int) -> None:
        """Forget the files that this run did not find."""
        with self.database.writing() as session:
            gone = SourceFileRow.release_id == self.release, SourceFileRow.job_id != run
            session.execute(delete(SourceFileRow).where(*gone))

    def lay_out(self, place: Path, check_stop: Callable[[], None]) -> dict[str, str]:
        """Write all files below a folder, for texts include others; return their addresses."""
        rows = self._with_content()
        for some in portions(rows, _FILES_AT_ONCE):
            check_stop()
            paths = defaultdict(list)
            for row in some:
                paths[row.content_hash].append(row.path)
            for content_hash, data in Originals(self.database).read_each([*paths]):
                for path in paths.pop(content_hash):
                    _write(place, path, data)
            for path, *_ in paths.values():
                raise SourceError("{path} is not kept any more. Run the source again.", path=path)
        return {canonical_name(row.path): row.address for row in rows}

    def unused(self) -> Counter[str]:
        """How many files of the release are not kept, since nothing reads or shows them."""
        of_release = SourceFileRow.release_id == self.release, SourceFileRow.content_hash == ""
        with self.database.reading() as session:
            paths = session.scalars(select(SourceFileRow.path).where(*of_release))
            return Counter(Path(path).suffix.lower() for path in paths)

    def digest(self) -> str:
        """A hash of what the files are, where they are from and what they hold."""
        digest = sha256()
        for row in sorted(map(tuple, self._with_content())):
            digest.update(repr(row).encode())
        return digest.hexdigest()

    def _with_content(self) -> list[Row[Any]]:
        with self.database.reading() as session:
            return list(
                session.execute(
                    select(SourceFileRow.path, SourceFileRow.content_hash, SourceFileRow.address)
                    .where(SourceFileRow.release_id == self.release)
                    .where(SourceFileRow.content_hash != "")
                    .order_by(SourceFileRow.path)
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


def is_picture(path: str) -> bool:
    """Whether a file is a picture that may be shown beside an answer."""
    return Path(path).suffix.lower() in PICTURES


def _is_used(path: str, original: FileRow) -> bool:
    """Whether a file is read, or may be included or shown by one that is."""
    suffix = Path(path).suffix.lower()
    if suffix in {*known_suffixes(), ".zip"}:
        return True
    return original.size <= LARGEST_READ and suffix not in _UNUSED


def _write(place: Path, path: str, data: bytes) -> None:
    file = place / path
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise SourceError(
            "{path} cannot lie beside the other files: one name is both a file and a folder. "
            "Change one of the two at the source.",
            path=path,
        ) from error

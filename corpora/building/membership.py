"""Which documents are members of a generation that is being built."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from corpora.building.fingerprints import ChunkingSettings
from corpora.building.kept import KnownDocument, members
from corpora.building.report import IngestReport
from corpora.database.engine import Database, portions
from corpora.database.tables import DocumentRow, GenerationRow, MemberRow, ReleaseRow
from corpora.errors import BeingBuilt
from corpora.generations.generations import built_before, require_claim
from corpora.indexing.pages import copy_documents, insert_document, read_document
from ingestion.archives import canonical_name
from ingestion.listing import SourceFile

_DOCUMENTS_AT_ONCE = 20


class Member(NamedTuple):
    """A document, where it is from, and the address of its original."""

    document_id: int
    source: str
    address: str = ""


@dataclass(frozen=True)
class Membership:
    """Makes documents members of one generation, and tells in its report what was dropped."""

    database: Database
    generation_id: int
    settings: ChunkingSettings
    report: IngestReport

    def carry_over(self, is_left_out: Callable[[str, str], bool]) -> int:
        """Make the documents of the generation before members too, and count them.

        `is_left_out` is asked by file and source of those that are no members yet: what came from
        a source and is not there any more must not answer. They are cut anew if the settings for
        that have changed.
        """
        before = built_before(self.database, self.generation_id)
        with self.database.reading() as session:
            present = set(session.scalars(members(self.generation_id, DocumentRow.file)))
            columns = DocumentRow, MemberRow.source, MemberRow.address
            rows = session.execute(members(before, *columns)).all()
        carried = []
        for row, source, address in rows:
            if canonical_name(row.file) not in present:
                if is_left_out(row.file, source):
                    self.report.dropped.append(row.file)
                else:
                    carried.append((row, source, address))
        self.report.dropped.sort()
        for some in portions(carried, _DOCUMENTS_AT_ONCE):
            with self.database.writing() as session:
                self.add(
                    session,
                    [Member(self._cut_anew(session, row), *place) for row, *place in some],
                )
        return len(carried)

    def _cut_anew(self, session: Session, row: DocumentRow) -> int:
        """Return a document like this one that is cut by these settings: itself, if it is."""
        if row.chunking == self.settings.fingerprint:
            return row.id
        document = read_document(session, row.id)
        return insert_document(
            session,
            document,
            self.settings.cut(document),
            release_id=row.release_id,
            reading=row.reading,
            chunking=self.settings.fingerprint,
            language=row.language,
        )

    def add(self, session: Session, members: Iterable[Member]) -> None:
        """Make documents members, each with its source; raise TakenOver."""
        require_claim(session, self.generation_id)
        rows = [{"generation_id": self.generation_id, **member._asdict()} for member in members]
        if rows:
            session.execute(insert(MemberRow), rows)

    def take_over(self, taken: Mapping[SourceFile, KnownDocument]) -> None:
        """Make documents members, those of other releases as copies; raises BeingBuilt."""
        foreign = [found.id for found in taken.values() if not found.is_own]
        there = (
            select(func.count(DocumentRow.id))
            .join(ReleaseRow, ReleaseRow.id == DocumentRow.release_id)
            .where(DocumentRow.id.in_(foreign), ~ReleaseRow.retired)
        )
        with self.database.writing() as session:
            release_id = self.release_id(session)
            if session.scalar(there) != len(foreign):
                # A release that is deleted is retired first, and its pages go before its documents.
                raise BeingBuilt(
                    "A release with the same files has just been removed. Ingest again: its pages "
                    "are read anew then."
                )
            copies = copy_documents(session, foreign, release_id)
            self.add(
                session,
                (Member(copies.get(i, i), f.origin, f.address) for f, (i, _) in taken.items()),
            )

    def release_name(self) -> str:
        """The name of the release whose generation it is."""
        with self.database.reading() as session:
            generation = session.get_one(GenerationRow, self.generation_id)
            return session.get_one(ReleaseRow, generation.release_id).name

    def release_id(self, session: Session) -> int:
        """The id of that release; raises TakenOver where another process builds it now."""
        require_claim(session, self.generation_id)
        return session.get_one(GenerationRow, self.generation_id).release_id

    def named_elsewhere(self, source: str) -> set[str]:
        """The names of the release's documents that did not come from a source."""
        before = built_before(self.database, self.generation_id)
        with self.database.reading() as session:
            files = session.scalars(
                members(before, DocumentRow.file).where(MemberRow.source != source)
            )
            return set(map(canonical_name, files))

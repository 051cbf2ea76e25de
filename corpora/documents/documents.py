"""The documents of a generation as an administrator looks through them."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import Select, func, select

from corpora.catalog.languages import languages_of
from corpora.database.engine import Database
from corpora.database.originals import Originals
from corpora.database.tables import DocumentRow, FileRow, MemberRow, PageRow, ProductRow, ReleaseRow
from corpora.indexing.pages import StoredPage, read_pages
from ingestion.messages import message

_SERVES = (
    select(MemberRow)
    .join(ReleaseRow, ReleaseRow.published_generation_id == MemberRow.generation_id)
    .where(MemberRow.document_id == PageRow.document_id, ~ReleaseRow.retired)
    .exists()
)
"""Whether a page is of a release that can be asked, and of its documents as they are now."""


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A line of a list of documents; `size` is in bytes, `language` the code of one."""

    id: int
    file: str
    title: str
    size: int
    pages: int
    language: str

    @property
    def format(self) -> str:
        """The suffix of its file, lower-case and without the dot."""
        return PurePosixPath(self.file).suffix[1:].lower()


@dataclass(frozen=True, slots=True)
class Difference:
    """Files that only a first generation has, only a second one, or both with other content."""

    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True)
class Documents:
    """Documents by generation, searched and paged in the database."""

    database: Database

    def count(self, generation: int, words: str = "") -> int:
        """Count the documents of a generation; each of `words` stands in file or title."""
        with self.database.reading() as session:
            return session.scalar(_members(generation, words, func.count())) or 0

    def find(
        self, generation: int, words: str = "", *, offset: int = 0, limit: int = 25
    ) -> tuple[ListedDocument, ...]:
        """List documents of a generation by file; each of `words` stands in file or title."""
        pages = select(func.count()).where(PageRow.document_id == DocumentRow.id).scalar_subquery()
        listed = (
            _members(
                generation, words, DocumentRow.id, DocumentRow.file, DocumentRow.title, FileRow.size
            )
            .add_columns(pages, DocumentRow.language)
            .join(FileRow, FileRow.content_hash == DocumentRow.content_hash)
            .order_by(DocumentRow.file)
            .offset(offset)
            .limit(limit)
        )
        with self.database.reading() as session:
            languages = languages_of(session, generation)
            return tuple(
                ListedDocument(i, file, title, size, number, languages.of(own))
                for i, file, title, size, number, own in session.execute(listed)
            )

    def page_ids(self, document: int) -> tuple[int, ...]:
        """Return the ids of a document's pages, in order."""
        with self.database.reading() as session:
            pages = select(PageRow.id).where(PageRow.document_id == document)
            return tuple(session.scalars(pages.order_by(PageRow.number)))

    def page(self, page: int, *, serving: bool = False) -> StoredPage:
        """Return a page as it was read; raise LookupError if it is not kept any more.

        `serving` leaves out what nobody can ask: pages of documents that were removed, whose upload
        was cancelled or that are not published yet, and those of hidden releases.
        """
        wanted = [PageRow.id == page]
        if serving:
            wanted.append(_SERVES)
        with self.database.reading() as session:
            found = read_pages(session, *wanted)
        if not found:
            # What is hidden is told like what never was.
            raise LookupError(
                message(
                    "There is no page {page}, or it is no longer available because its document "
                    "was removed or reprocessed.",
                    page=page,
                )
            )
        return found[0]

    def release_of(self, document: int) -> tuple[str, str]:
        """The product and the release of a document that is kept."""
        query = (
            select(ProductRow.name, ReleaseRow.name)
            .join(ReleaseRow, ReleaseRow.product_id == ProductRow.id)
            .join(DocumentRow, DocumentRow.release_id == ReleaseRow.id)
        )
        with self.database.reading() as session:
            product, release = session.execute(query.where(DocumentRow.id == document)).one()
        return product, release

    def original(self, content_hash: str) -> bytes:
        """Return the bytes of a file; raise LookupError if they are not kept any more."""
        data = Originals(self.database).read(content_hash)
        if data is None:
            raise LookupError("The original of this document is no longer available.")
        return data

    def difference(self, first: int, second: int) -> Difference:
        """Compare what two generations hold, by file and content."""
        one, other = self._contents(first), self._contents(second)
        return Difference(
            tuple(sorted(one.keys() - other.keys())),
            tuple(sorted(other.keys() - one.keys())),
            tuple(sorted(f for f in one.keys() & other.keys() if one[f] != other[f])),
        )

    def _contents(self, generation: int) -> dict[str, str]:
        with self.database.reading() as session:
            rows = session.execute(
                _members(generation, "", DocumentRow.file, DocumentRow.content_hash)
            )
            return {row.file: row.content_hash for row in rows}


def _members(generation: int, words: str, *columns: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .select_from(DocumentRow)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(
            MemberRow.generation_id == generation,
            *(
                DocumentRow.file.icontains(word, autoescape=True)
                | DocumentRow.title.icontains(word, autoescape=True)
                for word in words.split()
            ),
        )
    )

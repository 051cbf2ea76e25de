"""Files of an upload that are somewhere already, by the hash of their bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Row, and_, select
from sqlalchemy.orm import Session

from corpora.catalog.catalog import find_product
from corpora.catalog.release import sort_key
from corpora.database.engine import Database
from corpora.database.tables import DocumentRow, MemberRow, ReleaseRow

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it would be called in its release, and the sha256 of its bytes."""

    file: str
    content_hash: str


def same_elsewhere(
    contents: Sequence[Content], product: str, release: str, database: Database
) -> Iterator[tuple[str, str]]:
    """Yield what is to be said of files that are twice in an upload, or in the product already.

    Compared is with what serves now. One file in two releases is the normal case, of which nothing
    is said; if several files are all those of another release, that is said once and of no file,
    which is then the empty name.
    """
    first: dict[str, str] = {}
    for content in contents:
        same = first.setdefault(content.content_hash, content.file)
        if same != content.file:
            yield content.file, f"identical to {same} in this upload"
    own, others = _served(contents, product, release, database)
    name = release.strip()
    by_name = dict(own)
    by_hash = {content_hash: file for file, content_hash in own}
    if len(contents) > 1 and (
        everywhere := set.intersection(*(others[c.content_hash] for c in contents))
    ):
        yield (
            "",
            f"All files are identical to those of {_named(everywhere)}. "
            f"Check that {name} is the right release.",
        )
    for content in contents:
        if by_name.get(content.file) == content.content_hash:
            yield content.file, f"already in {name}, unchanged"
        elif content.file in by_name:
            yield content.file, f"replaces the file with this name in {name}"
        elif content.content_hash in by_hash:
            yield content.file, f"already in {name} as {by_hash[content.content_hash]}"


def _named(releases: Collection[str]) -> str:
    return ", ".join(sorted(releases, key=sort_key))


def _served(
    contents: Sequence[Content], product: str, release: str, database: Database
) -> tuple[list[tuple[str, str]], defaultdict[str, set[str]]]:
    """Files and hashes that this release serves, and by hash the other releases that do."""
    own: list[tuple[str, str]] = []
    others: defaultdict[str, set[str]] = defaultdict(set)
    with database.reading() as session:
        owner = find_product(session, product)
        if owner is None:
            return own, others
        for start in range(0, len(contents), _AT_ONCE):
            some = contents[start : start + _AT_ONCE]
            for name, file, content_hash in _rows(session, owner.id, some):
                if name.casefold() == release.strip().casefold():
                    own.append((file, content_hash))
                else:
                    others[content_hash].add(name)
    return own, others


def _rows(
    session: Session, product_id: int, contents: Sequence[Content]
) -> Iterator[Row[str, str, str]]:
    """Release, file and hash of documents that serve and have one of these hashes or names."""
    hashes = {content.content_hash for content in contents}
    names = {content.file for content in contents}
    serving = (
        select(ReleaseRow.name, DocumentRow.file, DocumentRow.content_hash)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .join(
            ReleaseRow,
            and_(
                ReleaseRow.id == DocumentRow.release_id,
                ReleaseRow.published_generation_id == MemberRow.generation_id,
            ),
        )
        .where(ReleaseRow.product_id == product_id)
    )
    yield from session.execute(serving.where(DocumentRow.content_hash.in_(hashes)))
    yield from session.execute(
        serving.where(DocumentRow.file.in_(names), DocumentRow.content_hash.not_in(hashes))
    )

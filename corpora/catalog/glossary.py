"""The glossary of a product: which words mean the same (QAMR, lesson 2).

As a file it is CSV that a spreadsheet opens and saves: the first row is `term,synonyms`, below it
stand a term and, in a cell each, as many synonyms as there are.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from corpora.catalog.catalog import require_product
from corpora.catalog.spreadsheet import as_text, csv_rows, decoded, read_bytes
from corpora.database.engine import Database
from corpora.database.tables import GlossaryRow, ProductRow
from corpora.errors import GlossaryError

LONGEST_WORDING = 100
MOST_SYNONYMS = 20
MOST_ENTRIES = 2_000
HEADER = ("term", "synonyms")
LARGEST = 2_000_000
"""Bytes."""

_HEADER = re.compile(r'"?term"?(?P<separator>[,;\t])', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One meaning and its wordings: a question with any of them is searched with the others."""

    term: str
    synonyms: tuple[str, ...]

    @property
    def wordings(self) -> tuple[str, ...]:
        """The term and its synonyms."""
        return self.term, *self.synonyms


@dataclass(frozen=True, slots=True)
class Changes:
    """The terms that a glossary gained, lost, and those whose synonyms are others now."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def tidy(entry: Entry) -> Entry:
    """Return an entry without repetitions and spare white space; raise GlossaryError."""
    term, *synonyms = dict.fromkeys(filter(None, map(_squeezed, entry.wordings))) or [""]
    if not _squeezed(entry.term):
        raise GlossaryError("the term is missing")
    for wording in (term, *synonyms):
        _check(wording)
    if not synonyms:
        raise GlossaryError("{term!r} needs at least one synonym", term=term)
    if len(synonyms) > MOST_SYNONYMS:
        raise GlossaryError(
            "{term!r} has {number} synonyms, the limit is {most_synonyms}",
            term=term,
            number=len(synonyms),
            most_synonyms=MOST_SYNONYMS,
        )
    return Entry(term, tuple(synonyms))


class Glossaries:
    """The glossaries of all products, in the database; all raise UnknownRelease."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self, product: str) -> tuple[Entry, ...]:
        """Return the entries of a product, in the order of their terms."""
        with self._database.reading() as session:
            rows = _rows(session, require_product(session, product))
        return tuple(Entry(row.term, tuple(row.synonyms)) for row in rows)

    def compare(self, product: str, entries: Iterable[Entry]) -> Changes:
        """Return what `replace` would change; raises GlossaryError where it would."""
        new = _by_term(entries)
        with self._database.reading() as session:
            return _changes(_rows(session, require_product(session, product)), new)

    def replace(self, product: str, entries: Iterable[Entry]) -> Changes:
        """Make `entries` the whole glossary of a product, unless GlossaryError is raised."""
        new = _by_term(entries)
        with self._database.writing() as session:
            owner = require_product(session, product)
            changes = _changes(_rows(session, owner), new)
            session.execute(delete(GlossaryRow).where(GlossaryRow.product_id == owner.id))
            session.add_all(_row(owner, entry) for entry in new.values())
        return changes

    def put(self, product: str, entry: Entry, *, instead_of: str | None = None) -> None:
        """Add an entry to a product, in place of the one with its term if there is one.

        With `instead_of`, in place of the entry with that term and no other (empty: of none).
        """
        entry = tidy(entry)
        with self._database.writing() as session:
            owner = require_product(session, product)
            rows = {row.term: row for row in _rows(session, owner)}
            if instead_of is not None and instead_of != entry.term:
                if entry.term in rows:
                    raise GlossaryError(
                        "{term!r} is already a term: add the synonyms to that entry",
                        term=entry.term,
                    )
                if instead_of in rows:
                    session.delete(rows.pop(instead_of))
            if entry.term in rows:
                rows[entry.term].synonyms = list(entry.synonyms)
                return
            _check_room(len(rows) + 1)
            session.add(_row(owner, entry))

    def remove(self, product: str, term: str) -> None:
        """Remove an entry by its term; raise GlossaryError if there is none."""
        with self._database.writing() as session:
            owner = require_product(session, product)
            rows = {row.term: row for row in _rows(session, owner)}
            if _squeezed(term) not in rows:
                raise GlossaryError(
                    "The glossary of {owner} has no term {term!r}; `strata glossary list "
                    "--product {owner}` shows those it has.",
                    owner=owner.name,
                    term=term,
                )
            session.delete(rows[_squeezed(term)])


def _by_term(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Entries that can be a glossary, by their terms."""
    wanted = [tidy(entry) for entry in entries]
    new = {entry.term: entry for entry in wanted}
    if len(new) < len(wanted):
        raise GlossaryError("a term appears twice: put its synonyms into one entry")
    _check_room(len(new))
    return new


def _changes(rows: Iterable[GlossaryRow], new: Mapping[str, Entry]) -> Changes:
    old = {row.term: tuple(row.synonyms) for row in rows}
    return Changes(
        added=tuple(t for t in new if t not in old),
        changed=tuple(t for t in new if t in old and new[t].synonyms != old[t]),
        removed=tuple(t for t in old if t not in new),
    )


def _rows(session: Session, product: ProductRow) -> list[GlossaryRow]:
    rows = session.scalars(select(GlossaryRow).where(GlossaryRow.product_id == product.id))
    return sorted(rows, key=lambda row: (row.term.casefold(), row.term))


def _row(product: ProductRow, entry: Entry) -> GlossaryRow:
    return GlossaryRow(product_id=product.id, term=entry.term, synonyms=list(entry.synonyms))


def _check_room(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise GlossaryError(
            "{entries:,} entries are too many; the limit is {most_entries:,}",
            entries=entries,
            most_entries=MOST_ENTRIES,
        )


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _check(wording: str) -> None:
    if len(wording) > LONGEST_WORDING:
        raise GlossaryError(
            "{wording!r}… has {number:,} characters, the limit is {longest_wording}",
            wording=wording[:30],
            number=len(wording),
            longest_wording=LONGEST_WORDING,
        )
    if not wording.isprintable():
        hidden = next(c for c in wording if not c.isprintable())
        raise GlossaryError(
            "{wording!r} contains an invisible character ({hidden!a})",
            wording=wording,
            hidden=hidden,
        )
    if not any(c.isalnum() for c in wording):
        raise GlossaryError("{wording!r} needs at least one letter or digit", wording=wording)


def read_glossary(path: Path) -> tuple[Entry, ...]:
    """Read the entries of a CSV file; raise GlossaryError, with file and line."""
    return parse_glossary(read_bytes(path, LARGEST, GlossaryError), str(path))


def parse_glossary(data: bytes, file: str) -> tuple[Entry, ...]:
    """Read the entries from the bytes of a file, as `read_glossary` does."""
    text = decoded(data, file, LARGEST, GlossaryError, advice="check the file")
    header = _HEADER.match(text)
    if header is None:
        raise GlossaryError(
            "{file}, line 1: the first row must be `{header}`, and below it a term and its "
            "synonyms in a cell each",
            file=file,
            header=",".join(HEADER),
        )
    found: dict[str, tuple[int, Entry]] = {}
    rows = csv_rows(text, file, header["separator"], GlossaryError)
    next(rows)
    for line, cells in rows:
        try:
            entry = tidy(Entry(cells[0], tuple(cells[1:])))
        except GlossaryError as error:
            raise GlossaryError(
                "{file}, line {line}: {error}", file=file, line=line, error=error
            ) from error
        if entry.term in found:
            raise GlossaryError(
                "{file}, line {line}: {term!r} is also in line {found}: put its synonyms into "
                "one row",
                file=file,
                line=line,
                term=entry.term,
                found=found[entry.term][0],
            )
        found[entry.term] = line, entry
    return tuple(entry for _, entry in found.values())


def written_glossary(entries: Iterable[Entry]) -> str:
    """Write a file that `read_glossary` reads back; an apostrophe makes a formula text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for entry in entries:
        writer.writerow(map(as_text, entry.wordings))
    return text.getvalue()

"""What was found, in words: a sentence, a table of what differs, the releases that document it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from chatbot.comparison.changes import SHOWN, Row, find_rows
from chatbot.comparison.pages import changed_cells, excerpts, term_of
from chatbot.comparison.presence import Finding
from chatbot.comparison.topic import topic_of
from chatbot.comparison.wording import Quotes, in_short, table
from chatbot.text.sanitizer import as_code, as_words
from chatbot.text.words import listed
from chatbot.turn import Answer, Documented, Record, Turn
from corpora.indexing.corpus import Corpus

_NAMED = 6
"""Entries that are new or gone up to which the lead names them."""
_MISSING = "–"

Line = tuple[str, str, list[str]]
"""What differs: its name, its header in a table, and what each release says, with its mark."""


def changes_in_words(
    topic: str, releases: Sequence[str], rows: Sequence[Row], notes: Sequence[tuple[str, Record]]
) -> Answer | None:
    """What differs between releases, every word with a citation on its side; None for nothing."""
    quotes = Quotes()
    about = f" on {as_words(topic)}" if topic else ""
    differing = [row for row in rows if row.differs]
    same = [row for row in rows if not row.differs] if topic else []
    body: Iterable[str] = ()
    if len(differing) == 1 and len(lines := list(_lines(differing[0], releases, quotes))) <= 2:
        lead = " ".join(_sentence(line, releases) for line in lines)
    elif differing:
        lead, body = _lead(about, releases, differing), _table(differing, releases, quotes)
    elif same:
        sides = zip(releases, same[0].records, strict=True)
        places = listed(f"{release} {quotes.mark(side, release)}" for release, side in sides)
        lead = f"It is the same in {places}: {_entry(same[0].records[-1]).rstrip('.')}."
    elif notes:
        lead = f"In the pages of {listed(releases)} nothing that differs{about} was found."
    else:
        return None
    return quotes.answer(lead, *_told(notes, quotes), *body)


def changed_values(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> Answer | None:
    """What has the same name in all releases and another value: rows, parameters; else None.

    What seems new or gone may only be told in other words.
    """
    topic = topic_of(sides, corpora)
    rows = find_rows(topic, corpora)
    named = [row for row in rows if row.differs and row.name and None not in row.sides]
    names = [corpus.release for corpus in corpora]
    return changes_in_words(topic.text, names, named, ()) if named else None


def _lead(about: str, releases: Sequence[str], rows: Sequence[Row]) -> str:
    new = [row for row in rows if row.sides[0] is None and row.sides[-1]]
    gone = [row for row in rows if row.sides[-1] is None]
    changed = len(rows) - len(new) - len(gone)
    parts = [f"{_how_many(changed)}{about} {'differs' if changed == 1 else 'differ'}"]
    for found, what in ((new, "new"), (gone, "gone")):
        names = list(dict.fromkeys(_title(row.records[-1]) for row in found))
        few = all(row.name for row in found) and len(names) <= _NAMED
        if found:
            things = listed(names) if few else _how_many(len(found))
            parts.append(f"{things} {'is' if len(found) == 1 else 'are'} {what}")
    return f"From {releases[0]} to {releases[-1]}, {listed(parts if changed else parts[1:])}."


def _how_many(passages: int) -> str:
    return f"{passages} passage{'' if passages == 1 else 's'}"


def _table(rows: Sequence[Row], releases: Sequence[str], quotes: Quotes) -> Iterator[str]:
    shown = [
        (f"{name}: {header}" if header else name, *cells)
        for row in rows[:SHOWN]
        for name, header, cells in _lines(row, releases, quotes)
    ]
    yield table(("", *releases), shown)
    if left := rows[SHOWN:]:
        where = {as_words(row.records[-1].page.document.title): None for row in left}
        yield f"{len(left)} more differ, in {listed(where)}."


def _lines(row: Row, releases: Sequence[str], quotes: Quotes) -> Iterator[Line]:
    """A row's cells that differ, one a line; else its words, without what is alike around them."""
    alone = len(row.records) == 1
    cells = [] if alone else changed_cells(row.records)
    words = [_entry(row.records[0])] if alone else excerpts([r.quote for r in row.records])
    for header, values in cells or [("", words)]:
        left = iter(values)
        told = (
            f"{in_short(next(left)) or '(empty)'} {quotes.mark(side, release)}"
            if side
            else _MISSING
            for side, release in zip(row.sides, releases, strict=True)
        )
        yield _title(row.records[-1]), in_short(header, 60), list(told)


def _sentence(line: Line, releases: Sequence[str]) -> str:
    thing, header, cells = line
    told = [(r, *cell.rpartition(" ")[::2]) for r, cell in zip(releases, cells, strict=True)]
    if header and _MISSING not in cells:
        said = listed(f"{value.rstrip('.')} in {release} {mark}" for release, value, mark in told)
        return f"The {header[:1].lower()}{header[1:]} of {thing} is {said}."
    return " ".join(
        f"In {release}: {words.rstrip('.:')} {mark}." if words else f"Not found in {release}."
        for release, words, mark in told
    )


def _told(notes: Sequence[tuple[str, Record]], quotes: Quotes) -> Iterator[str]:
    """What release notes say, under their headings."""
    for release, of_release in groupby(notes[:SHOWN], key=lambda note: note[0]):
        yield f"The release notes of {release} say:"
        for heading, items in groupby((n for _, n in of_release), key=lambda n: n.path[-1]):
            lines = (f"- {in_short(n.quote)} {quotes.mark(n, release)}" for n in items)
            yield "\n".join((f"**{in_short(heading, 60)}**\n", *lines))
    if left := notes[SHOWN:]:
        yield f"{len(left)} more notes are left out."


def _entry(record: Record) -> str:
    if not record.cells:
        return in_short(record.quote)
    cells = [f"{header}: {cell}" if header else cell for header, cell in record.cells[1:] if cell]
    return in_short(" – ".join(filter(None, (_title(record), "; ".join(cells)))))


def _title(record: Record) -> str:
    """What the passage is called: its own name as it is written, else the heading above it."""
    return in_short(term_of(record) or record.label, 60).replace("*", "")


def nearest_in_words(sides: Sequence[Turn]) -> Answer:
    """The passage of each release that is nearest to the question, where none tells it exactly."""
    quotes, told = Quotes(), []
    for side in sides:
        _, release = side.asked
        if side.answer is not None or not side.ranked:
            told.append(f"Not found in {release}.")
        else:
            best = side.ranked[0]
            told.append(f"In {release}: {_entry(best).rstrip('.:')} {quotes.mark(best, release)}.")
    nearest = f"The passages nearest to the question: {' '.join(told)}"
    releases = listed((side.asked[1] for side in sides), "or")
    nothing = f"I couldn't find this in the documentation of {releases}."
    return quotes.answer(nearest if quotes.any else nothing, unwritten=quotes.any)


def nothing_named(releases: Sequence[str]) -> Answer:
    """Ask what is meant where nothing says it."""
    return Answer(
        f"I can't tell what to look for in {listed(releases)}: ask again with the name of a thing, "
        "and I compare the pages on it.",
        abstained=True,
    )


def presence_in_words(thing: str, findings: Sequence[Finding]) -> Answer:
    """Say which releases document a thing, and what is said of its beginning or end."""
    quotes = Quotes()
    parts = [_where(as_code(thing), findings, quotes)]
    noted = [finding for finding in findings if finding.note]
    noted.sort(key=lambda finding: finding.status is not Documented.REMOVED)
    for release, note in ((finding.release, finding.note) for finding in noted[:1]):
        if note:
            under = f"under “{in_short(note.path[-1], 60)}”" if note.path else "this"
            words = in_short(note.reading).rstrip(".:")
            parts.append(f"{release} says {under}: {words} {quotes.mark(note, release)}.")
    return quotes.answer(" ".join(parts))


def _where(named: str, findings: Sequence[Finding], quotes: Quotes) -> str:
    there = [f for f in findings if f.status is Documented.DOCUMENTED]
    others = [f.release for f in findings if f not in there]
    if not there:
        return f"I couldn't find {named} in the documentation of {listed(others, 'or')}."
    marks = [quotes.mark(f.record, f.release) for f in there if f.record]
    told = f"in {listed(f'{f.release} {mark}' for f, mark in zip(there, marks, strict=True))}"
    at = findings.index(there[0])
    if len(there) > 1 and others and list(findings[at : at + len(there)]) == there:
        told = f"from {there[0].release} to {there[-1].release} {' '.join(marks)}"
    missing = f", not in {listed(others, 'or')}" if others else ""
    return f"{named} is documented {told}{missing}."

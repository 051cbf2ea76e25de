"""What was found, in words: a sentence, a table of what differs, the releases that document it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from chatbot.comparison.changes import Row
from chatbot.comparison.pages import changed_cells, excerpts, term_of
from chatbot.comparison.presence import Finding
from chatbot.comparison.question import without_category
from chatbot.comparison.wording import Quotes, in_bare_words, in_short, table
from chatbot.retrieval.provenance import plain
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Documented, Record, Turn

SHOWN = 40
"""Lines of a table that are written out."""
_NAMED = 6
_NOTES = 60
"""Entries that are new or gone up to which the lead names them, and notes that are quoted."""
_MISSING = "–"

Line = tuple[str, str, list[str]]
"""What differs: its name, its header in a table, and what each release says, with its mark."""
Note = tuple[str, Record]
"""A release, and what its notes say."""


def changes_in_words(
    topic: str, releases: Sequence[str], rows: Sequence[Row], notes: Sequence[Note]
) -> Answer | None:
    """What differs between releases, every word with a citation on its side; None for nothing."""
    quotes = Quotes()
    about = f" on {as_words(topic)}" if topic else ""
    differing = [row for row in rows if row.differs]
    same = [row for row in rows if not row.differs] if topic else []
    # Without a topic the newer release's own words on what is new come first.
    told = [] if topic else _told(notes[:_NOTES], quotes)
    if told and len(notes) > _NOTES:
        told.append(f"{len(notes) - _NOTES} more notes are left out.")
    if len(differing) == 1 and len(lines := list(_lines(differing[0], releases, quotes))) <= 2:
        lead, body = " ".join(_sentence(line, releases) for line in lines), []
    elif differing:
        lead, body = _lead(about, releases, differing), _table(differing, releases, quotes)
    elif same:
        sides = zip(releases, same[0].records, strict=True)
        places = listed(f"{release} {quotes.mark(side, release)}" for release, side in sides)
        lead, body = f"It is the same in {places}: {_entry(same[0].records[-1]).rstrip('.')}.", []
    else:
        lead, body = (
            f"In the pages of {listed(releases)} nothing that differs{about} was found.",
            [],
        )
    if topic:
        told = _told(notes[:_NAMED], quotes)
    if not (differing or same or told):
        return None
    parts = [lead, *told, *body] if not topic else [lead, *body, *told]
    return Answer("\n\n".join(parts), False, quotes.citations, in_bare_words(lead))


def _lead(about: str, releases: Sequence[str], rows: Sequence[Row]) -> str:
    new = [row for row in rows if row.sides[0] is None and row.sides[-1]]
    gone = [row for row in rows if row.sides[-1] is None]
    changed = len(rows) - len(new) - len(gone)
    parts = [f"{_how_many(changed)}{about} {'differs' if changed == 1 else 'differ'}"]
    for found, what in ((new, "new"), (gone, "gone")):
        names = list(dict.fromkeys(_title(row.records[-1]) for row in found if row.name))
        names = names if len(names) <= _NAMED else []
        others = sum(1 for row in found if not (row.name and names))
        things = [*names, _how_many(others)] if others else names
        if things:
            parts.append(f"{listed(things)} {'is' if len(found) == 1 else 'are'} {what}")
    told = listed(parts if changed else parts[1:])
    return f"From {releases[0]} to {releases[-1]}, {told}."


def _how_many(passages: int) -> str:
    return f"{passages} passage{'' if passages == 1 else 's'}"


def _table(rows: Sequence[Row], releases: Sequence[str], quotes: Quotes) -> list[str]:
    shown = [
        (f"{name}: {header}" if header else name, *cells)
        for row in rows[:SHOWN]
        for name, header, cells in _lines(row, releases, quotes)
    ]
    left = rows[SHOWN:]
    where = {as_words(row.records[-1].page.document.title): None for row in left}
    more = [f"{len(left)} more differ, in {listed(where)}."] if left else []
    return [table(("", *releases), shown), *more]


def _lines(row: Row, releases: Sequence[str], quotes: Quotes) -> Iterator[Line]:
    """A row's cells that differ, one a line; else its words, without what is alike around them."""
    title = _title(row.records[-1])
    cells = changed_cells(row.records) if len(row.records) > 1 else []
    if not cells:
        alone = len(row.records) == 1
        words = [_entry(row.records[0])] if alone else excerpts([r.quote for r in row.records])
        cells = [("", words)]
    for header, values in cells:
        left = iter(values)
        told = (
            f"{in_short(next(left)) or '(empty)'} {quotes.mark(side, release)}"
            if side
            else _MISSING
            for side, release in zip(row.sides, releases, strict=True)
        )
        yield title, in_short(header, 60), list(told)


def _sentence(line: Line, releases: Sequence[str]) -> str:
    thing, header, cells = line
    told = [(r, *cell.rpartition(" ")[::2]) for r, cell in zip(releases, cells, strict=True)]
    if header and _MISSING not in cells:
        alike = groupby(told, key=lambda cell: cell[1].rstrip("."))
        values = [(value, listed(f"{r} {mark}" for r, _, mark in of)) for value, of in alike]
        apart = [f"{value} in {where}" for value, where in values]
        said = listed(apart) if len(apart) == len(told) else "; ".join(apart)
        return f"The {header[:1].lower()}{header[1:]} of {thing} is {said}."
    return " ".join(
        f"In {release}: {words.rstrip('.:')} {mark}." if words else f"Not found in {release}."
        for release, words, mark in told
    )


def _told(notes: Sequence[Note], quotes: Quotes) -> list[str]:
    """What release notes say, under their headings."""
    parts = []
    for release, of_release in groupby(notes, key=lambda note: note[0]):
        parts.append(f"The release notes of {release} say:")
        told = groupby((n for _, n in of_release), key=lambda n: n.path[-1] if n.path else "")
        for heading, items in told:
            lines = [f"- {in_short(n.quote)} {quotes.mark(n, release)}" for n in items]
            parts += [f"**{in_short(heading, 60)}**"] if heading else []
            parts.append("\n".join(lines))
    return parts


def _entry(record: Record) -> str:
    if not record.cells:
        return in_short(record.quote)
    cells = [f"{header}: {cell}" if header else cell for header, cell in record.cells[1:] if cell]
    return in_short(" – ".join(filter(None, (_title(record), "; ".join(cells)))))


def _title(record: Record) -> str:
    """What the passage is called: its own name as it is written, else the heading above it."""
    title = term_of(record) or record.label
    return in_short(title, 60).replace("*", "")


def nearest_in_words(sides: Sequence[Turn]) -> Answer:
    """The passage of each release that is nearest to the question, where none tells it exactly."""
    quotes, told, found = Quotes(), [], []
    for side in sides:
        _, release = side.asked
        # What only leads in tells nothing.
        best = next((r for r in side.ranked if not r.quote.endswith(":")), None)
        if side.answer is not None:
            told.append(side.answer.text)
        elif best is None:
            told.append(f"Not found in {release}.")
        else:
            found.append(best)
            told.append(f"In {release}: {_entry(best).rstrip('.:')} {quotes.mark(best, release)}.")
    if not found:
        releases = listed((side.asked[1] for side in sides), "or")
        return Answer(f"I couldn't find this in the documentation of {releases}.", abstained=True)
    lead = " ".join(told)
    if len(found) == len(sides) > 1 and len({plain(r.quote) for r in found}) == 1:
        marks = (
            f"{s.asked[1]} {quotes.mark(r, s.asked[1])}" for s, r in zip(sides, found, strict=True)
        )
        lead = f"It is the same in {listed(marks)}: {_entry(found[0]).rstrip('.')}."
    text = f"The passages nearest to the question: {lead}"
    return Answer(text, False, quotes.citations, in_bare_words(lead), unwritten=True)


def nothing_named(releases: Sequence[str]) -> Answer:
    """Ask for a subject where changes in general are wanted and nothing tells of them."""
    return Answer(
        f"I couldn't find release notes of {listed(releases, 'or')}. Ask what changed in "
        "something, by its name, and I compare the pages on it.",
        abstained=True,
    )


def no_thing_named(releases: Sequence[str]) -> Answer:
    """Ask what is meant where a question is whether "it" is there, and nothing says what."""
    return Answer(
        f"I can't tell what to look for in {listed(releases)}: the question does not name it. "
        "Ask again with its name.",
        abstained=True,
    )


def presence_in_words(thing: str, findings: Sequence[Finding]) -> Answer:
    """Say which releases document a thing, and what they say of its beginning and end."""
    quotes = Quotes()
    named = as_code(without_category(thing) or thing)
    looked = [f for f in findings if f.status is not Documented.NO_CORPUS]
    there = [f for f in looked if f.status is Documented.DOCUMENTED]
    parts = [_where(named, looked, there, quotes)]
    if gone := next((f for f in looked if f.status is Documented.REMOVED), None):
        words = _said(gone.record, gone.release, quotes)
        parts.append(f"{gone.release} has no entry for it any more and says {words}")
    elif noted := next((f for f in there or looked if f.notes), None):
        # What announces a thing is the shortest that is said of it.
        note = min(noted.notes, key=lambda n: len(n.quote))
        words = _said(note, noted.release, quotes)
        parts.append(f"The release notes of {noted.release} say {words}")
    if since := next((f for f in reversed(there) if f.since), None):
        parts.append(f"{since.release} says {_said(since.since, since.release, quotes)}")
    if missing := [f.release for f in findings if f.status is Documented.NO_CORPUS]:
        parts.append(f"There is no documentation of {listed(missing)} to look into.")
    text, known = " ".join(parts), bool(quotes.citations)
    return Answer(text, not known, quotes.citations, in_bare_words(text) if known else "")


def _said(record: Record | None, release: str, quotes: Quotes) -> str:
    assert record is not None
    under = f"under “{in_short(record.path[-1], 60)}”" if record.path else "this"
    return f"{under}: {in_short(record.reading).rstrip('.:')} {quotes.mark(record, release)}."


def _where(named: str, looked: Sequence[Finding], there: Sequence[Finding], quotes: Quotes) -> str:
    releases = [f.release for f in looked]
    if not there:
        return f"I couldn't find {named} in the documentation of {listed(releases, 'or')}."
    marks = [quotes.mark(f.record, f.release) for f in there if f.record]
    shown = [f"{f.release} {mark}" for f, mark in zip(there, marks, strict=True)]
    others = [f.release for f in looked if f not in there]
    first, last = looked.index(there[0]), looked.index(there[-1])
    if not others:
        return f"{named} is documented in {'all of ' if shown[1:] else ''}{listed(shown)}."
    if len(there) == 1:
        told = f"in {shown[0]} only"
    elif last - first + 1 == len(there):
        told = f"from {there[0].release} to {there[-1].release} {' '.join(marks)}"
    else:
        told = f"in {listed(shown)}"
    return f"{named} is documented {told}, not in {listed(others, 'or')}."

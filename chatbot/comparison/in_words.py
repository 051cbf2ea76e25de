"""What was found, in words: what changed, and in which releases a thing is documented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from chatbot.comparison.changes import Changes
from chatbot.comparison.pages import Pair, changed_cells, excerpts, name_of
from chatbot.comparison.presence import Finding, Remark, expected_first, without_category
from chatbot.comparison.wording import (
    Quotes,
    after,
    asks_yes_or_no,
    in_bare_words,
    in_short,
    merged,
    verdict,
)
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Documented, Record
from ingestion.page import BlockKind

SHOWN = 40
"""Differences between two releases that are written out; the others are counted."""
_IN_SENTENCES = 2
"""Values up to which each is told in a sentence, without a table."""
_NAMED = 6
"""Entries that are new or gone up to which the lead names them."""
_SENTENCES = 4
"""Sentences shown beside rows and parameters that differ, which tell more."""


@dataclass(frozen=True)
class _Row:
    """One thing that has another value in the newer release."""

    name: str
    header: str
    before: str
    after: str
    marks: tuple[str, str]

    def in_words(self, older: str, newer: str) -> str:
        """The sentence that tells it."""
        if self.header:
            thing = f"{self.header[:1].lower()}{self.header[1:]} of {self.name}"
            old, new = self.before.rstrip("."), self.after.rstrip(".")
            told = f"{old} in {older} {self.marks[0]} and {new} in {newer} {self.marks[1]}"
            return f"The {thing} is {told}."
        sides = ((older, self.before, self.marks[0]), (newer, self.after, self.marks[1]))
        told = " ".join(f"In {name}: {words.rstrip('.')} {mark}." for name, words, mark in sides)
        return merged(sides) or told

    def cells(self) -> tuple[str, str, str]:
        """Its row in a table of both releases."""
        name = f"{self.name}: {self.header}" if self.header else self.name
        return name, f"{self.before} {self.marks[0]}", f"{self.after} {self.marks[1]}"


def changes_in_words(topic: str, steps: Sequence[Changes], question: str = "") -> Answer:
    """What differs from release to release, each difference with a citation on each side."""
    quotes = Quotes()
    told = [_step(topic, changes, quotes) for changes in steps]
    leads = [lead for lead, _ in told]
    leads[0] = after(verdict(question, same=not any(s.differs for s in steps)), leads[0])
    parts = (part for lead, (_, body) in zip(leads, told, strict=True) for part in (lead, *body))
    value = " ".join(map(in_bare_words, leads))
    return Answer("\n\n".join(parts), False, tuple(quotes.citations), value)


def nothing_named(releases: Sequence[str]) -> Answer:
    """Ask for a subject where changes in general are wanted and no release notes tell of them."""
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


def _step(topic: str, changes: Changes, quotes: Quotes) -> tuple[str, list[str]]:
    """The lead and the blocks below it."""
    older, newer = changes.older, changes.newer
    about = f" on {as_words(topic)}" if topic else ""
    if not changes.differs:
        return _unchanged(about, changes, quotes)
    shown = _worth_telling(changes)
    # Without a topic the newer release's own words on what is new come first.
    notes = [] if topic else _notes(changes, quotes)
    rows = [row for pair in shown.changed[:SHOWN] for row in _rows(pair, changes, quotes)]
    added = [f"- {_entry(r)} {quotes.mark(r, newer)}" for r in shown.added[:SHOWN]]
    gone = [_gone(r, end, changes, quotes) for r, end in shown.gone[:SHOWN]]
    if 0 < len(rows) <= _IN_SENTENCES and not (added or gone or notes):
        lead = " ".join(row.in_words(older, newer) for row in rows)
        return lead, _notes(changes, quotes)
    lead = f"From {older} to {newer}, {_counted(shown, about)}."
    if notes:
        lead = f"The release notes of {newer} say what changed. {lead}"
    notes = notes or _notes(changes, quotes)
    body = [table(("", older, newer), [row.cells() for row in rows])] if rows else []
    body += [f"New in {newer}:", "\n".join(added)] if added else []
    body += [f"No longer in {newer}:", "\n".join(gone)] if gone else []
    left = sum(max(len(part) - SHOWN, 0) for part in (shown.changed, shown.added, shown.gone))
    body += [f"{left} more differ on the same pages."] if left else []
    return lead, [*body, *notes] if topic else [*notes, *body]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _worth_telling(changes: Changes) -> Changes:
    """The differences without those sentences that say less than the rows beside them."""
    named = sum(bool(name_of(pair.sides[0])) for pair in changes.changed)
    most = _SENTENCES if named > _SENTENCES else SHOWN
    sentences = [p for p in changes.changed if not name_of(p.sides[0])]
    kept = [p for p in changes.changed if p not in sentences[most:]]
    added = [r for r in changes.added if name_of(r)] or list(changes.added[:_SENTENCES])
    gone = [(r, end) for r, end in changes.gone if name_of(r) or end]
    if not (kept or added):
        gone = gone or list(changes.gone[:_SENTENCES])
    return replace(changes, changed=tuple(kept), added=tuple(added), gone=tuple(gone))


def _unchanged(about: str, changes: Changes, quotes: Quotes) -> tuple[str, list[str]]:
    older, newer = changes.older, changes.newer
    if not changes.same:
        if changes.notes:
            lead = f"The release notes of {newer} tell what changed{about} since {older}."
            return lead, _notes(changes, quotes, headed=False)
        return f"From {older} to {newer} nothing that differs{about} was found.", []
    pair = changes.same[0]
    before, now = pair.sides
    marks = f"in {older} {quotes.mark(before, older)} and {newer} {quotes.mark(now, newer)}"
    return f"It is the same {marks}: {_entry(now).rstrip('.')}.", _notes(changes, quotes)


def _rows(pair: Pair, changes: Changes, quotes: Quotes) -> Iterator[_Row]:
    before, now = pair.sides
    marks = quotes.mark(before, changes.older), quotes.mark(now, changes.newer)
    name = _title(now)
    if cells := changed_cells(pair):
        for header, old, new in cells:
            was, is_now = (in_short(part) or "(empty)" for part in excerpts(old, new))
            yield _Row(name, in_short(header, 60), was, is_now, marks)
    else:
        old, new = excerpts(before.quote, now.quote)
        yield _Row(name, "", in_short(old), in_short(new), marks)


def _gone(record: Record, end: Record | None, changes: Changes, quotes: Quotes) -> str:
    line = f"- {_entry(record)} {quotes.mark(record, changes.older)}"
    if end is None:
        return line
    return f"{line} {changes.newer} says: {in_short(end.quote)} {quotes.mark(end, changes.newer)}"


def _notes(changes: Changes, quotes: Quotes, *, headed: bool = True) -> list[str]:
    """What the release notes say, under their headings."""
    parts = [f"The release notes of {changes.newer} say:"] if changes.notes and headed else []
    for heading, notes in groupby(changes.notes, key=lambda n: n.path[-1] if n.path else ""):
        items = [f"- {in_short(n.quote)} {quotes.mark(n, changes.newer)}" for n in notes]
        parts += [f"**{in_short(heading, 60)}**"] if heading else []
        parts.append("\n".join(items))
    return parts


def _entry(record: Record) -> str:
    """A passage as an item of a list: a row by its name and its other cells."""
    cells = [f"{header}: {cell}" if header else cell for header, cell in record.cells[1:] if cell]
    if not record.cells or not name_of(record):
        return in_short(record.quote)
    return in_short(f"{_title(record)} – {'; '.join(cells)}" if cells else _title(record))


def _title(record: Record) -> str:
    """What the passage is called: its own name as it is written, else the heading above it."""
    if name_of(record):
        own = record.cells[0][1] if record.cells else record.quote
        written = re.split(r"\s[–—-]+\s|:\s|[=(\n]", own, maxsplit=1)[0]
        if record.kind == BlockKind.SIGNATURE and record.path:
            written = record.path[-1]
        return in_short(written, 60).replace("*", "")
    return in_short(record.label, 60).replace("*", "")


def _counted(changes: Changes, about: str) -> str:
    """How much differs, and what is new and gone, by name where that is short."""
    differ = len(changes.changed)
    verb = f"passage{about} differs" if differ == 1 else f"passages{about} differ"
    parts = [f"{differ} {verb}"] if differ else []
    for records, word in (
        (changes.added, "new"),
        ([record for record, _ in changes.gone], "gone"),
    ):
        named = list(dict.fromkeys(_title(r) for r in records if name_of(r)))
        if records and len(named) == len(records) <= _NAMED:
            parts.append(f"{listed(named)} {'is' if len(named) == 1 else 'are'} {word}")
        elif records:
            verb = "passage is" if len(records) == 1 else "passages are"
            parts.append(f"{len(records)} {verb} {word}")
    return listed(parts)


def presence_in_words(
    thing: str, findings: Sequence[Finding], oldest: str, question: str = ""
) -> Answer:
    """Where a thing is documented, each release with the place that shows it.

    `oldest` is the first release of the product that there is.
    """
    quotes = Quotes()
    named = as_code(without_category(thing))
    looked = [f for f in findings if f.status is not Documented.NO_CORPUS]
    there = [f for f in looked if f.status is Documented.DOCUMENTED]
    lead = _lead(named, looked, there, oldest, quotes)
    if there and asks_yes_or_no(question):
        lead = after("Yes" if len(there) == len(looked) else "No", lead)
    notes = [*_own_words(looked, there, quotes), *_without_corpus(findings)]
    text = " ".join((lead, *notes))
    known = bool(there) or any(f.status is Documented.REMOVED for f in looked)
    value = in_bare_words(text) if known else ""
    return Answer(text, not known, tuple(quotes.citations), value)


def remarks_in_words(thing: str, word: str, remarks: Sequence[tuple[str, Remark]]) -> Answer:
    """What the documents say on when a thing was changed or deprecated, the oldest first.

    Each remark comes with the release that it is cited from.
    """
    quotes = Quotes()
    named = as_code(without_category(thing))
    sentences = []
    for release, remark in remarks:
        words = in_short(remark.words).rstrip(".")
        told = f": {words[:1].upper()}{words[1:]}" if words else ""
        mark = quotes.mark(remark.record, release)
        sentences.append(f"{named} {word} {remark.release}{told} {mark}.")
    text = " ".join(sentences)
    return Answer(text, False, tuple(quotes.citations), in_bare_words(text))


def _lead(
    named: str, looked: Sequence[Finding], there: Sequence[Finding], oldest: str, quotes: Quotes
) -> str:
    order = [f.release for f in looked]
    gone = [f for f in looked if f.status is Documented.REMOVED]
    if not there and not gone:
        of = f"documentation of {listed(order, 'or')}" if order[1:] else f"{order[0]} documentation"
        return f"I couldn't find {named} in the {of}."
    if not there:
        return f"{named} is documented in none of {listed(order)}; {_says_gone(gone[0], quotes)}."
    first, last = order.index(there[0].release), order.index(there[-1].release)
    cited = [_cited(f, quotes) for f in there]
    unbroken = last - first + 1 == len(there)
    if len(there) == len(looked):
        also = f"; {there[0].release} is the oldest release here" if order[0] == oldest else ""
        every = f"all of {listed(cited)}" if len(cited) > 1 else cited[0]
        return f"{named} is documented in {every}{also}."
    if first == last == len(order) - 1 or (unbroken and last == len(order) - 1):
        told = f"first documented in {cited[0]}"
        told += f", and also in {listed(cited[1:])}" if cited[1:] else ""
    elif len(there) == 1:
        told = f"documented in {cited[0]} only"
    elif unbroken:
        told = f"documented from {cited[0]} to {listed([*cited[2:], cited[-1]][-1:])}"
        told += f", also in {listed(cited[1:-1])}" if cited[1:-1] else ""
    else:
        told = f"documented in {listed(cited)}"
    ends = [f for f in gone if order.index(f.release) > last]
    rest = [f for f in looked if f not in there and f not in ends]
    parts = [f"{named} is {told}", *(_says_gone(f, quotes) for f in ends[:1])]
    mentioned = [f for f in rest if f.record is not None and f not in gone]
    if bare := [f.release for f in rest if f not in mentioned]:
        parts.append(f"{listed(bare)} {'does' if len(bare) == 1 else 'do'} not document it")
    parts += [f"{_cited(f, quotes)} only mentions it" for f in mentioned]
    return f"{'; '.join(parts)}."


def _cited(finding: Finding, quotes: Quotes) -> str:
    if finding.record is None:
        return finding.release
    return f"{finding.release} {quotes.mark(finding.record, finding.release)}"


def _says_gone(finding: Finding, quotes: Quotes) -> str:
    assert finding.record is not None
    words = in_short(finding.record.reading).rstrip(".")
    mark = quotes.mark(finding.record, finding.release)
    return f"{finding.release} says that it is gone: {words} {mark}"


def _own_words(
    looked: Sequence[Finding], there: Sequence[Finding], quotes: Quotes
) -> Iterator[str]:
    """What a page itself says on since when, and whether the first release here agrees."""
    releases = [f.release for f in looked]
    told_by = next((f for f in reversed(there) if f.since), None)
    if told_by is None or told_by.since is None:
        return
    first = there[0].release
    since, record = told_by.since
    expected = expected_first(since, releases)
    mark = quotes.mark(record, told_by.release)
    told = f"the text of {told_by.release} says that it is new in {since} {mark}"
    if expected == first and (expected != releases[0] or first.startswith(since)):
        yield f"T{told[1:]}."
    elif expected == first:
        yield f"T{told[1:]}, which is older than the releases here."
    else:
        yield f"But {told}."


def _without_corpus(findings: Sequence[Finding]) -> Iterator[str]:
    if missing := [f.release for f in findings if f.status is Documented.NO_CORPUS]:
        yield f"There is no documentation of {listed(missing)} to look into."

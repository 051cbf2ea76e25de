"""What was found, in words: what changed, and in which releases a thing is documented."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from chatbot.comparison.pages import Differences, Pair, changed_cells, excerpts, name_of
from chatbot.comparison.presence import Finding, expected_first, without_category
from chatbot.comparison.question import asks_yes_or_no, verdict
from chatbot.comparison.wording import Quotes, after, in_bare_words, in_short, merged
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Documented, Record
from ingestion.page import BlockKind

_SHOWN = 40
"""Differences between two releases that are written out; of the others it is said where."""
_IN_SENTENCES = 2
"""Values up to which each is told in a sentence, without a table."""
_NAMED = 6
"""Entries that are new or gone up to which the lead names them."""
_SENTENCES = 4
"""Sentences shown beside rows and parameters that differ, which tell more."""


def changes_in_words(topic: str, steps: Sequence[Differences], question: str = "") -> Answer:
    """What differs from release to release, each difference with a citation on each side."""
    quotes = Quotes()
    told = [_step(topic, step, quotes) for step in steps]
    told[0][0] = after(verdict(question, same=not any(s.found for s in steps)), told[0][0])
    value = " ".join(in_bare_words(lead) for lead, *_ in told)
    return Answer("\n\n".join(chain(*told)), False, tuple(quotes.citations), value)


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


def _step(topic: str, step: Differences, quotes: Quotes) -> list[str]:
    older, newer = step.older, step.newer
    about = f" on {as_words(topic)}" if topic else ""
    if not step.found:
        return _unchanged(about, step, quotes)
    shown = _worth_telling(step)
    # Without a topic the newer release's own words on what is new come first.
    notes = [] if topic else _notes(step, quotes)
    rows = [row for pair in shown.changed[:_SHOWN] for row in _rows(pair, step, quotes)]
    added = [f"- {_entry(r)} {quotes.mark(r, newer)}" for r in shown.added[:_SHOWN]]
    gone = [_gone(r, step, quotes) for r in shown.removed[:_SHOWN]]
    if 0 < len(rows) <= _IN_SENTENCES and not (added or gone or notes):
        lead = " ".join(_in_a_sentence(row, step) for row in rows)
        return [lead, *_notes(step, quotes)]
    lead = f"From {older} to {newer}, {_counted(shown, about)}."
    if notes:
        lead = f"The release notes of {newer} say what changed. {lead}"
    body = []
    if rows:
        cells = ((name, f"{was} {old}", f"{now} {new}") for name, was, now, old, new in rows)
        body.append(table(("", older, newer), cells))
    body += [f"New in {newer}:", "\n".join(added)] if added else []
    body += [f"No longer in {newer}:", "\n".join(gone)] if gone else []
    body += _further(shown, quotes)
    return [lead, *notes, *body, *(_notes(step, quotes) if topic else ())]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _further(step: Differences, quotes: Quotes) -> list[str]:
    here = (*(pair.sides[-1] for pair in step.changed[_SHOWN:]), *step.added[_SHOWN:])
    left = [*((r, step.newer) for r in here), *((r, step.older) for r in step.removed[_SHOWN:])]
    first = {as_words(r.page.document.title): (r, release) for r, release in reversed(left)}
    where = (f"{title} {quotes.mark(*place)}" for title, place in first.items())
    return [f"{len(left)} more differ, in {listed(where)}."] if left else []


def _worth_telling(step: Differences) -> Differences:
    """The differences without those sentences that say less than the rows beside them."""
    sentences = [pair for pair in step.changed if not name_of(pair.sides[0])]
    named = len(step.changed) - len(sentences)
    most = _SENTENCES if named > _SENTENCES else _SHOWN
    kept = tuple(pair for pair in step.changed if pair not in sentences[most:])
    added = tuple(r for r in step.added if name_of(r)) or step.added[:_SENTENCES]
    gone = tuple(r for r in step.removed if name_of(r))
    if not (kept or added or gone):
        gone = step.removed[:_SENTENCES]
    return replace(step, changed=kept, added=added, removed=gone)


def _unchanged(about: str, step: Differences, quotes: Quotes) -> list[str]:
    older, newer = step.older, step.newer
    if step.same:
        before, now = step.same[0].sides
        where = f"{older} {quotes.mark(before, older)} and {newer} {quotes.mark(now, newer)}"
        return [f"It is the same in {where}: {_entry(now).rstrip('.')}.", *_notes(step, quotes)]
    if step.notes:
        lead = f"The release notes of {newer} tell what changed{about} since {older}."
        return [lead, *_notes(step, quotes)[1:]]
    return [f"From {older} to {newer} nothing that differs{about} was found."]


_Row = tuple[str, str, str, str, str]
"""What differs: its name, both values, and the marks of both."""


def _rows(pair: Pair, step: Differences, quotes: Quotes) -> Iterator[_Row]:
    before, now = pair.sides
    marks = quotes.mark(before, step.older), quotes.mark(now, step.newer)
    cells = changed_cells(pair) or [("", before.quote, now.quote)]
    for header, old, new in cells:
        name = f"{_title(now)}: {in_short(header, 60)}" if header else _title(now)
        was, is_now = (in_short(part) or "(empty)" for part in excerpts(old, new))
        yield name, was, is_now, *marks


def _in_a_sentence(row: _Row, step: Differences) -> str:
    name, was, now, old, new = row
    thing, _, header = name.rpartition(": ")
    if not thing:
        return merged([(step.older, was, old), (step.newer, now, new)])
    told = f"{was.rstrip('.')} in {step.older} {old} and {now.rstrip('.')} in {step.newer} {new}"
    return f"The {header[:1].lower()}{header[1:]} of {thing} is {told}."


def _gone(record: Record, step: Differences, quotes: Quotes) -> str:
    line = f"- {_entry(record)} {quotes.mark(record, step.older)}"
    if end := step.ends.get(name_of(record)):
        line += f" {step.newer} says: {in_short(end.quote)} {quotes.mark(end, step.newer)}"
    return line


def _notes(step: Differences, quotes: Quotes) -> list[str]:
    parts = [f"The release notes of {step.newer} say:"] if step.notes else []
    for heading, notes in groupby(step.notes, key=lambda n: n.path[-1] if n.path else ""):
        items = [f"- {in_short(n.quote)} {quotes.mark(n, step.newer)}" for n in notes]
        parts += [f"**{in_short(heading, 60)}**"] if heading else []
        parts.append("\n".join(items))
    return parts


def _entry(record: Record) -> str:
    if not record.cells or not name_of(record):
        return in_short(record.quote)
    cells = [f"{header}: {cell}" if header else cell for header, cell in record.cells[1:] if cell]
    return in_short(" – ".join(filter(None, (_title(record), "; ".join(cells)))))


def _title(record: Record) -> str:
    """What the passage is called: its own name as it is written, else the heading above it."""
    title = record.label
    if record.kind == BlockKind.SIGNATURE and record.path:
        title = record.path[-1]
    elif name_of(record):
        own = record.cells[0][1] if record.cells else record.quote
        title = re.split(r"\s[–—-]+\s|:\s|[=(\n]", own, maxsplit=1)[0]
    return in_short(title, 60).replace("*", "")


def _counted(step: Differences, about: str) -> str:
    differ = len(step.changed)
    verb = f"passage{about} differs" if differ == 1 else f"passages{about} differ"
    parts = [f"{differ} {verb}"] if differ else []
    for records, word in ((step.added, "new"), (step.removed, "gone")):
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
    """Say where a thing is documented; `oldest` is the first release of the product."""
    quotes = Quotes()
    looked = [f for f in findings if f.status is not Documented.NO_CORPUS]
    there = [f for f in looked if f.status is Documented.DOCUMENTED]
    text = _where(as_code(without_category(thing)), looked, there, oldest, quotes)
    if there and asks_yes_or_no(question):
        text = after("Yes" if len(there) == len(looked) else "No", text)
    text = " ".join((text, *_own_words(looked, there, quotes)))
    if missing := [f.release for f in findings if f.status is Documented.NO_CORPUS]:
        text += f" There is no documentation of {listed(missing)} to look into."
    known = bool(there) or any(f.status is Documented.REMOVED for f in looked)
    return Answer(text, not known, tuple(quotes.citations), in_bare_words(text) if known else "")


def _where(
    named: str, looked: Sequence[Finding], there: Sequence[Finding], oldest: str, quotes: Quotes
) -> str:
    order = [f.release for f in looked]
    gone = [f for f in looked if f.status is Documented.REMOVED]
    if not there and not gone:
        of = f"documentation of {listed(order, 'or')}" if order[1:] else f"{order[0]} documentation"
        return f"I couldn't find {named} in the {of}."
    if not there:
        return f"{named} is documented in none of {listed(order)}; {_says_gone(gone[0], quotes)}."
    first, last = looked.index(there[0]), looked.index(there[-1])
    shown = [f"{f.release} {quotes.mark(f.record, f.release)}" for f in there if f.record]
    unbroken = last - first + 1 == len(there)
    if len(there) == len(looked):
        also = f"; {there[0].release} is the oldest release here" if order[0] == oldest else ""
        return f"{named} is documented in {'all of ' if shown[1:] else ''}{listed(shown)}{also}."
    told = f"documented in {listed(shown)}"
    if unbroken and last == len(order) - 1:
        also = f", and also in {listed(shown[1:])}" if shown[1:] else ""
        told = f"first documented in {shown[0]}{also}"
    elif len(there) == 1:
        told = f"documented in {shown[0]} only"
    elif unbroken:
        told = f"documented from {listed(shown, 'to')}"
    ends = [f for f in gone if looked.index(f) > last][:1]
    parts = [f"{named} is {told}", *(_says_gone(f, quotes) for f in ends)]
    bare = [f.release for f in looked if f.status is Documented.NOT_FOUND]
    if bare:
        parts.append(f"{listed(bare)} {'does' if len(bare) == 1 else 'do'} not document it")
    return f"{'; '.join(parts)}."


def _says_gone(finding: Finding, quotes: Quotes) -> str:
    assert finding.record is not None
    words = in_short(finding.record.reading).rstrip(".")
    mark = quotes.mark(finding.record, finding.release)
    return f"{finding.release} says that it is gone: {words} {mark}"


def _own_words(
    looked: Sequence[Finding], there: Sequence[Finding], quotes: Quotes
) -> Iterator[str]:
    """What a page itself says on since when, and whether the first release here agrees."""
    for release, (since, record) in [(f.release, f.since) for f in there[::-1] if f.since][:1]:
        expected = expected_first(since, [f.release for f in looked])
        says = f"text of {release} says that it is new in {since} {quotes.mark(record, release)}"
        if expected != there[0].release:
            yield f"But the {says}."
        elif expected == looked[0].release and not expected.startswith(since):
            yield f"The {says}, which is older than the releases here."
        else:
            yield f"The {says}."

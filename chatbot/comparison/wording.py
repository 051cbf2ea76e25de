"""The answers to comparisons in words: a lead, then a line for every release or difference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chatbot.comparison.changes import Changes
from chatbot.comparison.page_differences import Pair, changed_cells, excerpts, name_of
from chatbot.comparison.presence import Finding, expected_first
from chatbot.comparison.quantities import same_value
from chatbot.grounding import cite
from chatbot.harmless import as_code, as_words, harmless
from chatbot.marks import marks, renumbered, with_marks_as_code
from chatbot.phrasing import listed
from chatbot.turn import Answer, Citation, Documented, Record, Turn
from ingestion.page import DocumentKind
from prompts.fencing import visible

SHOWN = 12
"""Differences between two releases that are written out; the others are counted."""
_QUOTED = 220
_SHORT = 6
"""Words up to which a value is one that can be compared; sentences are only set side by side."""
_LEAD_IN = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass
class Quotes:
    """The citations of an answer while it is written; each passage has one number."""

    citations: list[Citation] = field(default_factory=list)

    def mark(self, record: Record, release: str) -> str:
        """Cite a passage of a release: "[3]"."""
        return self.number(cite(record, release))

    def number(self, citation: Citation) -> str:
        """Number a citation, the same one always alike."""
        if citation not in self.citations:
            self.citations.append(citation)
        return f"[{self.citations.index(citation) + 1}]"


def in_short(text: str, longest: int = _QUOTED) -> str:
    """A passage on one line, cut at a word; it loads, links and cites nothing."""
    text = " ".join(_LEAD_IN.sub("", visible(text)).split())
    cut = text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"
    return with_marks_as_code(harmless(cut, evidence=cut))


def values_side_by_side(sides: Sequence[Turn]) -> Answer:
    """One line for each release with its value or its words; led by whether short ones agree."""
    quotes = Quotes()
    lines = [_side_line(side, quotes) for side in sides]
    values = [side.answer.value for side in sides if side.answer and side.answer.value]
    if len(values) < len(sides) or any(len(value.split()) > _SHORT for value in values):
        lead = "By release:"
    elif same_value(values):
        lead = f"The short answer is the same in {listed([side.asked[1] for side in sides])}:"
    else:
        lead = "It differs between the releases:"
    return Answer(
        text="\n".join([lead, "", *lines]),
        abstained=all(side.answer is not None and side.answer.abstained for side in sides),
        citations=tuple(quotes.citations),
        value="; ".join(
            f"{side.asked[1]}: {side.answer.value}"
            for side in sides
            if side.answer and side.answer.value
        ),
        warnings=tuple(w for side in sides if side.answer for w in side.answer.warnings),
    )


def _side_line(side: Turn, quotes: Quotes) -> str:
    answer, release = side.answer, side.asked[1]
    assert answer is not None
    lead = f"- **{release}**:"
    sentences = " ".join(answer.text.partition("\n>")[0].split())
    if not answer.abstained and marks(sentences):
        return f"{lead} {_in_the_whole(sentences, answer.citations, quotes)}"
    shown = 1 if answer.value else 3
    cited = " ".join(f"“{in_short(c.quote)}” {quotes.number(c)}" for c in answer.citations[:shown])
    if answer.value and cited:
        return f"{lead} {in_short(answer.value)} — {cited}"
    if answer.abstained:
        return f"{lead} {answer.text.partition(chr(10))[0]} {cited}".rstrip()
    return f"{lead} {cited or in_short(answer.text)}"


def _in_the_whole(text: str, citations: Sequence[Citation], quotes: Quotes) -> str:
    """Sentences whose marks count one side's citations, with marks that count the whole's."""
    own = dict(enumerate(citations, 1))
    return renumbered(text, lambda n: quotes.number(own[n]) if n in own else "")


def changes_in_words(topic: str, steps: Sequence[Changes]) -> Answer:
    """What differs from release to release, each difference with a citation on each side."""
    quotes = Quotes()
    parts = [_step(topic, changes, quotes) for changes in steps]
    return Answer(
        text="\n\n".join(parts),
        abstained=False,
        citations=tuple(quotes.citations),
        value=_only_value(steps),
    )


def nothing_named(releases: Sequence[str]) -> Answer:
    """Ask for a subject where changes in general are wanted and no release notes tell of them."""
    return Answer(
        f"I don't know: there are no release notes of {listed(releases)}. Ask what changed in "
        "something, by its name, and I compare the pages on it.",
        abstained=True,
    )


def no_thing_named(releases: Sequence[str]) -> Answer:
    """Ask what is meant where a question is whether "it" is there, and nothing says what."""
    return Answer(
        f"I don't know what to look for in {listed(releases)}: the question does not name it. "
        "Ask again with its name.",
        abstained=True,
    )


def _only_value(steps: Sequence[Changes]) -> str:
    """The values, where one cell of one passage is all that differs."""
    if len(steps) != 1 or len(steps[0].changed) != 1 or steps[0].added or steps[0].gone:
        return ""
    cells = changed_cells(steps[0].changed[0])
    if len(cells) != 1:
        return ""
    (_, before, after), changes = cells[0], steps[0]
    return f"{changes.older}: {before}; {changes.newer}: {after}"


def _step(topic: str, changes: Changes, quotes: Quotes) -> str:
    older, newer = changes.older, changes.newer
    on = f" on “{as_words(topic)}”" if topic else ""
    lines = [_changed_line(pair, changes, quotes) for pair in changes.changed[:SHOWN]]
    for record in changes.added[: SHOWN - len(lines)]:
        lines.append(f"- **only in {newer}**: {_named(record)} {quotes.mark(record, newer)}")
    for record, end in changes.gone[: max(SHOWN - len(lines), SHOWN // 3)]:
        line = f"{_named(record)} {quotes.mark(record, older)}"
        if end is None:
            lines.append(f"- **only in {older}**, not found in {newer}: {line}")
        else:
            told = f"“{in_short(end.quote)}” {quotes.mark(end, newer)}"
            lines.append(f"- **removed in {newer}**: {line}; {newer} says {told}")
    total = len(changes.changed) + len(changes.added) + len(changes.gone)
    if total > len(lines):
        lines.append(f"- and {total - len(lines)} more on the same pages")
    if total:
        lead = f"What differs{on} from {older} to {newer}:"
    elif changes.same:
        lead = f"The passage{on} is the same in {older} and {newer}:"
        lines = [_same_line(pair, changes, quotes) for pair in changes.same[:3]]
    else:
        lead = f"From {older} to {newer} nothing that differs{on} was found."
    notes = [f"- “{in_short(n.quote)}”{_under(n)} {quotes.mark(n, newer)}" for n in changes.notes]
    if notes:
        notes = [f"The release notes of {newer} say:", "", *notes]
    if not lines and notes:
        return "\n".join(notes)
    return "\n".join([lead, "", *lines, "", *notes]).rstrip()


def _changed_line(pair: Pair, changes: Changes, quotes: Quotes) -> str:
    before, after = pair.before, pair.after
    assert before is not None
    assert after is not None
    marks = f"{quotes.mark(before, changes.older)} {quotes.mark(after, changes.newer)}"
    cells = changed_cells(pair)
    if cells:
        told = "; ".join(_cell(header, *excerpts(old, new)) for header, old, new in cells)
        return f"- **{_title(after)}**: {told} {marks}"
    old, new = excerpts(_LEAD_IN.sub("", before.quote), _LEAD_IN.sub("", after.quote))
    return f"- **{_title(after)}**: “{in_short(old)}” → “{in_short(new)}” {marks}"


def _cell(header: str, before: str, after: str) -> str:
    told = f"{in_short(before) or '(empty)'} → {in_short(after) or '(empty)'}"
    return f"{in_short(header, 60)}: {told}" if header else told


def _same_line(pair: Pair, changes: Changes, quotes: Quotes) -> str:
    before, after = pair.before, pair.after
    assert before is not None
    assert after is not None
    marks = f"{quotes.mark(before, changes.older)} {quotes.mark(after, changes.newer)}"
    return f"- **{_title(after)}**: “{in_short(after.quote)}” {marks}"


def _title(record: Record) -> str:
    """What the passage is called: its own name as it is written, else the heading above it."""
    if name_of(record):
        own = record.cells[0][1] if record.cells else record.quote
        written = re.split(r"\s[–—-]+\s|:\s|[=(\n]", own, maxsplit=1)[0]
        if record.kind == "signature" and record.path:
            written = record.path[-1]
        return in_short(written, 60).replace("*", "")
    return in_short(record.label, 60).replace("*", "")


def _named(record: Record) -> str:
    text = record.reading if record.cells else record.quote
    return f"“{in_short(text)}”"


def _under(record: Record) -> str:
    return f" ({in_short(record.path[-1], 60)})" if len(record.path) > 1 else ""


def presence_in_words(thing: str, findings: Sequence[Finding], oldest: str) -> Answer:
    """Since which release, up to which, in which: a lead, then what each release says.

    `oldest` is the first release of the product that there is.
    """
    quotes = Quotes()
    lines = [_finding_line(finding, quotes) for finding in findings]
    notes = _own_words(findings)
    return Answer(
        text="\n".join([_presence_lead(thing, findings, oldest), "", *lines, *notes]),
        abstained=not any(f.status is Documented.DOCUMENTED for f in findings)
        and not any(f.status is Documented.REMOVED for f in findings),
        citations=tuple(quotes.citations),
        value="; ".join(f"{f.release}: {_STATUS[f.status]}" for f in findings),
    )


_STATUS = {
    Documented.DOCUMENTED: "documented",
    Documented.NOT_FOUND: "not found",
    Documented.REMOVED: "removed",
    Documented.NO_CORPUS: "no documentation ingested",
}


def _finding_line(finding: Finding, quotes: Quotes) -> str:
    line = f"- **{finding.release}**: {_STATUS[finding.status]}"
    if finding.record is None:
        return line
    if finding.status is Documented.NOT_FOUND:
        line += ", but mentioned"
    mark = quotes.mark(finding.record, finding.release)
    said = finding.said
    if said is not None and said != finding.record:
        own = f"; “{in_short(said.quote)}” {quotes.mark(said, finding.release)}"
    else:
        own = ""
    notes = finding.record.page.document.kind is DocumentKind.RELEASE_NOTES
    under = _under(finding.record) if notes else ""
    return f"{line} — “{in_short(finding.record.quote)}”{under} {mark}{own}"


def _presence_lead(thing: str, findings: Sequence[Finding], oldest: str) -> str:
    named = as_code(thing)
    looked = [f for f in findings if f.status is not Documented.NO_CORPUS]
    there = [f.release for f in looked if f.status is Documented.DOCUMENTED]
    gone = [f.release for f in looked if f.status is Documented.REMOVED]
    if not there:
        if gone:
            return f"{named} is documented in none of these releases; {gone[0]} says it is gone."
        return f"I don't know: none of {listed([f.release for f in looked])} mentions {named}."
    first, last = there[0], there[-1]
    if len(there) == len(looked):
        every = f"{named} is documented in all of {listed(there)}"
        return f"{every}; {first} is the oldest release here." if first == oldest else f"{every}."
    parts = [f"{named} is"]
    order = [f.release for f in looked]
    unbroken = order[order.index(first) : order.index(last) + 1] == there
    if first == last:
        parts.append(f"documented in {first} only")
    elif not unbroken:
        parts.append(f"documented in {listed(there)}")
    elif last == order[-1]:
        parts.append(f"first documented in {first}")
    else:
        parts.append(f"documented from {first} to {last}")
    lead = " ".join(parts)
    if after := [release for release in gone if order.index(release) > order.index(last)]:
        return f"{lead}; {after[0]} says that it is gone."
    if first == last == order[-1]:
        return lead.replace("documented in", "first documented in").removesuffix(" only") + "."
    return f"{lead}."


def _own_words(findings: Sequence[Finding]) -> list[str]:
    """Where the pages' own "new in version X" and the first release here do not agree."""
    releases = [f.release for f in findings if f.status is not Documented.NO_CORPUS]
    there = [f for f in findings if f.status is Documented.DOCUMENTED]
    said = next((f for f in reversed(there) if f.since), None)
    if said is None or said.since is None:
        return []
    first = there[0].release
    expected = expected_first(said.since, releases)
    if expected == first and (expected != releases[0] or first.startswith(said.since)):
        return ["", f"The text of {said.release} agrees: it says {said.since}."]
    if expected == first:
        return ["", f"The text of {said.release} says since {said.since}, older than what is here."]
    return [
        "",
        f"The two do not agree: documented from {first} here, the text of {said.release} says "
        f"{said.since}.",
    ]


def of_release(answer: Answer, release: str) -> tuple[Citation, ...]:
    """The citations of one side of an answer."""
    return tuple(c for c in answer.citations if c.release == release)


def quotes_of(citations: Iterable[Citation]) -> str:
    """The words of a side, for a reader who wants that side alone."""
    return "\n\n".join(citation.quote for citation in citations)

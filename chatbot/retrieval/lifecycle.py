"""What the section on a thing says of its own history: since when it is there, that it is over."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from chatbot.retrieval.passages import Passage, section_of
from chatbot.retrieval.records import records, sentences
from chatbot.text.query_terms import filtered
from chatbot.text.sanitizer import as_document_words
from chatbot.turn import Record
from corpora.indexing.lexical import identifiers, tokens
from ingestion.page import BlockKind, DocumentKind

_EVENTS = {
    **dict.fromkeys(("new", "added", "introduced", "add", "available", "appear"), "added"),
    **dict.fromkeys(("changed", "change"), "changed"),
    **dict.fromkeys(("deprecated", "obsolete", "deprecate"), "deprecated"),
    **dict.fromkeys(("removed", "dropped", "remove"), "removed"),
}
EVENT = re.compile(
    rf"\b(?P<event>{'|'.join(_EVENTS)})\b(?:\s+(?:in|since)\s+|:\s+)"
    r"(?:version\s+)?v?(?P<release>\d[\w.]*\w|\d)",
    re.I,
)
"""What a documentation says of its own history: "New in version 2.1", "Introduced: 2.1"."""
_SINCE = re.compile(
    r"(?:^|[.!?;] )\W*(?:(?:since|from|as of|in) (?:when|which|what)\b"
    r"|(?:which|what) \w+ (?:first|added)\b"
    rf"|when (?:was|were|is|are|did|has)\b(?=[^?]*\b(?:{'|'.join(_EVENTS)})\b))",
    re.I,
)
"""How a question begins that asks since when a thing is there, whatever it says of the thing."""
_VERSION = re.compile(r"\W*(?:version |release )?v?(?P<release>\d+(?:\.\d+)+)", re.I)
"""How a heading of release notes begins."""
_ENOUGH = 0.5
"""Of the question's words that a line of release notes has to have."""
_ASKS_WHETHER_STILL = re.compile(r"\bstill\b|\bany ?more\b|\bno longer\b", re.I)
_WITHOUT_EFFECT = re.compile(r"\b(?:ignored|no longer|removed|no effect|dropped)\b", re.I)


def read_since(
    question: str, subject: str, passages: Sequence[Passage]
) -> tuple[str, Passage, Record] | None:
    """Since when a thing is there, in the words of the best section or of release notes.

    Release notes tell it by the release that they are headed with.
    """
    if not asks_since(question):
        return None
    asked = set(tokens(filtered(_SINCE.sub("", subject))))
    best = passages[0]
    headed = set(tokens(best.heading))
    told: list[tuple[int, str, Passage, Record]] = []
    for passage in section_of(best) if asked & headed else ():
        for record in passage.records:
            for event, remark in _remarks(record.quote):
                # A remark on a part of the section's thing names it; another tells of all of it.
                about = len((asked - headed) & set(tokens(remark)))
                if about or event == "added":
                    told.append((about, remark, passage, record))
    if told:
        _, remark, passage, record = max(told, key=lambda found: found[0])
        words = f"The section “{passage.heading}” says: {remark}"
        return as_document_words(words), passage, record
    for passage in passages:
        release = _release_of_notes(passage)
        for record in passage.records if release else ():
            held = asked & set(tokens(record.reading))
            if len(held) >= _ENOUGH * len(asked):
                words = " ".join(record.quote.split()).lstrip("-*• ")
                noted = f"The release notes of {release} say: {words}"
                return as_document_words(noted), passage, record
    return None


def _remarks(text: str) -> Iterator[tuple[str, str]]:
    """What a text says of its own history: the event, and two sentences from it on at most."""
    text = " ".join(text.split())
    found = list(EVENT.finditer(text))
    ends = [said.start() for said in found[1:]]
    for said, end in zip(found, [*ends, len(text)], strict=False):
        remark = " ".join(sentences(text[said.start() : end])[:2])
        yield _EVENTS[said["event"].lower()], remark


def asks_since(question: str) -> bool:
    """Whether a question asks since when a thing is there."""
    return _SINCE.search(question) is not None


def _release_of_notes(passage: Passage) -> str | None:
    """The release that a section of release notes is about, by its headings."""
    if passage.page.document.kind is not DocumentKind.RELEASE_NOTES:
        return None
    headed = filter(None, map(_VERSION.match, reversed(passage.path)))
    return next((match["release"] for match in headed), None)


def read_end(subject: str, passages: Sequence[Passage]) -> tuple[str, Passage, Record] | None:
    """That a thing does nothing any more, where a question asks whether it still does."""
    if not _ASKS_WHETHER_STILL.search(subject):
        return None
    for passage, text, record in _on_named(subject, passages):
        if _WITHOUT_EFFECT.search(text):
            return f"No: {as_document_words(text)}", passage, record
    return None


def _on_named(question: str, passages: Sequence[Passage]) -> Iterator[tuple[Passage, str, Record]]:
    """The paragraphs of the sections headed by a name: `wait_time` for `--wait-time`, too.

    Each in one line, with its passage and the record that it stands in.
    """
    names = set(map(_joined, identifiers(question)))
    headed = (p for p in passages if names & set(map(_joined, identifiers(p.heading))))
    for passage in chain.from_iterable(map(section_of, headed)):
        for start, _, block in passage.placed:
            before = (r for r in reversed(records(passage.page)) if r.start <= start)
            record = next(before, None)
            if block.kind is BlockKind.PARAGRAPH and record is not None:
                yield passage, " ".join(block.text.split()), record


def _joined(name: str) -> str:
    return name.lstrip("-").replace("-", "_").removesuffix("()")

"""Where a thing is documented: looked up in every release, never taken from one for another."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chatbot.comparison.pages import name_of, pages_with, passages
from chatbot.comparison.topic import Topic
from chatbot.retrieval.provenance import plain
from chatbot.turn import Documented, Record
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from ingestion.page import BlockKind, DocumentKind

_CANDIDATES = 80


@dataclass(frozen=True)
class Finding:
    """What one release says of a thing: the words that document it, and others that speak of it."""

    release: str
    status: Documented
    record: Record | None = None
    note: Record | None = None


@dataclass(frozen=True)
class _Hits:
    """Passages of one release with a thing: under its name, elsewhere, and in release notes."""

    entries: list[Record] = field(default_factory=list)
    mentions: list[Record] = field(default_factory=list)
    notes: list[Record] = field(default_factory=list)


def find_everywhere(topic: Topic, corpora: Sequence[Corpus]) -> list[Finding] | None:
    """Look a thing up in releases, oldest first.

    None where the releases know its words, but no passage has them all. Release notes, and
    passages on another release, document nothing. Where a release has an entry for it (a section,
    a row, a member of its name), a later one that has none documents it no longer.
    """
    hits = [_look_up(topic, corpus) for corpus in corpora]
    known = topic.words.keys() >= set(tokens(topic.text))
    if known and not any(h.entries or h.mentions or h.notes for h in hits):
        return None
    findings: list[Finding] = []
    for corpus, found in zip(corpora, hits, strict=True):
        had = any(finding.record for finding in findings)
        entry = had and any(h.entries for h in hits)
        findings.append(_finding(corpus.release, found, had=had, entry=entry))
    return findings


def _look_up(topic: Topic, corpus: Corpus) -> _Hits:
    hits = _Hits()
    wanted = set(tokens(topic.text))
    for record in passages(pages_with(corpus, topic.words, _CANDIDATES)):
        whole = wanted <= set(tokens(" ".join((record.quote, *record.path))))
        named = releases_named(record.quote, corpus.release)
        if record.page.document.kind is DocumentKind.RELEASE_NOTES:
            if whole:
                hits.notes.append(record)
        elif _is_entry(record, topic.text):
            hits.entries.append(record)
        elif whole and (named.own or not named.other):
            hits.mentions.append(record)
    return hits


def _is_entry(record: Record, thing: str) -> bool:
    """Whether a passage is a row, a member or a section with the name of a thing."""
    wanted, *own = (
        plain(name).removesuffix("()") for name in (thing, name_of(record), *record.path[-1:])
    )
    is_member = record.kind == BlockKind.SIGNATURE
    return wanted in own or (is_member and any(name.endswith(f".{wanted}") for name in own))


def _finding(release: str, hits: _Hits, *, had: bool, entry: bool) -> Finding:
    """What one release says of what one before it `had`; a mere mention needs no `entry`."""
    # What announces a thing is the shortest that is said of it.
    note = min(hits.notes or hits.mentions, key=lambda n: len(n.quote), default=None)
    if there := hits.entries or ([] if entry else hits.mentions):
        return Finding(release, Documented.DOCUMENTED, there[0], note if hits.notes else None)
    status = Documented.REMOVED if had and note else Documented.NOT_FOUND
    return Finding(release, status, note=note)

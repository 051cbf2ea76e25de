"""Where a thing is documented: looked up in every release, never taken from one for another."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.comparison.pages import name_of, pages_with, passages
from chatbot.comparison.topic import Topic
from chatbot.retrieval.support import plain
from chatbot.turn import Documented, Record
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from ingestion.page import DocumentKind

_CANDIDATES = 80


@dataclass(frozen=True)
class Finding:
    """What one release says of a thing: the words that document it, and others that speak of it."""

    release: str
    status: Documented
    record: Record | None = None
    note: Record | None = None


def find_everywhere(topic: Topic, corpora: Sequence[Corpus]) -> list[Finding] | None:
    """Look a thing up in releases, oldest first.

    None where the releases know its words, but no passage has them all. Release notes, and
    passages on another release, document nothing. Where a release has an entry for it (a section,
    a row, a member of its name), a later one that has none documents it no longer.
    """
    hits = [_look_up(topic, corpus) for corpus in corpora]
    known = topic.words.keys() >= set(tokens(topic.text))
    if known and not any(map(any, hits)):
        return None
    has_entry = any(entries for entries, _, _ in hits)
    findings: list[Finding] = []
    for corpus, (entries, mentions, notes) in zip(corpora, hits, strict=True):
        had = any(finding.record for finding in findings)
        there = entries or ([] if had and has_entry else mentions)
        # What announces a thing is the shortest that is said of it.
        said = notes if there else notes or mentions
        note = min(said, key=lambda record: len(record.quote), default=None)
        gone = Documented.REMOVED if had and note else Documented.NOT_FOUND
        status = Documented.DOCUMENTED if there else gone
        findings.append(Finding(corpus.release, status, there[0] if there else None, note))
    return findings


def _look_up(topic: Topic, corpus: Corpus) -> tuple[list[Record], list[Record], list[Record]]:
    """Passages of one release with a thing: under its name, elsewhere, and in release notes."""
    entries: list[Record] = []
    mentions: list[Record] = []
    notes: list[Record] = []
    wanted = set(tokens(topic.text))
    for record in passages(pages_with(corpus, topic.words, _CANDIDATES)):
        whole = wanted <= set(tokens(" ".join((record.quote, *record.path))))
        named = releases_named(record.quote, corpus.release)
        if record.page.document.kind is DocumentKind.RELEASE_NOTES:
            notes += [record] if whole else []
        elif _is_entry(record, topic.text):
            entries.append(record)
        elif whole and (named.own or not named.other):
            mentions.append(record)
    return entries, mentions, notes


def _is_entry(record: Record, thing: str) -> bool:
    """Whether a passage is a row, a signature or a section with the name of a thing."""
    wanted, *own = (
        plain(name).removesuffix("()") for name in (thing, name_of(record), *record.path[-1:])
    )
    return wanted in own

"""Where a thing is documented: looked up in every release, never taken from one for another."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from chatbot.comparison.pages import name_of, pages_with, passages
from chatbot.comparison.question import without_category
from chatbot.retrieval.provenance import plain
from chatbot.turn import Documented, Record
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from ingestion.page import BlockKind, DocumentKind

_CANDIDATES = 80
_SINCE = re.compile(
    r"\b(?:new|added|introduced|available|versionadded)\b\W+(?:\w+\W+){0,2}v?\d+(?:\.\d+)*", re.I
)

Matches = Callable[[Record], bool]


@dataclass(frozen=True)
class Finding:
    """What one release says of a thing: whether it documents it, and the words that show it.

    A release that documents it no longer has `record` where it still speaks of it. `since` are
    words below the thing's name that say since when it is there, `notes` those of release notes.
    """

    release: str
    status: Documented
    record: Record | None = None
    since: Record | None = None
    notes: tuple[Record, ...] = ()


@dataclass(frozen=True)
class _Hits:
    """Passages of one release with a thing: under its name, elsewhere, and in release notes."""

    entries: list[Record] = field(default_factory=list)
    mentions: list[Record] = field(default_factory=list)
    notes: list[Record] = field(default_factory=list)


def find_everywhere(
    thing: str, releases: Sequence[str], corpora: Mapping[str, Corpus]
) -> list[Finding] | None:
    """Look a thing up in releases, oldest first; one without a corpus is kept.

    It is looked for as it is written, else by all of its words in one passage; None where only
    each word by itself is found. Release notes, and passages on another release, document nothing.
    Where a release has an entry for it (a section, a row, a member of its name), a later one that
    has none documents it no longer.
    """
    words = (without_category(thing) or thing).split()
    searched = [
        {release: _look_up(matches, words, corpus) for release, corpus in corpora.items()}
        for matches in (_phrase(words), _all_words(words))
    ]
    documented = (hits for hits in searched if any(h.entries or h.mentions for h in hits.values()))
    noted = (hits for hits in searched if any(h.notes for h in hits.values()))
    hits = next(chain(documented, noted), searched[0])
    if not any(h.entries or h.mentions or h.notes for h in hits.values()) and all(
        any(c.frequency(t) for c in corpora.values()) for w in words for t in tokens(w)
    ):
        return None
    has_entry = any(h.entries for h in hits.values())
    # "Channel" is a parameter, and a word of many sentences.
    everyday = has_entry and thing.isalpha() and thing.islower()
    findings: list[Finding] = []
    for release in releases:
        before = any(f.status is Documented.DOCUMENTED for f in findings)
        bare = not (everyday or (has_entry and before))
        found = hits.get(release)
        findings.append(
            _finding(release, found, before=before, documents=bare)
            if found
            else Finding(release, Documented.NO_CORPUS)
        )
    return findings


def _phrase(words: Sequence[str]) -> Matches:
    *others, last = map(re.escape, words)
    last = last.removesuffix("s") if len(last) > 3 else last
    joined = r"[\s-]+".join((*others, last))
    pattern = re.compile(rf"(?<![\w-]){joined}(?:e?s)?(?![\w-]|\.\w)", re.I)
    return lambda record: pattern.search(record.quote) is not None


def _all_words(words: Sequence[str]) -> Matches:
    wanted = {token for w in words for token in tokens(w)[:1]}
    return lambda record: wanted <= set(tokens(" ".join((record.quote, *record.path))))


def _look_up(matches: Matches, words: Sequence[str], corpus: Corpus) -> _Hits:
    hits = _Hits()
    terms = dict.fromkeys(t for w in words for t in tokens(w))
    for record in passages(pages_with(corpus, terms, _CANDIDATES)):
        if record.page.document.kind is DocumentKind.RELEASE_NOTES:
            if matches(record):
                hits.notes.append(record)
        elif _is_entry(record, words):
            hits.entries.append(record)
        elif matches(record) and not _is_of_another_release(record, corpus.release):
            hits.mentions.append(record)
    return hits


def _is_entry(record: Record, words: Sequence[str]) -> bool:
    """Whether a passage is a row, a member or a section with the name of a thing."""
    names = (" ".join(words), name_of(record), *record.path[-1:])
    wanted, *own = (plain(name).removesuffix("()") for name in names)
    is_member = record.kind == BlockKind.SIGNATURE
    return wanted in own or (is_member and any(name.endswith(f".{wanted}") for name in own))


def _is_of_another_release(record: Record, release: str) -> bool:
    named = releases_named(record.quote, release)
    return named.other and not named.own


def _finding(release: str, hits: _Hits, *, before: bool, documents: bool) -> Finding:
    """What one release says; `documents` says whether a mere mention does."""
    notes, mentions = tuple(hits.notes), tuple(hits.mentions)
    if there := hits.entries or (documents and hits.mentions):
        since = next((r for entry in hits.entries[:1] for r in _since(entry)), None)
        return Finding(release, Documented.DOCUMENTED, there[0], since, notes)
    if before and (spoken := notes + mentions):
        return Finding(release, Documented.REMOVED, spoken[0], notes=notes)
    return Finding(release, Documented.NOT_FOUND, notes=notes)


def _since(entry: Record) -> Iterator[Record]:
    below = (*entry.path, name_of(entry))
    for record in passages([entry.page]):
        own = record == entry or entry.kind != BlockKind.TABLE_ROW
        if own and record.path in (entry.path, below) and _SINCE.search(record.quote):
            yield record

"""Where a thing is documented: looked up in every release, never taken from one for another."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice

from chatbot.comparison.pages import is_of_another_release, name_of, pages_with, passages
from chatbot.retrieval.provenance import plain
from chatbot.text.phrasing import word_set
from chatbot.turn import Documented, Record
from corpora.catalog.catalog import NoCorpus
from corpora.catalog.release import name_tokens, sort_key
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from ingestion.page import BlockKind, DocumentKind

_CANDIDATES = 80
_EVERYWHERE = 30
"""Passages with a word from which nobody need ask whether a release has it."""
_SPOKEN_OF = 3
"""Mentions from which a thing is not gone, whatever another passage says."""
_GONE = re.compile(
    r"\b(?:removed?|no longer|not any ?more|gone|dropped|withdrawn|discontinued|replaced|superseded"
    r"|instead of|new names?|renamed|obsolete|are now|is now|not available|not supported)\b",
    re.I,
)
_NEW = re.compile(r"\b(?:new|added|features?)\b(?! names?)", re.I)
_CATEGORY = word_set("""
    alarm parameter command option argument method function class setting keyword attribute flag
    card field counter format mode
""")
_REMARK = re.compile(
    r"\b(?:new|added|introduced|available|versionadded::?)\s*"
    r"(?:in|since|with|from|as of)?\s*(?:(?:version|release)\s*(?=v?\d)|(?=v?\d+\.\d))"
    r"v?(?P<release>\d+(?:\.\d+)*\w*)",
    re.I,
)
_HEADED = re.compile(r"(?<![\w.])v?(?P<release>\d+(?:\.\d+)+\w*)")
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(?:#\d+:?\s+)?")


Remark = tuple[str, Record]
"""The release that a thing is new in, and the words that say so."""


@dataclass(frozen=True)
class Finding:
    """What one release says of a thing: whether it documents it, and the words that show it."""

    release: str
    status: Documented
    record: Record | None = None
    since: Remark | None = None


@dataclass(frozen=True)
class _Hits:
    """Passages of one release with a thing: its entry, mentions (`in_notes` apart), its end.

    `announced` are notes of any release that may say that it is new.
    """

    entries: list[Record] = field(default_factory=list)
    mentions: list[Record] = field(default_factory=list)
    in_notes: list[Record] = field(default_factory=list)
    ends: list[Record] = field(default_factory=list)
    announced: list[Record] = field(default_factory=list)


def find_everywhere(
    thing: str, releases: Sequence[str], open_corpus: Callable[[str], Corpus]
) -> list[Finding] | None:
    """Look a thing up in releases, in the order given; a release without a corpus is kept.

    It is looked for as it is written, else by all of its words in one passage; None where only
    each word by itself is found. Where a release has an entry for it, the mention of an everyday
    word ("the parameter channel") is no documentation of it.
    """
    words = thing.split()
    if not words:
        return None
    corpora: dict[str, Corpus] = {}
    for release in releases:
        with suppress(NoCorpus):
            corpora[release] = open_corpus(release)
    bare = without_category(thing).split()
    hits: dict[str, _Hits] = {}
    for matches in (_phrase(bare), _all_words(bare)):
        hits = {release: _look_up(matches, bare, corpus) for release, corpus in corpora.items()}
        if any(h.entries or h.mentions or h.in_notes for h in hits.values()):
            break
    else:
        known = (any(c.frequency(w) or c.similar(w) for c in corpora.values()) for w in bare)
        if all(known) and not any(h.ends for h in hits.values()):
            return None
    everyday = len(bare) < len(words) or (thing.isalpha() and thing.islower())
    has_entry = any(h.entries for h in hits.values())
    findings = {r: _finding(r, h, has_entry=has_entry, everyday=everyday) for r, h in hits.items()}
    return [findings.get(r, Finding(r, Documented.NO_CORPUS)) for r in releases]


def without_category(thing: str) -> str:
    """A thing without the word for what kind of thing it is: "the mtu parameter"."""
    return " ".join(w for w in thing.split() if w.lower() not in _CATEGORY) or thing


Matches = Callable[[Record], bool]


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
        own = _is_entry(record, words)
        in_notes = record.page.document.kind is DocumentKind.RELEASE_NOTES
        if not (own or matches(record)):
            continue
        if in_notes:
            hits.announced.append(record)
        if is_of_another_release(record, corpus.release):
            continue
        if _tells_of_end(record, words):
            hits.ends.append(record)
        elif in_notes:
            is_new = _NEW.search(" ".join(record.path[-1:]))
            (hits.mentions if is_new else hits.in_notes).append(record)
        else:
            (hits.entries if own else hits.mentions).append(record)
    return hits


def _is_entry(record: Record, words: Sequence[str]) -> bool:
    """Whether a passage is a row, a parameter or a class with the name of a thing."""
    names = (" ".join(words), name_of(record), *record.path[-1:])
    wanted, *own = (plain(name).removesuffix("()") for name in names)
    is_member = record.kind == BlockKind.SIGNATURE
    return wanted in own or (is_member and any(name.endswith(f".{wanted}") for name in own))


def _tells_of_end(record: Record, words: Sequence[str]) -> bool:
    """Whether a passage, or the heading above it, says that the thing is gone or renamed."""
    thing = rf"(?<![\w-]){re.escape(' '.join(words))}(?![\w-])"
    heading = " ".join(record.path[-1:])
    if record.cells:
        first = re.search(thing, record.cells[0][1], re.I)
        return bool(first and _GONE.search(heading))
    if re.search(r"\bremoved\b", heading, re.I):
        return True
    # "Will be removed" is not yet an end, and "instead of" tells of one in release notes only.
    over = r"(?:removed|gone|dropped|withdrawn|discontinued|obsolete|superseded|renamed|replaced)"
    between = r"(?:[^.]|\.(?=\d))"
    told = [
        rf"{thing}{between}{{0,90}}\b(?:is|are|was|were|been)\s+(?:now\s+)?{over}\b",
        rf"{thing}{between}{{0,60}}\b(?:no longer|not) (?:supported|available|accepted|possible)\b",
        rf"{thing}{between}{{0,60}}\bany ?more\b",
        rf"(?<!be )\b(?:removed|dropped|withdrawn|discontinued)\s+(?:\w+\s+){{0,2}}?{thing}",
    ]
    if record.page.document.kind is DocumentKind.RELEASE_NOTES:
        told.append(rf"(?:instead of|replaces|supersedes)\s+(?:\w+\s+){{0,3}}?{thing}")
    return re.search("|".join(told), record.quote, re.I) is not None


def _finding(release: str, hits: _Hits, *, has_entry: bool, everyday: bool) -> Finding:
    mentions = [] if has_entry and everyday else hits.mentions
    if not has_entry:
        mentions = mentions + hits.in_notes
    if hits.ends and len(mentions) < _SPOKEN_OF:
        mentions = []
    if there := hits.entries or mentions:
        remarks = chain(
            chain.from_iterable(map(_remarks, hits.entries or there[:1])),
            chain.from_iterable(map(_announced, hits.announced)),
        )
        return Finding(release, Documented.DOCUMENTED, there[0], next(remarks, None))
    if hits.ends:
        return Finding(release, Documented.REMOVED, hits.ends[0])
    return Finding(release, Documented.NOT_FOUND)


def _remarks(entry: Record) -> Iterator[Remark]:
    below = (*entry.path, name_of(entry))
    for record in passages([entry.page]):
        own_row = entry.kind != BlockKind.TABLE_ROW or record == entry
        if own_row and record.path in (entry.path, below):
            yield from ((m["release"], record) for m in _REMARK.finditer(record.quote))


def _announced(note: Record) -> Iterator[Remark]:
    *above, last = note.path or ("",)
    if _NEW.search(last) or _NEW.match(_LIST_MARK.sub("", note.quote)):
        headed = filter(None, map(_HEADED.search, reversed(above)))
        yield from ((match["release"], note) for match in islice(headed, 1))


def expected_first(since: str, releases: Sequence[str]) -> str | None:
    """The first of some releases in order that is `since`, of its series, or newer."""
    own = name_tokens(since)
    for release in releases:
        if name_tokens(release)[: len(own)] == own or sort_key(release) >= sort_key(since):
            return release
    return None


def end_of(name: str, corpus: Corpus) -> Record | None:
    """The words in which a release that has no entry for a thing says that it is gone."""
    words = name.split()
    if not words or len(words) > 6:
        return None
    hits = _look_up(_phrase(words), words, corpus)
    return hits.ends[0] if hits.ends and not hits.entries else None


def lacking(words: Sequence[str], corpora: Sequence[Corpus]) -> dict[str, tuple[str, Finding]]:
    """Releases that do not mention what another release has an entry for: the word, and why."""
    found: dict[str, tuple[str, Finding]] = {}
    for word in words:
        if all(c.frequency(word) >= _EVERYWHERE for c in corpora):
            continue
        hits = {c.release: _look_up(_phrase([word]), [word], c) for c in corpora}
        has_entry = any(h.entries for h in hits.values())
        for release, own in hits.items() if has_entry else ():
            finding = _finding(release, own, has_entry=True, everyday=word.isalpha())
            mentioned = own.entries or own.mentions or own.in_notes
            if finding.status is Documented.REMOVED or not mentioned:
                found.setdefault(release, (word, finding))
    return found

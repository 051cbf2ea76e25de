"""The releases that document a thing, each looked up apart."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.comparison.pages import name_of, pages_with, passages
from chatbot.comparison.wording import Quotes, in_short
from chatbot.retrieval.support import cite, cite_words, plain
from chatbot.text.languages import gettext, shown_list
from chatbot.text.sanitizer import as_code
from chatbot.turn import Answer, Citation, Documented, Record
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from ingestion.page import DocumentKind

_CANDIDATES = 80


@dataclass(frozen=True)
class Finding:
    """The presence of a thing in one release: its citation, and a release note on it."""

    release: str
    citation: Citation | None
    note: Record | None
    status: Documented


def find_everywhere(thing: str, corpora: Sequence[Corpus]) -> list[Finding]:
    """Look a thing up in releases, oldest first.

    Release notes, and passages on another release, document nothing. Where a release has an entry
    for it (a section, a row, a member of its name), a later one that has none documents it no
    longer.
    """
    findings: list[Finding] = []
    had_entry = False
    for corpus in corpora:
        entries, mentions, notes = _look_up(thing, corpus)
        there = entries or ([] if had_entry else mentions)
        had_entry = had_entry or bool(entries)
        # What announces a thing is the shortest that is said of it.
        note = min(notes, key=lambda record: len(record.quote), default=None)
        was = any(finding.citation for finding in findings)
        gone = Documented.REMOVED if was and note else Documented.NOT_FOUND
        status = Documented.DOCUMENTED if there else gone
        findings.append(Finding(corpus.release, there[0] if there else None, note, status))
    return findings


def _look_up(thing: str, corpus: Corpus) -> tuple[list[Citation], list[Citation], list[Record]]:
    """The entries, other mentions and release notes of a thing in one release."""
    entries: list[Citation] = []
    mentions: list[Citation] = []
    notes: list[Record] = []
    wanted = set(tokens(thing))
    for page in pages_with(corpus, corpus.terms(thing), _CANDIDATES):
        of_notes = page.document.kind is DocumentKind.RELEASE_NOTES
        page_records = passages([page])
        if not page_records and not of_notes and wanted <= set(tokens(page.text)):
            # A page of headings alone.
            at = page.heading_path, page.anchor, corpus.release
            mentions.append(cite_words(page, page.text, *at))
        for record in page_records:
            text = " ".join((record.reading, *record.path, page.document.title))
            named = releases_named(record.quote, corpus.release)
            if not wanted <= set(tokens(text)):
                continue
            if of_notes:
                notes.append(record)
            elif _bare(thing) in map(_bare, (name_of(record), *record.path[-1:])):
                entries.append(cite(record, corpus.release))
            elif named.own or not named.other:
                mentions.append(cite(record, corpus.release))
    return entries, mentions, notes


def _bare(name: str) -> str:
    return plain(name).removesuffix("()")


def presence_in_words(thing: str, findings: Sequence[Finding]) -> Answer:
    """The releases that document a thing, and a release note on its removal or introduction."""
    quotes = Quotes()
    had = [finding for finding in findings if finding.citation]
    cited = [quotes.cite(f.citation) for f in had if f.citation]
    there = [f"{f.release} {mark}" for f, mark in zip(had, cited, strict=True)]
    lacking = [finding.release for finding in findings if not finding.citation]
    others = shown_list(lacking, choice=True) if lacking else ""
    of = {"thing": as_code(thing), "others": others}
    if not there:
        text = gettext("I couldn't find {thing} in the documentation of {others}.", **of)
    else:
        of["there"] = shown_list(there)
        at = findings.index(had[0])
        if len(had) > 1 and others and list(findings[at : at + len(had)]) == had:
            of |= {"first": had[0].release, "last": f"{had[-1].release} {' '.join(cited)}"}
            text = gettext("{thing} is documented from {first} to {last}, not in {others}.", **of)
        elif others:
            text = gettext("{thing} is documented in {there}, not in {others}.", **of)
        else:
            text = gettext("{thing} is documented in {there}.", **of)
    noted = sorted(findings, key=lambda f: f.status is not Documented.REMOVED)
    for finding in [f for f in noted if f.note and not f.citation][:1]:
        assert finding.note is not None
        mark = quotes.mark(finding.note, finding.release)
        said = f"{in_short(finding.note.reading).rstrip('.:')} {mark}."
        note = gettext(
            "The release notes of {release} say: {words}",
            release=finding.release,
            words=said,
        )
        text += f" {note}"
    return quotes.answer(text)

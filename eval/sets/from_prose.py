"""Questions from the sections of a release, and from the passages that another one says otherwise.

Without a model nothing is worded anew: a question names the heading, the answer is what stands
below it. No pattern can tell whether another wording is right, so that a judge scores them.
"""

from collections import defaultdict
from collections.abc import Iterator

from chatbot.comparison.pages import counterpart, pair_passages, passages
from chatbot.retrieval.passages import Passage, passages_of
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredDocument, StoredPage
from corpora.parameters.releases import ReleaseParameters
from eval.gold import Asks
from eval.sets.pages import drafted, stated_on
from eval.sets.proposals import Draft, StatedOn
from eval.sets.wording import in_turn, unnumbered
from ingestion.page import BlockKind, DocumentKind

_STEPS = "What are the steps of “{heading}” in {release}?"
_SAYS = "What does the documentation of {release} say about “{heading}”?"
_CHANGED = "What changed in “{heading}” from {older} to {newer}?"
_SHORTEST, _LONGEST = 60, 1_200
"""Characters of an answer."""
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_NOT_ASKED = (DocumentKind.RELEASE_NOTES, DocumentKind.SOURCE_LISTING)

Section = tuple[str, ...]


def pages_asked(corpus: Corpus) -> Iterator[StoredPage]:
    """The pages of a release that questions are made of, its documents in turn."""
    return in_turn(*(iter(corpus.pages_of(document.id)) for document in _asked(corpus)))


def drafts_of_sections(corpus: Corpus, stated: ReleaseParameters) -> Iterator[Draft]:
    """A question for each section of some length, the documents in turn.

    Sections on a parameter are left out: what they state is asked by itself.
    """
    return in_turn(*(_of_document(corpus, stated, document) for document in _asked(corpus)))


def _asked(corpus: Corpus) -> Iterator[StoredDocument]:
    return (d for d in corpus.documents() if d.kind not in _NOT_ASKED)


def _of_document(
    corpus: Corpus, stated: ReleaseParameters, document: StoredDocument
) -> Iterator[Draft]:
    seen: set[str] = set()
    for page in corpus.pages_of(document.id):
        for passage in passages_of(page):
            fits = _SHORTEST <= len(passage.text) <= _LONGEST and passage.has(*_PROSE)
            heading = _heading(passage.path, page)
            if fits and heading and heading not in seen and not stated.named(heading):
                seen.add(heading)
                yield _of_section(corpus, passage, heading)


def _heading(path: Section, page: StoredPage) -> str:
    """The last heading without its number; empty for the beginning of a longer document."""
    heading = unnumbered(path[-1]) if path else ""
    is_beginning = len(path) == 1 and page.previous_id is None and page.next_id is not None
    return "" if is_beginning else heading


def _of_section(corpus: Corpus, passage: Passage, heading: str) -> Draft:
    form, asks = (_STEPS, Asks.HOW_TO) if passage.is_numbered else (_SAYS, None)
    question = form.format(heading=heading, release=corpus.release)
    place = stated_on(passage.page, corpus.release, passage.text, passage.path, passage.anchor)
    came_from = f"a section of {corpus.release}"
    return drafted(corpus, question, passage.text, [place], came_from, asks=asks)


def changed_sections(
    older: Corpus, newer: Corpus
) -> Iterator[tuple[Section, tuple[Record, ...], tuple[Record, ...]]]:
    """The sections whose prose differs: their headings, and the passages of either release."""
    for document in newer.documents():
        other = counterpart(document, older)
        if document.kind in _NOT_ASKED or other is None:
            continue
        before = passages(older.pages_of(other.id))
        after = passages(newer.pages_of(document.id))
        sections: defaultdict[Section, list[tuple[Record | None, Record]]] = defaultdict(list)
        for pair in pair_passages(before, after, (older.release, newer.release)):
            if pair.after and not pair.same and pair.after.kind in _PROSE:
                sections[pair.after.path].append((pair.before, pair.after))
        for path, pairs in sections.items():
            was = tuple(old for old, _ in pairs if old is not None)
            yield path, was, tuple(new for _, new in pairs)


def drafts_of_changed_sections(older: Corpus, newer: Corpus) -> Iterator[Draft]:
    """A question for each section of which both releases say something, and not the same."""
    for path, was, now in changed_sections(older, newer):
        said = [" ".join(record.quote for record in records) for records in (was, now)]
        heading = _heading(path, now[0].page)
        if not was or not heading or not all(len(text) <= _LONGEST for text in said):
            continue
        pages = (*_stated(older, was), *_stated(newer, now))
        question = _CHANGED.format(heading=heading, older=older.release, newer=newer.release)
        answer = f"{older.release}: {said[0]}\n\n{newer.release}: {said[1]}"
        came_from = f"changed from {older.release} to {newer.release}"
        yield drafted(newer, question, answer, pages, came_from, older=older.release)


def _stated(corpus: Corpus, records: tuple[Record, ...]) -> tuple[StatedOn, ...]:
    return tuple(
        stated_on(record.page, corpus.release, record.quote, record.path, record.anchor)
        for record in records
    )

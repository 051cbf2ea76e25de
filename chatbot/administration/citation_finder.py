"""The citations of an answer that somebody wrote, found in the pages of its release."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from chatbot.answering.citing import Numbered, cited
from chatbot.memory.suspending import page_hash
from chatbot.retrieval.passages import passages_of
from chatbot.text.markdown import LISTING, without_marks
from chatbot.text.sanitizer import harmless_answer
from chatbot.text.words import search_terms
from corpora.database.memory_tables import MemoryPageRow
from corpora.indexing.corpus import Corpus
from corpora.indexing.embedding import Embedder
from corpora.indexing.pages import StoredPage
from corpora.indexing.retrieval import RetrievalSettings, query_vectors, retrieve

PAGES = 8
"""The number of pages searched for support."""
_SEARCHED = 1_000
"""Characters of an answer that are searched for."""


def as_answer(text: str) -> str:
    """The text without pictures, links and marks of citations; addresses become code spans."""
    text = harmless_answer(text, evidence=text)
    listings = (place for listing in LISTING.finditer(text) for place in listing.span())
    parts = [text[start:end] for start, end in pairwise((0, *listings, len(text)))]
    parts[::2] = ["\n".join(map(without_marks, part.split("\n"))) for part in parts[::2]]
    return "".join(parts).strip()


def cite_pages(
    corpus: Corpus, embedder: Embedder, question: str, answer: str
) -> tuple[dict[str, Any], tuple[MemoryPageRow, ...]]:
    """Cite pages of its release for an answer that `as_answer` wrote, as far as they support it.

    Returns the answer as a pair keeps it, where one of a line is its own value, and the page of
    each citation. An answer gets none if it claims anything that the release does not say.
    """
    beginning = answer[:_SEARCHED]
    terms = search_terms(question, beginning, corpus)
    queries = [question, beginning]
    vectors = query_vectors(corpus, embedder, queries)
    ranked = retrieve(corpus, queries, vectors, terms, limit=PAGES, settings=RetrievalSettings())
    pages = {page.id: page for page, _ in ranked if passages_of(page)}
    own = f"{question} {corpus.product} {corpus.release}"
    # What stands together bears an answer more than words here and there on a page.
    together = ((p.page, p.path, p.text) for page in pages.values() for p in passages_of(page))
    written = cited(answer, _numbered(together, corpus), own)
    if written.unsupported or not written.citations:
        whole = ((page, page.heading_path, page.text) for page in pages.values())
        written = cited(answer, _numbered(whole, corpus), own)
    is_supported = not written.unsupported
    text = written.text if is_supported else answer
    citations = written.citations if is_supported else ()
    value = "" if "\n" in answer else answer
    kept = {"text": text, "value": value, "citations": list(map(asdict, citations))}
    rests_on = (pages[citation.page_id] for citation in citations)
    return kept, tuple(
        MemoryPageRow(file=p.document.file, page_hash=page_hash(p.text), page_id=p.id)
        for p in rests_on
    )


def _numbered(
    texts: Iterable[tuple[StoredPage, Sequence[str], str]], corpus: Corpus
) -> list[Numbered]:
    return [
        Numbered("\n".join((*path, text)), (page,), corpus.release) for page, path, text in texts
    ]

"""The pages that an answer stands on, and whether they still say the same."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.chatbot import Chatbot
from chatbot.memory.suspending import page_hash, served_places
from corpora.catalog.catalog import find_release
from corpora.database.engine import portions
from corpora.database.tables import MemberRow, PageRow
from corpora.errors import NoCorpus
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from eval.gold import Asks, GoldQuestion, GoldSource, QuestionKind
from eval.sets.proposals import Draft, StatedOn
from eval.sets.wording import question_id

_AT_ONCE = 500
_HELD = 16
"""Documents whose pages, or their hashes, are held while many questions are looked at."""


def stated_on(
    page: StoredPage, release: str, quote: str, path: Sequence[str] = (), anchor: str | None = None
) -> StatedOn:
    """A page of a release with the words on it that say something, and where they stand."""
    return StatedOn(
        release=release,
        file=page.document.file,
        number=page.number,
        page_id=page.id,
        page_hash=page_hash(page.text).hex(),
        section=" › ".join(path or page.heading_path),
        anchor=anchor or page.anchor,
        document=page.document.title,
        quote=quote,
    )


def drafted(
    corpus: Corpus,
    question: str,
    answer: str,
    pages: Sequence[StatedOn],
    came_from: str,
    *,
    asks: Asks | None = None,
    patterns: Sequence[str] = (),
    older: str = "",
) -> Draft:
    """A question on the release of a corpus, or with `older` on what differs from that one."""
    of_release: dict[str, Any] = {
        "kind": QuestionKind.RELEASE_SPECIFIC_DIFFERS,
        "release": corpus.release,
    }
    of_both: dict[str, Any] = {
        "kind": QuestionKind.COMPARE,
        "releases": (older, corpus.release),
    }
    gold = GoldQuestion(
        id=question_id(corpus.product, corpus.release, question),
        product=corpus.product,
        question=question,
        asks=Asks.CHANGED if older else asks,
        gold_answer=answer,
        must_include=tuple(patterns),
        sources=sources_of(pages),
        **(of_both if older else of_release),
    )
    return Draft(gold, came_from, tuple(pages))


def source_of(page: StatedOn) -> GoldSource:
    """The page as the source of a gold question: by its anchor, else by its number."""
    number = page.number if page.anchor is None else None
    return GoldSource(release=page.release, file=page.file, page=number, anchor=page.anchor)


def sources_of(pages: Iterable[StatedOn]) -> tuple[GoldSource, ...]:
    """The sources of some pages, each once."""
    return tuple(dict.fromkeys(map(source_of, pages)))


def pages_named(
    chatbot: Chatbot, questions: Sequence[GoldQuestion]
) -> tuple[tuple[StatedOn, ...], ...]:
    """Of each question the pages that its sources name, as far as they are documented."""

    @lru_cache(_HELD)
    def pages_of(product: str, release: str, document: int) -> tuple[StoredPage, ...]:
        return chatbot.corpora.corpus(product, release).pages_of(document)

    def found(product: str, source: GoldSource) -> StatedOn | None:
        if source.page is None and source.anchor is None:
            return None
        with suppress(NoCorpus):
            corpus = chatbot.corpora.corpus(product, source.release)
            for document in corpus.documents():
                if not source.is_in(document.file):
                    continue
                for page in pages_of(product, corpus.release, document.id):
                    if page.number == source.page or source.anchor in page.anchors:
                        return stated_on(page, corpus.release, "", anchor=source.anchor)
        return None

    named = ([found(q.product, source) for source in q.sources] for q in questions)
    return tuple(tuple(page for page in of if page) for of in named)


def why_stale(session: Session, of: Mapping[int, tuple[str, Sequence[StatedOn]]]) -> dict[int, str]:
    """Why questions are stale, by their key; those whose pages all serve unchanged are not in it.

    `of` has the product and the pages of each question. A page is the same as long as its release
    serves a page of its file with the same text.
    """
    serving = _serving(session, {page.page_id for _, pages in of.values() for page in pages})
    stale: dict[int, str] = {}

    @lru_cache(_HELD)
    def texts_of(generation: int, file: str) -> Container[bytes] | None:
        return served_places(session, generation, {file}).get(file)

    for key, (product, pages) in of.items():
        for page in pages:
            row = find_release(session, product, page.release)
            generation = row.published_generation_id if row and not row.retired else None
            if generation is None:
                stale[key] = f"{product} {page.release} is not there any more"
            elif page.page_id not in serving.get(generation, ()):
                texts = texts_of(generation, page.file)
                if texts is None:
                    stale[key] = f"the document {page.file} is gone"
                elif bytes.fromhex(page.page_hash) not in texts:
                    stale[key] = f"the page {page.number} of {page.file} has changed"
            if key in stale:
                break
    return stale


def _serving(session: Session, pages: Iterable[int]) -> dict[int, set[int]]:
    """Which of some pages each generation has; a page never changes and its id names no other."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for some in portions(sorted(pages), _AT_ONCE):
        rows = session.execute(
            select(MemberRow.generation_id, PageRow.id)
            .join(PageRow, PageRow.document_id == MemberRow.document_id)
            .where(PageRow.id.in_(some))
        )
        for generation, page in rows:
            found[generation].add(page)
    return found

"""Step 2 of QAMR III-B: chunks of the release's own corpus, by dual or by single chunking."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from chatbot.retrieval.question_types import QuestionType, question_type
from chatbot.runtime.concurrency import in_thread
from chatbot.text.languages import gettext, gettext_noop
from chatbot.text.words import search_terms
from chatbot.turn import EMBEDDER_FAILS, ModelStep, RetrievedChunk, RuleStep, Turn
from corpora.errors import RerankerFailed
from corpora.indexing.corpus import Corpus
from corpora.indexing.cross_encoder import Reranker
from corpora.indexing.embedding import Embedder
from corpora.indexing.retrieval import (
    RetrievalSettings,
    query_vectors,
    retrieve,
    retrieve_by_vector,
)

STEP = "context_retrieval"

_BY_WORDS_ALONE = gettext_noop(
    "this release was embedded by a model that is not at hand any more: it is searched by words "
    "alone until it is embedded anew (strata models embed)"
)

_log = logging.getLogger(__name__)


def retrieve_context(
    open_corpus: Callable[[str, str], Corpus],
    embedder: Embedder,
    *,
    pages: int,
    padding: int,
    settings: RetrievalSettings,
    weigh_kinds: bool = True,
    reranker: Reranker | None = None,
) -> RuleStep:
    """Find the best search chunks by cosine, MMR and BM25 and widen them to context chunks.

    With `weigh_kinds` release notes and listings weigh less than manuals. The corpus is that
    of the resolved release and no other (QAMR, corpus selection). With a `reranker` the chunks
    rank by its scores.
    """

    def retrieve_step(turn: Turn) -> Turn:
        corpus = open_corpus(*turn.target)
        # The words that a model searches with are those of documentation, and in its language.
        words = turn.queries.searched if turn.rewritten else turn.queries.subject
        queries = turn.queries.distinct()
        vectors = query_vectors(corpus, embedder, queries)
        find = partial(
            retrieve,
            corpus,
            queries,
            vectors,
            search_terms(words, turn.queries.known, corpus),
            limit=pages,
            settings=settings,
            # What changed is answered best by release notes, which weigh less otherwise.
            weigh_kinds=weigh_kinds
            and question_type(turn.queries.own_subject, turn.queries.subject)
            is not QuestionType.CHANGE,
        )
        if not len(vectors):
            is_former = corpus.embedder != embedder.name
            turn = turn.without(STEP, gettext(_BY_WORDS_ALONE if is_former else EMBEDDER_FAILS))
        try:
            ranked = find(reranker=reranker)
        except RerankerFailed as error:
            ranked = find()
            turn = turn.without(STEP, str(error))
        chunks = tuple(
            RetrievedChunk(page, corpus.context_chunk(page.id, padding), score)
            for page, score in ranked
        )
        return replace(turn, retrieved=chunks)

    return retrieve_step


def retrieve_single_chunks(
    open_corpus: Callable[[str, str], Corpus], embedder: Embedder, *, settings: RetrievalSettings
) -> ModelStep:
    """Find the best single chunks by cosine and MMR; they are answered from as they are.

    This is the paper's baseline and that of four ablations (QAMR IV-C and IV-E). `retrieved`
    holds each chunk once, best cosine first. The first question to a release embeds its single
    chunks, which takes minutes for thousands of pages; a stopped question stops after the batch
    in work, and the next one goes on from there.
    """

    async def retrieve_step(turn: Turn) -> Turn:
        corpus = await in_thread(open_corpus, *turn.target)
        while left := await in_thread(corpus.single_chunks.embed_some, embedder):
            _log.info("%s %s: %d single chunks to embed", corpus.product, corpus.release, left)
        return await in_thread(find, turn, corpus)

    def find(turn: Turn, corpus: Corpus) -> Turn:
        ranked = retrieve_by_vector(
            corpus.single_chunks, embedder, turn.queries.distinct(), settings=settings
        )
        return replace(turn, retrieved=tuple(retrieved(corpus, i, score) for i, score in ranked))

    def retrieved(corpus: Corpus, number: int, score: float) -> RetrievedChunk:
        chunk = corpus.single_chunks.chunk(number)
        page = corpus.page(chunk.page_id)
        return RetrievedChunk(page, page.text[chunk.start : chunk.end], score)

    return retrieve_step

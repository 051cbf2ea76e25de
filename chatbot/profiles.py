"""The profiles: which steps, in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from chatbot.chain import Profile, build_chain
from chatbot.comparison import compare_releases
from chatbot.relevance import Weights
from chatbot.settings import Settings
from chatbot.steps.answer_generation import generate_answer
from chatbot.steps.context_reduction import reduce_context
from chatbot.steps.context_retrieval import retrieve_context
from chatbot.steps.context_selection import select_context
from chatbot.steps.query_rewriting import rewrite_query
from chatbot.steps.release_extraction import extract_release
from chatbot.steps.undocumented_gate import refuse_undocumented
from corpora.corpus import Corpus
from corpora.embedding import Embedder
from corpora.release import Product
from corpora.retrieval import RetrievalSettings


@dataclass(frozen=True)
class Parts:
    """What the steps are built from."""

    products: Callable[[], Sequence[Product]]
    open_corpus: Callable[[str, str], Corpus]
    releases: Callable[[str], Sequence[str]]
    embedder: Embedder
    is_ordinary_word: Callable[[str], bool]
    model: BaseChatModel | None
    settings: Settings


def embedded(parts: Parts) -> Profile:
    """No GPU, no service: rules, embeddings and lexical scores, then one short model call."""
    s = parts.settings
    answering: Profile = (
        ("query_rewriting", rewrite_query(parts.products)),
        (
            "context_retrieval",
            retrieve_context(
                parts.open_corpus,
                parts.embedder,
                pages=s.retrieved_pages,
                padding=s.context_padding,
                settings=RetrievalSettings(),
            ),
        ),
        (
            "context_reduction",
            reduce_context(
                parts.open_corpus, parts.embedder, budget=s.reduction_budget, weights=Weights()
            ),
        ),
        ("context_selection", select_context(chunks=s.selected_chunks)),
        (
            "undocumented_gate",
            refuse_undocumented(
                parts.open_corpus, parts.releases, parts.is_ordinary_word, lowest_coverage=0.15
            ),
        ),
        ("answer_generation", generate_answer(parts.model, budget=s.prompt_budget)),
    )
    return (
        ("release_extraction", extract_release(parts.products)),
        ("comparison", compare_releases(build_chain(answering))),
        *answering,
    )


PROFILES: dict[str, Callable[[Parts], Profile]] = {"embedded": embedded}

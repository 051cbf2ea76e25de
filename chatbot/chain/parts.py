"""The dependencies of the steps, and the steps that several profiles share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_core.language_models import BaseChatModel

from chatbot.answering.adaptive_temperature import adapt_temperature
from chatbot.answering.undocumented_gate import refuse_undocumented
from chatbot.chain.recall_step import recall_answered
from chatbot.memory.remembering import Memory
from chatbot.retrieval.context_reduction import reduce_context, reduce_context_by_model
from chatbot.retrieval.context_retrieval import retrieve_context
from chatbot.retrieval.context_selection import (
    rank_by_release,
    select_context,
    select_context_listwise,
    select_context_pointwise,
)
from chatbot.runtime.concurrency import end_if_left
from chatbot.settings import Settings
from chatbot.turn import ModelStep, RuleStep, Step
from chatbot.understanding.queries import expand_terms, rewrite_query
from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Glossaries
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus, OpenCorpora
from corpora.indexing.cross_encoder import Reranker
from corpora.indexing.embedding import Embedder, MiniLM
from corpora.indexing.recent_vectors import RecentVectors
from corpora.indexing.retrieval import RetrievalSettings
from corpora.parameters.releases import OpenParameters
from ingestion.errors import BadSettings

POINTWISE = frozenset({"embedded"})
"""The backends that select pointwise by default (docs/decisions/0009)."""


@dataclass(frozen=True)
class Parts:
    """Everything a step may need, and a property for each step that is in several profiles.

    Without `memory` nothing that was answered before is used. `left_out` names steps of `embedded`
    that are switched off, to see what each earns.
    """

    settings: Settings
    products: Callable[[], tuple[Product, ...]]
    catalog: Catalog
    corpora: OpenCorpora
    glossaries: Glossaries
    embedder: Embedder
    minilm: MiniLM
    model: BaseChatModel | None
    memory: Memory | None
    open_parameters: OpenParameters
    reranker: Reranker | None = None
    left_out: tuple[str, ...] = ()

    def releases(self, product: str) -> Sequence[str]:
        """The releases of a product."""
        products = self.catalog.products()
        return tuple(r.name for p in products if p.name == product for r in p.releases)

    def open_corpus(self, product: str, release: str) -> Corpus:
        """The corpus that serves a release now; a step that is left ends here (`end_if_left`)."""
        end_if_left()
        return self.corpora.corpus(product, release)

    @property
    def needed_model(self) -> BaseChatModel:
        """The model, for profiles that need one. Raises BadSettings."""
        if self.model is None:
            raise BadSettings(
                f"the profile {self.settings.profile_in_use} needs a language model: fetch one "
                "with `strata models pull`, set another backend, or use the profile embedded"
            )
        return self.model

    @cached_property
    def rewriting(self) -> RuleStep:
        """Base, Filtered and Versionless: as the model read them, or by rules."""
        return rewrite_query(self.products, self.open_corpus)

    @cached_property
    def recall(self) -> Step | None:
        """The step that recalls saved answers (ComRAG); None where the settings leave it out."""
        if (memory := self.memory) is None:
            return None
        return recall_answered(memory.recall, offering=not memory.capable)

    @property
    def needed_memory(self) -> Memory:
        """The memory, for profiles that answer from related questions. Raises BadSettings."""
        if self.memory is None:
            raise BadSettings(
                f"the profile {self.settings.profile_in_use} answers with questions that were "
                "answered before: set STRATA_MEMORY=on, or use the profile embedded"
            )
        return self.memory

    @cached_property
    def terms_of_glossary(self) -> RuleStep:
        """Synonyms of the product's glossary go into the queries."""
        return expand_terms(self.glossaries.entries, self.open_corpus, self.minilm.knows_word)

    @cached_property
    def gate(self) -> RuleStep:
        """The step that refuses what the release does not document."""
        return refuse_undocumented(self.open_corpus, self.releases)

    @cached_property
    def dual_chunks(self) -> RuleStep:
        """Search chunks by cosine, MMR and BM25, widened to context chunks."""
        return self.dual_chunks_by(RetrievalSettings(), pages=self.settings.retrieved_pages)

    def dual_chunks_by(
        self,
        settings: RetrievalSettings,
        *,
        pages: int,
        weigh_kinds: bool = True,
        reranker: Reranker | None = None,
    ) -> RuleStep:
        """The same found in another way."""
        return retrieve_context(
            self.open_corpus,
            self.embedder,
            pages=pages,
            padding=self.settings.context_padding,
            settings=settings,
            weigh_kinds=weigh_kinds,
            reranker=reranker,
        )

    @cached_property
    def reduction_by_score(self) -> RuleStep:
        """The best records of all chunks under one budget."""
        vectors = RecentVectors(
            self.embedder, self.settings.data_dir / "recent-vectors.db", most=100_000
        )
        budget = self.settings.reduction_budget
        return reduce_context(self.open_corpus, vectors, budget=budget, reranker=self.reranker)

    @cached_property
    def reduction_by_model(self) -> ModelStep:
        """The reduction by the model, which copies spans out of each chunk."""
        return reduce_context_by_model(self.needed_model, self.open_corpus, self.reduction_by_score)

    @cached_property
    def ranking_by_release(self) -> RuleStep:
        """The step that ranks records about another release behind the rest."""
        return rank_by_release(self.catalog.products)

    @cached_property
    def selection_by_score(self) -> RuleStep:
        """The chunks that score highest."""
        return select_context(chunks=self.settings.selected_chunks)

    @cached_property
    def selection_by_model(self) -> ModelStep:
        """The chunks that the model finds most useful (RankRAG)."""
        chosen = self.settings.selection
        if chosen == "auto":
            chosen = "pointwise" if self.settings.backend in POINTWISE else "listwise"
        factory = select_context_pointwise if chosen == "pointwise" else select_context_listwise
        by_score, chunks = self.selection_by_score, self.settings.selected_chunks
        return factory(self.needed_model, by_score, chunks=chunks)

    @cached_property
    def temperature(self) -> RuleStep:
        """The step that sets the temperature by the spread of the evidence's scores (ComRAG)."""
        return adapt_temperature(
            k=self.settings.temperature_k,
            lowest=self.settings.temperature_min,
            highest=self.settings.temperature_max,
        )

"""What the steps are built from, and the steps built of it: what `chatbot.chain.profiles` lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_core.language_models import BaseChatModel

from chatbot.answering.adaptive_temperature import adapt_temperature
from chatbot.answering.answer_generation import generate_answer
from chatbot.answering.undocumented_gate import refuse_undocumented
from chatbot.chain.newest_release import look_elsewhere
from chatbot.chain.recall_step import recall_answered, recall_by_passage, recall_judged
from chatbot.dialogue.inventory import answer_inventory
from chatbot.dialogue.small_talk import answer_small_talk, refuse_off_topic
from chatbot.memory.passage_recall import PassageRecall
from chatbot.memory.recall import Recall
from chatbot.queries.clarification import take_up_question
from chatbot.queries.glossary import expand_terms
from chatbot.queries.model_query_rewriting import only_base, rewrite_query_by_model
from chatbot.queries.query_rewriting import ask_as_is, rewrite_query
from chatbot.queries.release_extraction import extract_release, extract_release_with_model
from chatbot.queries.spelling import correct_spelling
from chatbot.retrieval.context_reduction import keep_whole, reduce_context, reduce_context_by_model
from chatbot.retrieval.context_retrieval import retrieve_context, retrieve_single_chunks
from chatbot.retrieval.context_selection import (
    select_context,
    select_context_listwise,
    select_context_pointwise,
)
from chatbot.settings import BadSettings, Settings
from chatbot.turn import ModelStep, RuleStep, Step
from corpora.catalog.glossary import Entry
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus
from corpora.indexing.embedding import Embedder, RecentVectors
from corpora.indexing.retrieval import RetrievalSettings

POINTWISE = frozenset({"embedded"})
"""The backends that select pointwise unless told otherwise (docs/decisions/0009)."""


@dataclass(frozen=True)
class Parts:
    """Everything a step may need; each property is one step, made of it by its factory.

    Without `recall` and `passage_recall` there is no memory; a `memory_judge` is asked whether two
    near questions are the same.
    """

    products: Callable[[], Sequence[Product]]
    open_corpus: Callable[[str, str], Corpus]
    releases: Callable[[str], Sequence[str]]
    unpublished: Callable[[str], Sequence[str]]
    glossary: Callable[[str], Sequence[Entry]]
    embedder: Embedder
    is_ordinary_word: Callable[[str], bool]
    model: BaseChatModel | None
    settings: Settings
    recall: Recall | None = None
    passage_recall: PassageRecall | None = None
    memory_judge: BaseChatModel | None = None

    @cached_property
    def small_talk(self) -> RuleStep:
        """Greetings, thanks and questions about the assistant."""
        return answer_small_talk(self.products)

    @cached_property
    def off_topic(self) -> RuleStep:
        """Questions that are far from everything that is documented."""
        return refuse_off_topic(self.products, self.is_ordinary_word)

    @cached_property
    def question_taken_up(self) -> RuleStep:
        """A reply to a clarification becomes the question that it was about."""
        return take_up_question(self.products)

    @cached_property
    def inventory(self) -> RuleStep:
        """Questions about releases and documents themselves, from the catalog."""
        return answer_inventory(self.products, self.open_corpus)

    @cached_property
    def release_by_rules(self) -> RuleStep:
        """Rules over the catalog."""
        return extract_release(self.products)

    @cached_property
    def release_by_rules_then_model(self) -> ModelStep:
        """Rules first, the model for what they leave open."""
        return extract_release_with_model(self._model, self.products, self.release_by_rules)

    @cached_property
    def rewriting_by_rules(self) -> RuleStep:
        """Base, Filtered and Versionless by rules."""
        return rewrite_query(self.products)

    @cached_property
    def rewriting_by_model(self) -> ModelStep:
        """Base and Filtered by the model in one call."""
        return rewrite_query_by_model(self._model, self.products, self.rewriting_by_rules)

    @cached_property
    def rewriting_to_base(self) -> ModelStep:
        """Base alone."""
        return only_base(self.rewriting_by_model)

    @cached_property
    def no_rewriting(self) -> RuleStep:
        """The question as it stands."""
        return ask_as_is()

    @cached_property
    def spelling(self) -> RuleStep:
        """Misspelt words become words of the release."""
        return correct_spelling(self.open_corpus, self.releases, self.is_ordinary_word)

    @cached_property
    def memory(self) -> Step | None:
        """What was answered before (ComRAG); None where the settings leave it out."""
        if self.recall is None:
            return None
        if self.memory_judge is not None:
            return recall_judged(self.recall, self.memory_judge)
        return recall_answered(self.recall)

    @cached_property
    def memory_of_passage(self) -> RuleStep | None:
        """What was answered before from the passage that was found; None as for `memory`."""
        return recall_by_passage(self.passage_recall) if self.passage_recall else None

    @cached_property
    def terms_of_glossary(self) -> RuleStep:
        """Synonyms of the product's glossary go into the queries."""
        return expand_terms(self.glossary, self.open_corpus, self.is_ordinary_word)

    @cached_property
    def gate(self) -> RuleStep:
        """What another release documents and this one does not is refused."""
        return refuse_undocumented(
            self.open_corpus, self.releases, self.is_ordinary_word, lowest_coverage=0.15
        )

    @cached_property
    def dual_chunks(self) -> RuleStep:
        """Search chunks by cosine, MMR and BM25, widened to context chunks."""
        return self._dual_chunks(RetrievalSettings(), pages=self.settings.retrieved_pages)

    @cached_property
    def dual_chunks_of_the_paper(self) -> RuleStep:
        """The same by cosine and MMR alone: whatever they find for the three queries."""
        return self._dual_chunks(RetrievalSettings.of_the_paper(), pages=12)

    @cached_property
    def single_chunks(self) -> ModelStep:
        """The baseline's chunks, searched and answered from."""
        return retrieve_single_chunks(
            self.open_corpus, self.embedder, settings=RetrievalSettings.of_the_paper()
        )

    @cached_property
    def reduction_by_score(self) -> RuleStep:
        """The best records of all chunks under one budget."""
        return reduce_context(
            self.open_corpus,
            RecentVectors(self.embedder),
            budget=self.settings.reduction_budget,
        )

    @cached_property
    def reduction_by_model(self) -> ModelStep:
        """What the model copies out of each chunk."""
        return reduce_context_by_model(self._model, self.open_corpus, self.reduction_by_score)

    @cached_property
    def no_reduction(self) -> RuleStep:
        """Every chunk whole."""
        return keep_whole(self.open_corpus)

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
        return factory(self._model, self.selection_by_score, chunks=self.settings.selected_chunks)

    @cached_property
    def temperature(self) -> RuleStep:
        """How freely the answer may be worded, by the spread of its evidence's scores (ComRAG)."""
        return adapt_temperature(
            k=self.settings.temperature_k,
            lowest=self.settings.temperature_min,
            highest=self.settings.temperature_max,
        )

    @cached_property
    def written_answer(self) -> ModelStep:
        """A written lead and a composed body, both checked against the passages."""
        return generate_answer(
            self.model,
            self.open_corpus,
            budget=self.settings.prompt_limit,
            max_tokens=self.settings.answer_tokens,
            same=self.settings.memory_delta,
            is_ordinary_word=self.is_ordinary_word,
        )

    @cached_property
    def written_by_model(self) -> ModelStep:
        """The same from all the evidence that the model can hold, for profiles that need one."""
        return generate_answer(
            self._model,
            self.open_corpus,
            budget=self.settings.evidence_limit,
            max_tokens=self.settings.answer_tokens,
            same=self.settings.memory_delta,
            is_ordinary_word=self.is_ordinary_word,
        )

    @cached_property
    def elsewhere(self) -> RuleStep:
        """What can be offered instead of an answer."""
        search = (self.terms_of_glossary, self.dual_chunks, self.gate)
        return look_elsewhere(self.dual_chunks, search, self.open_corpus, self.releases)

    def _dual_chunks(self, settings: RetrievalSettings, *, pages: int) -> RuleStep:
        return retrieve_context(
            self.open_corpus,
            self.embedder,
            pages=pages,
            padding=self.settings.context_padding,
            settings=settings,
        )

    @property
    def _model(self) -> BaseChatModel:
        if self.model is None:
            raise BadSettings(
                f"the profile {self.settings.profile} needs a language model: fetch one with "
                "`strata models pull`, set another backend, or use the profile embedded"
            )
        return self.model

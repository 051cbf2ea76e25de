"""The profiles: which steps, in which order (QAMR III-B; the ablations and baseline of IV-C)."""

from dataclasses import replace
from functools import partial
from typing import Protocol

from langchain_core.language_models import BaseChatModel

from chatbot import settings
from chatbot.answering.answer_writing import write_answer
from chatbot.answering.comparison_writing import write_comparison, write_from_sides
from chatbot.answering.extractive_summary import summarise_answers
from chatbot.answering.lead_and_body import write_lead_and_body
from chatbot.answering.several_questions import answer_questions_apart
from chatbot.answering.shown_figures import shown_pictures
from chatbot.answering.undocumented_gate import refuse_foreign_names
from chatbot.answering.zero_shot import answer_zero_shot
from chatbot.chain.ahead import taken_up
from chatbot.chain.parts import Parts
from chatbot.chain.profile import FALL_BACK, Profile, Steps, named, run
from chatbot.chain.release_fallback import answer_from_newest, find_other_releases
from chatbot.comparison.products_apart import answer_products_apart
from chatbot.comparison.release_comparison import compare_releases
from chatbot.graph.enhanced_context import by_cosine, enhance_context, recall_related
from chatbot.graph.question_graph import QuestionGraph
from chatbot.graph.triplets import open_rebel
from chatbot.graph.wikidata import Wikidata
from chatbot.retrieval.context_reduction import keep_whole
from chatbot.retrieval.context_retrieval import retrieve_single_chunks
from chatbot.settings import WHOLE_ANSWER
from chatbot.turn import ModelStep, Step
from chatbot.understanding.follow_ups import is_follow_up
from chatbot.understanding.queries import ask_as_is, correct_spelling, only_base
from chatbot.understanding.question_reading import read_question
from chatbot.understanding.reading_by_rules import (
    answer_inventory,
    answer_small_talk,
    extract_release,
    take_up_question,
)
from corpora.indexing.retrieval import RetrievalSettings

CAN_BE_LEFT_OUT = (
    *("small_talk", "clarification", "inventory", "comparison", "questions_apart", "spelling"),
    *("glossary_expansion", "release_of_text", "undocumented_gate", "adaptive_temperature"),
    FALL_BACK,
)
"""The steps of `embedded` without which there still is an answer."""
PARAGRAPHS = 5
"""The most paragraphs of an extractive summary."""


def qamr(p: Parts) -> Profile:
    """The paper's chain with a language model at every step."""
    profile = Profile(
        understand=_read_by_model(p, remembers=True),
        phrase=named(query_rewriting=p.rewriting, spelling=_spelling(p)),
        remember=named(memory=p.recall),
        find=named(
            glossary_expansion=p.terms_of_glossary,
            undocumented_gate=p.gate,
            context_retrieval=p.dual_chunks,
            context_reduction=p.reduction_by_model,
            release_of_text=p.ranking_by_release,
            context_selection=p.selection_by_model,
        ),
        check=named(adaptive_temperature=p.temperature),
    )
    return _written(p, profile, p.needed_model)


def direct(p: Parts) -> Profile:
    """A capable model reads the question and writes the answer: two calls, the code keeps the wall.

    A question that it cannot read is read by the rules of `embedded`. By them the answer is begun
    while a server reads the question.
    """
    # Release notes as well as manuals: the model can tell them apart.
    chunks = p.dual_chunks_by(
        RetrievalSettings(),
        pages=p.settings.retrieved_pages,
        weigh_kinds=False,
        reranker=p.reranker,
    )
    begins = p.settings.backend == "server" and p.settings.answer_ahead == "on"
    profile = Profile(
        ahead=_conversed(p) + _read_by_rules(p) if begins else (),
        understand=_read_by_model(p, remembers=True),
        phrase=named(query_rewriting=p.rewriting),
        remember=named(memory=p.recall),
        find=named(glossary_expansion=p.terms_of_glossary, context_retrieval=chunks),
        pick=_picked_by_score(p),
        check=named(undocumented_gate=refuse_foreign_names(p.open_corpus, p.releases)),
    )
    return _written_whole(p, profile, p.needed_model, by_selection=False)


def embedded(p: Parts) -> Profile:
    """No GPU, no service: rules, embeddings and lexical scores, then one short model call."""
    # Twice: what computes and falls back runs the steps that it is made with.
    profile = _by_score(p, named(memory=p.recall)).without(p.left_out)
    return _written(p, profile, p.model).without(p.left_out)


def _with_related(p: Parts, *, graph: bool = False, relations: bool = False) -> Profile:
    """Related questions and their answers beside the evidence: GraphContextGen without its tuning.

    The most similar ones, or those that the question `graph` ranks first (4.2). With `relations`
    also the relations of their entities (4.3).
    """
    memory, settings = p.needed_memory.recall, p.settings
    enhance = None
    if relations:
        url, contact = settings.graph_wikidata, settings.graph_wikidata_contact
        enhance = enhance_context(
            p.needed_model,
            p.open_parameters,
            open_rebel(settings.graph_rebel) if settings.graph_rebel else None,
            Wikidata(url, contact) if url else None,
        )
    find = by_cosine(memory.search)
    if graph:
        find = QuestionGraph(memory.database, memory.search, settings.graph_threshold).related
    related = recall_related(memory, find, questions=settings.graph_questions)
    profile = _by_score(p, named(memory=related, memory_relations=enhance))
    return _written(p, profile, p.needed_model)


def zeroshot(p: Parts) -> Profile:
    """The question to the model without any retrieved text (GraphContextGen 5)."""
    answer = answer_zero_shot(p.needed_model, max_tokens=p.settings.answer_tokens)
    return replace(_without_documents(p), write=named(answer_generation=answer))


def extractive(p: Parts) -> Profile:
    """Paragraphs of the answers to the questions of TEXTGEN, without a model (AnswerBot)."""
    memory, settings = p.needed_memory.recall, p.settings
    find = by_cosine(memory.search)
    related = recall_related(memory, find, questions=settings.graph_questions)
    answer = summarise_answers(p.embedder, paragraphs=PARAGRAPHS)
    return replace(
        _without_documents(p),
        remember=named(memory=related),
        write=named(answer_generation=answer),
    )


def _without_documents(p: Parts) -> Profile:
    """The baselines without documentation: the catalog resolves the release, no step searches."""
    return Profile(understand=_read_by_rules(p), phrase=named(query_rewriting=p.rewriting))


def _by_score(p: Parts, remember: Steps) -> Profile:
    """Rules, embeddings and lexical scores up to the answer, and saved answers."""
    return Profile(
        converse=_conversed(p),
        understand=_read_by_rules(p),
        phrase=named(query_rewriting=p.rewriting, spelling=_spelling(p)),
        remember=remember,
        find=named(glossary_expansion=p.terms_of_glossary, context_retrieval=p.dual_chunks)
        + _picked_by_score(p),
        check=named(undocumented_gate=p.gate, adaptive_temperature=p.temperature),
    )


def _picked_by_score(p: Parts) -> Steps:
    return named(
        context_reduction=p.reduction_by_score,
        release_of_text=p.ranking_by_release,
        context_selection=p.selection_by_score,
    )


def _ablation(
    p: Parts,
    *,
    read: Steps = (),
    rewriting: Step | None = None,
    chunks: Step | None = None,
    reduction: Step | None = None,
    selection: Step | None = None,
) -> Profile:
    """Generation alone, and one step more (QAMR IV-C); the wall between releases stands."""
    single_chunks = retrieve_single_chunks(
        p.open_corpus, p.embedder, settings=RetrievalSettings.of_the_paper()
    )
    profile = Profile(
        converse=() if read else _conversed(p),
        understand=read or _read_by_rules(p),
        phrase=named(query_rewriting=rewriting or ask_as_is),
        find=named(
            context_retrieval=chunks or single_chunks,
            context_reduction=reduction or keep_whole(p.open_corpus),
            release_of_text=p.ranking_by_release,
            context_selection=selection or p.selection_by_score,
        ),
    )
    return _written(p, profile, p.needed_model)


def _conversed(p: Parts) -> Steps:
    products = p.products
    return named(
        small_talk=answer_small_talk(products),
        clarification=take_up_question(products),
        inventory=answer_inventory(products, p.open_corpus),
    )


def _read_by_rules(p: Parts) -> Steps:
    return named(release_extraction=extract_release(p.products))


def _read_by_model(p: Parts, *, remembers: bool = False) -> Steps:
    """The reading of question and releases in one call; rules read what the model cannot.

    With `remembers` the same call says which saved question asks the same.
    """
    rules = _conversed(p) + _read_by_rules(p)
    reading = read_question(
        p.needed_model,
        p.products,
        p.open_corpus,
        lambda turn: run(rules, turn),
        p.memory.recall.candidates if p.memory and remembers else None,
    )
    return named(question_reading=reading)


def _spelling(p: Parts) -> Step:
    return correct_spelling(p.open_corpus, p.releases, p.minilm.knows_word)


def _written(p: Parts, profile: Profile, model: BaseChatModel | None) -> Profile:
    """The profile with a lead and a composed body, or whole answers by a capable model."""
    if model is not None and p.settings.has_capable_model and p.settings.profile != "embedded":
        return _written_whole(p, profile, model)
    write = write_lead_and_body(
        model,
        p.open_corpus,
        p.catalog.products,
        budget=p.settings.lead_budget,
        max_tokens=p.settings.answer_tokens,
        same=p.settings.memory_delta,
    )
    profile = replace(profile, write=named(answer_generation=write))
    each = answer_questions_apart(
        lambda side: run(profile.gather, side),
        lambda side: run(profile.write, side),
        is_follow_up,
    )
    whole = _completed(p, profile, _each_apart(p, profile))
    return replace(whole, compute=whole.compute + named(questions_apart=each))


def _written_whole(
    p: Parts, profile: Profile, model: BaseChatModel, *, by_selection: bool = True
) -> Profile:
    """The profile with whole answers by the model, from the selected or the retrieved chunks.

    In a comparison of more releases than a prompt holds, each is asked apart.
    """
    settings = p.settings
    write = write_answer(
        model,
        p.open_corpus,
        limit=settings.evidence_limit,
        same=settings.memory_delta,
        max_tokens=WHOLE_ANSWER,
        by_selection=by_selection,
        pictures_of=partial(shown_pictures, p.corpora.database, most=settings.figures_for_model),
    )
    write = taken_up(write, limit=settings.evidence_limit)
    profile = replace(profile, write=named(answer_generation=write))
    limit = settings.comparison_limit
    write_sides = write_from_sides(
        model, p.open_corpus, limit=limit, max_tokens=WHOLE_ANSWER, by_selection=by_selection
    )
    compare = write_comparison(
        lambda side: run(profile.gather, side),
        taken_up(write_sides, limit=limit),
        p.open_corpus,
        p.open_parameters,
        _each_apart(p, profile),
    )
    return _completed(p, profile, compare)


def _each_apart(p: Parts, profile: Profile) -> ModelStep:
    """A comparison: computed, else each release asked apart by the steps of a profile."""
    return compare_releases(
        lambda side: run(profile.gather, side),
        lambda side: run(profile.write, side),
        p.open_corpus,
        p.open_parameters,
        p.releases,
    )


def _completed(p: Parts, profile: Profile, compare: ModelStep) -> Profile:
    """A profile with a comparison and the fall-back to older releases (law 3).

    A comparison is answered from the documents of each release, without the memory.
    """
    alone = replace(profile, compute=named(comparison=compare))
    apart = answer_products_apart(lambda side: run(alone.answer_alone, side), p.open_parameters)
    profile = replace(alone, compute=named(products_apart=apart) + alone.compute)
    search = (p.terms_of_glossary, p.dual_chunks, p.gate)
    steps = find_other_releases(p.dual_chunks, search, p.open_corpus, p.releases)
    again = answer_from_newest(
        lambda turn: run(profile.answer_from_release, turn),
        *steps,
        tries_when_named=p.settings.has_capable_model,
    )
    return replace(profile, fall_back=again)


class ProfileFactory(Protocol):
    """A factory of a profile; `strata.profiles` is the group of entry points."""

    def __call__(self, parts: Parts, /) -> Profile:
        """Make the profile.

        Args:
            parts: The model, the corpora and the steps that profiles share.
        """


PROFILES: dict[str, ProfileFactory] = {
    "direct": direct,
    "qamr": qamr,
    "embedded": embedded,
    "baseline": lambda p: _ablation(
        p,
        read=_read_by_model(p),
        rewriting=only_base(p.rewriting),
        selection=p.selection_by_model,
    ),
    "base": _ablation,
    "+rewriting": lambda p: _ablation(p, read=_read_by_model(p), rewriting=p.rewriting),
    "+dual-chunking": lambda p: _ablation(
        p, chunks=p.dual_chunks_by(RetrievalSettings.of_the_paper(), pages=12)
    ),
    "+reduction": lambda p: _ablation(p, reduction=p.reduction_by_model),
    "+selection": lambda p: _ablation(p, selection=p.selection_by_model),
    "textgen": _with_related,
    "textcontextgen": lambda p: _with_related(p, relations=True),
    "graphgen": lambda p: _with_related(p, graph=True),
    "graphcontextgen": lambda p: _with_related(p, graph=True, relations=True),
    "zeroshot": zeroshot,
    "extractive": extractive,
}


def profile_named(name: str) -> ProfileFactory:
    """The factory of a profile: ours, or that of a package. Raises BadPlugin."""
    added: ProfileFactory = PROFILES.get(name) or settings.PROFILES.load(name)
    return added

"""The profiles: which steps, in which order (QAMR III-B; the ablations and baseline of IV-C)."""

from collections.abc import Callable
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.answer_writing import write_answer
from chatbot.answering.comparison_writing import write_comparison
from chatbot.answering.extractive_summary import summarise_answers
from chatbot.answering.zero_shot import answer_zero_shot
from chatbot.chain.other_releases import (
    answer_from_newest,
    find_other_releases,
    newest_with_another_passage,
)
from chatbot.chain.parts import Parts
from chatbot.chain.profile import Profile, Steps, named, run
from chatbot.comparison.release_comparison import compare_releases
from chatbot.dialogue.inventory import answer_inventory
from chatbot.dialogue.small_talk import answer_small_talk
from chatbot.graph.enhanced_context import Related, by_cosine, enhance_context, recall_related
from chatbot.graph.question_graph import QuestionGraph
from chatbot.graph.triplets import open_rebel
from chatbot.graph.wikidata import Wikidata
from chatbot.queries.clarification import take_up_question
from chatbot.queries.query_rewriting import ask_as_is, only_base
from chatbot.queries.release_extraction import extract_release
from chatbot.queries.spelling import correct_spelling
from chatbot.retrieval.context_reduction import keep_whole
from chatbot.retrieval.context_retrieval import retrieve_single_chunks
from chatbot.settings import WHOLE_ANSWER
from chatbot.turn import ModelStep, Step
from chatbot.understanding.question_reading import read_question
from corpora.indexing.retrieval import RetrievalSettings

PARAGRAPHS = 5
"""Of an extractive summary, at most."""


def qamr(p: Parts) -> Profile:
    """The paper's chain with a language model at every step."""
    return _profile(
        p,
        read=_read_by_model(p),
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
        write=_written(p, p.needed_model),
    )


def direct(p: Parts) -> Profile:
    """A capable model reads the question and writes the answer: two calls, the code keeps the wall.

    What it cannot read is read by the rules of `embedded`. Parameters are told from the pages: the
    rules that answer from their tables would read the question once more.
    """
    model = p.needed_model
    profile = Profile(
        understand=_read_by_model(p),
        phrase=named(query_rewriting=p.rewriting),
        remember=named(memory=p.recall),
        find=named(
            glossary_expansion=p.terms_of_glossary, context_retrieval=p.dual_chunks_of_any_kind
        ),
        check=named(undocumented_gate=p.foreign_names),
        write=_written_whole(p, model),
    )
    comparison = write_comparison(
        model,
        lambda side: run(profile.gather, side),
        p.open_corpus,
        _comparison(p, _by_score(p, model, ())),
        limit=p.settings.comparison_limit,
        max_tokens=WHOLE_ANSWER,
    )
    return _completed(p, profile, named(comparison=comparison))


def embedded(p: Parts) -> Profile:
    """No GPU, no service: rules, embeddings and lexical scores, then one short model call."""
    return _by_score(p, p.model, named(memory=p.recall))


def _with_related(
    p: Parts, find: Callable[[Parts], Related], *, relations: bool = False
) -> Profile:
    """Related questions and their answers beside the evidence: GraphContextGen without its tuning.

    With `relations` also how what they name is related (4.3).
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
    related = recall_related(memory, find(p), questions=settings.graph_questions)
    return _by_score(p, p.needed_model, named(memory=related, memory_relations=enhance))


def _by_cosine(p: Parts) -> Related:
    """The most similar questions (GraphContextGen's TEXTGEN)."""
    return by_cosine(p.needed_memory.recall.search)


def _by_graph(p: Parts) -> Related:
    """The questions that the question graph ranks first (4.2)."""
    memory = p.needed_memory.recall
    return QuestionGraph(memory.database, memory.search, p.settings.graph_threshold).related


def zeroshot(p: Parts) -> Profile:
    """The question to the model without any retrieved text (GraphContextGen 5)."""
    answer = answer_zero_shot(p.needed_model, max_tokens=p.settings.answer_tokens)
    return replace(_without_documents(p), write=named(answer_generation=answer))


def extractive(p: Parts) -> Profile:
    """Paragraphs of the answers to the questions of TEXTGEN, without a model (AnswerBot)."""
    memory, settings = p.needed_memory.recall, p.settings
    related = recall_related(memory, _by_cosine(p), questions=settings.graph_questions)
    answer = summarise_answers(p.embedder, paragraphs=PARAGRAPHS)
    return replace(
        _without_documents(p),
        remember=named(memory=related),
        write=named(answer_generation=answer),
    )


def _without_documents(p: Parts) -> Profile:
    """Baselines that read no documentation: the catalog says what is asked, no step searches."""
    return Profile(understand=_read_by_rules(p), phrase=named(query_rewriting=p.rewriting))


def _by_score(p: Parts, model: BaseChatModel | None, remember: Steps) -> Profile:
    """Rules, embeddings and lexical scores up to the answer, and what was answered before."""
    return _profile(
        p,
        phrase=named(query_rewriting=p.rewriting, spelling=_spelling(p)),
        remember=remember,
        find=named(
            glossary_expansion=p.terms_of_glossary,
            context_retrieval=p.dual_chunks,
            context_reduction=p.reduction_by_score,
            release_of_text=p.ranking_by_release,
            context_selection=p.selection_by_score,
        ),
        check=named(
            undocumented_gate=p.gate,
            adaptive_temperature=p.temperature,
        ),
        write=_written(p, model),
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
    return _profile(
        p,
        read=read,
        phrase=named(query_rewriting=rewriting or ask_as_is),
        find=named(
            context_retrieval=chunks or single_chunks,
            context_reduction=reduction or keep_whole(p.open_corpus),
            release_of_text=p.ranking_by_release,
            context_selection=selection or p.selection_by_score,
        ),
        write=_written(p, p.needed_model),
    )


def _conversed(p: Parts) -> Steps:
    products = p.catalog.products
    return named(
        small_talk=answer_small_talk(products),
        clarification=take_up_question(products),
        inventory=answer_inventory(products, p.open_corpus),
    )


def _read_by_rules(p: Parts) -> Steps:
    return named(release_extraction=extract_release(p.catalog.products))


def _read_by_model(p: Parts) -> Steps:
    """All that is asked, and of which release, in one call; rules read what the model cannot."""
    rules = _conversed(p) + _read_by_rules(p)
    return named(
        question_reading=read_question(
            p.needed_model, p.catalog.products, p.open_corpus, lambda turn: run(rules, turn)
        )
    )


def _spelling(p: Parts) -> Step:
    return correct_spelling(p.open_corpus, p.releases, p.embedder.knows_word)


def _written_whole(p: Parts, model: BaseChatModel, *, by_selection: bool = False) -> Steps:
    """The whole answer by the model: from the chunks as retrieved, or from what was selected."""
    return named(
        answer_generation=write_answer(
            model,
            p.open_corpus,
            limit=p.settings.evidence_limit,
            same=p.settings.memory_delta,
            max_tokens=WHOLE_ANSWER,
            by_selection=by_selection,
        )
    )


def _written(p: Parts, model: BaseChatModel | None) -> Steps:
    """A lead and a composed body; by a capable model the whole answer, from what was selected."""
    if model is not None and p.settings.has_capable_model and p.settings.profile != "embedded":
        return _written_whole(p, model, by_selection=True)
    return named(answer_generation=p.written_by(model, budget=p.settings.lead_budget))


def _profile(
    p: Parts,
    *,
    phrase: Steps,
    find: Steps,
    write: Steps,
    read: Steps = (),
    remember: Steps = (),
    check: Steps = (),
) -> Profile:
    """What stands around the steps that find and write is the same everywhere.

    A comparison keeps its releases apart and answers each from its documents, without the memory.
    """
    profile = Profile(
        converse=() if read else _conversed(p),
        understand=read or _read_by_rules(p),
        phrase=phrase,
        remember=remember,
        find=find,
        check=check,
        write=write,
    )
    return _completed(p, profile, named(comparison=_comparison(p, profile)))


def _completed(p: Parts, profile: Profile, compute: Steps) -> Profile:
    """A profile with what is computed before it searches, and other releases to fall back on."""
    return replace(profile, compute=compute, fall_back=_newest_that_answers(p, profile))


def _comparison(p: Parts, profile: Profile) -> ModelStep:
    """Each release apart, by the steps of a profile, and what differs computed."""
    return compare_releases(
        lambda side: run(profile.gather, side),
        p.open_corpus,
        p.releases,
        p.catalog.unpublished,
    )


def _newest_that_answers(p: Parts, profile: Profile) -> ModelStep:
    """Where the newest release does not tell and nobody named one, an older one may (law 3)."""
    search = (p.terms_of_glossary, p.dual_chunks, p.gate)
    look = find_other_releases(p.dual_chunks, search, p.open_corpus, p.releases)
    found = (p.terms_of_glossary, p.dual_chunks, p.reduction_by_score, p.selection_by_score)
    may_tell = newest_with_another_passage(found, p.open_corpus, p.releases)
    return answer_from_newest(lambda turn: run(profile.answer_from_release, turn), look, may_tell)


PROFILES: dict[str, Callable[[Parts], Profile]] = {
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
    "textgen": lambda p: _with_related(p, _by_cosine),
    "textcontextgen": lambda p: _with_related(p, _by_cosine, relations=True),
    "graphgen": lambda p: _with_related(p, _by_graph),
    "graphcontextgen": lambda p: _with_related(p, _by_graph, relations=True),
    "zeroshot": zeroshot,
    "extractive": extractive,
}

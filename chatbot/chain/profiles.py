"""The profiles: which steps, in which order (QAMR III-B; the ablations and baseline of IV-C)."""

from collections.abc import Callable

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable

from chatbot.answering.extractive_summary import summarise_answers
from chatbot.answering.zero_shot import answer_zero_shot
from chatbot.chain.chain import Profile, build_chain
from chatbot.chain.parts import Parts
from chatbot.comparison.sides import compare_releases
from chatbot.dialogue.inventory import answer_inventory
from chatbot.dialogue.small_talk import answer_small_talk, refuse_off_topic
from chatbot.dialogue.term_clarification import ask_which_term
from chatbot.graph.enhanced_context import Related, by_cosine, enhance_context, recall_related
from chatbot.graph.parameter_answers import answer_from_parameters
from chatbot.graph.question_graph import QuestionGraph
from chatbot.graph.triplets import open_rebel
from chatbot.graph.wikidata import Wikidata
from chatbot.queries.clarification import take_up_question
from chatbot.queries.query_rewriting import ask_as_is, only_base, rewrite_query
from chatbot.queries.release_extraction import extract_release, extract_release_with_model
from chatbot.queries.spelling import correct_spelling
from chatbot.retrieval.context_reduction import keep_whole
from chatbot.retrieval.context_retrieval import retrieve_single_chunks
from chatbot.settings import BadSettings
from chatbot.turn import Step, Turn
from corpora.indexing.retrieval import RetrievalSettings

PARAGRAPHS = 5
"""Of an extractive summary, at most."""


def qamr(p: Parts) -> Profile:
    """The paper's chain with a language model at every step."""
    by_rules = extract_release(p.catalog.products)
    return _profile(
        p,
        extract_release_with_model(p.needed_model, p.catalog.products, by_rules),
        query_rewriting=p.rewriting_by_model,
        spelling=correct_spelling(p.open_corpus, p.releases, p.embedder.knows_word),
        memory=p.recall,
        glossary_expansion=p.terms_of_glossary,
        undocumented_gate=p.gate,
        context_retrieval=p.dual_chunks,
        context_reduction=p.reduction_by_model,
        context_selection=p.selection_by_model,
        term_clarification=ask_which_term,
        adaptive_temperature=p.temperature,
        answer_generation=p.written_by(p.needed_model, budget=p.settings.lead_budget),
    )


def embedded(p: Parts) -> Profile:
    """No GPU, no service: rules, embeddings and lexical scores, then one short model call."""
    return _by_score(p, p.model, memory=p.recall)


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
    return _by_score(p, p.needed_model, memory=related, memory_relations=enhance)


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
    return _without_documents(p, answer_generation=answer)


def extractive(p: Parts) -> Profile:
    """Paragraphs of the answers to the questions of TEXTGEN, without a model (AnswerBot)."""
    memory, settings = p.needed_memory.recall, p.settings
    return _without_documents(
        p,
        memory=recall_related(memory, _by_cosine(p), questions=settings.graph_questions),
        answer_generation=summarise_answers(p.embedder, paragraphs=PARAGRAPHS),
    )


def _without_documents(p: Parts, **answering: Step) -> Profile:
    """Baselines that read no documentation: the catalog says what is asked, no step searches."""
    return (
        ("release_extraction", extract_release(p.catalog.products)),
        ("query_rewriting", rewrite_query(p.catalog.products)),
        *answering.items(),
    )


def _by_score(
    p: Parts,
    model: BaseChatModel | None,
    *,
    memory: Step | None,
    memory_relations: Step | None = None,
) -> Profile:
    """Rules, embeddings and lexical scores up to the answer, and what was answered before."""
    return _profile(
        p,
        extract_release(p.catalog.products),
        query_rewriting=rewrite_query(p.catalog.products),
        spelling=correct_spelling(p.open_corpus, p.releases, p.embedder.knows_word),
        memory=memory,
        glossary_expansion=p.terms_of_glossary,
        context_retrieval=p.dual_chunks,
        context_reduction=p.reduction_by_score,
        off_topic=refuse_off_topic(p.catalog.products, p.embedder.knows_word),
        context_selection=p.selection_by_score,
        undocumented_gate=p.gate,
        term_clarification=ask_which_term,
        memory_relations=memory_relations,
        adaptive_temperature=p.temperature,
        answer_generation=p.written_by(model, budget=p.settings.lead_budget),
    )


def _ablation(
    p: Parts,
    *,
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
        extract_release(p.catalog.products),
        query_rewriting=rewriting or ask_as_is,
        context_retrieval=chunks or single_chunks,
        context_reduction=reduction or keep_whole(p.open_corpus),
        context_selection=selection or p.selection_by_score,
        answer_generation=p.written_by(p.needed_model, budget=p.settings.lead_budget),
    )


def _profile(p: Parts, release_extraction: Step, **answering: Step | None) -> Profile:
    """What comes before the steps that answer is the same everywhere.

    A comparison keeps its releases apart and answers each from its documents, without the memory.
    """
    steps = tuple((name, step) for name, step in answering.items() if step is not None)
    of_side = tuple(s for s in steps if s[0] != "off_topic" and not s[0].startswith("memory"))
    comparison = compare_releases(
        build_chain(of_side[:-1]),
        build_chain(of_side[-1:]),
        p.open_corpus,
        p.releases,
        p.catalog.unpublished,
    )
    return (
        ("small_talk", answer_small_talk(p.catalog.products)),
        ("clarification", take_up_question(p.catalog.products)),
        ("inventory", answer_inventory(p.catalog.products, p.open_corpus)),
        ("release_extraction", release_extraction),
        ("parameters", answer_from_parameters(p.open_parameters, p.releases)),
        ("comparison", comparison),
        *steps,
    )


def answering(profile: Profile) -> Runnable[Turn, Turn]:
    """The steps of a profile that answer from one release, which is known by then."""
    names = [name for name, _ in profile]
    known_by = "comparison" if "comparison" in names else "release_extraction"
    return build_chain(profile[names.index(known_by) + 1 :])


def searching(profile: Profile) -> Profile:
    """The steps of a profile that find what bears an answer, without those that answer.

    Raises BadSettings for a profile that searches nothing.
    """
    names = [name for name, _ in profile]
    if "context_selection" not in names:
        raise BadSettings("this profile reads no documents: search with the profile embedded")
    found = profile[: names.index("context_selection") + 1]
    first = names.index("release_extraction")
    return [
        step
        for step in found[first:]
        if step[0] not in ("parameters", "comparison") and not step[0].startswith("memory")
    ]


PROFILES: dict[str, Callable[[Parts], Profile]] = {
    "qamr": qamr,
    "embedded": embedded,
    "baseline": lambda p: _ablation(
        p, rewriting=only_base(p.rewriting_by_model), selection=p.selection_by_model
    ),
    "base": _ablation,
    "+rewriting": lambda p: _ablation(p, rewriting=p.rewriting_by_model),
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

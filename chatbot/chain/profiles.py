"""The profiles: which steps, in which order (QAMR III-B; the ablations and baseline of IV-C)."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.runnables import Runnable

from chatbot.chain.chain import Profile, build_chain
from chatbot.chain.parts import Parts
from chatbot.comparison import compare_releases
from chatbot.dialogue.term_clarification import ask_which_term
from chatbot.turn import Step, Turn


def qamr(p: Parts) -> Profile:
    """The paper's chain with a language model at every step."""
    return _profile(
        p,
        p.release_by_rules_then_model,
        query_rewriting=p.rewriting_by_model,
        spelling=p.spelling,
        memory=p.memory,
        glossary_expansion=p.terms_of_glossary,
        undocumented_gate=p.gate,
        context_retrieval=p.dual_chunks,
        context_reduction=p.reduction_by_model,
        context_selection=p.selection_by_model,
        adaptive_temperature=p.temperature,
        answer_generation=p.written_by_model,
    )


def embedded(p: Parts) -> Profile:
    """No GPU, no service: rules, embeddings and lexical scores, then one short model call."""
    return _profile(
        p,
        p.release_by_rules,
        query_rewriting=p.rewriting_by_rules,
        spelling=p.spelling,
        memory=p.memory,
        glossary_expansion=p.terms_of_glossary,
        context_retrieval=p.dual_chunks,
        context_reduction=p.reduction_by_score,
        off_topic=p.off_topic,
        context_selection=p.selection_by_score,
        undocumented_gate=p.gate,
        term_clarification=ask_which_term,
        memory_of_passage=p.memory_of_passage,
        adaptive_temperature=p.temperature,
        answer_generation=p.written_answer,
    )


def baseline(p: Parts) -> Profile:
    """Single chunks, one rewritten query, selection, generation."""
    return _ablation(p, rewriting=p.rewriting_to_base, selection=p.selection_by_model)


def _ablation(
    p: Parts,
    *,
    rewriting: Step | None = None,
    chunks: Step | None = None,
    reduction: Step | None = None,
    selection: Step | None = None,
) -> Profile:
    """Generation alone, and one step more (QAMR IV-C); the wall between releases stands."""
    return _profile(
        p,
        p.release_by_rules,
        query_rewriting=rewriting or p.no_rewriting,
        context_retrieval=chunks or p.single_chunks,
        context_reduction=reduction or p.no_reduction,
        context_selection=selection or p.selection_by_score,
        answer_generation=p.written_by_model,
    )


def _profile(p: Parts, release_extraction: Step, **answering: Step | None) -> Profile:
    """What comes before the steps that answer is the same everywhere.

    A comparison keeps its releases apart and answers each from its documents, without the memory.
    """
    steps = tuple((name, step) for name, step in answering.items() if step is not None)
    of_side = tuple(s for s in steps if s[0] != "off_topic" and not s[0].startswith("memory"))
    return (
        ("small_talk", p.small_talk),
        ("clarification", p.question_taken_up),
        ("inventory", p.inventory),
        ("release_extraction", release_extraction),
        (
            "comparison",
            compare_releases(
                build_chain(of_side[:-1]),
                build_chain(of_side[-1:]),
                p.open_corpus,
                p.releases,
                p.unpublished,
            ),
        ),
        *steps,
    )


def answering(profile: Profile) -> Runnable[Turn, Turn]:
    """The steps of a profile that answer from one release, which is known by then."""
    names = [name for name, _ in profile]
    return build_chain(profile[names.index("comparison") + 1 :])


def searching(profile: Profile) -> Profile:
    """The steps of a profile that find what bears an answer, without those that answer."""
    names = [name for name, _ in profile]
    found = profile[: names.index("context_selection") + 1]
    first = names.index("release_extraction")
    return [
        step
        for step in found[first:]
        if step[0] != "comparison" and not step[0].startswith("memory")
    ]


PROFILES: dict[str, Callable[[Parts], Profile]] = {
    "qamr": qamr,
    "embedded": embedded,
    "baseline": baseline,
    "base": _ablation,
    "+rewriting": lambda p: _ablation(p, rewriting=p.rewriting_by_model),
    "+dual-chunking": lambda p: _ablation(p, chunks=p.dual_chunks_of_the_paper),
    "+reduction": lambda p: _ablation(p, reduction=p.reduction_by_model),
    "+selection": lambda p: _ablation(p, selection=p.selection_by_model),
}

"""What the steps of the chain are called for people who wait for an answer."""

from __future__ import annotations

from collections.abc import Iterable

from chatbot.turn import Fallback

STEP_NAMES = {
    "clarification": "reading the conversation",
    "small_talk": "reading the question",
    "off_topic": "reading the question",
    "spelling": "reading the question",
    "inventory": "checking the list of releases",
    "release_extraction": "finding the release",
    "comparison": "comparing the releases",
    "query_rewriting": "preparing the search",
    "memory": "looking for a saved answer",
    "glossary_expansion": "looking up terms",
    "context_retrieval": "searching the documentation",
    "context_reduction": "reading what was found",
    "context_selection": "choosing the best passages",
    "undocumented_gate": "checking what was found",
    "memory_of_passage": "looking for a saved answer",
    "answer_generation": "writing the answer",
    "elsewhere": "searching other releases",
}


def step_name(step: str) -> str:
    """What a step is called; one that is not known by its own name."""
    return STEP_NAMES.get(step, step.replace("_", " "))


def done_without_model(fallbacks: Iterable[Fallback]) -> list[tuple[str, str]]:
    """What the steps are called that a reply's `fallbacks` name, with the reasons, each once."""
    return list(dict.fromkeys((step_name(f.step), f.reason) for f in fallbacks))

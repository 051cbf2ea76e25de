"""What the steps of the chain are called for people who wait for an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STEP_NAMES = {
    "clarification": "reading the conversation",
    "small_talk": "reading the question",
    "off_topic": "reading the question",
    "inventory": "looking into the catalog",
    "release_extraction": "finding the release",
    "comparison": "comparing releases",
    "query_rewriting": "writing queries",
    "memory": "remembering",
    "glossary_expansion": "looking up terms",
    "context_retrieval": "searching",
    "context_reduction": "reading",
    "context_selection": "choosing",
    "undocumented_gate": "checking",
    "memory_of_passage": "remembering",
    "answer_generation": "writing the answer",
    "elsewhere": "looking into other releases",
}


def step_name(step: str) -> str:
    """What a step is called; one that is not known by its own name."""
    return STEP_NAMES.get(step, step.replace("_", " "))


def done_without_model(fallbacks: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    """What the steps are called that a reply's `fallbacks` name, with the reasons, each once."""
    return list(dict.fromkeys((step_name(f["step"]), f["reason"]) for f in fallbacks))

"""The names of the steps of an answer, for people."""

from chatbot.text.languages import gettext, gettext_noop

_NAMES = {
    # Those of one chain differ: the page Numbers has a line for each.
    "clarification": gettext_noop("reading the conversation"),
    "small_talk": gettext_noop("recognising small talk"),
    "spelling": gettext_noop("checking the spelling"),
    "inventory": gettext_noop("checking the list of releases"),
    "question_reading": gettext_noop("reading the question"),
    "release_extraction": gettext_noop("finding the release"),
    "parameters": gettext_noop("looking up the parameters"),
    "comparison": gettext_noop("comparing the releases"),
    "questions_apart": gettext_noop("taking several questions apart"),
    "products_apart": gettext_noop("taking several products apart"),
    "query_rewriting": gettext_noop("preparing the search"),
    "memory": gettext_noop("looking for a saved answer"),
    "memory_relations": gettext_noop("looking up relations"),
    "glossary_expansion": gettext_noop("looking up terms"),
    "context_retrieval": gettext_noop("searching the documentation"),
    "context_reduction": gettext_noop("reading what was found"),
    "release_of_text": gettext_noop("checking which release it is of"),
    "context_selection": gettext_noop("choosing the best passages"),
    "undocumented_gate": gettext_noop("checking what was found"),
    "answer_generation": gettext_noop("writing the answer"),
    "answer_ahead": gettext_noop("writing the answer while the question was read"),
    "adaptive_temperature": gettext_noop("looking at earlier answers"),
    "fall_back": gettext_noop("searching other releases"),
    # What earlier versions called it, in traces that are kept.
    "elsewhere": gettext_noop("searching other releases"),
    "off_topic": gettext_noop("reading the question"),
    "memory_of_passage": gettext_noop("looking for a saved answer"),
}


def step_name(step: str) -> str:
    """The name of a step for people."""
    return gettext(_NAMES[step]) if step in _NAMES else step.replace("_", " ")

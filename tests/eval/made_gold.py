"""A question with a checked answer, made by hand, for tests of what measures."""

from typing import Any

from eval.gold import GoldQuestion


def gold_row(**changes: Any) -> dict[str, Any]:
    """A line of a gold file."""
    return {
        "id": "q-1",
        "product": "router",
        "question": "timeout in 2.0?",
        "kind": "release_specific_differs",
        "gold_answer": "60 seconds",
        "must_include": [r"\b60\b"],
        "must_not_include": ["timeout is 30"],
        "sources": [{"release": "2.0", "file": "guide.pdf", "page": 4}],
        "release": "2.0",
        **changes,
    }


def gold(**changes: Any) -> GoldQuestion:
    return GoldQuestion.model_validate(gold_row(**changes))

"""Proper names that tell which thing a question asks about."""

from __future__ import annotations

import pytest

from chatbot.answering.undocumented_gate import qualifiers


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How do I add a Gizmo endpoint to the valve?", ["Gizmo"]),
        ("Which port does the built-in Gizmo metrics exporter listen on?", ["Gizmo"]),
        ("What speed do I enter in Gizmo for the valve?", []),  # where the asker is
        ("Which lock is used on the Gizmo side of the valve?", []),
        ("Our Gizmo job fails: which lock does the valve have?", []),
        ("Does the Gizmo have a lock?", []),
    ],
)
def test_a_proper_name_tells_which_thing_is_asked_about(question: str, named: list[str]) -> None:
    assert qualifiers(question) == named

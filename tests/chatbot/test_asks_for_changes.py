from __future__ import annotations

import pytest

from chatbot.retrieval.kinds import Kind, asked_for


@pytest.mark.parametrize(
    "question",
    [
        "What changed in the timers?",
        "what's new in 2.0?",
        "Which commands were renamed or removed?",
        "How did the default of hold change?",
        "What are the changes to hold?",
        "Is purge() deprecated?",
    ],
)
def test_a_question_for_changes_is_seen(question: str) -> None:
    assert asked_for(question) is Kind.CHANGE


@pytest.mark.parametrize(
    "question",
    [
        "How do I change the hold time?",
        "How can I rename a port?",
        "how to replace the fan",
        "How is a card replaced?",
        "Can the card be replaced while it runs?",
        "How do I add or remove a user?",
        "How do I upgrade from 1.0 to 2.0?",
        "replace the fan",
        "Where can I change the password?",
        "When must the filter be changed?",
    ],
)
def test_a_question_for_steps_is_none(question: str) -> None:
    assert asked_for(question) is not Kind.CHANGE

"""In place of step 1 of QAMR III-B: the ablations without rewriting search for the question."""

from __future__ import annotations

from dataclasses import replace

from chatbot.turn import Queries, RuleStep, Turn


def ask_as_is() -> RuleStep:
    """Make the question, as it stands, the only query (QAMR IV-C)."""

    def keep(turn: Turn) -> Turn:
        question = turn.question
        return replace(turn, queries=Queries(question, question, None, subject=question))

    return keep

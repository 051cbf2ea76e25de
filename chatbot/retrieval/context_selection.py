"""Step 4 of QAMR III-B without a model: the reduced chunks that answer best."""

from __future__ import annotations

from dataclasses import replace

from chatbot.turn import RuleStep, Turn


def select_context(*, chunks: int) -> RuleStep:
    """Keep the `chunks` reduced chunks whose best record scores highest."""

    def select_step(turn: Turn) -> Turn:
        best = sorted(turn.reduced, key=lambda chunk: -chunk.score)
        return replace(turn, selected=tuple(best[:chunks]))

    return select_step

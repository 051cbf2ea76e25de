"""The temperature of the answer, from how far its evidence's scores lie apart (ComRAG 4.4)."""

from dataclasses import replace

from chatbot.memory.temperature import adaptive_temperature
from chatbot.turn import RuleStep, Turn


def adapt_temperature(*, k: float, lowest: float, highest: float) -> RuleStep:
    """Set the turn's temperature from the good pairs recalled, else from the selected chunks.

    A pair's score is 0 to 1; chunks are scored by whatever selected them, so that theirs are taken
    as shares of the best one's. Where `lowest` is `highest` there is nothing to adapt, and the
    model's own temperature holds.
    """

    def adapt(turn: Turn) -> Turn:
        if lowest == highest:
            return turn
        temperature = adaptive_temperature(_scores(turn), k=k, lowest=lowest, highest=highest)
        return replace(turn, temperature=temperature)

    return adapt


def _scores(turn: Turn) -> list[float]:
    if turn.recollection is not None and turn.recollection.good:
        return [pair.score for pair in turn.recollection.good]
    scores = [chunk.score for chunk in turn.selected]
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else scores

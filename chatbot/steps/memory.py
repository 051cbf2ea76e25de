"""The step of ComRAG 4.3: what was answered before is reused, or helps to answer."""

from __future__ import annotations

from dataclasses import replace

from chatbot.memory.passage_recall import PassageRecall
from chatbot.memory.recall import Recall
from chatbot.turn import Answer, Recollection, Remembered, Route, RuleStep, Turn


def recall_answered(memory: Recall) -> RuleStep:
    """Answer with a good answer to the same question of the same release, where there is one.

    Else what was answered to questions near it goes along to generation. A turn that is asked
    afresh passes through.
    """

    def recall(turn: Turn) -> Turn:
        if turn.afresh:
            return turn
        found = memory.recall(turn)
        if found.reused is None:
            return replace(turn, recollection=found)
        return _answered(turn, found.reused)

    return recall


def recall_by_passage(memory: PassageRecall) -> RuleStep:
    """Answer with a good answer that was read from the passage found best for this question, too.

    It spares the language model where the questions are too differently worded to be seen as the
    same before the documents were searched. A turn that is asked afresh passes through.
    """

    def recall(turn: Turn) -> Turn:
        found = None if turn.afresh else memory.recall(turn)
        return turn if found is None else _answered(turn, found)

    return recall


def _answered(turn: Turn, pair: Remembered) -> Turn:
    answer = Answer(pair.answer, False, pair.citations, pair.value)
    return replace(turn, recollection=Recollection(reused=pair), route=Route.REUSE, answer=answer)

"""The step of ComRAG 4.3: what was answered before is reused, or helps to answer."""

from collections.abc import Callable
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from chatbot.memory.questions import asked_text, evident_difference
from chatbot.memory.recall import Recall
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import (
    Answer,
    ModelCall,
    ModelStep,
    Recollection,
    Remembered,
    Route,
    RuleStep,
    Turn,
)
from prompts import fenced, fenced_list, render


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


class SameQuestion(BaseModel):
    """Whether two questions ask for exactly the same."""

    same: bool


async def judged_same(
    judge: BaseChatModel, one: str, other: str
) -> tuple[bool, tuple[ModelCall, ...]]:
    """Whether a model takes two questions for one; not if it gives no readable reply."""
    both = (fenced("question", text, number=i) for i, text in enumerate((one, other), 1))
    messages = render("same_question", questions=fenced_list(both))
    reply, calls = await ask_for(judge, messages, SameQuestion, step="memory", max_tokens=16)
    return reply is not None and reply.same, calls


def recall_judged(
    memory: Recall, judge: BaseChatModel, is_ordinary_word: Callable[[str], bool]
) -> ModelStep:
    """The same, and where no answer is to the same words a model is asked about the nearest.

    It is asked one question, and only of a good pair at least δ near without an evident difference.
    """
    by_words = recall_answered(memory)

    async def recall(turn: Turn) -> Turn:
        turn = by_words(turn)
        found = turn.recollection
        if found is None or found.reused is not None or not found.good:
            return turn
        near, asked = found.good[0], asked_text(turn)
        if near.similarity < memory.thresholds.delta or evident_difference(
            asked, near.question, turn.asked[0], is_ordinary_word
        ):
            return turn
        same, calls = await judged_same(judge, near.question, asked)
        turn = replace(turn, calls=(*turn.calls, *calls))
        pair = memory.reusable(near) if same else None
        return _answered(turn, pair) if pair else turn

    return recall


def _answered(turn: Turn, pair: Remembered) -> Turn:
    answer = Answer(pair.answer, False, pair.citations, pair.value)
    return replace(turn, recollection=Recollection(reused=pair), route=Route.REUSE, answer=answer)

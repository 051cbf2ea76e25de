"""The step of ComRAG 4.3: what was answered before is reused, or helps to answer."""

from collections.abc import Callable
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from chatbot.memory.questions import asked_text, evident_difference
from chatbot.memory.recall import Recall
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import Answer, ModelCall, ModelStep, Recollection, Route, Turn
from prompts import fenced, fenced_list, render


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


def recall_answered(
    memory: Recall, judge: BaseChatModel | None, is_ordinary_word: Callable[[str], bool]
) -> ModelStep:
    """Answer with a good answer to the same question of the same release, where there is one.

    Where none is to the same words, a `judge` is asked about the nearest, if that is at least δ
    near and not evidently another question. Else what was answered to questions near it goes along
    to generation. A turn that is asked afresh passes through.
    """

    async def recall(turn: Turn) -> Turn:
        if turn.afresh:
            return turn
        found = await in_thread(memory.recall, turn)
        turn, same = replace(turn, recollection=found), found.reused
        near, asked = next(iter(found.good), None), asked_text(turn)
        if (
            (judge and near and not same)
            and near.similarity >= memory.thresholds.delta
            and not evident_difference(asked, near.question, turn.asked[0], is_ordinary_word)
        ):
            alike, calls = await judged_same(judge, near.question, asked)
            turn = replace(turn, calls=(*turn.calls, *calls))
            same = memory.reusable(near) if alike else None
        if same is None:
            return turn
        answer = Answer(same.answer, False, same.citations, same.value)
        reused = Recollection(reused=same)
        return replace(turn, recollection=reused, route=Route.REUSE, answer=answer)

    return recall

"""The model's own answer without any retrieved text (GraphContextGen 5, zero-shot baseline)."""

from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.refusals import UNKNOWN_TO_MODEL
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import says_unknown
from chatbot.runtime.model_calls import call
from chatbot.text.languages import gettext, gettext_noop
from chatbot.text.markdown import without_marks
from chatbot.text.sanitizer import harmless
from chatbot.text.words import listed
from chatbot.turn import Answer, ModelStep, Route, Turn
from prompts import fenced, render

UNCITED = gettext_noop("Nothing is cited: the model answered without reading the documentation.")


def answer_zero_shot(model: BaseChatModel, *, max_tokens: int) -> ModelStep:
    """A step that has the model answer the standalone question alone, in `max_tokens` tokens.

    The prompt has product and releases, but no documentation. The answer has no citations and says
    so; nothing checks it. Raises GeneratorError.
    """

    async def answer(turn: Turn) -> Turn:
        messages = render(
            "zero_shot",
            product=turn.target[0],
            release=listed(turn.resolution.releases),
            question=fenced("question", turn.queries.base),
        )
        made = await call(
            model, messages, step="answer_generation", shown=True, max_tokens=max_tokens
        )
        reply = made.reply
        if made.completion_tokens >= max_tokens:
            # It was cut off, so that its last sentence is not whole.
            reply = " ".join(sentences(reply)[:-1])
        text = without_marks(harmless(reply, evidence="")).strip()
        unknown = not text or says_unknown(text)
        return replace(
            turn,
            calls=(*turn.calls, made),
            route=Route.MODEL,
            answer=Answer(gettext("I don't know."), True, refusal=UNKNOWN_TO_MODEL)
            if unknown
            else Answer(text, False, value=text, warnings=(gettext(UNCITED),)),
        )

    return answer

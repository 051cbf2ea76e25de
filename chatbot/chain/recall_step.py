"""The step of ComRAG 4.3: a saved answer is reused, offered, or helps to answer."""

from dataclasses import replace

from chatbot.memory.recall import Recall
from chatbot.runtime.events import Offered, emit
from chatbot.text.languages import gettext, gettext_noop
from chatbot.turn import EMBEDDER_FAILS, Answer, Recollection, Route, RuleStep, Turn
from corpora.errors import EmbedderFailed

UNCITED = gettext_noop("This is the team's own answer: it cites no page of the documentation.")


def recall_answered(memory: Recall, *, offering: bool) -> RuleStep:
    """A step that gives a good saved answer to the same question of the same release, if any.

    Else the saved answers to similar questions go along to generation. With `offering` the asker is
    shown those that may be the same, since no model was asked. A turn that is asked afresh passes
    through.
    """

    def recall(turn: Turn) -> Turn:
        if turn.afresh:
            return turn
        try:
            recollection = memory.recall(turn)
        except EmbedderFailed:
            turn = turn.without("memory", gettext(EMBEDDER_FAILS))
            return replace(turn, recollection=Recollection())
        if recollection.reused is None:
            if not offering:
                recollection = replace(recollection, offers=())
            elif recollection.offers:
                emit(Offered(recollection.offers))
            return replace(turn, recollection=recollection)
        same = recollection.reused
        warnings = () if same.citations else (gettext(UNCITED),)
        answer = Answer(same.answer, False, same.citations, same.value, warnings)
        return replace(
            turn, recollection=Recollection(reused=same), route=Route.REUSE, answer=answer
        )

    return recall

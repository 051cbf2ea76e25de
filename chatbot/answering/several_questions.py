"""Several questions to one release in one message: each is asked by itself."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.comparison.sides import questions_of
from chatbot.comparison.topic import topic_of
from chatbot.comparison.wording import joined
from chatbot.runtime.concurrency import together
from chatbot.text.sanitizer import as_words
from chatbot.turn import ModelStep, Turn
from corpora.indexing.lexical import identifiers

_ASKS = re.compile(r"\b(?:how|what|which|where|when|why|who)\b", re.I)
_MOST = 4
"""Questions of one message; each takes as long as one by itself."""


def answer_questions_apart(
    gather: ModelStep, write: ModelStep, is_follow_up: Callable[[str], bool]
) -> ModelStep:
    """A step that answers the questions of a message one by one, each with its own evidence.

    `gather` takes a question up to its evidence, `write` to its answer. A message with one
    question, or with one that depends on another (`is_follow_up`), goes on as it is, and so does
    one of which no question has an answer. A question that has none is named.
    """

    async def answer(turn: Turn) -> Turn:
        questions = _questions(turn)
        if (
            any(is_follow_up(q) and not identifiers(q) for q in questions)
            or not 1 < len(questions) <= _MOST
            or len(turn.resolution.releases) != 1
        ):
            return turn
        bare = replace(turn.resolution, mentions=())
        asked = (replace(turn, question=question, resolved=bare) for question in questions)
        sides = [await write(side) for side in await together(map(gather, asked))]
        answers = [
            (f"“{as_words(side.question)}”" if side.answer.abstained else "", side.answer)
            for side in sides
            if side.answer is not None
        ]
        if all(answer.abstained for _, answer in answers):
            return turn
        return replace(
            sides[-1],
            question=turn.question,
            resolved=turn.resolved,
            retrieved=tuple(chunk for side in sides for chunk in side.retrieved),
            selected=tuple(chunk for side in sides for chunk in side.selected),
            calls=tuple(call for side in sides for call in side.calls),
            answer=joined(answers),
        )

    return answer


def _questions(turn: Turn) -> Sequence[str]:
    """The questions of a message without its release; none where one does not stand alone."""
    product = turn.resolution.product or ""
    questions = [question for question, _ in questions_of(turn)]
    alone = (_ASKS.search(q) and topic_of(q, product) for q in questions)
    return questions if all(alone) else ()

"""One question to several products, each with a release of its own: an answer for each."""

from dataclasses import replace
from itertools import chain

from chatbot.comparison.sides import own_questions, with_sides
from chatbot.comparison.topic import question_to_one
from chatbot.comparison.wording import joined
from chatbot.releases.resolution import Resolution, cut
from chatbot.runtime.concurrency import in_thread
from chatbot.text.languages import gettext
from chatbot.turn import Answer, ModelStep, Turn
from corpora.parameters.releases import OpenParameters


def answer_products_apart(answer_one: ModelStep, open_parameters: OpenParameters) -> ModelStep:
    """A step that asks each product of a question by itself, and puts the answers together.

    `answer_one` takes the question to one product, whose releases are known, to its answer. What
    is cited bears the name of its product.
    """

    async def answer(turn: Turn) -> Turn:
        parts = turn.resolution.apart
        if not parts:
            return turn
        asked = await in_thread(_questions, turn, open_parameters)
        sides = [await answer_one(side) for side in asked]
        told = [
            (f"**{' '.join(side.target if len(part.releases) == 1 else side.target[:1])}:**", of)
            for part, side, of in zip(parts, sides, map(_cited, sides), strict=True)
        ]
        each = [own for side in sides for own in (side.sides or (side,))]
        # What a comparison within a product took is its own, and none of its sides'.
        return replace(
            with_sides(turn, each, joined(told)),
            calls=(*turn.calls, *chain.from_iterable(side.calls for side in sides)),
            fallbacks=(*turn.fallbacks, *chain.from_iterable(side.fallbacks for side in sides)),
        )

    return answer


def _questions(turn: Turn, open_parameters: OpenParameters) -> list[Turn]:
    """The question to each product: its own where the message has several, else the same."""
    own = own_questions(turn, open_parameters)
    bare = cut(turn.question, turn.resolution.mentions)

    def to(part: Resolution) -> Turn:
        product = part.product or ""
        asked = own.get(f"{product} {part.releases[0]}") if len(part.releases) == 1 else bare
        return replace(
            turn,
            product=product,
            release=None,
            question=asked or question_to_one(bare, product, follows=bool(turn.history)),
            resolved=replace(part, mentions=()),
            calls=(),
            fallbacks=(),
            timings={},
        )

    return [to(part) for part in turn.resolution.apart]


def _cited(side: Turn) -> Answer:
    answer, product = side.answer, side.target[0]
    if answer is None:
        return Answer(gettext("nothing found."), abstained=True)
    citations = tuple(replace(c, product=product) for c in answer.citations)
    return replace(answer, citations=citations)

"""What is asked: a question within its limits, with the conversation that stands before it."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversations.conversations import KeptTurn, release_spoken_of
from chatbot.errors import BadQuestion
from chatbot.text.languages import figure, gettext
from chatbot.turn import TURNS_BEFORE, Turn
from chatbot.understanding.clarification import asked_back
from prompts.fencing import visible


def checked_question(question: str, limit: int) -> str:
    """A question on one line, of at most `limit` characters. Raises BadQuestion."""
    question = _bounded(gettext("the question"), question, limit)
    if not question:
        raise BadQuestion(gettext("the question is empty: type one"))
    return question


def checked_history(history: Sequence[tuple[str, str]], limit: int) -> tuple[tuple[str, str], ...]:
    """The (question, reply) before it, each question of at most `limit`. Raises BadQuestion."""
    size = sum(len(user) + len(reply) for user, reply in history)
    most = TURNS_BEFORE * limit
    if size > most or len(history) > TURNS_BEFORE:
        raise BadQuestion(
            "the conversation before it has {number:,} turns of {size:,} characters, the "
            "limit is {turns_before} of {most:,}: send its last turns only",
            number=len(history),
            size=size,
            turns_before=TURNS_BEFORE,
            most=most,
        )
    # What was too long to be asked is refused, not cut: its end may name the release.
    return tuple(
        (_bounded(f"question {n} of the conversation before it", user, limit), visible(reply))
        for n, (user, reply) in enumerate(history, 1)
    )


def continued(turn: Turn, kept: Sequence[KeptTurn], instead_of: int | None) -> Turn:
    """The turn with what was said in its conversation before it, or before `instead_of`."""
    earlier = [t for t in kept if instead_of is None or t.id < instead_of]
    spoken_of = release_spoken_of(t.reply for t in earlier)
    earlier = earlier[-TURNS_BEFORE:]
    return replace(
        turn,
        history=tuple((" ".join(t.question.split()), t.reply.answer) for t in earlier),
        asked_back=frozenset(
            i for i, t in enumerate(earlier) if asked_back(t.reply.route, t.reply.release_status)
        ),
        conversation_release=spoken_of,
    )


def _bounded(what: str, text: str, limit: int) -> str:
    text = " ".join(visible(text).split())
    if len(text) > limit:
        raise BadQuestion(
            gettext(
                "{what} has {number} characters, the limit is {limit}: shorten it",
                what=what,
                number=figure(len(text)),
                limit=figure(limit),
            )
        )
    return text

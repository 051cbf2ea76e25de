"""What is streamed while a question is answered: in how many pieces, and when."""

import asyncio
import threading

from chatbot.runtime.events import Event, StepFinished, StepStarted, Token
from ui.api.streaming import Following

STEPS = (StepStarted("context_retrieval"), StepFinished("context_retrieval"))


def test_the_first_words_come_in_one_piece_with_the_steps_before_them() -> None:
    async def pieces() -> list[tuple[Event, ...]]:
        came: asyncio.Queue[Event | None] = asyncio.Queue()
        for event in (*STEPS, Token("The "), Token("default "), Token("is"), *STEPS, None):
            came.put_nowait(event)
        running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        return [piece async for piece in Following(running, came, threading.Event()).events()]

    assert asyncio.run(pieces()) == [(*STEPS, Token("The ")), (Token("default is"), *STEPS)]

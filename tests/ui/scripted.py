"""Chat models that do on purpose what a real one does now and then."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from chatbot.errors import GeneratorError


class Endless(FakeListChatModel):
    """Writes one word after the other until it is stopped."""

    responses: list[str] = []

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for _ in range(3000):
            await asyncio.sleep(0.01)
            yield ChatGenerationChunk(message=AIMessageChunk(content="word "))


class Dead(Endless):
    """Fails as a model does whose process has died; answers when it is `revived`."""

    error: Exception = GeneratorError("the model does not answer: run `strata models pull`")

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        raise self.error
        yield

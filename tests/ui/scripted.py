"""Chat models that do on purpose what a real one does now and then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from chatbot.models.errors import GeneratorError


class Endless(FakeListChatModel):
    """Writes one word after the other until it is stopped."""

    responses: list[str] = []

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for _ in range(3000):
            time.sleep(0.01)
            chunk = ChatGenerationChunk(message=AIMessageChunk(content="word "))
            if run_manager:
                run_manager.on_llm_new_token("word ", chunk=chunk)
            yield chunk


class Dead(Endless):
    """Fails as a model does whose process has died; answers when it is `revived`."""

    error: Exception = GeneratorError("the model does not answer: run `strata models pull`")

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        raise self.error
        yield

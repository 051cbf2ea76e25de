"""A language model whose replies are kept, so that the same question need not be computed twice.

Variants of an experiment ask the model mostly the same. What was answered once is told again at
once, and the seconds that it took then are counted, so that a latency can still be reported.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from chatbot.models.streaming import Chunks, StreamingChatModel


class RecordedChatModel(StreamingChatModel):
    """Asks `inner` what was not asked before and keeps the reply in the JSONL file `tape`.

    The same messages with the same options get the same reply. `saved` are the seconds that all
    replies told again took when they were computed.
    """

    inner: BaseChatModel
    tape: Path

    _kept: dict[str, dict[str, Any]] = PrivateAttr(default_factory=dict)
    _saved: float = PrivateAttr(0.0)

    def model_post_init(self, _: Any) -> None:
        """Read what was kept."""
        if self.tape.is_file():
            lines = self.tape.read_text("utf-8").splitlines()
            self._kept = {row["key"]: row for row in map(json.loads, lines)}

    @property
    def _llm_type(self) -> str:
        return "recorded"

    @property
    def saved(self) -> float:
        """Seconds that were not spent again."""
        return self._saved

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        key = _key(messages, stop, options)
        if (kept := self._kept.get(key)) is not None:
            self._saved += kept["seconds"]
            yield ChatGenerationChunk(message=AIMessageChunk(**kept["message"]))
            return
        started = time.perf_counter()
        reply = AIMessageChunk(content="")
        async for chunk in self.inner.astream(messages, stop=stop, **options):
            reply += chunk
            yield ChatGenerationChunk(message=chunk)
        message = reply.model_dump(
            include={"content", "response_metadata", "usage_metadata"}, mode="json"
        )
        row = {"key": key, "seconds": time.perf_counter() - started, "message": message}
        self._kept[key] = row
        await asyncio.to_thread(self._append, row)

    def _append(self, row: dict[str, Any]) -> None:
        with self.tape.open("a", encoding="utf-8") as tape:
            tape.write(json.dumps(row, ensure_ascii=False) + "\n")


def _key(messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]) -> str:
    asked = [[(m.type, m.text) for m in messages], stop, sorted(options.items())]
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()

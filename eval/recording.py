"""A model's replies kept by their prompts, so that questions can be asked again without it."""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from chatbot.errors import GeneratorError
from chatbot.models.streaming import Chunks, StreamingChatModel, chunk_of
from chatbot.runtime.model_calls import STEP
from eval.gold import GoldError, Line
from eval.records import append_record, cut_torn_line, read_records

_REPLAYED: ContextVar[dict[str, float] | None] = ContextVar("replayed", default=None)


class PromptChanged(GeneratorError):
    """Nothing is recorded of this prompt, and there is no model to ask."""


class Recorded(Line):
    """What a model replied to the prompt of this hash, with what it told of its first token.

    It is not `whole` while it is written, which stays so where its reader leaves. It took the model
    so many `seconds`.
    """

    prompt: str
    reply: str
    logprobs: tuple[dict[str, Any], ...] = ()
    tokens: tuple[int, int] = (0, 0)
    whole: bool = True
    seconds: float = 0.0


@contextmanager
def replayed() -> Iterator[dict[str, float]]:
    """Within it the seconds that replies of a recording had taken are added up, by step."""
    seconds: dict[str, float] = defaultdict(float)
    token = _REPLAYED.set(seconds)
    try:
        yield seconds
    finally:
        _REPLAYED.reset(token)


class RecordedChatModel(StreamingChatModel):
    """Replies as `file` has it; to other prompts `model` does, and its reply is added to `file`.

    Without a model such a prompt raises PromptChanged, and is counted in `changed`. Each `take` has
    replies of its own, so that a repeat asks anew.
    """

    file: Path
    model: BaseChatModel | None = None
    take: int = 0
    replies: dict[str, Recorded] = Field(default_factory=dict)

    _changed: int = PrivateAttr(default=0)
    _lock: Any = PrivateAttr(default_factory=Lock)

    @property
    def _llm_type(self) -> str:
        return "recorded"

    @property
    def changed(self) -> int:
        """How many prompts were not those that are recorded."""
        return self._changed

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        take = {"take": self.take} if self.take else {}
        prompt = _hash(messages, {**options, **take, "stop": stop})
        kept = self.replies.get(prompt)
        if kept and (kept.whole or self.model is None):
            if (waited := _REPLAYED.get()) is not None:
                waited[STEP.get()] += kept.seconds
            yield chunk_of(kept.reply, logprobs=kept.logprobs, tokens=kept.tokens)
            if kept.whole:
                return
        if self.model is None:
            self._changed += 1
            raise PromptChanged(f"{self.file} has no reply to “{messages[-1].text[-200:]}”")
        started = time.perf_counter()
        reply = AIMessageChunk(content="")
        stream = cast("Any", self.model.astream(messages, stop=stop, **options))
        async with aclosing(stream) as pieces:
            async for piece in pieces:
                begins, reply = not reply.content, reply + piece
                if begins and reply.content:
                    self._keep(prompt, reply, started, whole=False)
                yield ChatGenerationChunk(message=piece)
        self._keep(prompt, reply, started, whole=True)

    def _keep(self, prompt: str, reply: AIMessageChunk, started: float, *, whole: bool) -> None:
        used = reply.usage_metadata
        row = Recorded(
            prompt=prompt,
            reply=str(reply.content),
            logprobs=(reply.response_metadata.get("logprobs") or {}).get("content", [])[:1],
            tokens=(used["input_tokens"], used["output_tokens"]) if used else (0, 0),
            whole=whole,
            seconds=round(time.perf_counter() - started, 4),
        )
        with self._lock:
            self.replies[prompt] = row
            append_record(self.file, row)


def recorded(file: Path, model: BaseChatModel | None = None, *, take: int = 0) -> RecordedChatModel:
    """The model of a recording; raises GoldError where there is neither that nor a `model`."""
    if model is None and not file.exists():
        raise GoldError(f"cannot read {file}: there is no such recording, and no model to ask")
    if model is not None:
        cut_torn_line(file)
    rows = read_records(file, Recorded)
    replies = {row.prompt: row for row in rows}
    return RecordedChatModel(file=file, model=model, take=take, replies=replies)


def _hash(messages: Sequence[BaseMessage], options: dict[str, Any]) -> str:
    written = [[message.type, message.text] for message in messages]
    key = json.dumps([written, options], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(key.encode()).hexdigest()[:24]

"""A model whose replies are written beforehand, for tests and demonstrations."""

from __future__ import annotations

import asyncio
import math
import re
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from chatbot.models.errors import GeneratorError
from chatbot.models.streaming import Chunks, StreamingChatModel


class Rule(BaseModel):
    """What to reply when the last message has `contains` in it and `matches` (a regex) somewhere.

    With `error` the call fails with that message instead. `probabilities` are those of words to
    come first, told where log-probabilities are asked for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    contains: str = ""
    matches: str = ""
    reply: str = ""
    error: str | None = None
    probabilities: Mapping[str, float] = Field(default_factory=dict)

    @field_validator("matches")
    @classmethod
    def _is_regex(cls, matches: str) -> str:
        try:
            re.compile(matches)
        except re.error as error:
            raise ValueError(f"no regular expression ({error})") from None
        return matches

    def fits(self, message: str) -> bool:
        """Whether this rule is about the message."""
        return self.contains in message and re.search(self.matches, message) is not None


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that was made: (kind, text) of its messages in order, and the options with it."""

    messages: tuple[tuple[str, str], ...]
    options: dict[str, Any]


class ScriptedChatModel(StreamingChatModel):
    """Reply by the first rule that fits the last message, else the next of `replies`, else this.

    A reply that is an exception is raised. Replies are streamed word by word, `delay` seconds
    before each; tokens are words. max_tokens and stop are taken note of and not obeyed. Raises
    GeneratorError where the script has no reply.
    """

    rules: Sequence[Rule] = ()
    replies: Sequence[str | Exception] = ()
    otherwise: str | None = None
    delay: float = Field(0.0, ge=0)

    _left: deque[str | Exception] = PrivateAttr()
    _calls: list[Asked] = PrivateAttr(default_factory=list)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    def model_post_init(self, _: Any) -> None:
        """Make ready for calls."""
        self._left = deque(self.replies)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def calls(self) -> tuple[Asked, ...]:
        """All calls until now, in the order in which they came."""
        with self._lock:
            return tuple(self._calls)

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        asked = Asked(
            tuple((message.type, message.text) for message in messages),
            {**options, "stop": stop} if stop else options,
        )
        reply, probabilities = self._reply(asked)
        if isinstance(reply, Exception):
            raise reply
        words = re.findall(r"\s*\S+|\s+$", reply)
        for number, word in enumerate(words):
            await asyncio.sleep(self.delay)
            metadata = {}
            if options.get("logprobs") and not number and probabilities:
                metadata["logprobs"] = {"content": [_first_token(word, probabilities)]}
            message = AIMessageChunk(content=word, response_metadata=metadata)
            yield ChatGenerationChunk(message=message)
        read = sum(len(text.split()) for _, text in asked.messages)
        usage = UsageMetadata(
            input_tokens=read, output_tokens=len(words), total_tokens=read + len(words)
        )
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))

    def _reply(self, asked: Asked) -> tuple[str | Exception, Mapping[str, float]]:
        last = asked.messages[-1][1]
        with self._lock:
            self._calls.append(asked)
            for rule in self.rules:
                if rule.fits(last):
                    failure = None if rule.error is None else GeneratorError(rule.error)
                    return failure or rule.reply, rule.probabilities
            if self._left:
                return self._left.popleft(), {}
        if self.otherwise is None:
            raise GeneratorError(f"the script has no reply to “{last[-200:]}”: add a rule for it")
        return self.otherwise, {}


def _first_token(word: str, probabilities: Mapping[str, float]) -> dict[str, Any]:
    likely = [
        {"token": other, "logprob": math.log(p)} for other, p in probabilities.items() if p > 0
    ]
    own = next((token["logprob"] for token in likely if token["token"] == word.strip()), 0.0)
    return {"token": word, "logprob": own, "top_logprobs": likely}


class _Script(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rules: tuple[Rule, ...] = ()
    replies: tuple[str, ...] = ()
    otherwise: str | None = None
    delay: float = Field(0.0, ge=0)


def read_script(path: Path) -> ScriptedChatModel:
    """The model of a JSON file: an object with `rules`, `replies`, `otherwise` and `delay`.

    Raises GeneratorError.
    """
    try:
        script = _Script.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GeneratorError(f"the script {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise GeneratorError(f"the script {path} is wrong at {place}: {first['msg']}") from error
    return ScriptedChatModel(
        rules=script.rules, replies=script.replies, otherwise=script.otherwise, delay=script.delay
    )

"""A model whose replies are written beforehand, for tests and demonstrations."""

import asyncio
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from chatbot.errors import GeneratorError
from chatbot.models.streaming import Chunks, StreamingChatModel, chunk_of
from chatbot.runtime.model_calls import STEP
from ingestion.objections import first_objection


class Rule(BaseModel):
    """The reply to a message of `step` that has `contains` in it and `matches` a regex."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: str = ""
    contains: str = ""
    matches: re.Pattern[str] = re.compile("")
    reply: str = ""
    error: str | None = None
    probabilities: Mapping[str, float] = {}

    def fits(self, step: str, message: str) -> bool:
        """Whether this rule is about the message of the step."""
        if self.step not in {"", step} or self.contains not in message:
            return False
        return self.matches.search(message) is not None


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call that was made: (kind, text) of its messages in order, and the options with it.

    `pictures` are the addresses of those that were parts of the messages.
    """

    messages: tuple[tuple[str, str], ...]
    options: dict[str, Any]
    pictures: tuple[str, ...] = ()


class ScriptedChatModel(StreamingChatModel):
    """Reply word by word, by the first rule that fits, the next of `replies`, or `otherwise`.

    Any other name is a step, whose rules, or replies that always fit, go before all others:
    `{"context_reduction": [{"contains": "XF-1", "reply": "…"}, "…"]}`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    rules: Sequence[Rule] = ()
    replies: Sequence[str | Exception] = ()
    otherwise: str | None = None
    delay: float = Field(0.0, ge=0)

    _left: Iterator[str | Exception] = PrivateAttr()
    _calls: list[RecordedCall] = PrivateAttr(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _by_step(cls, given: dict[str, Any]) -> dict[str, Any]:
        own = {name: given[name] for name in given.keys() & cls.model_fields.keys()}
        of_steps = [
            {"step": step, **({"reply": rule} if isinstance(rule, str) else rule)}
            for step in given.keys() - own.keys()
            for rule in given[step]
        ]
        return {**own, "rules": [*of_steps, *own.get("rules", ())]}

    def model_post_init(self, _: Any) -> None:
        """Begin with the first reply."""
        self._left = iter(self.replies)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """All calls until now, in the order in which they came."""
        return tuple(self._calls)

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        step = STEP.get()
        received = RecordedCall(
            tuple((message.type, message.text) for message in messages),
            {**options, "stop": stop} if stop else options,
            tuple(picture for message in messages for picture in _pictures(message)),
        )
        self._calls.append(received)
        last = received.messages[-1][1]
        rule = next((rule for rule in self.rules if rule.fits(step, last)), None)
        if rule and rule.error is not None:
            raise GeneratorError(rule.error)
        reply = rule.reply if rule else next(self._left, self.otherwise)
        if isinstance(reply, Exception):
            raise reply
        if reply is None:
            raise GeneratorError(
                f"the script has no reply to “{last[-200:]}”: add a rule for it"
                + (f" to the step {step}" if step else "")
            )
        words = re.findall(r"\s*\S+|\s+$", reply)
        for number, word in enumerate(words):
            await asyncio.sleep(self.delay)
            has_probabilities = (
                rule and rule.probabilities and options.get("logprobs") and not number
            )
            logprobs = (
                [_first_token(word, rule.probabilities)] if rule and has_probabilities else []
            )
            yield chunk_of(word, logprobs=logprobs)
        read = sum(len(text.split()) for _, text in received.messages)
        yield chunk_of("", tokens=(read, len(words)))


def _pictures(message: BaseMessage) -> Iterator[str]:
    parts = message.content if isinstance(message.content, list) else []
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "image_url":
            yield part["image_url"]["url"]


def _first_token(word: str, probabilities: Mapping[str, float]) -> dict[str, Any]:
    likely = [
        {"token": other, "logprob": math.log(p)} for other, p in probabilities.items() if p > 0
    ]
    return {"token": word, "logprob": 0.0, "top_logprobs": likely}


def read_script(path: Path) -> ScriptedChatModel:
    """The model of a JSON file, by its fields; raises GeneratorError."""
    try:
        return ScriptedChatModel.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GeneratorError(f"the script {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise GeneratorError(f"the script {path} is wrong: {first_objection(error)}") from error

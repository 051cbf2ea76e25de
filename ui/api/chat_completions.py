"""The OpenAI-compatible interface: `/v1/models` and `/v1/chat/completions`.

A product and release is a model, `strata/PRODUCT@RELEASE`; without a release the question's own
words decide, or the latest. Citations are annotations of the message, at the places of their marks.
"""

import json
import re
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from chatbot.assembly import BadQuestion
from chatbot.turn import Citation
from ingestion.errors import StrataError
from ui.api.callers import Caller
from ui.api.dependencies import Asking, Searching, Serving
from ui.api.following import Work, answered, reply_of
from ui.api.forms import AskIn, AskOut, Text
from ui.api.service import NotThere, Service

router = APIRouter()
"""The routes."""

OWNER = "strata"
_MARK = re.compile(r"\[(\d+)\]")
_WORDS = re.compile(r"\S+\s*|\s+")


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: Text = ""


class Message(BaseModel):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | tuple[Part, ...] | None = None

    @property
    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, tuple):
            return " ".join(part.text for part in self.content if part.text)
        return self.content or ""


class Completion(BaseModel):
    """The request; parameters of a bare language model (temperature, tools …) are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: Text
    messages: tuple[Message, ...] = Field(min_length=1, max_length=200)
    stream: bool = False
    stream_options: dict[str, Any] | None = None


@router.get("/models")
def models(service: Serving, caller: Searching) -> dict[str, Any]:
    """Every product, and every release of it, as a model."""
    return {"object": "list", "data": [_model(name) for name in _names(service, caller)]}


@router.get("/models/{name:path}")
def model(service: Serving, caller: Searching, name: str) -> dict[str, Any]:
    """One of them."""
    if name not in _names(service, caller):
        raise NotThere(f"There is no model {name}: GET /v1/models lists them.")
    return _model(name)


@router.post("/chat/completions")
async def complete(service: Serving, caller: Asking, wanted: Completion, request: Request) -> Any:
    """Answer the last message; streamed once it is checked."""
    work = partial(service.ask, caller, _question(wanted))
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": wanted.model}
    base = str(request.base_url)
    if wanted.stream:
        usage = bool((wanted.stream_options or {}).get("include_usage"))
        return EventSourceResponse(_stream(work, head, base, usage=usage))
    reply = await answered(work, request)
    annotations = _annotations(reply, base)
    message = {"role": "assistant", "content": reply.answer, "refusal": None}
    return {
        **head,
        "object": "chat.completion",
        "choices": [_choice("stop", message={**message, "annotations": annotations})],
        "usage": _usage(reply),
        "strata": _beside(reply),
    }


def _names(service: Service, caller: Caller) -> list[str]:
    return [
        name
        for product in service.products(caller)
        for name in (
            f"{OWNER}/{product.name}",
            *(f"{OWNER}/{product.name}@{release.name}" for release in product.releases),
        )
    ]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER}


def _question(wanted: Completion) -> AskIn:
    """The last message of the user as the question, what was said before as its history."""
    owner, _, product = wanted.model.partition("/")
    if owner != OWNER:
        raise NotThere(f"There is no model {wanted.model}: GET /v1/models lists them.")
    product, _, release = product.partition("@")
    *before, last = wanted.messages
    if last.role != "user":
        raise BadQuestion("the last message is not the user's")
    history: list[tuple[str, str]] = []
    for message in before:
        if message.role == "user":
            history.append((message.text, ""))
        elif message.role == "assistant" and history:
            asked, reply = history[-1]
            history[-1] = (asked, f"{reply}\n\n{message.text}".strip())
    return AskIn(
        question=last.text,
        product=product or None,
        release=release or None,
        history=tuple(pair for pair in history if pair[1])[-50:],
    )


def _annotations(reply: AskOut, base: str) -> list[dict[str, Any]]:
    """The citations at their marks, as `url_citation`; the address is that of the page's text."""
    cited = dict(enumerate(reply.citations, 1))
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": mark.start(),
                "end_index": mark.end(),
                "title": _title(c),
                "url": f"{base}api/v1/pages/{c.page_id}",
            },
        }
        for mark in _MARK.finditer(reply.answer)
        if (c := cited.get(int(mark[1])))
    ]


def _title(citation: Citation) -> str:
    place = f"{citation.document}, {citation.release}, page {citation.page}"
    return f"{place}: {citation.section}" if citation.section else place


def _usage(reply: AskOut) -> dict[str, int]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }


def _beside(reply: AskOut) -> dict[str, Any]:
    """What the protocol has no field for: product, release and its status, the citations."""
    kept = {"product", "release", "release_status", "abstained", "citations"}
    kept |= {"warnings", "outside"}
    return reply.model_dump(mode="json", include=kept)


def _choice(finish: str | None, **said: Any) -> dict[str, Any]:
    return {"index": 0, **said, "finish_reason": finish, "logprobs": None}


async def _stream(
    work: Work, head: dict[str, Any], base: str, *, usage: bool
) -> AsyncIterator[dict[str, str]]:
    """Chunks of the checked answer: words that were sent cannot be taken back."""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, str]:
        return _data({**head, "choices": [_choice(finish, delta=delta)], **more})

    head = {**head, "object": "chat.completion.chunk"}
    yield chunk({"role": "assistant", "content": ""})
    try:
        reply = await reply_of(work)
        for words in _WORDS.findall(reply.answer):
            yield chunk({"content": words})
        yield chunk({"annotations": _annotations(reply, base)}, "stop", strata=_beside(reply))
        if usage:
            yield _data({**head, "choices": [], "usage": _usage(reply)})
    except StrataError as error:
        yield _data({"error": {"message": str(error), "type": type(error).__name__}})
    yield {"data": "[DONE]"}


def _data(value: dict[str, Any]) -> dict[str, str]:
    return {"data": json.dumps(value, ensure_ascii=False)}

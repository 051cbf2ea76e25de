"""The OpenAI-compatible interface: `/v1/models` and `/v1/chat/completions`.

A product and release is a model, `strata/PRODUCT@RELEASE`; without a release the question's own
words decide, or the latest. Citations are annotations of the message, at the places of their marks.
"""

import re
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from sse_starlette import EventSourceResponse
from sse_starlette import JSONServerSentEvent as Event

from chatbot.errors import BadQuestion
from chatbot.settings import Settings
from corpora.catalog.catalog import LONGEST_NAME
from ui.api.forms import AskIn, AskOut, Text
from ui.api.service import Asking, NotThere, Searching
from ui.api.streaming import Following, failure, follow

router = APIRouter()
"""The routes."""

OWNER = "strata"
_MARK = re.compile(r"\[(\d{1,9})\]")
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

    model: Annotated[Text, Field(max_length=3 * LONGEST_NAME)]
    messages: tuple[Message, ...] = Field(min_length=1, max_length=200)
    stream: bool = False
    stream_options: dict[str, Any] | None = None


@router.get("/models")
def models(service: Searching) -> dict[str, Any]:
    """Every product, and every release of it, as a model."""
    names = []
    for product in service.products():
        name = f"{OWNER}/{product.name}"
        names += [name, *(f"{name}@{release.name}" for release in product.releases)]
    listed = [{"id": n, "object": "model", "created": 0, "owned_by": OWNER} for n in names]
    return {"object": "list", "data": listed}


@router.get("/models/{name:path}")
def model(service: Searching, name: str) -> dict[str, Any]:
    """One of them."""
    for model in models(service)["data"]:
        if model["id"] == name:
            return dict(model)
    raise _unknown(name)


@router.post("/chat/completions")
async def complete(service: Asking, wanted: Completion, request: Request) -> Any:
    """Answer the last message; streamed once it is checked."""
    following = follow(service, partial(service.ask, _question(wanted)))
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": wanted.model}
    # A Host header is what a program wrote; without sign-in the gate lets only this machine's pass.
    base = service.chatbot.settings.public_url or str(request.base_url).rstrip("/")
    if wanted.stream:
        usage = bool((wanted.stream_options or {}).get("include_usage"))
        settings = service.chatbot.settings
        return EventSourceResponse(_stream(following, head, base, settings, usage=usage))
    reply = await following.reply(request)
    message = {"role": "assistant", "content": reply.answer, "refusal": None}
    annotations = _annotations(reply, base)
    return {
        **head,
        "object": "chat.completion",
        "choices": [_choice("stop", message={**message, "annotations": annotations})],
        "usage": _usage(reply),
        "strata": _beside(reply),
    }


def _unknown(model: str) -> NotThere:
    return NotThere(f"There is no model {model}: GET /v1/models lists them.")


def _question(wanted: Completion) -> AskIn:
    """The last message of the user as the question, with the earlier ones as its history."""
    owner, _, product = wanted.model.partition("/")
    if owner != OWNER:
        raise _unknown(wanted.model)
    product, _, release = product.partition("@")
    if max(len(product), len(release)) > LONGEST_NAME:
        raise _unknown(wanted.model)
    *before, last = wanted.messages
    if last.role != "user":
        raise BadQuestion("the last message is not the user's")
    history: list[tuple[str, str]] = []
    for message in before:
        if message.role == "user":
            history.append((message.text, ""))
        elif message.role == "assistant" and history:
            question, reply = history[-1]
            history[-1] = (question, f"{reply}\n\n{message.text}".strip())
    return AskIn(
        question=last.text,
        product=product or None,
        release=release or None,
        history=tuple(pair for pair in history if pair[1])[-50:],
    )


def _annotations(reply: AskOut, base: str) -> list[dict[str, Any]]:
    """The citations at their marks, as `url_citation`; the address is that of the page's text."""
    annotations = []
    cited = dict(enumerate(reply.citations, 1))
    for mark in _MARK.finditer(reply.answer):
        if c := cited.get(int(mark[1])):
            place = f"{c.document}, {c.release}, page {c.page}"
            citation = {
                "start_index": mark.start(),
                "end_index": mark.end(),
                "title": f"{place}: {c.section}" if c.section else place,
                "url": f"{base}/api/v1/pages/{c.page_id}",
            }
            annotations.append({"type": "url_citation", "url_citation": citation})
    return annotations


def _usage(reply: AskOut) -> dict[str, int]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }


def _beside(reply: AskOut) -> dict[str, Any]:
    """The fields beside those of the protocol: product, release and its status, the citations."""
    kept = {"product", "release", "release_status", "abstained", "citations"}
    kept |= {"warnings", "outside"}
    return reply.model_dump(mode="json", include=kept)


def _choice(finish: str | None, **fields: Any) -> dict[str, Any]:
    return {"index": 0, **fields, "finish_reason": finish, "logprobs": None}


async def _stream(
    following: Following[AskOut],
    head: dict[str, Any],
    base: str,
    settings: Settings,
    *,
    usage: bool,
) -> AsyncIterator[Any]:
    """Chunks of the checked answer: words that were sent cannot be taken back."""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> Event:
        return Event({**head, "choices": [_choice(finish, delta=delta)], **more})

    head = {**head, "object": "chat.completion.chunk"}
    yield chunk({"role": "assistant", "content": ""})
    try:
        reply = await following.reply()
        for words in _WORDS.findall(reply.answer):
            yield chunk({"content": words})
        yield chunk({"annotations": _annotations(reply, base)}, "stop", strata=_beside(reply))
        if usage:
            yield Event({**head, "choices": [], "usage": _usage(reply)})
    except Exception as error:  # noqa: BLE001 - the HTTP status was sent with the first chunk
        yield Event({"error": failure(error, settings)})
    yield {"data": "[DONE]"}

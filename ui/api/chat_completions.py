"""The OpenAI-compatible interface: `/v1/models` and `/v1/chat/completions`.

A product and release is a model, `strata/PRODUCT@RELEASE`; without a release the question's own
words decide, or the latest. Citations are annotations of the message, at the places of their marks.
"""

import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Request
from pydantic import Field
from sse_starlette import ServerSentEvent

from chatbot.chatbot import Chatbot
from chatbot.errors import BadQuestion
from chatbot.settings import Settings
from corpora.catalog.catalog import LONGEST_NAME
from ui.api import forms
from ui.api.client_prompts import question_of, reply_to_task
from ui.api.forms import AskIn, AskOut, Text
from ui.api.service import Asking, NotThere, Searching
from ui.api.streaming import failure, follow, last_event, sent_event, sent_events

router = APIRouter()
"""The routes."""

OWNER = "strata"
_MOST_MESSAGES = 1_000
"""The last messages of a conversation that are looked at."""
_MARK = re.compile(r"\[(\d{1,9})\]")
Answering = Callable[..., Awaitable[AskOut]]
"""Makes the reply; may take the request, which who hangs up takes back."""
_WORDS = re.compile(r"\S+\s*|\s+")


class Part(forms.Sent, extra="ignore"):
    """A part of a message; only text is read."""

    text: Text = ""


class Message(forms.Sent, extra="ignore"):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | tuple[Part, ...] = ""

    @property
    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, tuple):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content


class StreamOptions(forms.Sent, extra="ignore"):
    """What a stream holds beside the answer."""

    include_usage: bool = False


class ResponseFormat(forms.Sent, extra="ignore"):
    """An answer is text; JSON of a schema would not be the documentation's words."""

    type: Literal["text"]


class Completion(forms.Sent, extra="ignore"):
    """The request; what only sets a bare language model (temperature, tools …) is left aside."""

    model: Annotated[Text, Field(max_length=3 * LONGEST_NAME)]
    messages: tuple[Message, ...] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    n: Annotated[int, Field(ge=1, le=1)] = 1
    response_format: ResponseFormat | None = None
    tool_choice: Literal["auto", "none"] = "auto"


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
    """Answer the user's last message; streamed once it is checked."""
    asked = _question(wanted, service.chatbot)
    system = "\n".join(message.text for message in wanted.messages if message.role == "system")
    if (told := reply_to_task(asked.question, asked.product or "", system)) is not None:
        reply_of = _at_once(AskOut(answer=told))
    else:
        asked.question = question_of(asked.question)
        reply_of = follow(service, partial(service.ask, asked)).reply
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": wanted.model}
    # A Host header is what a program wrote; without sign-in the gate lets only this machine's pass.
    base = service.chatbot.settings.public_url or str(request.base_url).rstrip("/")
    if wanted.stream:
        usage = wanted.stream_options.include_usage
        settings = service.chatbot.settings
        return sent_events(_stream(reply_of, head, base, settings, usage=usage))
    reply = await reply_of(request)
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


def _at_once(reply: AskOut) -> Answering:
    async def reply_of(request: Request | None = None) -> AskOut:
        return reply

    return reply_of


def _question(wanted: Completion, chatbot: Chatbot) -> AskIn:
    """The user's last message as the question, with what was said before it as its history.

    What others say behind it, an agent's tools or a client, is no question.
    """
    owner, _, product = wanted.model.partition("/")
    if owner != OWNER:
        raise _unknown(wanted.model)
    product, _, release = product.partition("@")
    if max(len(product), len(release)) > LONGEST_NAME:
        raise _unknown(wanted.model)
    said: list[tuple[str, str]] = []
    for message in wanted.messages[-_MOST_MESSAGES:]:
        if message.role == "user" and message.text:
            said.append((message.text, ""))
        elif message.role == "assistant" and said:
            question, reply = said[-1]
            said[-1] = (question, f"{reply}\n\n{message.text}".strip())
    if not said:
        raise BadQuestion("no user message has text: send the question as one")
    *before, (question, _) = said
    # What was too long had no answer, and stays in what a client sends.
    longest = chatbot.settings.question_limit
    before = [(user, reply) for user, reply in before if reply or len(user) <= longest]
    return AskIn(
        question=question,
        product=product,
        release=release,
        history=chatbot.last_turns(before),
    )


def _annotations(reply: AskOut, base: str) -> list[dict[str, Any]]:
    """The citations at their marks, as `url_citation`, with the original's address or the page's.

    Each says in `strata.still_true` how its words stand in the other releases.
    """
    annotations = []
    cited = dict(enumerate(reply.citations, 1))
    stands: dict[int, dict[str, str]] = {}
    for release in reply.still_true.releases if reply.still_true else ():
        for citation_there in release.citations:
            of_citation = stands.setdefault(citation_there.number, {})
            of_citation[release.release] = citation_there.verdict
    for mark in _MARK.finditer(reply.answer):
        if c := cited.get(int(mark[1])):
            place = f"{c.document}, {c.source}, page {c.page}"
            citation = {
                "start_index": mark.start(),
                "end_index": mark.end(),
                "title": f"{place}: {c.section}" if c.section else place,
                "url": c.url or f"{base}/api/v1/pages/{c.page_id}",
            }
            annotation = {"type": "url_citation", "url_citation": citation}
            # Beside the protocol's own fields, whose readers may be strict.
            annotations.append(
                annotation | {"strata": {"still_true": stands.get(int(mark[1]), {})}}
            )
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
    kept |= {"warnings", "outside", "still_true"}
    return reply.model_dump(mode="json", include=kept)


def _choice(finish: str | None, **fields: Any) -> dict[str, Any]:
    return {"index": 0, **fields, "finish_reason": finish, "logprobs": None}


async def _stream(
    reply_of: Answering,
    head: dict[str, Any],
    base: str,
    settings: Settings,
    *,
    usage: bool,
) -> AsyncIterator[ServerSentEvent]:
    """Chunks of the checked answer: words that were sent cannot be taken back."""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> ServerSentEvent:
        return sent_event({**head, "choices": [_choice(finish, delta=delta)], **more})

    head = {**head, "object": "chat.completion.chunk"}
    yield chunk({"role": "assistant", "content": ""})
    try:
        reply = await reply_of()
        for words in _WORDS.findall(reply.answer):
            yield chunk({"content": words})
        yield chunk({"annotations": _annotations(reply, base)}, "stop", strata=_beside(reply))
        if usage:
            yield sent_event({**head, "choices": [], "usage": _usage(reply)})
    except Exception as error:  # noqa: BLE001 - the HTTP status was sent with the first chunk
        yield sent_event({"error": failure(error, settings)})
    yield last_event("[DONE]")

"""REST: `/api/v1`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from sse_starlette import EventSourceResponse

from chatbot.accounts.program_keys import Scope
from chatbot.runtime.events import Event, StepFinished, StepStarted, Token, Waiting
from corpora.documents.uploads import UploadedFile, UploadError
from ingestion.errors import StrataError
from ui.api.dependencies import Calling, Serving
from ui.api.following import answered, following
from ui.api.forms import (
    AskIn,
    AskOut,
    ConversationOut,
    FeedbackIn,
    JobOut,
    PageOut,
    ProductOut,
    SearchIn,
    SearchOut,
    TurnOut,
)

_MOST_FILES = 5_000
_ASKED_AS_JSON_OR_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The reply; with `stream` the events `waiting`, `step`, `found`, `words` "
        "(as the model writes them, before they are checked) and at last `reply` or `error`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_FILES = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                        }
                    },
                }
            }
        },
    }
}


router = APIRouter()
"""The routes."""


@router.get("/products")
def products(service: Serving, caller: Calling) -> tuple[ProductOut, ...]:
    """Products and releases."""
    return service.products(caller)


@router.post(
    "/ask",
    response_model=AskOut,
    responses=_ASKED_AS_JSON_OR_EVENTS,
)
async def ask(service: Serving, caller: Calling, asked: AskIn, request: Request) -> Any:
    """Ask a question."""

    def work(listener: Callable[[Event], None], stopped: Callable[[], bool]) -> AskOut:
        return service.ask(caller, asked, listener, stopped)

    caller.require(Scope.ASK)
    if asked.stream:
        return EventSourceResponse(_events(work))
    return await answered(work, request)


@router.post("/search")
def search(service: Serving, caller: Calling, wanted: SearchIn) -> SearchOut:
    """Find passages, without an answer."""
    return service.search(caller, wanted)


@router.get("/pages/{page}")
def page(service: Serving, caller: Calling, page: int, quote: str = "") -> PageOut:
    """A page, with the places of a quotation."""
    return service.page(caller, page, quote)


async def _events(work: Any) -> AsyncIterator[dict[str, str]]:
    try:
        async for event in following(work):
            yield _told(event)
    except StrataError as error:
        # The status was sent with the first event.
        yield _event("error", {"message": str(error), "type": type(error).__name__})


def _told(event: Event | AskOut) -> dict[str, str]:
    match event:
        case Waiting(place):
            return _event("waiting", {"place": place})
        case StepStarted(step):
            return _event("step", {"step": step})
        case StepFinished(step, found):
            return _event("found", {"step": step, "found": found})
        case Token(text):
            return _event("words", {"text": text})
        case AskOut():
            return _event("reply", event.model_dump(mode="json"))


def _event(name: str, data: dict[str, Any]) -> dict[str, str]:
    return {"event": name, "data": json.dumps(data, ensure_ascii=False)}


@router.get("/conversations")
def conversations(
    service: Serving, caller: Calling, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> tuple[ConversationOut, ...]:
    """The caller's conversations."""
    caller.require(Scope.ASK)
    recent = service.chatbot.conversations.of(caller.person.id).recent(limit)
    return tuple(ConversationOut.model_validate(c, from_attributes=True) for c in recent)


@router.get("/conversations/{conversation}")
def turns(service: Serving, caller: Calling, conversation: str) -> tuple[TurnOut, ...]:
    """The questions of one, with replies."""
    caller.require(Scope.ASK)
    kept = service.chatbot.conversations.of(caller.person.id).turns(conversation)
    return tuple(TurnOut.model_validate(turn, from_attributes=True) for turn in kept)


@router.delete("/conversations/{conversation}", status_code=204)
def delete(service: Serving, caller: Calling, conversation: str) -> Response:
    """Delete one."""
    caller.require(Scope.ASK)
    service.chatbot.conversations.of(caller.person.id).delete(conversation)
    return Response(status_code=204)


@router.put("/turns/{turn}/feedback", status_code=204)
def rate(service: Serving, caller: Calling, turn: int, given: FeedbackIn) -> Response:
    """Rate a reply."""
    caller.require(Scope.ASK)
    feedback = service.chatbot.feedback(caller.person.id)
    feedback.give(turn, given.thumbs, given.reason, given.comment)
    return Response(status_code=204)


@router.post(
    "/jobs",
    status_code=202,
    openapi_extra=_FILES,
)
async def upload(
    service: Serving,
    caller: Calling,
    product: str,
    release: str,
    request: Request,
    anyway: bool = False,
) -> JobOut:
    """Upload files to a release (form field `files`)."""
    # Looked at before the body is read: nobody fills the disk without being let in.
    caller.require(Scope.INGEST)
    _require_small(request, service.chatbot.settings.largest_upload * 1_000_000)
    async with request.form(max_files=_MOST_FILES, max_fields=1) as form:
        files = []
        for part in form.getlist("files"):
            if isinstance(part, str):
                raise UploadError("Send each file as a file of the form field “files”.")
            content = await part.read()
            files.append(UploadedFile(part.filename or "", content, len(content)))
        return await to_thread.run_sync(
            lambda: service.upload(caller, product, release, files, anyway=anyway)
        )


@router.get("/jobs")
def jobs(service: Serving, caller: Calling) -> tuple[JobOut, ...]:
    """The last jobs."""
    return service.jobs(caller)


@router.get("/jobs/{job}")
def job(service: Serving, caller: Calling, job: int) -> JobOut:
    """How far a job is."""
    return service.job(caller, job)


@router.delete("/jobs/{job}")
def cancel(service: Serving, caller: Calling, job: int) -> JobOut:
    """Stop a job."""
    return service.cancel(caller, job)


def _require_small(request: Request, largest: int) -> None:
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise UploadError("Say how long the upload is (Content-Length).")
    if int(length) > largest:
        raise UploadError(f"The upload is larger than {largest // 1_000_000:,} MB: split it.")

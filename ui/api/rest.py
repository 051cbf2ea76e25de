"""REST: `/api/v1`."""

from collections.abc import AsyncIterator
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from sse_starlette import ServerSentEvent

from chatbot.chain.reply import remembered_pair
from chatbot.comparison.still_true import StillTrue
from chatbot.conversations.conversations import KeptTurn
from chatbot.runtime.events import Event, Offered, StepFinished, StepStarted, Token, Waiting
from chatbot.settings import Settings
from corpora.database.history_tables import ConversationRow
from corpora.documents.upload_checks import Weight, accepted, by_problem, check, left_out
from corpora.errors import UploadError
from corpora.jobs.jobs import Job
from ingestion.pictures import media_type
from ui.api import forms
from ui.api.service import (
    Asking,
    Ingesting,
    Operating,
    Searching,
    Service,
    opened,
    service_of,
)
from ui.api.streaming import Following, failure, follow, sent_event, sent_events, sent_together
from ui.api.uploading import uploaded_files

_AS_A_PICTURE = {
    "X-Content-Type-Options": "nosniff",
    # It is named by what it holds.
    "Cache-Control": "private, max-age=86400",
}
_EVENTS = {
    Waiting: "waiting",
    StepStarted: "step",
    StepFinished: "found",
    Token: "words",
    Offered: "offers",
}
_ASKED_AS_JSON_OR_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The reply; with `stream` the events `waiting`, `step`, `found`, `offers` "
        "(saved questions that may ask the same), `words` (as the model writes them, before they "
        "are checked) and at last `reply` or `error`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}
_FORM = {"schema": {"type": "object", "required": ["files"], "properties": {"files": _FILES}}}
UPLOAD = {"requestBody": {"required": True, "content": {"multipart/form-data": _FORM}}}


async def all_known(request: Request) -> None:
    """Refuse a query parameter that the route does not have; who has no key hears that first."""
    known = {field.alias for field in request.scope["route"].dependant.query_params}
    if unknown := request.query_params.keys() - known:
        await to_thread.run_sync(lambda: service_of(request, opened(request)))
        unknown_ones = [{"type": "extra_forbidden", "loc": ("query", name)} for name in unknown]
        raise RequestValidationError(unknown_ones)


router = APIRouter(dependencies=[Depends(all_known)])
"""The routes."""


@router.get("/products")
def products(service: Searching) -> tuple[forms.ProductOut, ...]:
    """Products and releases."""
    return service.products()


@router.post("/ask", response_model=forms.AskOut, responses=_ASKED_AS_JSON_OR_EVENTS)
async def ask(service: Asking, body: forms.AskIn, request: Request) -> Any:
    """Ask a question."""
    following = follow(service, partial(service.ask, body))
    if body.stream:
        return sent_events(_events(following, service))
    return await following.reply(request)


@router.post("/search")
async def search(service: Searching, wanted: forms.SearchIn, request: Request) -> forms.SearchOut:
    """Find passages, without an answer."""
    following = follow(service, lambda listener, stopped: service.search(wanted, stopped))
    return await following.reply(request)


@router.get("/pages/{page}")
def page(service: Searching, page: forms.RowId, quote: forms.Quote = "") -> forms.PageOut:
    """A page, with the places of a quotation."""
    return service.page(page, quote)


@router.get("/pages/{page}/figures/{picture}", response_class=Response)
def figure(service: Searching, page: forms.RowId, picture: forms.Digest) -> Response:
    """The picture of a figure of a page, as PNG or WebP."""
    data = service.figure(page, picture)
    return Response(data, media_type=media_type(data), headers=_AS_A_PICTURE)


@router.get("/changes")
async def changes(
    service: Searching,
    product: forms.Name,
    older: forms.Name,
    newer: forms.Name,
    request: Request,
) -> forms.ChangesOut:
    """The parameters that are new, changed and gone from one release to another."""
    following = follow(service, lambda listener, stopped: service.changes(product, older, newer))
    return await following.reply(request)


@router.post("/upgrade-guide")
async def upgrade_guide(
    service: Searching, wanted: forms.UpgradeIn, request: Request
) -> forms.UpgradeOut:
    """What has to be changed from one release to a later one, for what is used."""
    following = follow(service, lambda listener, stopped: service.upgrade_guide(wanted, stopped))
    return await following.reply(request)


@router.get("/release-gaps")
async def release_gaps(
    service: Operating, product: forms.Name, request: Request
) -> tuple[forms.ReleaseGapOut, ...]:
    """What a product's releases lost, announce undocumented, or contradict; for its admins."""
    following = follow(service, lambda listener, stopped: service.release_gaps(product, stopped))
    return await following.reply(request)


async def _events(
    following: Following[forms.AskOut], service: Service
) -> AsyncIterator[ServerSentEvent | bytes]:
    try:
        async for events in following.events():
            yield sent_together(_sent(event) for event in events if type(event) in _EVENTS)
        reply = await following.reply()
        yield sent_event(reply.model_dump(mode="json"), "reply")
    except Exception as error:  # noqa: BLE001 - the HTTP status was sent with the first event
        yield sent_event(failure(error, service.chatbot.settings), "error")


def _sent(event: Event) -> ServerSentEvent:
    data = _offers(event) if isinstance(event, Offered) else asdict(event)
    return sent_event(data, _EVENTS[type(event)])


def _offers(event: Offered) -> dict[str, Any]:
    pairs = map(remembered_pair, event.pairs)
    return {"offers": [pair.model_dump(mode="json") for pair in pairs]}


@router.get("/conversations", response_model=tuple[forms.Conversation, ...])
def conversations(
    service: Asking, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> tuple[ConversationRow, ...]:
    """The caller's conversations."""
    return service.chatbot.conversations.of(service.person.id).recent(limit)


@router.get("/conversations/{conversation}")
def turns(service: Asking, conversation: forms.Name) -> tuple[KeptTurn, ...]:
    """The questions of one, with replies."""
    return service.chatbot.conversations.of(service.person.id).turns(conversation)


@router.delete("/conversations/{conversation}", status_code=204)
def delete(service: Asking, conversation: forms.Name) -> None:
    """Delete one."""
    service.chatbot.conversations.of(service.person.id).delete(conversation)


@router.get("/turns/{turn}/still-true")
def still_true(service: Asking, turn: forms.RowId) -> StillTrue | None:
    """How the words that an answer cites stand in every release now."""
    return service.still_true(turn)


@router.put("/turns/{turn}/feedback", status_code=204)
def rate(service: Asking, turn: forms.RowId, given: forms.FeedbackIn) -> None:
    """Rate a reply."""
    feedback = service.chatbot.feedback(service.person.id)
    feedback.give(turn, given.thumbs, given.reason, given.comment)


@router.post("/jobs", status_code=202, response_model=forms.JobOut, openapi_extra=UPLOAD)
async def upload(
    service: Ingesting,
    product: forms.Name,
    release: forms.Name,
    request: Request,
    anyway: bool = False,
    language: str | None = None,
) -> Any:
    """Upload files to a release (form field `files`).

    With `anyway` what only asks for a second look is taken, and a file that cannot be is left out:
    the others are taken, and `files` of the job says why. A `language` (`de`) is that of all
    documents of the release from then on; empty: as its product's, else each tells its own.
    """
    # Checked before the body is read, so that nobody without a key can fill the disk.
    settings = service.chatbot.settings
    largest = require_length(request, settings)
    files = await uploaded_files(request)

    def order() -> dict[str, Any]:
        findings = check(files, product, release, service.chatbot.database, largest)
        taken = accepted(files, findings)
        against = [f for f in findings if f.blocking or f.weight is Weight.ASKS]
        if not taken or (against and not anyway):
            told = by_problem(against).items()
            reasons = "; ".join(f"{', '.join(of)}: {what}" if of else what for what, of in told)
            raise UploadError(f"Nothing was uploaded. {reasons}")
        ordered = service.administration.upload(
            product, release, taken, settings.data_dir, language, left_out(files, findings)
        )
        return _with_files(service, ordered)

    return await to_thread.run_sync(order)


def require_length(request: Request, settings: Settings) -> int:
    """The largest upload in bytes; raises UploadError for one that is larger, or of no length."""
    largest = settings.largest_upload * 1_000_000
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise UploadError("Say how long the upload is (Content-Length).")
    if int(length) > largest:
        raise UploadError(f"The upload is larger than {settings.largest_upload:,} MB: split it.")
    return largest


@router.get("/jobs", response_model=tuple[forms.JobOut, ...])
def jobs(service: Ingesting) -> tuple[Job, ...]:
    """The last jobs of the key's owner; all of them for an admin."""
    return service.jobs.recent(people=service.orders)


@router.get("/jobs/{job}", response_model=forms.JobOut)
def job(service: Ingesting, job: forms.RowId) -> Any:
    """How far a job is, and what became of its files."""
    return _with_files(service, job)


@router.delete("/jobs/{job}", response_model=forms.JobOut)
def cancel(service: Ingesting, job: forms.RowId) -> Any:
    """Stop a job."""
    service.cancel(job)
    return _with_files(service, job)


def _with_files(service: Service, job: int) -> dict[str, Any]:
    jobs = service.jobs
    return {**vars(jobs.get(job, service.orders)), "files": jobs.files(job)}

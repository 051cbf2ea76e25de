"""REST for admins, of products too: the sources that documentation is brought from."""

from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.exceptions import HTTPException

from chatbot.administration.sources import ListedSource, Sources, Trial
from corpora.sources.ordering import order_by_hook
from corpora.sources.schedules import NEVER
from ui.api import forms
from ui.api.rest import all_known
from ui.api.service import OfAll, Operating, Service, opened

router = APIRouter(prefix="/sources", dependencies=[Depends(all_known)])
"""The routes."""


class SourceIn(forms.Sent):
    """A source: its kind, and the options of that kind."""

    kind: forms.Name
    options: dict[str, Any]


class SourceToAdd(SourceIn):
    """A source of a product."""

    product: forms.Name
    schedule: str = Field(NEVER, max_length=100)


class Schedule(forms.Sent):
    """When a source is run by itself."""

    schedule: str = Field(max_length=100)


class SourceToTry(SourceIn):
    """A source to look at, in one of its releases."""

    release: forms.Name = ""


@router.get("")
def sources(service: Operating) -> tuple[ListedSource, ...]:
    """Every source, with what came of its last run."""
    return _sources(service).every()


@router.post("", status_code=201)
def add(service: OfAll, body: SourceToAdd) -> ListedSource:
    """Add a source; its first run is ordered apart."""
    return _sources(service).add(body.product, body.kind, body.options, body.schedule)


@router.post("/try")
def try_out(service: OfAll, body: SourceToTry) -> Trial:
    """Read up to ten pages of a source, and change nothing."""
    return _sources(service).try_out(body.kind, body.options, body.release)


@router.get("/{source}")
def source(service: Operating, source: forms.RowId) -> ListedSource:
    """One source: its options, its releases, and what its last run changed."""
    return _sources(service).show(source)


@router.post("/{source}/sync", status_code=202)
def sync(service: Operating, source: forms.RowId) -> dict[str, int]:
    """Order a run, and return its job."""
    return {"job": _sources(service).sync(source)}


@router.delete("/{source}")
def remove(
    service: OfAll, source: forms.RowId, documents: bool = False
) -> dict[str, tuple[int, ...]]:
    """Remove a source; with `documents` what it brought leaves by these jobs."""
    return {"jobs": _sources(service).remove(source, documents=documents)}


@router.put("/{source}/schedule")
def schedule(service: Operating, source: forms.RowId, body: Schedule) -> ListedSource:
    """Say when the worker runs a source by itself: never, hourly, daily, or cron in UTC."""
    return _sources(service).set_schedule(source, body.schedule)


@router.put("/{source}/hook")
def make_hook(service: Operating, source: forms.RowId) -> dict[str, str]:
    """Make a secret with which a webhook starts runs; it is shown once, and an earlier one ends."""
    return {"secret": _sources(service).make_hook(source)}


@router.delete("/{source}/hook", status_code=204)
def end_hook(service: Operating, source: forms.RowId) -> None:
    """Let no webhook start runs any more."""
    _sources(service).end_hook(source)


hooks = APIRouter()
"""The route that needs no key but the secret of a source."""


@hooks.post("/sources/{source}/hook", status_code=202)
async def run_by_hook(request: Request, source: forms.RowId) -> dict[str, str]:
    """Start a run, for who knows the secret of the source.

    As GitHub (X-Hub-Signature-256), GitLab (X-Gitlab-Token) and scripts (Authorization: Bearer)
    give it. What the body says does not matter; nothing is told about the source.
    """
    body = await request.body()
    headers = request.headers
    signature = headers.get("x-hub-signature-256", "")
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    given = signature or headers.get("x-gitlab-token", "") or bearer
    chatbot = opened(request)

    def order() -> bool:
        knows = order_by_hook(chatbot.database, source, body, given, signed=bool(signature))
        if not knows:
            chatbot.limits.wrong_hook()
        return knows

    if not await to_thread.run_sync(order):
        raise HTTPException(403, "The secret is wrong.")
    return {"status": "ordered"}


def _sources(service: Service) -> Sources:
    return Sources(service.administered.database, service.chatbot.settings, service.person)

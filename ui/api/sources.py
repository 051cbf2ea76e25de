"""REST for admins: the sources that documentation is brought from."""

from typing import Any

from fastapi import APIRouter, Depends

from chatbot.administration.sources import ListedSource, Sources, Trial
from ui.api import forms
from ui.api.rest import all_known
from ui.api.service import Operating, Service

router = APIRouter(prefix="/sources", dependencies=[Depends(all_known)])
"""The routes."""


class SourceIn(forms.Sent):
    """A source: its kind, and the options of that kind."""

    kind: forms.Name
    options: dict[str, Any]


class SourceToAdd(SourceIn):
    """A source of a product."""

    product: forms.Name


class SourceToTry(SourceIn):
    """A source to look at, in one of its releases."""

    release: forms.Name = ""


@router.get("")
def sources(service: Operating) -> tuple[ListedSource, ...]:
    """Every source, with what came of its last run."""
    return _sources(service).every()


@router.post("", status_code=201)
def add(service: Operating, body: SourceToAdd) -> ListedSource:
    """Add a source; its first run is ordered apart."""
    return _sources(service).add(body.product, body.kind, body.options)


@router.post("/try")
def try_out(service: Operating, body: SourceToTry) -> Trial:
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
    service: Operating, source: forms.RowId, documents: bool = False
) -> dict[str, tuple[int, ...]]:
    """Remove a source; with `documents` what it brought leaves by these jobs."""
    return {"jobs": _sources(service).remove(source, documents=documents)}


def _sources(service: Service) -> Sources:
    return Sources(service.chatbot.database, service.chatbot.settings, service.person)

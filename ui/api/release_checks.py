"""REST: accepted answers held against a release, and what waits to be published."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends

from chatbot.release_check.reports import (
    CheckReport,
    WaitingGeneration,
    read_report,
    waiting_generations,
)
from corpora.jobs.jobs import Job, Jobs
from ui.api import forms
from ui.api.rest import all_known
from ui.api.service import NotThere, Operating

router = APIRouter(dependencies=[Depends(all_known)])
"""The routes; all need the scope of an admin, which may be one of the product."""

_Generation = Annotated[forms.RowId | None, "only this one, which somebody has looked at"]


@router.get("/checks")
def report(service: Operating, product: forms.Name, release: forms.Name) -> CheckReport:
    """What became of accepted answers in the newest version of a release."""
    found = read_report(service.administered.database, product, release)
    if found is None:
        raise NotThere(f"{product} {release} has not been checked yet: order a check by POST.")
    return found


@router.post("/checks", status_code=202, response_model=forms.JobOut)
def check(service: Operating, product: forms.Name, release: forms.Name) -> Job:
    """Hold accepted answers against a release, as a job."""
    ordered = service.administration.check(product, release)
    return Jobs(service.administered.database).get(ordered)


@router.get("/waiting")
def waiting(service: Operating) -> tuple[WaitingGeneration, ...]:
    """What waits to be published."""
    return waiting_generations(service.administered.database)


@router.post("/waiting")
def publish(
    service: Operating,
    product: forms.Name,
    release: forms.Name,
    generation: _Generation = None,
) -> dict[str, Any]:
    """Let what waits of a release serve; with `generation` only that one."""
    data_dir = service.chatbot.settings.data_dir
    return {"consequences": service.administration.publish(product, release, data_dir, generation)}


@router.delete("/waiting", status_code=204)
def discard(
    service: Operating,
    product: forms.Name,
    release: forms.Name,
    generation: _Generation = None,
) -> None:
    """Throw away what waits of a release; with `generation` only that one."""
    data_dir = service.chatbot.settings.data_dir
    service.administration.discard(product, release, data_dir, generation)

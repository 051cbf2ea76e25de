"""REST: release packs made, fetched, and taken in."""

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse

from corpora.documents.uploads import kept_result
from corpora.errors import UploadError
from corpora.jobs.jobs import Job, Jobs
from ui.api import forms
from ui.api.rest import UPLOAD, all_known, require_length
from ui.api.service import Operating
from ui.api.uploading import received

router = APIRouter(dependencies=[Depends(all_known)])
"""The routes; all need the scope of an admin, which may be one of the product."""

_Trust = Annotated[str, "the fingerprint of a key whose packs are trusted from now on"]


@router.post("/packs", status_code=202, response_model=forms.JobOut)
def make(
    service: Operating, product: forms.Name, release: forms.Name, originals: bool = False
) -> Job:
    """Write a release into a signed file, as a job; with its original files if wanted."""
    ordered = service.administration.pack(product, release, originals=originals)
    return Jobs(service.administered.database).get(ordered)


@router.get("/packs/{job}", response_class=Response)
def fetch(service: Operating, job: forms.RowId) -> Response:
    """The file that a job made."""
    name, size, pieces = kept_result(service.administered.database, job)
    quoted = name.encode("ascii", "replace").decode().replace('"', "_")
    headers = {
        "Content-Disposition": f'attachment; filename="{quoted}"',
        "Content-Length": str(size),
    }
    return StreamingResponse(pieces, media_type="application/zip", headers=headers)


@router.put("/packs", status_code=202, response_model=forms.JobOut, openapi_extra=UPLOAD)
async def take(service: Operating, request: Request, trust: _Trust = "") -> Any:
    """Take a pack in (form field `files`), verified, as a job."""
    settings = service.chatbot.settings
    require_length(request, settings)
    async with received(request) as parts:
        if len(parts) != 1:
            raise UploadError("Send one release pack.")

        def order() -> Job:
            ordered = service.administration.unpack(parts[0].file, settings.data_dir, trust)
            return Jobs(service.administered.database).get(ordered)

        return await to_thread.run_sync(order)

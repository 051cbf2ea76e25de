"""The files of an upload form, under their names, in whichever way these are written."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import collapse_rfc2231_value
from typing import Any
from urllib.parse import unquote

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser

from corpora.documents.uploads import UploadedFile
from corpora.errors import UploadError
from ingestion.archives import encoding_of_names

_FIELD = "files"
_MOST_FILES = 5_000
_NAMED = re.compile(rb'filename="([^"]*)"', re.I)
_BEYOND_ASCII = re.compile("%[89a-f][0-9a-f]", re.I)


async def uploaded_files(request: Request) -> list[UploadedFile]:
    """The files of the form field `files`, in memory; raises what `received` raises."""
    async with received(request) as parts:
        return [UploadedFile(part.filename or "", await part.read()) for part in parts]


@asynccontextmanager
async def received(request: Request) -> AsyncIterator[list[UploadFile]]:
    """The files of the form field `files`, on the disk as long as the block goes on.

    Raises UploadError and HTTPException.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise UploadError(f"Send a form (multipart/form-data) with each file as “{_FIELD}”.")
    parser = _Parser(request.headers, request.stream(), max_files=_MOST_FILES, max_fields=1)
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise HTTPException(400, error.message) from error
    try:
        parts = []
        for field, part in form.multi_items():
            if field != _FIELD or isinstance(part, str):
                raise UploadError(
                    f"“{field}” is not a file: send each file in the form field “{_FIELD}”."
                )
            parts.append(part)
        yield parts
    finally:
        await form.close()


def file_name(disposition: bytes) -> str | None:
    """The name of a part's file, from its Content-Disposition; None where it is no file.

    `filename*` (RFC 5987, as .NET and older Python write it) goes before `filename`, which may be
    plain (UTF-8, or the letters of its sender's system), encoded words (RFC 2047) or
    percent-encoded (RFC 7578). Raises UploadError.
    """
    header = Message()
    # The words around a name, all ASCII, would hide what its few letters tell.
    named = b"\n".join(_NAMED.findall(disposition)) or disposition
    header["disposition"] = disposition.decode(encoding_of_names(named), "replace")
    given: list[tuple[str, Any]] = header.get_params([], "disposition")
    names = [value for name, value in given if name.lower() == "filename"]
    for name in names:
        if isinstance(name, tuple):
            charset, language, encoded = name
            return collapse_rfc2231_value((charset or "utf-8", language, encoded))
    return _plain(names[0]) if names else None


def _plain(name: str) -> str:
    try:
        if "=?" in name:
            return str(make_header(decode_header(name)))
        return unquote(name, errors="strict") if _BEYOND_ASCII.search(name) else name
    except UnicodeDecodeError:
        return name
    except (HeaderParseError, LookupError) as error:
        raise UploadError(
            f"{name!r}: its name is encoded in a way that cannot be read. Send it in UTF-8."
        ) from error


class _Parser(MultiPartParser):
    """Tells files by their names as `file_name` reads them."""

    def on_headers_finished(self) -> None:
        """Begin a file, or a field of text."""
        part = self._current_part
        disposition = part.content_disposition or b""
        if (name := file_name(disposition)) is None:
            super().on_headers_finished()
            return
        # The library reads no name but a plain one.
        part.content_disposition = disposition + b'; filename=""'
        super().on_headers_finished()
        if part.file is not None:
            part.file.filename = name

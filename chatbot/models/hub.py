"""Where a model of the Hugging Face Hub is taken from, and what it means when that fails."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import shorten

from chatbot.models.errors import GeneratorError
from chatbot.models.files import HubFile
from chatbot.models.sources import SourceError, UnreachableError

_HUB_PATIENCE = 5.0


def published(file: HubFile, hub: str) -> tuple[int, str]:
    """The size in bytes and the SHA-256 of a file, as the Hub at this address publishes them.

    Raises SourceError where there is no such file, and UnreachableError.
    """
    import httpx

    where = f"{file.file} of {file.repository}"
    try:
        answer = httpx.head(f"{hub}/{file.path}", timeout=_HUB_PATIENCE, follow_redirects=True)
    except httpx.HTTPError as error:
        raise UnreachableError(f"it cannot be reached ({error or type(error).__name__})") from error
    # The Hub itself says it; where it sends us for the bytes, nobody does.
    for one in (*answer.history, answer):
        sha256 = one.headers.get("x-linked-etag", "").strip('"')
        size = one.headers.get("x-linked-size", "")
        if re.fullmatch("[0-9a-f]{64}", sha256) and size.isdigit():
            return int(size), sha256
    if answer.status_code in (401, 403):
        raise SourceError(
            f"there is no {where}, or it is given only to those who sign in there: check the name, "
            "or download it yourself and set STRATA_GENERATOR to its path"
        )
    if answer.status_code == httpx.codes.NOT_FOUND:
        raise SourceError(f"there is no {where}: check both names")
    raise SourceError(f"it publishes no SHA-256 for {where} (answer {answer.status_code})")


def locate(name: str, offline: bool) -> tuple[str, bool]:
    """The folder or Hub id to load, and whether only files of this machine are to be used.

    Raises GeneratorError where `name` can only be a folder and there is no model in it.
    """
    import httpx
    from huggingface_hub import constants

    folder = Path(name).expanduser()
    if (folder / "config.json").is_file():
        return str(folder), True
    if folder.is_dir() or folder.is_absolute() or name.startswith((".", "~")):
        raise GeneratorError(f"no model at {folder}: it needs a config.json and weights beside it")
    if offline or constants.is_offline_mode():
        return name, True
    try:
        # The Hub's own client would try for minutes, even for files that are here.
        httpx.head(constants.ENDPOINT, timeout=_HUB_PATIENCE)
    except httpx.HTTPError:
        return name, True
    return name, False


def failed_loading(name: str, local: bool, error: Exception) -> str:
    """Say why a model could not be loaded, and what to do; `local` as `locate` said."""
    if out_of_memory(error):
        return f"{name} does not fit in memory: `nf4` takes least; else choose a smaller model"
    if "trust_remote_code" in str(error):
        return (
            f"{name} brings program code of its own, which is never run: choose a model of a kind "
            "that Transformers knows"
        )
    reason = shorten(str(error), 300, placeholder=" …")
    if isinstance(error, OSError) and local:
        return (
            f"{name} is not on this machine, and the Hub was not asked or does not answer: check "
            f"the network and the name, or name a folder that holds the model ({reason})"
        )
    return f"{name} could not be loaded: {reason}"


def out_of_memory(error: Exception) -> bool:
    """Whether a machine or a GPU has too little memory for what was tried."""
    signs = ("out of memory", "allocate memory", "not enough memory", "on the CPU or the disk")
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in signs)

"""The address of a Git repository: the three forms that are taken, everything else is refused."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from corpora.errors import SourceError
from ingestion.messages import message

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_OF_SCP = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>\[[^\]]+\]|[^/:\[\]]+):(?P<path>[^:].*)")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]|%(?:[01][0-9a-f]|7f)", re.I)
_FORMS = message(
    "Give https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH, or the absolute path of a "
    "repository on this machine."
)


@dataclass(frozen=True, slots=True)
class GitAddress:
    """An address that git may be given.

    `url` is without a user's name for https, and has never a password; `web` is where a host shows
    the repository in a browser, None for a folder; `host` is "" for a folder.
    """

    protocol: Literal["https", "ssh", "file"]
    url: str
    user: str = ""
    host: str = ""
    web: str | None = None


def git_address(given: str) -> GitAddress:
    """Read an address. Raises SourceError for one that is no place, but an option or a command."""
    shown = _without_password(given)
    if given.startswith("/"):
        return _folder(given)
    if given.startswith("-") or "::" in given.partition("[")[0] or _UNPRINTABLE.search(given):
        raise SourceError(
            "{shown!r} is not the address of a repository. {forms}", shown=shown, forms=_FORMS
        )
    if "://" not in given:
        return _of_scp(given)
    parts = urlsplit(given)
    if parts.scheme not in ("https", "ssh"):
        raise SourceError(
            "{shown} begins with {scheme}://, which is not encrypted or not known. {forms}",
            shown=shown,
            scheme=parts.scheme,
            forms=_FORMS,
        )
    if parts.password is not None:
        raise SourceError(
            "{shown} holds a password, which everybody would see who sees the source: put it "
            "into the setting source_tokens (STRATA_SOURCE_TOKENS), and name it as the "
            "source's token.",
            shown=shown,
        )
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise SourceError(
            "{shown} has no port that is a number. {forms}", shown=shown, forms=_FORMS
        ) from None
    host = parts.netloc.rpartition("@")[2].removesuffix(port)
    user = parts.username or ""
    _checked(host, user, parts.path, shown)
    if parts.query or parts.fragment:
        raise SourceError(
            "{shown} holds ? or #, which no address of a repository has. {forms}",
            shown=shown,
            forms=_FORMS,
        )
    web = f"https://{host}{port if parts.scheme == 'https' else ''}{_project(parts.path)}"
    if parts.scheme == "https":
        return GitAddress("https", f"https://{host}{port}{parts.path}", user, host, web)
    return GitAddress("ssh", given, user, host, web)


def _of_scp(given: str) -> GitAddress:
    found = _OF_SCP.fullmatch(given)
    if found is None:
        raise SourceError(
            "{given!r} is not the address of a repository. {forms}", given=given, forms=_FORMS
        )
    user, host, path = found["user"] or "", found["host"], found["path"]
    _checked(host, user, path, given)
    return GitAddress("ssh", given, user, host, f"https://{host}/{_project(path).lstrip('/')}")


def _folder(given: str) -> GitAddress:
    folder = Path(given)
    if "\n" in given or "\0" in given or ".." in folder.parts:
        raise SourceError(
            "{given!r} is not the plain path of a folder. {forms}", given=given, forms=_FORMS
        )
    if not folder.is_dir():
        raise SourceError(
            "{given} is not a folder on this machine: check the path, and that the share is "
            "mounted where the worker runs.",
            given=given,
        )
    _require_whole(folder)
    return GitAddress("file", str(folder))


def _require_whole(folder: Path) -> None:
    """Raise SourceError for a repository that has its objects from elsewhere: it may be any."""
    inside = os.path.realpath(folder)
    bare = [folder] if os.path.lexists(folder / "HEAD") else []
    for place in (folder / ".git", *bare):
        objects = place / "objects"
        parts = [place, objects, *objects.glob("*"), *objects.glob("pack/*")]
        outward = [p for p in parts if not Path(os.path.realpath(p)).is_relative_to(inside)]
        named = [objects / "info/alternates", objects / "info/http-alternates", place / "commondir"]
        # That is where git looks on if the folder itself turns out to be no repository.
        named.append(folder / "..git")
        outward += [file for file in named if os.path.lexists(file)]
        if place.is_file():
            outward.append(place)
        if outward:
            raise SourceError(
                "{folder} takes what it holds from elsewhere ({outward} leads out of it): "
                "give the path of the repository itself, or of a whole copy (git clone "
                "--mirror --no-local).",
                folder=folder,
                outward=outward[0].relative_to(folder),
            )


def _checked(host: str, user: str, path: str, shown: str) -> None:
    wrong = not _HOST.fullmatch(host) or (user and not _USER.fullmatch(user))
    if wrong or not path.strip("/") or path.startswith("-"):
        raise SourceError(
            "{shown!r} is not the address of a repository. {forms}", shown=shown, forms=_FORMS
        )


def _project(path: str) -> str:
    return path.rstrip("/").removesuffix(".git")


def _without_password(given: str) -> str:
    return re.sub(
        r"(?<=://)[^/@]*@", lambda user: f"{user[0].partition(':')[0].rstrip('@')}@", given
    )

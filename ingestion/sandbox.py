"""Parsing in a child process, so that a hostile or broken file can only harm that child."""

import json
import os
import resource
import signal
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Timer
from time import monotonic, process_time
from typing import Any, cast

from ingestion.confinement import confine
from ingestion.includes import MOST_READ, Included, with_included
from ingestion.loaders import added_loaders
from ingestion.messages import kept, message
from ingestion.messages import read as read_message
from ingestion.ocr import Ocr
from ingestion.page import (
    Document,
    NotDocumentation,
    NothingToRead,
    Picture,
    Rejected,
    UnreadableFile,
)
from ingestion.pictures import drawn_anew, media_type

_LONGEST = 1 << 26
"""Bytes of an answer."""
_Read = Callable[[str], bytes | None]
_LONGEST_PLACE = 200
"""Characters of a picture's place that the child gets to know."""
_OUT_OF_MEMORY = 77
_PATIENCE = 3
_START = (
    "import sys; sys.path[:] = sys.argv[2:];from ingestion.sandbox import serve; serve(sys.argv[1])"
)
_LIBRARIES = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/mime.types", "/proc/self")


@dataclass(eq=False)
class Sandbox:
    """One child that parses one file after another, and is replaced when it dies.

    `loader` names the function to call, as "module:function"; it takes the bytes and the file's
    name. `memory` bounds the child's address space in bytes, `seconds` its processor time for each
    file; by the clock it has three times that, since a busy machine is slow. The child sees no
    environment, can write to no file, and beside the loader's libraries reads none and reaches
    nobody, where the system has means for it (`ingestion.confinement`). One file is parsed at a
    time. `ocr` is handed to the loader.
    """

    loader: str = "ingestion.loaders:load"
    _: KW_ONLY
    memory: int
    seconds: float
    ocr: Ocr | None = None
    _child: tuple[subprocess.Popen[bytes], Connection] | None = field(default=None, init=False)
    _closed: bool = field(default=False, init=False)
    _busy: Lock = field(default_factory=Lock, init=False)

    def parse(self, data: bytes, file: str) -> Document | Rejected:
        """Return the document, or why there is none.

        A file on which a used child dies gets one more try in a fresh one: what earlier files
        left behind, in memory above all, may have been the cause.
        """
        answer: Document | Rejected = self._ask(Document, data, file, lambda name: None)
        return answer

    def picture(self, data: bytes, place: str) -> Picture | Rejected:
        """Return a picture drawn anew, or a rectangle of a PDF (`ingestion.figures`) as one."""
        return _picture(self._ask(_Drawn, data, place[:_LONGEST_PLACE], lambda name: None), data)

    def include(
        self, data: bytes, file: str, read: _Read, release: str = ""
    ) -> Included | Rejected:
        """Return a text with what it includes, for which `read` is asked here (`with_included`)."""
        answer: Included | Rejected = self._ask(Included, data, file, read, release)
        return answer

    def _ask(self, kind: type[Any], data: bytes, file: str, read: _Read, release: str = "") -> Any:
        with self._busy:
            used = self._child is not None
            answer = self._attempt(kind, data, file, read, release)
            if answer is None and used:
                answer = self._attempt(kind, data, file, read, release)
        return answer or Rejected(
            file, message("the parser crashed on it; it is damaged, or hostile")
        )

    def _attempt(self, kind: type[Any], data: bytes, file: str, read: _Read, release: str) -> Any:
        """Return what the child says; None if it died, and the file need not be the reason."""
        used = self._child is not None
        child, pipe = self._child = self._child or self._start()
        if self._closed:
            self._end()
            return Rejected(file, message("reading was stopped before it was parsed"))
        # Looked at first: whatever the alarm ends has taken its seconds.
        patience = self.seconds * _PATIENCE
        began = monotonic()
        alarm = Timer(patience, child.kill)
        alarm.daemon = True
        alarm.start()
        try:
            if not used:
                pipe.send((self.loader, self.ocr, self.memory, self.seconds))
            pipe.send((data, file, kind.__name__, release))
            for _ in range(MOST_READ + 1):
                answer = _answer(kind, pipe.recv_bytes(_LONGEST), file)
                if not isinstance(answer, _Wanted):
                    return answer
                pipe.send(read(answer.wanted))
            raise ValueError("it includes more files than allowed")
        except (OSError, EOFError, ValueError):
            late = monotonic() - began >= patience
            code = self._end()
        finally:
            alarm.cancel()
        if late or code == -signal.SIGXCPU:
            seconds = f"{self.seconds:g}"
            slow = message("parsing takes longer than {seconds} s; split it", seconds=seconds)
            return Rejected(file, slow)
        if code == _OUT_OF_MEMORY and not used:
            megabytes = self.memory >> 20
            return Rejected(
                file,
                message(
                    "parsing needs more than {megabytes:,} MB of memory; split it",
                    megabytes=megabytes,
                ),
            )
        return None

    def _start(self) -> tuple[subprocess.Popen[bytes], Connection]:
        ours, theirs = Pipe()
        with theirs:
            child = subprocess.Popen(
                [sys.executable, "-c", _START, str(theirs.fileno()), *sys.path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
                start_new_session=True,
                pass_fds=[theirs.fileno()],
            )
        return child, ours

    def close(self) -> None:
        """End the child; from another thread this also stops the parsing that goes on."""
        self._closed = True
        if (child := self._child) is not None:
            child[0].kill()
        with self._busy:
            self._end()

    def _end(self) -> int:
        if self._child is None:
            return 0
        child, pipe = self._child
        self._child = None
        child.kill()
        pipe.close()
        return child.wait()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file that a text includes, by its path."""

    wanted: str


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A picture that was drawn anew, in base64."""

    file: str
    data: str
    width: int
    height: int


def _drawn(data: bytes, file: str) -> _Drawn:
    drawn, width, height = drawn_anew(data, file)
    return _Drawn(file, b64encode(drawn).decode(), width, height)


def _picture(answer: _Drawn | Rejected, original: bytes) -> Picture | Rejected:
    """Return what is kept of a picture, if a child that may be taken over has drawn one."""
    if isinstance(answer, Rejected):
        return answer
    try:
        drawn = b64decode(answer.data, validate=True)
        media_type(drawn)
    except ValueError as error:
        return Rejected(answer.file, str(error))
    made = sha256(drawn).hexdigest(), answer.width, answer.height, sha256(original).hexdigest()
    return Picture(*made, data=drawn)


@cache
def _answers() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Document | Included | Rejected | _Wanted | _Drawn)


def _answer(kind: type[Any], payload: bytes, file: str) -> Any:
    """Read what a child says of a file, which is nothing but data whoever has taken it over."""
    answer = _answers().validate_json(payload)
    is_of_file = getattr(answer, "file", file) == file
    if not isinstance(answer, kind | Rejected | _Wanted) or not is_of_file:
        raise ValueError(f"no answer about {file}")
    if isinstance(answer, Rejected):
        return replace(answer, reason=read_message(answer.reason))
    if isinstance(answer, Document):
        return replace(answer, remarks=tuple(map(read_message, answer.remarks)))
    return answer


def _written(answer: Any) -> bytes:
    """Write an answer as JSON, which half of a character cannot stand in."""
    written = json.dumps(answer, ensure_ascii=False, separators=(",", ":"), default=_values)
    return written.encode("utf-8", "replace")


def _values(part: Any) -> dict[str, Any]:
    return {one.name: kept(getattr(part, one.name)) for one in fields(part)}


def loader_of(name: str, ocr: Ocr | None) -> Callable[[bytes, str], Document]:
    """Return the function that "module:function" names, told how to read scanned pages."""
    module, _, function = name.partition(":")
    load: Callable[..., Document] = getattr(import_module(module), function)
    return partial(load, ocr=ocr) if ocr else load


def serve(pipe: str) -> None:
    """Parse what comes in through a pipe until it is closed; the child's main function."""
    connection = Connection(int(pipe))
    loader, ocr, memory, seconds = connection.recv()
    for kind, bound in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(kind, (bound, bound))
    load = loader_of(loader, ocr)
    if loader == Sandbox.loader:
        # Now, since what a package lies in may be out of reach soon.
        added_loaders()

    def read(name: str) -> bytes | None:
        connection.send_bytes(_written(_Wanted(name)))
        return cast("bytes | None", connection.recv())

    confine(_needed(ocr))
    while True:
        try:
            data, file, kind, release = connection.recv()
            _allow(seconds)
            works: dict[str, Callable[..., Any]] = {
                Document.__name__: load,
                Included.__name__: partial(with_included, read=read, release=release),
                _Drawn.__name__: _drawn,
            }
            answer = _parsed(works[kind], data, file)
            if isinstance(answer, Rejected) and _is_full(memory):
                # A parser in C tells of it in words of its own.
                raise MemoryError
            written = _written(answer)
            if len(written) > _LONGEST:
                much = message("it has more text than {megabytes} MB", megabytes=_LONGEST >> 20)
                written = _written(Rejected(file, much))
            connection.send_bytes(written)
        except EOFError:
            return
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)


def _needed(ocr: Ocr | None) -> list[Path]:
    """Return where parsers and their libraries lie, and what else they read.

    Not what `sys.path` names beside them: a folder of settings and data may be among it.
    """
    packages = [path for path in map(Path, sys.path) if path.name.endswith("-packages")]
    prefixes = Path(sys.prefix), Path(sys.base_prefix)
    of_python = [prefix / name for prefix in prefixes for name in ("lib", "lib64")]
    data = [Path(ocr.data)] if ocr else []
    return [*packages, *of_python, *map(Path, _LIBRARIES), Path(__file__).parent, *data]


def _parsed(work: Callable[..., Any], data: bytes, file: str) -> Any:
    try:
        return work(data, file)
    except NothingToRead as error:
        passed_over = isinstance(error, NotDocumentation)
        return Rejected(file, str(error), expected=True, passed_over=passed_over)
    except UnreadableFile as error:
        return Rejected(file, str(error))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a parser raises concerns this file only
        return Rejected(file, _broken(error))


def _broken(error: Exception) -> str:
    kind = type(error).__name__
    return message("the parser failed on it ({kind}: {error})", kind=kind, error=error)


def _is_full(memory: int) -> bool:
    """Whether this process has come near its bound of so many bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmPeak"))
    return peak > 0.9 * memory


def _allow(seconds: float) -> None:
    """Grant this process so much more processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time() + seconds) + 1, hard))

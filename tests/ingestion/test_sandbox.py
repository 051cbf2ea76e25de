import os
import re
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingestion.page import Document, Rejected
from ingestion.sandbox import Sandbox

pytestmark = pytest.mark.slow

LOADER = """
    import os, resource, signal, time
    from pathlib import Path
    from ingestion.page import Document, DocumentKind, UnreadableFile

    seen = []

    def load(data, file):
        words = data.decode().split()
        if words[0] == "hang":
            while True:
                time.sleep(1)
        if words[0] == "spin":
            while True:
                pass
        if words[0] == "eat":
            return [bytearray(64 << 20) for _ in range(1000)]
        if words[0] == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        if words[0] == "tired" and seen:
            os._exit(1)
        seen.append(file)
        while words[0] == "burn" and time.process_time() < 1.1 * len(seen):
            pass
        if words[0] == "fail":
            raise KeyError("colspan")
        if words[0] == "refuse":
            raise UnreadableFile("locked with a password")
        if words[0] == "chatter":
            print("to standard output")
            os.write(1, b"straight to the pipe")
        if words[0] == "forge":
            return object()
        if words[0] == "write":
            try:
                Path(words[1]).write_text("escaped")
            except OSError:
                pass
        allowed = resource.getrlimit(resource.RLIMIT_CPU)[0]
        title = f"{os.getpid()} {allowed} {sorted(os.environ)}"
        return Document(file, title, DocumentKind.GUIDE, "0", ())
"""


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Sandbox]]:
    (tmp_path / "hostile_loader.py").write_text(textwrap.dedent(LOADER))
    monkeypatch.syspath_prepend(tmp_path)
    opened: list[Sandbox] = []

    def start(*, seconds: float = 30.0, memory: int = 1 << 30) -> Sandbox:
        opened.append(Sandbox("hostile_loader:load", seconds=seconds, memory=memory))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def _words(answer: Document | Rejected) -> list[str]:
    assert isinstance(answer, Document)
    return answer.title.split()


def _pid(answer: Document | Rejected) -> str:
    return _words(answer)[0]


def _reason(answer: Document | Rejected) -> str:
    assert isinstance(answer, Rejected)
    return answer.reason


def test_one_child_parses_many_files(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox()
    assert len({_pid(box.parse(b"fine", f"{i}.md")) for i in range(50)}) == 1
    assert _pid(box.parse(b"fine", "a.md")) != str(os.getpid())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"die", "crashed"),
        (b"eat", "more than 1,024 MB of memory"),
        (b"fail", "KeyError: 'colspan'"),
        (b"refuse", "^locked with a password$"),
        (b"forge", "crashed"),
    ],
)
def test_a_bad_file_is_reported_and_the_rest_go_on(
    sandbox: Callable[..., Sandbox], content: bytes, reason: str
) -> None:
    box = sandbox()
    assert isinstance(box.parse(b"fine", "before.md"), Document)
    answer = box.parse(content, "bad.md")
    assert isinstance(answer, Rejected)
    assert answer.file == "bad.md"
    assert re.search(reason, answer.reason)
    assert isinstance(box.parse(b"fine", "after.md"), Document)


@pytest.mark.parametrize("content", [b"hang", b"spin"])
def test_a_file_that_never_ends_is_stopped(sandbox: Callable[..., Sandbox], content: bytes) -> None:
    box = sandbox(seconds=1.0)
    began = time.monotonic()
    assert "longer than 1 s" in _reason(box.parse(content, "slow.md"))
    assert time.monotonic() - began < 10
    assert isinstance(box.parse(b"fine", "after.md"), Document)


def test_processor_time_is_granted_for_each_file_anew(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox()
    limits = [_words(box.parse(b"burn", f"{i}.md"))[1] for i in range(2)]
    assert int(limits[1]) > int(limits[0])


def test_a_crash_in_a_used_child_is_tried_again_in_a_fresh_one(
    sandbox: Callable[..., Sandbox],
) -> None:
    box = sandbox()
    used = _pid(box.parse(b"fine", "a.md"))
    assert _pid(box.parse(b"tired", "b.md")) != used


def test_what_a_parser_prints_does_not_disturb_the_answer(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox()
    assert isinstance(box.parse(b"chatter", "a.md"), Document)
    assert isinstance(box.parse(b"fine", "b.md"), Document)


def test_a_parser_can_write_nothing(sandbox: Callable[..., Sandbox], tmp_path: Path) -> None:
    target = tmp_path / "escaped.txt"
    assert isinstance(sandbox().parse(f"write {target}".encode(), "a.md"), Document)
    assert not target.exists() or target.read_text() == ""


def test_a_parser_sees_no_secrets(
    sandbox: Callable[..., Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_API_KEY", "secret")
    answer = sandbox().parse(b"fine", "a.md")
    assert isinstance(answer, Document)
    assert "STRATA_API_KEY" not in answer.title


def test_closing_stops_the_parsing_that_goes_on(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox(seconds=60.0)
    threading.Timer(1.0, box.close).start()
    began = time.monotonic()
    assert isinstance(box.parse(b"hang", "a.md"), Rejected)
    assert time.monotonic() - began < 20

"""A parser that a file has taken over: it runs what its file says, in the real child process."""

import json
import os
import re
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingestion.confinement import lacking
from ingestion.page import Document, Rejected
from ingestion.sandbox import Sandbox
from tests.ui.attacks.conftest import each

LOADER = """
    import os, sys

    def load(data, file):
        def answer(payload, length=None):
            header = (len(payload) if length is None else length).to_bytes(4, "big")
            os.write(int(sys.argv[1]), header + payload)

        exec(data, {"answer": answer, "os": os})
"""
GOOD = {"file": "a.md", "title": "A", "kind": "guide", "content_hash": "0", "pages": []}
PAGE = {"number": 1, "blocks": [{"kind": "paragraph", "text": "x"}]}


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "taken_over.py").write_text(textwrap.dedent(LOADER))
    monkeypatch.syspath_prepend(tmp_path / "code")
    with closing(Sandbox("taken_over:load", seconds=10, memory=1 << 30)) as opened:
        yield opened


def _pickled(place: str) -> bytes:
    """Call `eval` by the way of a dotted name, as a class of ingestion.page seems to be."""
    code = f"__import__('pathlib').Path({place!r}).write_text('')"
    words = ("ingestion.page", "dataclass.__builtins__.get", "eval", code)
    module, name, called, argument = (b"\x8c" + bytes([len(w)]) + w.encode() for w in words)
    return b"\x80\x04" + module + name + b"\x93" + called + b"\x85R" + argument + b"\x85R."


def test_an_answer_that_is_a_pickle_runs_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    answer = sandbox.parse(b"answer(%r)" % _pickled(str(mark)), "a.md")
    assert isinstance(answer, Rejected)
    assert not mark.exists()


ANSWERS = {
    "no-json": b"\x80\x04N.",
    "nothing": b"",
    "a-list": b"[1, 2]",
    "nested": b"[" * 100_000,
    "another-file": json.dumps(GOOD | {"file": "b.md"}).encode(),
    "half-a-document": json.dumps({"file": "a.md", "title": "A"}).encode(),
    "unknown-kind": json.dumps(GOOD | {"kind": "system"}).encode(),
    "blocks-that-are-none": json.dumps(GOOD | {"pages": [{"number": 1, "blocks": 5}]}).encode(),
    "text-that-is-none": json.dumps(
        GOOD | {"pages": [PAGE | {"blocks": [{"kind": "paragraph", "text": {"a": 1}}]}]}
    ).encode(),
    "half-a-character": json.dumps(GOOD | {"title": "\ud800"}).encode(),
}
FLOOD = """
import sys
while True:
    answer(b'{"wanted": "a.md"}')
    os.read(int(sys.argv[1]), 1000)
"""


def test_a_parser_that_asks_for_files_without_end_is_ended(sandbox: Sandbox) -> None:
    told = sandbox.parse(FLOOD.encode(), "a.md")
    assert isinstance(told, Rejected)
    assert "crashed" in told.reason


@each(ANSWERS)
def test_an_answer_that_is_no_document_is_not_taken(sandbox: Sandbox, case: bytes) -> None:
    answer = sandbox.parse(b"answer(%r)" % case, "a.md")
    assert isinstance(answer, Rejected)
    assert "crashed" in answer.reason


def test_an_answer_that_is_larger_than_any_document_is_not_received(sandbox: Sandbox) -> None:
    assert isinstance(sandbox.parse(b"answer(b'', (1 << 31) - 1)", "a.md"), Rejected)


def test_what_the_table_spoils_is_a_document_as_it_stands(sandbox: Sandbox) -> None:
    good: dict[str, Any] = GOOD | {"pages": [PAGE]}
    answer = sandbox.parse(b"answer(%r)" % json.dumps(good).encode(), "a.md")
    assert isinstance(answer, Document)
    assert answer.pages[0].text == "x"


CALL = """
def call(name, *arguments):
    import ctypes
    library = ctypes.CDLL(None, use_errno=True)
    if library[name](*arguments) < 0 and ctypes.get_errno() == 1:
        raise PermissionError

"""
FILES = {
    "read-data": "open(secret).read()",
    "list-data": "os.listdir(os.path.dirname(secret))",
    "read-users": "open('/etc/passwd').read()",
    "read-environment": "open(f'/proc/{os.getppid()}/environ').read()",
    "read-memory": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "read-settings": "open('pyproject.toml').read()",
    "by-its-root": "open('/proc/self/root' + secret).read()",
    "write": "open(secret, 'w')",
    "append": "open(secret, 'a')",
    "make": "os.mkdir(secret + '.d')",
    "remove": "os.unlink(secret)",
    "rename": "os.rename(secret, secret + '.x')",
    "link": "os.link(secret, secret + '.x')",
    "code": "open(__import__('ingestion').__file__, 'a')",
}
CALLS = {
    "tcp": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "udp": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "unix": "import socket; socket.socket(socket.AF_UNIX)",
    "netlink": "import socket; socket.socket(16, socket.SOCK_RAW)",
    "fork": "os.fork()",
    "program": "import subprocess; subprocess.run(['/usr/bin/true'])",
    "truncate": "os.truncate(secret, 0)",
    "mode": "os.chmod(secret, 0o666)",
    "limits": "import resource as r; r.setrlimit(r.RLIMIT_AS, (-1, -1))",
    "limits-of-others": "import resource as r; r.prlimit(os.getppid(), r.RLIMIT_CPU)",
    "pair": "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "marks": "os.setxattr(secret, 'user.mark', b'1')",
    "times": "os.utime(secret, (1, 1))",
    "memory-that-stays": f"{CALL}call('shmget', 0, 4096, 0o1600)",
    "messages-that-stay": f"{CALL}call('msgget', 0, 0o1600)",
    "namespace": f"{CALL}call('unshare', 0x10000000)",
    "watch": f"{CALL}call('inotify_add_watch', 0, b'/', 2)",
}
REACHED = {
    **{name: ("files", code) for name, code in FILES.items()},
    "signal": ("signals", "os.kill(os.getppid(), 0)"),
    **{name: ("sockets", code) for name, code in CALLS.items()},
}
"""What a system may lack to shut off (Landlock, Linux 6.12, seccomp), and what would need it."""


def _state(file: Path) -> tuple[str, int, int, int]:
    status = file.stat()
    return file.read_text(), status.st_mode, status.st_nlink, status.st_mtime_ns


@each(REACHED)
def test_a_parser_reaches_nothing(sandbox: Sandbox, tmp_path: Path, case: tuple[str, str]) -> None:
    door, code = case
    if door in lacking():
        pytest.skip(f"this system has nothing that shuts {door} off")
    secret = tmp_path / "data" / "strata.db"
    secret.parent.mkdir()
    secret.write_text("kept")
    before = _state(secret)
    answer = sandbox.parse(f"secret = {str(secret)!r}\n{code}".encode(), "a.md")
    assert isinstance(answer, Rejected)
    assert re.search(r"PermissionError|not allowed to raise", answer.reason), answer.reason
    assert _state(secret) == before
    assert [*secret.parent.iterdir()] == [secret]


LISTING = """
here = [f"/proc/self/fd/{number}" for number in range(4096)]
raise Exception(sorted({os.readlink(place) for place in here if os.path.lexists(place)}))
"""


def test_a_parser_has_its_pipe_and_no_other_open_file(sandbox: Sandbox, tmp_path: Path) -> None:
    with (tmp_path / "strata.db").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        answer = sandbox.parse(LISTING.encode(), "a.md")
    assert isinstance(answer, Rejected)
    opened = re.findall(r"'([^']+)'", answer.reason)
    assert opened[0] == "/dev/null"
    assert [name.partition(":")[0] for name in opened[1:]] == ["socket"]

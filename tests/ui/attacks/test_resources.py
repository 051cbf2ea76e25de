"""Whoever wants to use up the server: others are answered, and its memory stays within bounds."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from streamlit.testing.v1 import AppTest

from corpora.database.history_tables import OpenQuestionRow
from tests.ui.admin_pages import errors
from tests.ui.attacks.conftest import FILES, Server, each
from tests.ui.attacks.test_malformed import send
from tests.ui.conftest import Command, MakeChatbot
from tests.ui.pages import ask, open_page
from ui.serving import services

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
ROOM = 80
"""MB that the server may take more than before an attack."""
WORD, LONG = "x" * MEGABYTE, "x " * (MEGABYTE // 2)
BODIES: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "question": ("POST /api/v1/ask", {"question": LONG}, 422, "the limit is"),
    "question-of-one-word": ("POST /api/v1/ask", {"question": WORD}, 422, "limit"),
    "query": ("POST /api/v1/search", {"query": LONG}, 422, "the limit is"),
    "message": ("POST /v1/chat/completions",
                {"model": "strata/valve", "messages": [{"role": "user", "content": LONG}]},
                422, "the limit is"),
    "begun-with": ("POST /api/v1/ask", {"question": LONG, "conversation": "new"}, 422,
                   "the limit is"),
    "streamed": ("POST /api/v1/ask", {"question": LONG, "stream": True}, 200, "the limit is"),
    "history": ("POST /api/v1/ask", {"question": "and now?", "history": [[WORD, "y"]]}, 422,
                "send its last turns"),
    "history-of-numbers": ("POST /api/v1/ask",
                           {"question": "and?", "history": [["hold_time", "1," * 200_000]]}, 422,
                           "send its last turns"),
    "comment": ("PUT /api/v1/turns/1/feedback", {"thumbs": 1, "comment": LONG}, 422, "comment"),
    "body-of-5-mb": ("POST /api/v1/ask", {"question": WORD * 5}, 413, "2 MB"),
    "unread-fields": ("POST /api/v1/ask", {"question": "x", "more": WORD * 5}, 413, "MB"),
    "chat-of-5-mb": ("POST /v1/chat/completions", {"model": WORD * 5, "messages": []}, 413, "2 MB"),
    "mcp-of-5-mb": ("POST /mcp", {"jsonrpc": "2.0", "id": 1, "method": WORD * 5}, 413, ""),
}  # fmt: skip
"""The door, a body of a megabyte or more, the status and the words that come."""


@pytest.mark.database
@each(BODIES)
def test_a_large_body_is_refused_with_a_message(server: Server, case: Any) -> None:
    door, body, status, words = case
    method, path = door.split()
    with bounded(server):
        told = send(server, method, path, json.dumps(body))
    assert told.status_code == status, told.text[:300]
    assert words in told.text


@contextmanager
def bounded(server: Server) -> Iterator[None]:
    """Nothing inside may take much memory, nor keep others waiting."""
    before = server.memory
    yield
    assert server.is_well()
    assert server.memory - before < ROOM


def test_a_body_without_an_end_is_not_read_on(server: Server) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 500 * MEGABYTE:
            sent += MEGABYTE
            yield b"x" * MEGABYTE

    with bounded(server):
        try:
            # Nobody has to know its sender for it to be refused.
            told = httpx.post(f"{server.address}/api/v1/ask", content=endless(), timeout=30)
            assert told.status_code == 413
        except httpx.WriteError:
            pass


def part(name: str, content: bytes, *headers: str) -> bytes:
    disposition = f'Content-Disposition: form-data; name="files"; filename="{name}"'
    head = "\r\n".join(("--x", disposition, *headers))
    return head.encode() + b"\r\n\r\n" + content + b"\r\n"


_FIELD = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'
FORMS = {
    "parts-without-end": b"".join(part(f"{n}.md", b"x") for n in range(5_001)),
    "fields": (_FIELD + b"x\r\n") * 50,
    "field-of-5-mb": _FIELD.replace(b'"a"', b'"files"') + WORD.encode() * 5 + b"\r\n",
    "header-of-a-part": part("a.md", b"x", f"X-A: {WORD * 5}"),
    "headers-of-a-part": part("a.md", b"x", *(f"X-{n}: x" for n in range(10_000))),
    "part-cut-off": part("a.md", b"x")[:-2],
    "no-part": b"",
    "wrong-boundary": b"--y" + part("a.md", b"x")[3:],
    "name-of-1-mb": part("a" * MEGABYTE + ".md", b"x"),
}


@each(FORMS)
def test_a_form_without_bounds_is_refused(server: Server, case: bytes) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    path = "/api/v1/jobs?product=valve&release=9.9"
    with bounded(server):
        told = send(server, "POST", path, case + b"--x--\r\n", **kind)
    assert told.status_code in (400, 422), told.text[:300]
    assert told.json()["error"]["message"]


def half_a_request(server: Server) -> bytes:
    return f"GET /documents HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-A: ".encode()


def half_a_body(server: Server) -> bytes:
    head = f"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    return f"{head}Content-Length: 1000\r\n\r\n{{".encode()


def half_an_upload(server: Server) -> bytes:
    head = "POST /api/v1/jobs?product=valve&release=9.9 HTTP/1.1\r\n"
    head += f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.keys['ingest']}\r\n"
    head += "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n"
    return head.encode() + part("slow.md", b"x")


def a_page(server: Server) -> bytes:
    home = f"127.0.0.1:{server.port}"
    head = f"GET /_stcore/stream HTTP/1.1\r\nHost: {home}\r\nOrigin: http://{home}\r\n"
    head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    return f"{head}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()


OPEN: dict[str, tuple[Callable[[Server], bytes], int]] = {
    "sockets-that-say-nothing": (lambda server: b"", 1_000),
    "slow-headers": (half_a_request, 1_000),
    "slow-bodies": (half_a_body, 300),
    "slow-uploads": (half_an_upload, 100),
    # Of sessions of nobody that left, 128 are kept at most.
    "pages-of-nobody": (a_page, 300),
}


@pytest.mark.database
@each(OPEN)
def test_open_connections_keep_nobody_waiting(server: Server, case: Any) -> None:
    sends, number = case
    before = server.memory
    with ExitStack() as stack:
        for _ in range(number):
            place = ("127.0.0.1", server.port)
            opened = stack.enter_context(socket.create_connection(place, 20))
            opened.sendall(sends(server))
        assert number < FILES
        begun = time.monotonic()
        assert server.is_well()
        assert server.ask("GET", "/api/v1/products", server.keys["search"]) == 200
        assert time.monotonic() - begun < 10
        assert server.memory - before < ROOM
    assert server.is_well()


HEADS = {
    "headers": b"".join(b"X-%d: x\r\n" % n for n in range(10_000)),
    "one-header": b"X: " + WORD.encode() + b"\r\n",
    "cookies": b"Cookie: " + b"a=b; " * 20_000 + b"\r\n",
}


@each(HEADS)
def test_a_large_head_costs_little(server: Server, case: bytes) -> None:
    with bounded(server):
        told = server.raw(b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\n" + case + b"\r\n", seconds=2)
        assert told[:13] in (b"HTTP/1.1 401 ", b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")


WORDS = {
    "one-long-word": "x" * 4_000,
    "foreign-letters": "é" * 4_000,
    "name-of-many-parts": ".".join(["presure", "mountingg", "screww"] * 30),
    "numbers": "1," * 2_000,
    "brackets": "(" * 4_000,
    "stars": "*" * 4_000,
    "dots": "a.b-" * 1_000,
    "releases": "1.0 vs 2.0 and " * 260,
    "quotes": "“" * 4_000,
}
"""What is legal, and was made to take long."""


@each(WORDS)
def test_a_question_takes_seconds_whatever_it_is(valve: MakeChatbot, case: str) -> None:
    chatbot = valve(None)
    chatbot.ask("hold_time?", product="valve")
    begun = time.process_time()
    chatbot.ask(case, product="valve", history=[(case, "y")])
    assert time.process_time() - begun < 10


def test_a_question_of_1_mb_is_refused_on_the_page(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), LONG)
    assert "the limit is 4,000" in errors(page)
    conversation = page.query_params["conversation"]
    with services.whole().database.reading() as session:
        (text,) = session.scalars(
            select(OpenQuestionRow.text).where(OpenQuestionRow.conversation_id == conversation)
        )
    assert len(text) <= 100_000


def test_a_question_of_1_mb_is_refused_by_the_command_and_in_a_file(
    strata: Command, tmp_path: Path
) -> None:
    refused = strata("ask", LONG)
    assert refused.exit_code != 0
    assert "the limit is 4,000" in f"{refused.output} {refused.exception}"
    lines, written = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    asked = [{"id": "a", "question": LONG}, {"id": "b", "question": "hold_time in 2.0?"}]
    lines.write_text("".join(json.dumps(line) + "\n" for line in asked), "utf-8")
    strata("ask", "--batch", lines, "--output", written)
    first, second = map(json.loads, written.read_text("utf-8").splitlines())
    assert "the limit is 4,000" in str(first["error"])
    assert re.search("45", second["answer"])


@pytest.mark.parametrize("name", ["turn", "pair", "conversation"])
def test_an_address_that_no_row_has_opens_nothing(valve: MakeChatbot, name: str) -> None:
    valve(None)
    page = AppTest.from_file(str(Path("ui/app.py").resolve()), default_timeout=30)
    page.query_params[name] = "9" * 18
    assert not page.run().exception

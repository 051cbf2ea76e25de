"""Whoever wants to use up the server: others are answered, and its memory stays within bounds."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from chatbot.settings import Settings
from corpora.database.history_tables import OpenQuestionRow
from tests.data_folders import copy_data
from tests.ui.admin_pages import errors
from tests.ui.attacks.attack import Attack
from tests.ui.attacks.conftest import FILES, Server
from tests.ui.attacks.test_malformed import send
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, open_page
from ui.cli.main import app
from ui.serving import services

MEGABYTE = 1_000_000
ROOM = 80
"""MB that the server may take more than before an attack."""
QUESTION = "the longest question, looked at before anything else"
BODY = "the gate counts what is received, and reads no more than 2 MB of what is no upload"
UPLOAD = "the length is asked for, and the form's bounds hold, before a file is kept"
SOCKETS = "connections wait without a thread of their own, and the limit of open files is raised"
PARSER = "the server's HTTP parser"


def _one(id: str, door: str, payload: object, by: str, *told: object) -> Attack:
    return Attack(id, "resources", door, payload, "others wait, or memory grows without a bound",
                  by, told)  # fmt: skip


WORD, LONG = "x" * MEGABYTE, "x " * (MEGABYTE // 2)
BODIES = [
    _one("question-of-1-mb", "POST /api/v1/ask", {"question": LONG}, QUESTION, 422, "the limit is"),
    _one("question-of-one-word", "POST /api/v1/ask", {"question": WORD}, QUESTION, 422, "limit"),
    _one("query-of-1-mb", "POST /api/v1/search", {"query": LONG}, QUESTION, 422, "the limit is"),
    _one("message-of-1-mb", "POST /v1/chat/completions",
         {"model": "strata/valve", "messages": [{"role": "user", "content": LONG}]}, QUESTION, 422,
         "the limit is"),
    _one("begun-with-1-mb", "POST /api/v1/ask", {"question": LONG, "conversation": "new"}, QUESTION,
         422, "the limit is"),
    _one("streamed-1-mb", "POST /api/v1/ask", {"question": LONG, "stream": True}, QUESTION, 200,
         "the limit is"),
    _one("history-of-1-mb", "POST /api/v1/ask", {"question": "and now?", "history": [[WORD, "y"]]},
         "the longest conversation that is sent along", 422, "send its last turns"),
    _one("history-of-numbers", "POST /api/v1/ask",
         {"question": "and now?", "history": [["hold_time", "1," * 200_000]]},
         "the longest conversation that is sent along", 422, "send its last turns"),
    _one("comment-of-1-mb", "PUT /api/v1/turns/1/feedback", {"thumbs": 1, "comment": LONG},
         "the longest comment", 422, "comment"),
    _one("body-of-5-mb", "POST /api/v1/ask", {"question": "x" * 5 * MEGABYTE}, BODY, 413, "2 MB"),
    _one("unread-fields", "POST /api/v1/ask", {"question": "x", "more": WORD * 5}, BODY, 413, "MB"),
    _one("chat-of-5-mb", "POST /v1/chat/completions", {"model": WORD * 5, "messages": []}, BODY,
         413, "2 MB"),
    _one("mcp-of-5-mb", "POST /mcp", {"jsonrpc": "2.0", "id": 1, "method": WORD * 5}, BODY, 413,
         ""),
]  # fmt: skip


@pytest.mark.database
@pytest.mark.parametrize("case", BODIES, ids=str)
def test_a_large_body_is_refused_with_a_message(server: Server, case: Attack) -> None:
    method, path = case.door.split()
    status, words = case.refused
    with bounded(server):
        told = send(server, method, path, json.dumps(case.payload))
    assert told.status_code == status, told.text[:300]
    assert str(words) in told.text


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


FORMS = [
    _one("parts-without-end", "upload", b"".join(part(f"{n}.md", b"x") for n in range(5_001)),
         UPLOAD, 400),
    _one("fields", "upload",
         b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n' * 50, UPLOAD, 400),
    _one("field-of-5-mb", "upload",
         b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\n' + WORD.encode() * 5
         + b"\r\n", UPLOAD, 400),
    _one("header-of-a-part", "upload", part("a.md", b"x", f"X-A: {WORD * 5}"), UPLOAD, 400),
    _one("headers-of-a-part", "upload",
         part("a.md", b"x", *(f"X-{n}: x" for n in range(10_000))), UPLOAD, 400),
    _one("part-cut-off", "upload", part("a.md", b"x")[:-2], UPLOAD, 400, 422),
    _one("no-part", "upload", b"", UPLOAD, 400, 422),
    _one("wrong-boundary", "upload", b"--y" + part("a.md", b"x")[3:], UPLOAD, 400, 422),
    _one("name-of-1-mb", "upload", part("a" * MEGABYTE + ".md", b"x"), UPLOAD, 400, 422),
]  # fmt: skip


@pytest.mark.parametrize("case", FORMS, ids=str)
def test_a_form_without_bounds_is_refused(server: Server, case: Attack) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    path = "/api/v1/jobs?product=valve&release=9.9"
    with bounded(server):
        told = send(server, "POST", path, case.payload + b"--x--\r\n", **kind)
    assert told.status_code in case.refused, told.text[:300]
    assert told.json()["error"]["message"]


Wire = Callable[[Server], bytes]


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


OPEN = [
    _one("sockets-that-say-nothing", "sockets", lambda server: b"", SOCKETS, 1_000),
    _one("slow-headers", "sockets", half_a_request, SOCKETS, 1_000),
    _one("slow-bodies", "sockets", half_a_body, SOCKETS, 300),
    _one("slow-uploads", "sockets", half_an_upload, SOCKETS, 100),
    _one("pages-of-nobody", "sockets", a_page,
         "a session of nobody runs nothing, and 128 of those that left are kept at most", 300),
]  # fmt: skip


@pytest.mark.database
@pytest.mark.parametrize("case", OPEN, ids=str)
def test_open_connections_keep_nobody_waiting(server: Server, case: Attack) -> None:
    (number,) = case.refused
    before = server.memory
    with ExitStack() as stack:
        for _ in range(number):
            place = ("127.0.0.1", server.port)
            opened = stack.enter_context(socket.create_connection(place, 20))
            opened.sendall(case.payload(server))
        assert number < FILES
        begun = time.monotonic()
        assert server.is_well()
        assert server.ask("GET", "/api/v1/products", server.keys["search"]) == 200
        assert time.monotonic() - begun < 10
        assert server.memory - before < ROOM
    assert server.is_well()


HEADS = [
    _one("headers", "server", b"".join(b"X-%d: x\r\n" % n for n in range(10_000)), PARSER),
    _one("one-header", "server", b"X: " + WORD.encode() + b"\r\n", PARSER),
    _one("cookies", "server", b"Cookie: " + b"a=b; " * 20_000 + b"\r\n", PARSER),
]


@pytest.mark.parametrize("case", HEADS, ids=str)
def test_a_large_head_costs_little(server: Server, case: Attack) -> None:
    with bounded(server):
        told = server.raw(
            b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\n" + case.payload + b"\r\n", seconds=2
        )
        assert told[:13] in (b"HTTP/1.1 401 ", b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")


# What is legal, and was made to take long

LONG_WORDS = "words of more than 60 letters are no typing errors"
LINEAR = "expressions that do not go back over what they read"
AROUND = "what is read around a number is bounded"
WORDS = [
    _one("one-long-word", "question", "x" * 4_000, LONG_WORDS),
    _one("foreign-letters", "question", "é" * 4_000, LONG_WORDS),
    _one("name-of-many-parts", "question", ".".join(["presure", "mountingg", "screww"] * 30),
         LINEAR),
    _one("numbers", "question", "1," * 2_000, AROUND),
    _one("brackets", "question", "(" * 4_000, LINEAR),
    _one("stars", "question", "*" * 4_000, LINEAR),
    _one("dots", "question", "a.b-" * 1_000, LINEAR),
    _one("releases", "question", "1.0 vs 2.0 and " * 260, AROUND),
    _one("quotes", "question", "“" * 4_000, LINEAR),
]  # fmt: skip


@pytest.mark.parametrize("case", WORDS, ids=str)
def test_a_question_takes_seconds_whatever_it_is(valve: MakeChatbot, case: Attack) -> None:
    chatbot = valve(None)
    chatbot.ask("hold_time?", product="valve")
    begun = time.process_time()
    chatbot.ask(str(case.payload), product="valve", history=[(str(case.payload), "y")])
    assert time.process_time() - begun < 10


PAGES = [
    _one("typed-1-mb", "page", LONG, "the longest question; of what is refused little is kept"),
    _one("asked-by-command-1-mb", "command", LONG, QUESTION),
    _one("asked-by-file-1-mb", "batch", LONG, QUESTION),
]


def test_a_question_of_1_mb_is_refused_on_the_page(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), LONG)
    assert "the limit is 4,000" in errors(page)
    conversation = page.query_params["conversation"]
    with services.chatbot().database.reading() as session:
        (text,) = session.scalars(
            select(OpenQuestionRow.text).where(OpenQuestionRow.conversation_id == conversation)
        )
    assert len(text) <= 100_000


def test_a_question_of_1_mb_is_refused_by_the_command_and_in_a_file(
    valve_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    monkeypatch.setenv("STRATA_DATA_DIR", str(data))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    refused = CliRunner().invoke(app, ["ask", LONG])
    assert refused.exit_code != 0
    assert "the limit is 4,000" in f"{refused.output} {refused.exception}"
    lines, written = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    asked = [{"id": "a", "question": LONG}, {"id": "b", "question": "hold_time in 2.0?"}]
    lines.write_text("".join(json.dumps(line) + "\n" for line in asked), "utf-8")
    CliRunner().invoke(app, ["ask", "--batch", str(lines), "--output", str(written)])
    first, second = map(json.loads, written.read_text("utf-8").splitlines())
    assert "the limit is 4,000" in str(first["error"])
    assert re.search("45", second["answer"])


ADDRESS = [
    _one("address-of-a-page", "page", "9" * 18, "numbers of rows are bounded"),
]


@pytest.mark.parametrize("name", ["turn", "pair", "conversation"])
def test_an_address_that_no_row_has_opens_nothing(valve: MakeChatbot, name: str) -> None:
    valve(None)
    page = AppTest.from_file(str(Path("ui/app.py").resolve()), default_timeout=30)
    page.query_params[name] = str(ADDRESS[0].payload)
    assert not page.run().exception


CASES = [*BODIES, *FORMS, *OPEN, *HEADS, *WORDS, *PAGES, *ADDRESS]

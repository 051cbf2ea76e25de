"""A real HTTP server that answers as it is told, for what a good one seldom does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl


class Request(BaseHTTPRequestHandler):
    """One request; answers are functions of it."""

    body: dict[str, Any]
    server: SmallServer

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        in_json = self.headers["Content-Type"] == "application/json"
        self.body = json.loads(sent) if in_json else dict(parse_qsl(sent))
        with self.server.lock:
            self.server.bodies.append(self.body)
            self.server.headers.append(dict(self.headers))
            self.server.under_way += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.under_way)
            answers = self.server.answers
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        try:
            answer(self)
        except OSError:
            self.server.left.set()
        finally:
            with self.server.lock:
                self.server.under_way -= 1

    do_GET = do_HEAD = do_POST  # noqa: N815

    def begin(self, status: int, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, event: dict[str, Any] | str) -> None:
        data = event if isinstance(event, str) else json.dumps(event)
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


Answer = Callable[[Request], None]


class SmallServer(ThreadingHTTPServer):
    """Gives its answers in turn, the last one again and again; keeps what it was asked."""

    daemon_threads = True

    def __init__(self, answers: Sequence[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.answers = list(answers)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.under_way = 0
        self.most_at_once = 0
        self.left = threading.Event()

    @property
    def keys(self) -> list[str | None]:
        return [headers.get("Authorization") for headers in self.headers]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def serving(*answers: Answer) -> Iterator[SmallServer]:
    server = SmallServer(answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def words(text: str, pause: float = 0.0) -> Answer:
    """A good answer."""

    def answer(request: Request) -> None:
        request.begin(200, "text/event-stream")
        for word in text.split():
            time.sleep(pause)
            request.send({"choices": [{"delta": {"content": f"{word} "}}]})
        request.send({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        if "stream_options" in request.body:
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
            request.send({"choices": [], "usage": usage})
        request.send("[DONE]")

    return answer


def refuses(status: int, message: str = "", **headers: str) -> Answer:
    """A refusal with a message in JSON; underscores in header names are hyphens."""

    def answer(request: Request) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request.begin(status, "application/json", named)
        request.wfile.write(json.dumps({"error": {"message": message}}).encode())

    return answer


def raw(text: str, kind: str = "text/event-stream", *, pause: float = 0.0) -> Answer:
    """Status 200 and this text, then nothing for `pause` seconds, then the end."""

    def answer(request: Request) -> None:
        request.begin(200, kind)
        request.wfile.write(text.encode())
        request.wfile.flush()
        time.sleep(pause)

    return answer


def endless(request: Request) -> None:
    """Words until nobody listens."""
    request.begin(200, "text/event-stream")
    while True:
        request.send({"choices": [{"delta": {"content": "word "}}]})
        time.sleep(0.01)

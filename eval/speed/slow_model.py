"""A language model's server as slow as a small machine: words over a minute, cores kept busy.

It speaks as much of OpenAI's protocol as a chat needs, and streams the same word however it is
asked. While it does, as many processes compute as llama.cpp would have threads, at the priority
that the embedded model has.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.synchronize import Event
from threading import Thread

from chatbot.models.embedded import NICE

_WORDS_A_SECOND = 5
_SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def slow_model(seconds: float, threads: int) -> Iterator[tuple[str, Event]]:
    """Serve until the block ends; yields the server's address, and whether it is writing now."""
    writing = _SPAWN.Event()
    burners = [_SPAWN.Process(target=_burn, args=(writing,), daemon=True) for _ in range(threads)]
    for burner in burners:
        burner.start()

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            writing.set()
            try:
                for chunk in _stream(seconds):
                    self.wfile.write(f"data: {chunk}\n\n".encode())
            except OSError:
                self.close_connection = True
            finally:
                writing.clear()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", writing
    finally:
        server.shutdown()
        server.server_close()
        for burner in burners:
            burner.terminate()


def _stream(seconds: float) -> Iterator[str]:
    for _ in range(int(seconds * _WORDS_A_SECOND)):
        time.sleep(1 / _WORDS_A_SECOND)
        yield json.dumps({"choices": [{"index": 0, "delta": {"content": "word "}}]})
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield json.dumps(last)
    yield "[DONE]"


def _burn(writing: Event) -> None:
    os.nice(NICE)
    while writing.wait():
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            pass

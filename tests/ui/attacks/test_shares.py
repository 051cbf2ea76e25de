"""One person with many keys: they have no more of the server than one person may."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import httpx
import pytest

from chatbot.accounts.limits import MOST_OPEN
from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import MOST_KEYS, ProgramKeys, Scope
from chatbot.chatbot import Chatbot
from chatbot.errors import BadInput
from tests.ui.api.conftest import serving
from tests.ui.attacks.conftest import ADA, BO, Server, each


def per_minute(server: Server, route: str, keys: tuple[str, ...]) -> list[int]:
    """The statuses of requests with keys in turn."""
    method, path = route.split()
    body = '{"query": "hold_time", "product": "valve", "release": "2.0"}'
    return [server.ask(method, path, server.keys[key], body=body) for key in keys]


ROUTES = {
    "search": "POST /api/v1/search",
    "pages": "GET /api/v1/pages/1?quote=hold",
    "changes": "GET /api/v1/changes?product=valve&older=1.0&newer=2.0",
}


@each(ROUTES)
def test_two_keys_of_one_person_are_one(server: Server, case: str) -> None:
    server.forget_use()
    told = per_minute(server, case, ("few 1", "few 2") * 3)
    assert told == [200] * 3 + [429] * 3
    assert per_minute(server, case, ("all",)) == [200]


MADE = {
    "no-limit": (0, "at most 20 questions"),
    "large-limit": (10_000, "at most 20 questions"),
    "below-nothing": (-5, "at most 20 questions"),
    "any-number-of-keys": (20, "revoke one"),
}


@each(MADE)
def test_a_person_makes_no_key_beyond_their_share(server: Server, case: tuple[int, str]) -> None:
    limit, refusal = case
    mal = Person(f"mal-{limit}@example.org", "Mal", is_admin=False)
    keys = ProgramKeys(server.database)

    def make_keys() -> None:
        for _ in range(MOST_KEYS + 1):
            keys.make(mal, "mine", [Scope.ASK], limit, usual=20)

    with pytest.raises(BadInput, match=refusal):
        make_keys()


QUESTION = "What is the default of hold_time?"
BUSY = "16 of your questions are being answered"
CHAT = {"model": "strata/valve", "messages": [{"role": "user", "content": QUESTION}]}
OPEN: dict[str, tuple[str, dict[str, Any]]] = {
    "rest": ("/api/v1/ask", {"question": QUESTION, "product": "valve"}),
    "streams": ("/api/v1/ask", {"question": QUESTION, "product": "valve", "stream": True}),
    "searches": ("/api/v1/search", {"query": QUESTION, "product": "valve"}),
    "openai": ("/v1/chat/completions", CHAT),
    "openai-streams": ("/v1/chat/completions", {**CHAT, "stream": True}),
    "mcp": ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "ask", "arguments": {"question": QUESTION, "product": "valve"}}}),
}  # fmt: skip


@dataclass
class Held:
    """Questions that are held open, and the event that lets them be answered."""

    number: int = 0
    answered: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def held(chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch) -> Held:
    """Every question and search of the chatbot is held open until it may be answered."""
    found = Held()

    def holding(do: Callable[..., Any]) -> Callable[..., Any]:
        def held(self: Chatbot, question: str, **options: Any) -> Any:
            found.number += 1
            assert found.answered.wait(60)
            return do(self, question, **options)

        return held

    for name in ("ask", "search"):
        monkeypatch.setattr(Chatbot, name, holding(getattr(Chatbot, name)))
    return found


@each(OPEN)
def test_open_questions_of_one_person_keep_nobody_else_waiting(
    chatbot: Chatbot, held: Held, case: tuple[str, dict[str, Any]]
) -> None:
    (path, body), number = case, 40
    keys = ProgramKeys(chatbot.database)
    scopes = [Scope.ASK, Scope.SEARCH]
    of_bo = [keys.make(BO, name, scopes, 0, usual=0)[1] for name in ("one", "other")]
    of_ada = keys.make(ADA, "ada's", scopes, 0, usual=0)[1]

    def post(client: httpx.Client, key: str) -> str:
        headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json, text/event-stream",
        }
        told = client.post(path, json=body, headers=headers)
        return f"{told.status_code} {told.text}"

    pool = ThreadPoolExecutor(number + 1)
    with serving(chatbot) as address, httpx.Client(base_url=address, timeout=60) as client, pool:
        try:
            asked = [pool.submit(post, client, of_bo[n % 2]) for n in range(number)]
            refused = [f.result() for f in islice(as_completed(asked), number - MOST_OPEN)]
            assert all(BUSY in told for told in refused)
            assert path == "/mcp" or all(told.startswith("429 ") for told in refused)
            while held.number < MOST_OPEN:
                time.sleep(0.01)
            ada_s = pool.submit(post, client, of_ada)
            products = client.get("/v1/models", headers={"Authorization": f"Bearer {of_ada}"})
            assert products.status_code == 200
            while held.number == MOST_OPEN:
                time.sleep(0.01)
        finally:
            held.answered.set()
        assert "45" in ada_s.result()
        answered = [told for told in (f.result() for f in asked) if "45" in told]
        assert len(answered) == MOST_OPEN
        assert "45" in post(client, of_bo[0])

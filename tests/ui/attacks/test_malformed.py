"""Bodies and numbers that are not what they should be: a message comes, and nothing breaks."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import pytest

from tests.ui.attacks.attack import Attack
from tests.ui.attacks.conftest import Server

pytestmark = pytest.mark.database

ASK, SEARCH, CHAT = "POST /api/v1/ask", "POST /api/v1/search", "POST /v1/chat/completions"
ROW = "numbers of rows are bounded by what a database can hold"
TEXT = "what nobody sees, half a surrogate pair with it, is taken out of every text that comes in"
JSON_READER = "what is no JSON of this form is refused before anything is asked"
NAME = "a name is as long as one in the catalog can be, for every door"
LENGTH = "the longest question, looked at before anything else"


def _cases() -> list[Attack]:
    return [
        Attack(name, "malformed", door, payload, "an error of the server, or rows that stay", by,
               told)
        for name, door, payload, by, told in (
            *(
                (f"number-{what}-{number}", f"{method} {path.format(number)}", None, ROW,
                 (422, 404))
                for number in ("9" * 25, str(2**63), str(2**31), "-1", "0", "1e9", "0x10", "%C2%B2")
                for what, method, path in (
                    ("page", "GET", "/api/v1/pages/{}"),
                    ("job", "GET", "/api/v1/jobs/{}"),
                )
            ),
            ("number-of-feedback", f"PUT /api/v1/turns/{'9' * 25}/feedback", {"thumbs": 1}, ROW,
             (422,)),
            ("number-of-cancel", f"DELETE /api/v1/jobs/{'9' * 25}", None, ROW, (422,)),
            ("number-of-limit", SEARCH, b'{"query": "x", "limit": ' + b"9" * 5_000 + b"}",
             JSON_READER, (400, 422)),
            ("surrogate-question", ASK, b'{"question": "hold \\ud800 time"}', TEXT, (200,)),
            ("surrogate-begins", ASK, b'{"question": "\\ud800 hold", "conversation": "new"}', TEXT,
             (200,)),
            ("surrogate-product", ASK, b'{"question": "x", "product": "\\ud800"}', TEXT,
             (200, 404)),
            ("surrogate-release", ASK,
             b'{"question": "x", "product": "valve", "release": "\\udfff"}', TEXT, (200, 404)),
            ("surrogate-conversation", ASK, b'{"question": "x", "conversation": "\\ud800"}', TEXT,
             (404,)),
            ("surrogate-history", ASK, b'{"question": "x", "history": [["\\ud800", "\\ud800"]]}',
             TEXT, (200,)),
            ("surrogate-search", SEARCH, b'{"query": "\\ud800", "product": "\\ud800"}', TEXT,
             (200, 422)),
            ("surrogate-model", CHAT,
             b'{"model": "\\ud800", "messages": [{"role": "user", "content": "x"}]}', TEXT, (404,)),
            ("surrogate-reason", "PUT /api/v1/turns/1/feedback",
             b'{"thumbs": -1, "reason": "\\ud800x"}', TEXT, (422,)),
            ("surrogate-field", ASK, b'{"question": {"\\ud800": 1}}', TEXT, (422,)),
            ("nul-conversation", ASK, b'{"question": "x", "conversation": "\\u0000"}', TEXT,
             (404,)),
            ("nul-query", SEARCH, b'{"query": "\\u0000", "product": "valve"}', TEXT, (422,)),
            ("nul-quote", "GET /api/v1/pages/1?quote=%00%ff%ed%a0%80", None, TEXT, (200,)),
            ("deep-lists", ASK, b"[" * 200_000 + b"]" * 200_000, JSON_READER, (400, 422)),
            ("deep-objects", CHAT, b'{"a":' * 100_000 + b"1" + b"}" * 100_000, JSON_READER,
             (400, 422)),
            ("deep-mcp", "POST /mcp", b"[" * 200_000, JSON_READER, (400,)),
            ("not-a-number", ASK, b'{"question": NaN}', JSON_READER, (422,)),
            ("two-roots", ASK, b'{"question": "x"}{"question": "y"}', JSON_READER, (400, 422)),
            ("wrong-bytes", ASK, b'{"question": "\xff"}', JSON_READER, (400, 422)),
            ("packed", ASK, gzip.compress(b'{"question": "x"}'), JSON_READER, (400, 422)),
            ("packed-bomb", ASK, gzip.compress(bytes(50_000_000)), JSON_READER, (400, 422)),
            ("a-form", ASK, b"question=x", JSON_READER, (400, 422)),
            ("nothing", ASK, b"", JSON_READER, (422,)),
            ("a-class", ASK, {"question": "x", "__class__": "Chatbot", "owner": "bo@example.org"},
             "fields that are not known are not read", (200,)),
            ("owner-by-field", "POST /api/v1/ask",
             {"question": "x", "owner": "bo@example.org", "conversation": "{conversation}"},
             "whose conversation it is says the key", (404,)),
            ("per-minute-by-field", ASK, {"question": "", "per_minute": 0}, LENGTH, (422,)),
            ("sql-conversation", ASK, {"question": "x", "conversation": "' OR 1=1 --"},
             "values are bound to queries, never written into them", (404,)),
            ("sql-words", SEARCH, {"query": '" OR * NEAR( hold', "product": "valve"},
             "words are quoted for the full-text search", (200,)),
            ("template", ASK, {"question": "{{7*7}} ${7*7} #{7*7} {question.__class__}"},
             "questions are put into prompts, never evaluated", (200,)),
            *(
                (f"{name}-of-{what}", ASK, {"question": "x", "product": "valve", name: text}, NAME,
                 (422,))
                for name in ("product", "release", "conversation")
                for what, text in (("101", "x" * 101), ("digits", "9" * 5_000),
                                   ("1.8-mb", "1." * 900_000))
            ),
            ("release-of-search", SEARCH, {"query": "x", "release": "9" * 5_000}, NAME, (422,)),
            ("model-of-digits", CHAT,
             {"model": "strata/valve@" + "9" * 250, "messages": [{"role": "user", "content": "x"}]},
             NAME, (404,)),
            ("model-of-1.8-mb", CHAT,
             {"model": "9" * 1_800_000, "messages": [{"role": "user", "content": "x"}]}, NAME,
             (422,)),
            ("release-of-changes",
             f"GET /api/v1/changes?product=valve&older={'9' * 5_000}&newer=2.0", None, NAME,
             (422,)),
            ("conversation-in-path", f"GET /api/v1/conversations/{'9' * 5_000}", None, NAME,
             (422,)),
            ("release-of-upload", f"POST /api/v1/jobs?product=valve&release={'9' * 5_000}", b"",
             NAME, (422,)),
            ("many-messages", CHAT,
             {"model": "strata/valve", "messages": [{"role": "user"}] * 201}, JSON_READER, (422,)),
            ("no-user", CHAT, {"model": "strata/valve", "messages": [
                {"role": "system", "content": "x"}]}, "the last message has to be the user's",
             (422,)),
        )
    ]  # fmt: skip


CASES = _cases()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_malformed_request_gets_a_message(server: Server, case: Attack) -> None:
    method, path = case.door.split(" ", 1)
    body = case.payload if isinstance(case.payload, bytes | None) else json.dumps(case.payload)
    if isinstance(body, str):
        body = body.replace("{conversation}", server.conversation)
    told = send(server, method, path, body)
    assert told.status_code in case.refused, told.text[:300]
    if told.status_code >= 400 and path != "/mcp":
        assert told.json()["error"]["message"]
    assert server.is_well()


def send(server: Server, method: str, path: str, body: Any, **headers: str) -> httpx.Response:
    given = {
        "Authorization": f"Bearer {server.keys['all']}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    if body is not None and case_is_packed(body):
        given["Content-Encoding"] = "gzip"
    url = server.address + path
    return httpx.request(method, url, content=body, headers=given, timeout=60)


def case_is_packed(body: Any) -> bool:
    return isinstance(body, bytes) and body.startswith(b"\x1f\x8b")


def test_what_is_refused_leaves_nothing_behind(server: Server) -> None:
    def kept() -> list[str]:
        told = send(server, "GET", "/api/v1/conversations", None).json()
        return [conversation["id"] for conversation in told]

    before = kept()
    for question in ("", "x" * 5_000):
        refused = send(
            server, "POST", "/api/v1/ask", json.dumps({"question": question, "conversation": "new"})
        )
        assert refused.status_code == 422
    assert kept() == before

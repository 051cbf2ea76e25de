"""Bodies and numbers that are not what they should be: a message comes, and nothing breaks."""

import gzip
import json
from typing import Any

import httpx
import pytest

from tests.ui.attacks.conftest import Server, each

pytestmark = pytest.mark.database

ASK, SEARCH, CHAT = "POST /api/v1/ask", "POST /api/v1/search", "POST /v1/chat/completions"
DIGITS = "9" * 5_000
SAID = [{"role": "user", "content": "x"}]
CASES: dict[str, tuple[str, Any, tuple[int, ...]]] = {
    name: (door, payload, told)
    for name, door, payload, told in (
        *(
            (f"number-{what}-{number}", f"{method} {path.format(number)}", None, (422, 404))
            for number in ("9" * 25, str(2**63), str(2**31), "-1", "0", "1e9", "0x10", "%C2%B2")
            for what, method, path in (
                ("page", "GET", "/api/v1/pages/{}"),
                ("job", "GET", "/api/v1/jobs/{}"),
            )
        ),
        ("number-of-feedback", f"PUT /api/v1/turns/{'9' * 25}/feedback", {"thumbs": 1}, (422,)),
        ("number-of-cancel", f"DELETE /api/v1/jobs/{'9' * 25}", None, (422,)),
        ("number-of-limit", SEARCH, b'{"query": "x", "limit": ' + b"9" * 5_000 + b"}", (400, 422)),
        ("surrogate-question", ASK, b'{"question": "hold \\ud800 time"}', (200,)),
        ("surrogate-begins", ASK, b'{"question": "\\ud800 hold", "conversation": "new"}', (200,)),
        ("surrogate-product", ASK, b'{"question": "x", "product": "\\ud800"}', (200, 404)),
        ("surrogate-release", ASK,
         b'{"question": "x", "product": "valve", "release": "\\udfff"}', (200, 404)),
        ("surrogate-conversation", ASK, b'{"question": "x", "conversation": "\\ud800"}', (404,)),
        ("surrogate-history", ASK, b'{"question": "x", "history": [["\\ud800", "y"]]}', (200,)),
        ("surrogate-answer", ASK, b'{"question": "x", "history": [["y", "\\ud800"]]}', (200,)),
        ("surrogate-search", SEARCH, b'{"query": "\\ud800", "product": "\\ud800"}', (200, 422)),
        ("surrogate-model", CHAT,
         b'{"model": "\\ud800", "messages": [{"role": "user", "content": "x"}]}', (404,)),
        ("surrogate-reason", "PUT /api/v1/turns/1/feedback",
         b'{"thumbs": -1, "reason": "\\ud800x"}', (422,)),
        ("surrogate-field", ASK, b'{"question": {"\\ud800": 1}}', (422,)),
        ("nul-conversation", ASK, b'{"question": "x", "conversation": "\\u0000"}', (404,)),
        ("nul-query", SEARCH, b'{"query": "\\u0000", "product": "valve"}', (422,)),
        ("nul-quote", "GET /api/v1/pages/1?quote=%00%ff%ed%a0%80", None, (200,)),
        ("deep-lists", ASK, b"[" * 200_000 + b"]" * 200_000, (400, 422)),
        ("deep-objects", CHAT, b'{"a":' * 100_000 + b"1" + b"}" * 100_000, (400, 422)),
        ("deep-mcp", "POST /mcp", b"[" * 200_000, (400,)),
        ("not-a-number", ASK, b'{"question": NaN}', (422,)),
        ("two-roots", ASK, b'{"question": "x"}{"question": "y"}', (400, 422)),
        ("wrong-bytes", ASK, b'{"question": "\xff"}', (400, 422)),
        ("packed", ASK, gzip.compress(b'{"question": "x"}'), (400, 422)),
        ("packed-bomb", ASK, gzip.compress(bytes(50_000_000)), (400, 422)),
        ("a-form", ASK, b"question=x", (400, 422)),
        ("nothing", ASK, b"", (422,)),
        ("a-class", ASK, {"question": "x", "__class__": "Chatbot", "owner": "bo@x.org"}, (422,)),
        ("owner-by-field", "POST /api/v1/ask",
         {"question": "x", "owner": "bo@example.org", "conversation": "{conversation}"}, (422,)),
        ("another-s-conversation", ASK,
         {"question": "x", "conversation": "{conversation}"}, (404,)),
        ("release-under-another-name", ASK,
         {"question": "x", "product": "valve", "version": "1.0"}, (422,)),
        ("release-in-the-address", "POST /api/v1/ask?release=1.0", {"question": "x"}, (422,)),
        ("release-of-search-under-another-name", SEARCH,
         {"query": "x", "product": "valve", "versions": ["1.0"]}, (422,)),
        ("unknown-of-changes",
         "GET /api/v1/changes?product=valve&older=1.0&newer=2.0&release=2.0", None, (422,)),
        ("unknown-of-upload",
         "POST /api/v1/jobs?product=valve&release=9.9&force=true", b"", (422,)),
        ("unknown-of-a-list", "GET /api/v1/jobs?product=valve", None, (422,)),
        ("release-as-truth", ASK, {"question": "x", "product": "valve", "release": True}, (422,)),
        ("release-as-list", ASK, {"question": "x", "product": "valve", "release": ["1.0"]}, (422,)),
        ("release-not-a-number", ASK,
         b'{"question": "x", "product": "valve", "release": NaN}', (422,)),
        ("release-without-end", ASK,
         b'{"question": "x", "product": "valve", "release": 1e999}', (422,)),
        ("release-below-nothing", ASK,
         {"question": "x", "product": "valve", "release": -1.0}, (422,)),
        ("release-of-many-digits", ASK,
         b'{"question": "x", "product": "valve", "release": ' + b"9" * 4_000 + b"}", (422,)),
        ("per-minute-by-field", ASK, {"question": "", "per_minute": 0}, (422,)),
        ("sql-conversation", ASK, {"question": "x", "conversation": "' OR 1=1 --"}, (404,)),
        ("sql-words", SEARCH, {"query": '" OR * NEAR( hold', "product": "valve"}, (200,)),
        ("template", ASK, {"question": "{{7*7}} ${7*7} #{7*7} {question.__class__}"}, (200,)),
        *(
            (f"{name}-of-{what}", ASK, {"question": "x", "product": "valve", name: text}, (422,))
            for name in ("product", "release", "conversation")
            for what, text in (("101", "x" * 101), ("digits", DIGITS),
                               ("1.8-mb", "1." * 900_000))
        ),
        ("release-of-search", SEARCH, {"query": "x", "release": DIGITS}, (422,)),
        ("model-of-digits", CHAT, {"model": "strata/valve@" + "9" * 250, "messages": SAID}, (404,)),
        ("model-of-1.8-mb", CHAT, {"model": "9" * 1_800_000, "messages": SAID}, (400,)),
        ("release-of-changes",
         f"GET /api/v1/changes?product=valve&older={DIGITS}&newer=2.0", None, (422,)),
        ("conversation-in-path", f"GET /api/v1/conversations/{DIGITS}", None, (422,)),
        ("release-of-upload", f"POST /api/v1/jobs?product=valve&release={DIGITS}", b"", (422,)),
        ("no-words", CHAT, {"model": "strata/valve", "messages": [{"role": "user"}] * 201}, (422,)),
        ("no-messages", CHAT, {"model": "strata/valve", "messages": []}, (400,)),
        ("messages-null", CHAT, {"model": "strata/valve", "messages": None}, (400,)),
        ("message-too-long", CHAT, {"model": "strata/valve", "messages": [
            {"role": "user", "content": "x" * 4_001}]}, (422,)),
        ("two-answers", CHAT, {"model": "strata/valve", "messages": SAID, "n": 2}, (400,)),
        ("no-answer", CHAT, {"model": "strata/valve", "messages": SAID, "n": 0}, (400,)),
        ("answer-as-json", CHAT, {"model": "strata/valve", "messages": SAID,
                                  "response_format": {"type": "json_object"}}, (400,)),
        ("tool-forced", CHAT, {"model": "strata/valve", "messages": SAID,
                               "tool_choice": {"type": "function"}}, (400,)),
        ("role-unknown", CHAT, {"model": "strata/valve", "messages": [
            {"role": "person", "content": "x"}]}, (400,)),
        ("half-a-task", CHAT, {"model": "strata/valve", "messages": [
            {"role": "user", "content": "### Task:\n" + "<chat_history>" * 200}]}, (200,)),
        ("task-of-many-quotes", CHAT, {"model": "strata/valve", "messages": [
            {"role": "user", "content": "### Task:\n" + "<context>" * 150_000}]}, (422,)),
        ("no-user", CHAT, {"model": "strata/valve", "messages": [
            {"role": "system", "content": "x"}]}, (422,)),
    )
}  # fmt: skip
"""The door, the body, and the statuses that may come."""


@each(CASES)
def test_a_malformed_request_gets_a_message(server: Server, case: Any) -> None:
    door, payload, refused = case
    method, path = door.split(" ", 1)
    body = payload if isinstance(payload, bytes | None) else json.dumps(payload)
    if isinstance(body, str):
        body = body.replace("{conversation}", server.conversation)
    told = send(server, method, path, body)
    assert told.status_code in refused, told.text[:300]
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
    if isinstance(body, bytes) and body.startswith(b"\x1f\x8b"):
        given["Content-Encoding"] = "gzip"
    url = server.address + path
    return httpx.request(method, url, content=body, headers=given, timeout=60)


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

"""What fails tells its asker that it failed, and nothing of how the server is made."""

import json
from dataclasses import replace
from typing import Any

import httpx

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.chatbot import Chatbot
from chatbot.errors import GeneratorError
from chatbot.models.served import ServedChatModel
from tests.chatbot import small_server
from tests.chatbot.test_served_model import refuses
from tests.ui.api.conftest import serving
from tests.ui.attacks.conftest import each
from tests.ui.conftest import MakeChatbot
from tests.ui.scripted import Dead
from tests.ui.valve_corpus import LATEST
from ui.wording.failures import INTERNAL_ERROR

SECRET = "/srv/models/own.gguf at 10.0.0.7"
_TALK = {"model": "strata/valve", "messages": [{"role": "user", "content": LATEST}]}
_CALL = {"name": "ask", "arguments": {"question": LATEST}}
_DOORS = {
    "rest": ("/api/v1/ask", {"question": LATEST}),
    "rest-stream": ("/api/v1/ask", {"question": LATEST, "stream": True}),
    "openai": ("/v1/chat/completions", _TALK),
    "openai-stream": ("/v1/chat/completions", {**_TALK, "stream": True}),
    "mcp": ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": _CALL}),
}
FAILURES = {
    f"{kind}-{door}": (*_DOORS[door], error, 200 if "stream" in door or door == "mcp" else status)
    for door in _DOORS
    for kind, error, status in (
        ("bug", ZeroDivisionError(SECRET), 500),
        ("dead-model", GeneratorError(f"{SECRET} does not answer"), 502),
    )
}
LONG = "9" * 3_900 + " " + LATEST


@each(FAILURES)
def test_a_failure_is_told_in_json_without_anything_inside(chatbot: Chatbot, case: Any) -> None:
    path, body, error, status = case
    signed_in = {"proxy_user_header": "X-Forwarded-Email", "public_url": "http://127.0.0.1"}
    settings = chatbot.settings.model_copy(update=signed_in)
    chatbot = replace(chatbot, model=Dead(error=error), settings=settings)
    key = ProgramKeys(chatbot.database).make(LOCAL, "robot", list(Scope), 0, usual=0)[1]
    with serving(chatbot) as address:
        reply = httpx.post(
            address + path,
            json=body,
            headers={
                "Authorization": f"Bearer {key}",
                "Accept": "application/json, text/event-stream",
            },
            timeout=30,
        )
    assert reply.status_code == status
    assert INTERNAL_ERROR in reply.text
    assert "own.gguf" not in reply.text
    assert "ZeroDivisionError" not in reply.text
    for text in reply.text.splitlines():
        told = text.removeprefix("data: ")
        if told and told != "[DONE]" and not text.startswith(("event: ", ":")):
            assert isinstance(json.loads(told), dict)


def test_whoever_runs_the_server_is_told_of_its_model(valve: MakeChatbot) -> None:
    with serving(valve(Dead(error=GeneratorError(SECRET)))) as address:
        reply = httpx.post(f"{address}/api/v1/ask", json={"question": LATEST}, timeout=30)
    assert reply.json()["error"] == {"message": SECRET, "type": "GeneratorError"}


def test_a_question_that_no_model_reads_is_answered_without_it(valve: MakeChatbot) -> None:
    refused: Any = refuses(400, "This model's maximum context length is 4096 tokens.")
    with small_server.serving(refused) as server:
        chatbot = valve(ServedChatModel(url=server.url, model="m", retries=0))
        content = chatbot.ask(LONG, product="valve").content
        asked = len(server.bodies)
    assert asked
    assert "90 days" in content.answer
    assert "too long" in content.warnings[0]

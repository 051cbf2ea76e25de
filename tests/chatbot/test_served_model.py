"""Servers that are good, dead, slow, overloaded or wrong: all are real ones, on this machine."""

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from chatbot.errors import GeneratorError, PromptTooLong
from chatbot.models.served import ServedChatModel
from tests.chatbot.generator import generator
from tests.chatbot.small_server import Answer, endless, raw, refuses, serving, words

KEY = "sk-very-secret"
HALF = 'data: {"choices": [{"delta": {"content": "half of"}}]}\n\n'


def served(url: str, **options: Any) -> ServedChatModel:
    return ServedChatModel(url=url, model="m", key=SecretStr(KEY), **options)


def failure(answer: Answer, **options: Any) -> str:
    with serving(answer) as server:
        with pytest.raises(GeneratorError) as failed:
            served(server.url, **{"retries": 0, **options}).invoke("hello")
        assert server.url in str(failed.value)
        assert KEY not in str(failed.value)
    return str(failed.value)


def test_words_and_usage_arrive_and_the_options_are_sent() -> None:
    with serving(words("ninety days")) as server:
        model = served(server.url, max_tokens=9)
        reply = model.invoke("How long?", stop=["."], temperature=0.5, seed=3)
    assert reply.text == "ninety days "
    assert reply.usage_metadata is not None
    assert reply.usage_metadata["input_tokens"] == 7
    assert reply.usage_metadata["output_tokens"] == 3
    assert server.keys == [f"Bearer {KEY}"]
    body = server.bodies[0]
    assert body["messages"] == [{"role": "user", "content": "How long?"}]
    expected = {"model": "m", "max_tokens": 9, "stop": ["."], "temperature": 0.5, "seed": 3}
    assert {name: body[name] for name in expected} == expected


FOREIGN = {
    "OPENAI_API_KEY": "of another service",
    "OPENAI_ADMIN_KEY": "of another service",
    "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
    "OPENAI_API_BASE": "http://127.0.0.1:1/v1",
    "OPENAI_ORG_ID": "another",
    "OPENAI_PROJECT_ID": "another",
    "OPENAI_CUSTOM_HEADERS": "X-Another: another\nAuthorization: another",
    "OPENAI_PROXY": "http://127.0.0.1:1",
    "HTTP_PROXY": "http://127.0.0.1:1",
}


@pytest.mark.parametrize("key", [None, SecretStr(KEY)])
def test_nothing_of_another_service_is_sent(
    monkeypatch: pytest.MonkeyPatch, key: SecretStr | None
) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    with serving(words("yes")) as server:
        assert ServedChatModel(url=server.url, model="m", key=key).invoke("hello").text == "yes "
    assert server.keys == [f"Bearer {KEY}" if key else None]
    assert "another" not in str(server.headers)
    assert not [name for name in server.headers[0] if name.lower().startswith(("openai", "x-"))]


@pytest.mark.parametrize("name", ["max_tokens", "temperature"])
def test_a_model_that_sets_its_own_limits_is_asked_without_ours(name: str) -> None:
    refusal = refuses(400, f"Unsupported parameter: '{name}' is not supported with this model.")
    with serving(refusal, words("yes")) as server:
        model = served(server.url)
        for _ in range(2):
            assert model.invoke("hello", logprobs=True).text == "yes "
    assert [name in body for body in server.bodies] == [True, False, False]
    assert all("logprobs" in body for body in server.bodies)


def test_a_prompt_that_is_too_long_is_asked_once() -> None:
    refusal = refuses(400, "max_tokens is too large: the maximum context length is 4096 tokens")
    with serving(refusal) as server:
        with pytest.raises(PromptTooLong, match="context length"):
            served(server.url).invoke("hello", logprobs=True)
        assert len(server.bodies) == 1


def test_the_servers_own_names_may_hold_colons() -> None:
    with serving(words("yes")) as server:
        for name in ("qwen3:8b", "openai:qwen3:8b"):
            assert ServedChatModel(url=server.url, model=name).invoke("hello").text == "yes "
    assert [body["model"] for body in server.bodies] == ["qwen3:8b", "qwen3:8b"]


def test_another_provider_is_asked_through_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-10-01")
    key = SecretStr(KEY)
    with serving(refuses(429, Retry_After="0"), words("yes"), refuses(401, KEY)) as server:
        model = ServedChatModel(url=server.url, model="azure_openai:some", key=key, max_tokens=9)
        assert model.invoke("hello", logprobs=True, response_format={}).text == "yes "
        with pytest.raises(GeneratorError, match=r"refuses the key \(401\)"):
            model.invoke("hello")
    assert [headers["api-key"] for headers in server.headers] == [KEY] * 3
    assert server.bodies[-1]["max_completion_tokens"] == 9


def test_a_missing_package_is_named_with_the_command() -> None:
    with pytest.raises(GeneratorError, match=r"cohere:x needs .* `pip install langchain-cohere`"):
        ServedChatModel(model="cohere:x").invoke("hello")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_overloaded_server_is_asked_again_after_the_time_it_says(status: int) -> None:
    with serving(refuses(status, Retry_After="0.3"), words("yes")) as server:
        started = time.perf_counter()
        assert served(server.url).invoke("hello").text == "yes "
        assert time.perf_counter() - started >= 0.3
        assert len(server.bodies) == 2


def test_retries_end_and_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    with serving(refuses(429, "slow down", Retry_After="0")) as server:
        with pytest.raises(GeneratorError, match=r"overloaded \(429: slow down\): ask again later"):
            served(server.url, retries=2).invoke("hello")
        assert len(server.bodies) == 3
    assert "overloaded" in failure(refuses(429, Retry_After="3600"), retries=4)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (refuses(401, f"no such key: {KEY}"), "refuses the key (401): set STRATA_SERVER_KEY"),
        (refuses(404, "no model m"), "has no model m, or no chat at this address (404: no"),
        (refuses(500, f"oops {KEY}"), "fails (500: oops …): ask again later"),
        (refuses(400, "prompt too long"), "refuses the request (400: prompt too long)"),
        (raw("", "text/plain"), "does not answer"),
        (raw("<html><h1>It works", "text/html"), "does not answer"),
        (raw('{"choices": []}', "application/json"), "correct STRATA_SERVER_URL"),
        (raw(HALF), "broke off its answer after 1 words (the end is missing): ask again"),
        (raw("data: {half\n\n"), "correct STRATA_SERVER_URL"),
        (raw('data: {"error": {"message": "out of memory"}}\n\n'), "out of memory"),
        (refuses(302, Location="http://127.0.0.1:1/v1"), "refuses the request (302"),
    ],
)
def test_a_wrong_server_is_told_of_with_its_address(answer: Answer, told: str) -> None:
    assert told in failure(answer)


@pytest.mark.parametrize("begun", [HALF, "", ": still here\n\n"])
def test_a_slow_server_is_not_waited_for_longer_than_the_timeout(begun: str) -> None:
    told = failure(raw(begun, pause=1), timeout=0.2)
    assert "sent nothing for 0.2 seconds: ask again later, or raise STRATA_SERVER_TIMEOUT" in told


def test_signs_of_life_are_not_words() -> None:
    def pings(request: Any) -> None:
        request.begin(200, "text/event-stream")
        for _ in range(40):
            request.wfile.write(b": ping\n\n")
            request.wfile.flush()
            time.sleep(0.05)

    assert "sent nothing for 0.3 seconds" in failure(pings, timeout=0.3)


def test_a_dead_server_is_told_of_at_once() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        model = served(f"http://me:{KEY}@127.0.0.1:{unused.getsockname()[1]}/v1")
        with pytest.raises(GeneratorError, match=r"does not answer .* start it") as failed:
            model.invoke("hello")
    assert KEY not in str(failed.value)


def test_what_a_server_refuses_is_left_out_and_remembered() -> None:
    def picky(request: Any) -> None:
        wrong = "response_format" in request.body
        (refuses(400, "Bad Request") if wrong else words("yes"))(request)

    with serving(picky) as server:
        model = served(server.url)
        for _ in range(2):
            schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}
            assert model.invoke("hello", response_format=schema).text == "yes "
    assert ["response_format" in body for body in server.bodies] == [True, False, False]


def test_no_more_requests_at_once_than_allowed_in_any_event_loop() -> None:
    async def five(model: ServedChatModel) -> None:
        await asyncio.gather(*(model.ainvoke("hello") for _ in range(5)))

    with serving(words("a b", pause=0.02)) as server:
        model = served(server.url, concurrency=2)
        asyncio.run(five(model))
        asyncio.run(five(model))
        assert len(server.bodies) == 10
        assert server.most_at_once == 2


async def leave(model: ServedChatModel) -> None:
    async for _ in model.astream("hello"):
        break


async def cancel(model: ServedChatModel) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(model.ainvoke("hello"), 0.2)


@pytest.mark.parametrize("stop", [leave, cancel])
def test_a_stream_that_is_left_or_cancelled_closes_its_connection(
    stop: Callable[[ServedChatModel], Any],
) -> None:
    with serving(endless) as server:
        asyncio.run(stop(served(server.url)))
        assert server.left.wait(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_can_go_on_asking() -> None:
    with serving(words("yes")) as server:
        model = served(server.url)
        assert model.invoke("hello").text == "yes "
        child = os.fork()
        if not child:
            os._exit(0 if model.invoke("hello").text == "yes " else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("url", "shows"),
    [
        ("http://gpu.example:8000/v1", True),
        ("https://gpu.example/v1", False),
        ("http://127.0.0.1:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://192.168.1.4/v1", True),
    ],
)
def test_it_knows_when_the_key_travels_unencrypted(url: str, shows: bool) -> None:
    assert served(url).shows_key_to_the_network is shows
    assert not ServedChatModel(url=url, model="m").shows_key_to_the_network


@pytest.fixture
def real() -> ServedChatModel:
    """The generator by its library's own HTTP server."""
    model = generator()
    return ServedChatModel(
        url=f"{model._server.listening_address}/v1", model="any", key=SecretStr(model._key)
    )


@pytest.mark.generator
def test_a_real_server_tells_probabilities_and_keeps_to_a_schema(real: ServedChatModel) -> None:
    reply = real.invoke("2+2=4. Reply True or False.", max_tokens=1, logprobs=True, top_logprobs=5)
    first = reply.response_metadata["logprobs"]["content"][0]
    assert {"True", "False"} & {other["token"] for other in first["top_logprobs"]}
    schema = {"type": "object", "properties": {"port": {"enum": [7]}}, "required": ["port"]}
    asked = {"type": "json_schema", "json_schema": {"name": "port", "schema": schema}}
    assert json.loads(real.invoke("Hello.", response_format=asked).text) == {"port": 7}
    wrong = real.model_copy(update={"key": SecretStr("another")})
    with pytest.raises(GeneratorError, match="refuses the key"):
        wrong.invoke("hello")

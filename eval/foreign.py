"""Systems of others, asked at their address: by OpenAI's chat protocol, or as a tool of MCP.

Address, key and replies are theirs: nothing of Strata's settings or data is used.
"""

import re
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from chatbot.batch import BatchLine
from chatbot.reply import Reply
from chatbot.retrieval.support import says_unknown
from chatbot.runtime.concurrency import run_on_event_loop
from eval.gold import GoldError, GoldQuestion
from ingestion.errors import BadSettings

TOOL = "mcp+"
"""What the address of an MCP server begins with."""
_TOOL_NAME = "ask"
_SECONDS = 600.0
"""The longest wait for an answer."""
_CONNECT_SECONDS = 10.0
_LONGEST = 100_000
"""Characters of an answer that are kept."""
_QUESTION = ("question", "query", "prompt", "input")
"""What tools call the argument that is the question."""
_DENIES = re.compile(
    r"(?:n't|\bnot|\bno|\bnothing|\bnone|\bcannot|\bunable to)\b[^.\n]{0,80}?\b(?:know|find|found|"
    r"document|mention|describe|specif|information|cover|state|support|provide|contain|exist|say)",
    re.IGNORECASE,
)
_TOKENS = ("prompt_tokens", "completion_tokens")
_BEGINNING = 300
"""Characters in which an answer denies what is asked, if it does."""

Answer = Callable[[BatchLine, Callable[[], bool]], Reply]
"""Replies to a line; the second tells whether the asking has been stopped."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a system is asked: `part` is its model, or with `is_tool` its tool."""

    url: str
    part: str
    is_tool: bool

    def __str__(self) -> str:
        part = f"#{self.part}" if self.part else ""
        return f"{TOOL if self.is_tool else ''}{self.url}{part}"


def read_address(text: str) -> Address:
    """Read `http://host:port/v1#MODEL` or `mcp+http://host:port/mcp#TOOL`.

    Raises BadSettings for what is no such address, and for one that holds a key: it would be kept
    with the run.
    """
    is_tool = text.startswith(TOOL)
    url, _, part = text.removeprefix(TOOL).partition("#")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BadSettings(
            f"{text!r} is no address of a system, such as http://127.0.0.1:8000/v1#MODEL or "
            f"{TOOL}http://127.0.0.1:8000/mcp#TOOL"
        )
    if parts.username or parts.password or parts.query:
        raise BadSettings(
            f"the address at {parts.hostname} holds a name, a key or a query, which would be kept "
            "with the run: name the environment variable that holds the key with --key"
        )
    return Address(url.rstrip("/"), part or (_TOOL_NAME if is_tool else ""), is_tool)


def takes(address: str, question: GoldQuestion) -> bool:
    """Whether a system can be asked a question: a tool has no conversation."""
    return not (address.startswith(TOOL) and question.history)


def open_address(address: Address, key: str | None = None) -> Answer:
    """A system at its address. Its replies say how long they took.

    As a model it is sent the conversation as messages; `{product}` in its name stands for the
    product of a question, any other is told the product in a system message, and without a name the
    only one that there is is asked. As a tool it gets the question, and the product as an argument
    or before the question; a line with a conversation is refused. Raises GoldError where the
    address cannot be used, BadSettings for a key that cannot be sent.
    """
    if key is not None and not (key.isascii() and key.isprintable()):
        raise BadSettings(f"the key for {address} holds a character that keys cannot have")
    ask = _tool(address, key) if address.is_tool else _chat(address, key)

    def answer(line: BatchLine, stopped: Callable[[], bool]) -> Reply:
        started = time.perf_counter()
        reply = run_on_event_loop(ask(line), stopped)
        seconds = round(time.perf_counter() - started, 3)
        return reply.model_copy(update={"seconds": seconds, "answer": reply.answer[:_LONGEST]})

    return answer


def with_refusal(question: GoldQuestion, reply: Reply) -> Reply:
    """The reply, which refuses by its words where the system does not say whether it does."""
    if "abstained" in reply.model_fields_set:
        return reply
    return reply.model_copy(update={"abstained": refuses(question, reply.answer)})


def refuses(question: GoldQuestion, answer: str) -> bool:
    """Whether an answer says that it has none, or has no word; what is right is no refusal."""
    if question.answerable and question.accepts(answer):
        return False
    denies = _DENIES.search(answer[:_BEGINNING]) is not None
    return not answer.strip() or says_unknown(answer) or denies


_Ask = Callable[[BatchLine], Coroutine[Any, Any, Reply]]


def _chat(address: Address, key: str | None) -> _Ask:
    def connected() -> httpx.AsyncClient:
        timeout = httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
        return httpx.AsyncClient(base_url=address.url, headers=_headers(key), timeout=timeout)

    named = address.part or run_on_event_loop(_only_model(connected), lambda: False)

    async def ask(line: BatchLine) -> Reply:
        product, messages = line.product or "", []
        if "{product}" not in named:
            about = f"The questions are about the product {product}."
            messages.append({"role": "system", "content": about})
        for user, assistant in line.history:
            messages.append({"role": "user", "content": user})
            messages.append({"role": "assistant", "content": assistant})
        messages.append({"role": "user", "content": line.question})
        body = {"model": named.replace("{product}", product), "messages": messages}
        try:
            async with connected() as client:
                response = await client.post("chat/completions", json=body)
        except httpx.HTTPError as error:
            raise _unusable(address, error) from error
        if response.is_error:
            raise GoldError(f"the server answers {response.status_code}: {response.text[:300]}")
        try:
            told = response.json()
            said = told["choices"][0]["message"]["content"] or ""
            usage, own = told.get("usage") or {}, told.get("strata") or {}
            counted = {name: usage.get(name) or 0 for name in _TOKENS}
            return _reply(str(said), {**own, **counted})
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise GoldError(f"the server answers nothing like a chat: {error}") from error

    return ask


def _tool(address: Address, key: str | None) -> _Ask:
    named = _with_tools(address, key, lambda client: _arguments(client, address.part))
    arguments = run_on_event_loop(named, lambda: False)
    question = next((name for name in _QUESTION if name in arguments), None)
    if question is None:
        raise GoldError(f"the tool {address.part} takes no question: it has {', '.join(arguments)}")

    async def ask(line: BatchLine) -> Reply:
        if line.history:
            raise GoldError("a tool has no conversation")
        asked = {question: line.question, "product": line.product}
        if "product" not in arguments:
            asked = {question: f"{line.product}: {line.question}"}
        result = await _with_tools(
            address, key, lambda client: client.call_tool(address.part, asked)
        )
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise GoldError(f"the tool fails: {text[:300]}")
        told = result.structured_content or {}
        found = told.get("answer", told.get("result"))
        return _reply(
            found if isinstance(found, str) else text,
            {"citations": told.get("sources", ()), **told},
        )

    return ask


def _reply(answer: str, told: Mapping[str, Any]) -> Reply:
    """The reply, with what a system tells beside its answer if it tells it as Strata does."""
    try:
        return Reply.model_validate({**told, "answer": answer})
    except ValidationError:
        return Reply(answer=answer)


def _headers(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _unusable(address: Address, error: Exception) -> GoldError:
    return GoldError(f"{address.url} cannot be used: {error or type(error).__name__}")


async def _only_model(connected: Callable[[], httpx.AsyncClient]) -> str:
    try:
        async with connected() as client:
            response = await client.get("models")
            response.raise_for_status()
            names = [str(model["id"]) for model in response.json()["data"]]
    except (httpx.HTTPError, httpx.InvalidURL, LookupError, TypeError, ValueError) as error:
        raise GoldError(f"the address does not list its models ({error}): name one") from error
    if len(names) != 1:
        shown = ", ".join(names[:5]) or "none"
        raise GoldError(f"the address has {len(names)} models ({shown} …): name one")
    return names[0]


async def _arguments(client: Any, tool: str) -> tuple[str, ...]:
    tools = {found.name: found.input_schema for found in (await client.list_tools()).tools}
    if tool not in tools:
        raise GoldError(f"the server has no tool {tool}; it has {', '.join(tools)}")
    return tuple(tools[tool].get("properties", {}))


async def _with_tools(address: Address, key: str | None, use: Callable[[Any], Any]) -> Any:
    """What `use` returns of a client that is connected for this once."""
    import httpx2
    from mcp import Client, MCPError
    from mcp.client.streamable_http import streamable_http_client

    timeout = httpx2.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
    unusable = (httpx2.HTTPError, httpx2.InvalidURL, MCPError)
    try:
        async with httpx2.AsyncClient(headers=_headers(key), timeout=timeout) as http:
            transport = streamable_http_client(address.url, http_client=http)
            async with Client(transport, read_timeout_seconds=_SECONDS) as client:
                return await use(client)
    except (ExceptionGroup, *unusable) as error:
        first: Exception = error
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
        if isinstance(first, unusable):
            raise _unusable(address, first) from error
        raise first from None

"""Any system as something that answers a batch: by OpenAI's chat protocol, or as a tool of MCP.

Its address, key and replies are its own: nothing of Strata's settings or data is used.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import httpx
from pydantic import ValidationError

from chatbot.batch import Answer, BatchLine
from chatbot.reply import Reply
from eval.gold import GoldError

_SECONDS = 600.0
"""The longest wait for an answer."""
_CONNECT_SECONDS = 10.0
_QUESTION = ("question", "query", "prompt", "input")
"""What tools call the argument that is the question."""


def chat_system(url: str, model: str | None = None, key: str | None = None) -> Answer:
    """A system at the address of its OpenAI-compatible interface, with its `/v1`.

    A conversation is sent as messages. `{product}` in `model` stands for the product of a
    question; any other model is told the product in a system message. Without `model` the only one
    there is is asked. Raises GoldError where the address cannot be used.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
    connected = partial(httpx.Client, base_url=url.rstrip("/"), headers=headers, timeout=timeout)
    named = model or _only_model(connected)

    def answer(line: BatchLine, stopped: Callable[[], bool]) -> Reply:
        product, messages = line.product or "", []
        if "{product}" not in named:
            about = f"The questions are about the product {product}."
            messages.append({"role": "system", "content": about})
        for user, assistant in line.history:
            messages.append({"role": "user", "content": user})
            messages.append({"role": "assistant", "content": assistant})
        messages.append({"role": "user", "content": line.question})
        body = {"model": named.replace("{product}", product), "messages": messages}
        with connected() as client:
            response = client.post("chat/completions", json=body)
        if response.is_error:
            raise GoldError(f"the server answers {response.status_code}: {response.text[:300]}")
        told = response.json()
        usage = told.get("usage") or {}
        return _reply(
            told["choices"][0]["message"]["content"] or "",
            {
                **(told.get("strata") or {}),
                "prompt_tokens": usage.get("prompt_tokens") or 0,
                "completion_tokens": usage.get("completion_tokens") or 0,
            },
        )

    return answer


def tool_system(url: str, tool: str, key: str | None = None) -> Answer:
    """A tool of an MCP server at an address, which takes a question and perhaps the product.

    A tool has no conversation, so a line with a history is refused. Raises GoldError where the
    server cannot be reached, has no such tool, or the tool takes no question.
    """
    arguments = _with_tools(url, key, lambda client: _arguments(client, tool))
    question = next((name for name in _QUESTION if name in arguments), None)
    if question is None:
        raise GoldError(f"the tool {tool} takes no question: it has {', '.join(arguments)}")

    def answer(line: BatchLine, stopped: Callable[[], bool]) -> Reply:
        if line.history:
            raise GoldError("a tool has no conversation")
        asked = {question: line.question, "product": line.product}
        if "product" not in arguments:
            asked = {question: f"{line.product}: {line.question}"}
        result = _with_tools(url, key, lambda client: client.call_tool(tool, asked))
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise GoldError(f"the tool fails: {text[:300]}")
        told = result.structured_content or {}
        found = told.get("answer", told.get("result"))
        return _reply(
            found if isinstance(found, str) else text,
            {"citations": told.get("sources", ()), **told},
        )

    return answer


def _reply(answer: str, told: Mapping[str, Any]) -> Reply:
    """The reply, with what a system tells beside its answer if it tells it as Strata does."""
    try:
        return Reply.model_validate({**told, "answer": answer})
    except ValidationError:
        return Reply(answer=answer)


def _only_model(connected: Callable[[], httpx.Client]) -> str:
    try:
        with connected() as client:
            response = client.get("models")
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


def _with_tools(url: str, key: str | None, use: Callable[[Any], Any]) -> Any:
    """What `use` returns of a client that is connected for this once."""
    import anyio
    import httpx2
    from mcp import Client, MCPError
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {key}"} if key else None
    timeout = httpx2.Timeout(_SECONDS, connect=_CONNECT_SECONDS)

    async def main() -> Any:
        async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, read_timeout_seconds=_SECONDS) as client:
                return await use(client)

    unusable = (httpx2.HTTPError, httpx2.InvalidURL, MCPError)
    try:
        return anyio.run(main)
    except (ExceptionGroup, *unusable) as error:
        first: Exception = error
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
        if isinstance(first, unusable):
            raise GoldError(f"{url} cannot be used: {first or type(first).__name__}") from error
        raise first from None

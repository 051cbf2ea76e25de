"""A model on any OpenAI-compatible server: vLLM, Ollama, llama.cpp, or a hosted service.

httpx speaks to it, not OpenAI's own client: that one sends what it finds in the OPENAI_* variables,
the key of another service among it, and repeats requests that timed out.
"""

import asyncio
import json
import random
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import cache
from ipaddress import ip_address
from textwrap import shorten
from typing import Any
from weakref import WeakKeyDictionary

import httpx
from langchain_core.messages import BaseMessage
from pydantic import Field, PrivateAttr, SecretStr, ValidationError

from chatbot.models.errors import GeneratorError, PromptTooLong
from chatbot.models.streaming import Chunks, StreamingChatModel, read_event, streamed_request

_CONNECT_SECONDS = 5.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# A server that asks for more patience than this is told of at once.
_LONGEST_RETRY_AFTER = 60.0
# What not every server has; one that refuses it is asked without it.
_EXTRAS = ("response_format", "logprobs", "top_logprobs", "stream_options")


class ServedChatModel(StreamingChatModel):
    """Chat with `model` on the server at `url`, which mostly ends in `/v1`.

    `timeout` is in seconds, until the next word. What is refused as overload (429, 5xx) is asked
    again up to `retries` times, after growing pauses or as long as the server says. At most
    `concurrency` requests of an event loop are under way. What a server does not offer
    (log-probabilities, structured output, usage) it is not asked for again.

    The key goes to this server only, and into no message. Proxies of the environment are used,
    except for an address of this machine. Leaving or cancelling a stream closes its connection,
    which stops the server's work; each request has a connection of its own, so any number of event
    loops, threads and forked processes can share the model. Raises GeneratorError.
    """

    url: str
    model: str
    key: SecretStr | None = None
    timeout: float = Field(120.0, gt=0)
    retries: int = Field(4, ge=0)
    concurrency: int = Field(8, ge=1)
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int | None = None

    _refused: set[str] = PrivateAttr(default_factory=set)
    _semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = PrivateAttr(
        default_factory=WeakKeyDictionary
    )

    @property
    def _llm_type(self) -> str:
        return "server"

    @property
    def address(self) -> str:
        """The server's URL without what is secret in it."""
        return str(self._parsed.copy_with(userinfo=b"", query=None))

    @property
    def shows_key_to_the_network(self) -> bool:
        """Whether the key travels to another machine unencrypted."""
        return bool(self._secret) and self._parsed.scheme == "http" and not self._is_local

    @property
    def _secret(self) -> str:
        """The key without the line end of the file that it was read from."""
        return self.key.get_secret_value().strip() if self.key else ""

    @property
    def _parsed(self) -> httpx.URL:
        try:
            return httpx.URL(self.url)
        except httpx.InvalidURL as error:
            raise GeneratorError(f"STRATA_SERVER_URL is no address ({error})") from None

    @property
    def _is_local(self) -> bool:
        host = self._parsed.host
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        defaults = {name: getattr(self, name) for name in ("max_tokens", "temperature", "seed")}
        body = {"model": self.model, **streamed_request(messages, stop, {**defaults, **options})}
        loop = asyncio.get_running_loop()
        words = 0
        try:
            async with (
                self._semaphores.setdefault(loop, asyncio.Semaphore(self.concurrency)),
                httpx.AsyncClient(
                    timeout=httpx.Timeout(self.timeout, connect=_CONNECT_SECONDS),
                    headers=self._headers(),
                    verify=_certificates(),
                    trust_env=not self._is_local,
                ) as client,
                aclosing(await self._open(client, body)) as response,
            ):
                events = _events(response)
                while True:
                    # Not httpx's own: a server may send signs of life and no word.
                    async with asyncio.timeout(self.timeout):
                        event = await anext(events, None)
                    if event is None:
                        return
                    if chunk := read_event(event):
                        words += bool(chunk.text)
                        yield chunk
        except (TimeoutError, httpx.ReadTimeout):
            raise self._failed(
                f"sent nothing for {self.timeout:g} seconds: ask again later, or raise "
                "STRATA_SERVER_TIMEOUT"
            ) from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            reason = str(error) or f"no connection within {_CONNECT_SECONDS:g} seconds"
            raise self._failed(
                f"does not answer ({reason}): start it, or correct STRATA_SERVER_URL"
            ) from None
        except httpx.TransportError as error:
            raise self._failed(
                f"broke off its answer after {words} words ({error}): ask again, or look into the "
                "server's log"
            ) from None
        except GeneratorError as error:
            raise self._failed(str(error), type(error)) from None
        except (AttributeError, KeyError, TypeError, ValidationError) as error:
            raise self._failed(str(_broken(f"sends events of another form ({error!r})"))) from None

    def _headers(self) -> dict[str, str]:
        if not (key := self._secret):
            return {}
        # The HTTP library refuses it too, but shows it as it says so.
        if not (key.isascii() and key.isprintable()):
            raise GeneratorError(
                "is not asked: STRATA_SERVER_KEY holds a line break or another character that no "
                "key has; set it again"
            )
        return {"Authorization": f"Bearer {key}"}

    async def _open(self, client: httpx.AsyncClient, body: dict[str, Any]) -> httpx.Response:
        """The response as it begins; asked again where that can help."""
        url = f"{self.url.rstrip('/')}/chat/completions"
        left_out = set(self._refused)
        tries = 0
        while True:
            sent = {name: value for name, value in body.items() if name not in left_out}
            response = await client.send(client.build_request("POST", url, json=sent), stream=True)
            status = response.status_code
            if status == 200:
                self._refused |= left_out
                return response
            await response.aread()
            said = _message_of(response)
            if status in {400, 422} and (extras := {name for name in _EXTRAS if name in sent}):
                # Those that the refusal names; all of them where it names none.
                named = {e for e in extras if e.removeprefix("top_").rstrip("s") in said.lower()}
                left_out |= named or extras
                continue
            wait = None
            with suppress(ValueError):
                wait = max(0.0, float(response.headers.get("retry-after", "")))
            overloaded = status == 429 or (status >= 500 and status != 501)
            if not overloaded or tries == self.retries or (wait or 0) > _LONGEST_RETRY_AFTER:
                kind = PromptTooLong if status == 400 and "context" in said else GeneratorError
                raise kind(_refusal(status, said, self.model))
            # Not all who were refused together come back together.
            pause = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE) * random.uniform(0.75, 1)  # noqa: S311
            await asyncio.sleep(pause if wait is None else wait)
            tries += 1

    def _failed(self, what: str, kind: type[GeneratorError] = GeneratorError) -> GeneratorError:
        sentence = f"{self.address} {what}"
        return kind(sentence.replace(self._secret, "…") if self._secret else sentence)


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


async def _events(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a streamed answer; raises GeneratorError, also when the end is missing."""
    finished = False
    async for line in _lines(response):
        name, _, data = line.partition(":")
        if name in {"", "event", "id", "retry"}:
            continue
        if name != "data":
            raise _broken(f"sends “{_one_line(line)}” where an event should be")
        if data.strip() == "[DONE]":
            return
        try:
            event = json.loads(data, strict=False)
        except (ValueError, RecursionError):
            raise _broken(f"sends “{_one_line(data)}”, which is no JSON") from None
        if error := event.get("error"):
            raise _broken(f"stopped answering: {_one_line(_message(error))}")
        finished |= any(choice.get("finish_reason") for choice in event.get("choices") or [])
        yield event
    if not finished:
        raise _broken("broke off in the middle of its answer")


_LONGEST_LINE = 4 << 20
"""Bytes of an event; one holds a few words."""


async def _lines(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The lines of a stream. httpx's own end at U+2028 and the like too, which JSON may hold."""
    begun = b""
    async for part in response.aiter_bytes():
        *whole, begun = (begun + part).split(b"\n")
        if len(begun) > _LONGEST_LINE:
            raise _broken(f"sends a line of more than {_LONGEST_LINE >> 20} MB")
        for line in whole:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    yield begun.decode("utf-8", "replace")


def _broken(what: str) -> GeneratorError:
    return GeneratorError(
        f"{what}: check that STRATA_SERVER_URL is an OpenAI-compatible server, and its log"
    )


def _refusal(status: int, said: str, model: str) -> str:
    because = f"{status}: {_one_line(said)}" if said else str(status)
    if status in {401, 403}:
        # Not what it said: some servers repeat the key.
        return f"refuses the key ({status}): set STRATA_SERVER_KEY to one that it takes"
    if status == 404:
        return (
            f"has no model {model}, or no chat at this address ({because}): set STRATA_MODEL to a "
            "model that it serves; STRATA_SERVER_URL mostly ends in /v1"
        )
    if status == 429:
        return f"is overloaded ({because}): ask again later, or lower STRATA_SERVER_CONCURRENCY"
    if status >= 500:
        return f"fails ({because}): ask again later, or look into the server's log"
    if status >= 400:
        return f"refuses the request ({because})"
    return f"answers {because} instead of a chat: check STRATA_SERVER_URL"


def _message_of(response: httpx.Response) -> str:
    try:
        return _message(response.json().get("error") or response.json())
    except (ValueError, AttributeError):
        return response.text


def _message(error: Any) -> str:
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)


def _one_line(text: str) -> str:
    return shorten("".join(c if c.isprintable() else " " for c in text), 200, placeholder=" …")

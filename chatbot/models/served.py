"""A model on any OpenAI-compatible server: vLLM, Ollama, llama.cpp, or a hosted service.

httpx speaks to it, not OpenAI's own client: that one sends what it finds in the OPENAI_* variables,
the key of another service among it, and repeats requests that timed out, which makes a slow server
slower and whoever asked wait several times as long.
"""

from __future__ import annotations

import asyncio
import json
import random
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import cache
from ipaddress import ip_address
from textwrap import shorten
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from langchain_core.messages import BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr, SecretStr, field_validator

from chatbot.models.errors import GeneratorError
from chatbot.models.streaming import Chunks, StreamingChatModel, chunk_of

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 5.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# A server that asks for more patience than this is told of at once.
_LONGEST_RETRY_AFTER = 60.0


class _Failure(Exception):
    """What the server did wrong: the rest of a sentence that begins with its name."""


class ServedChatModel(StreamingChatModel):
    """Chat with `model` on the server at `url`, which mostly ends in `/v1`.

    `timeout` is in seconds, until the next word. What is refused as overload (429, 5xx) is asked
    again up to `retries` times, after growing pauses or as long as the server says. At most
    `concurrency` requests of an event loop are under way. A server that refuses an option that is
    in `optional` is asked without it from then on. Messages call the server by its `label`, else by
    its address.

    The key goes to this server only, and into no message. Proxies of the environment are used,
    except for an address of this machine. Leaving or cancelling a stream closes its connection,
    which stops the server's work; each request has a connection of its own, so any number of event
    loops, threads and forked processes can share the model. Raises GeneratorError.
    """

    url: str
    model: str
    label: str = ""
    key: SecretStr | None = None
    timeout: float = Field(120.0, gt=0)
    retries: int = Field(4, ge=0)
    concurrency: int = Field(8, ge=1)
    optional: Sequence[str] = ("response_format", "logprobs", "top_logprobs", "stream_options")
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int | None = None

    _refused: set[str] = PrivateAttr(default_factory=set)
    _semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = PrivateAttr(
        default_factory=WeakKeyDictionary
    )

    @field_validator("key")
    @classmethod
    def _strip_key(cls, key: SecretStr | None) -> SecretStr | None:
        """The key without the line end of the file it was read from; None if nothing is left."""
        bare = key.get_secret_value().strip() if key else ""
        return SecretStr(bare) if bare else None

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
        return bool(self.key) and self._parsed.scheme == "http" and not self._is_local

    @property
    def _parsed(self) -> httpx.URL:
        import httpx

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
        import httpx

        semaphore = self._semaphores.setdefault(
            asyncio.get_running_loop(), asyncio.Semaphore(self.concurrency)
        )
        words = 0
        try:
            async with (
                semaphore,
                httpx.AsyncClient(
                    timeout=httpx.Timeout(self.timeout, connect=_CONNECT_SECONDS),
                    headers=self._headers(),
                    verify=_certificates(),
                    trust_env=not self._is_local,
                ) as client,
                aclosing(await self._open(client, self._body(messages, stop, options))) as response,
            ):
                events = _events(response)
                while True:
                    # Not httpx's own: a server may send signs of life and no word.
                    async with asyncio.timeout(self.timeout):
                        event = await anext(events, None)
                    if event is None:
                        return
                    if chunk := _chunk(event):
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
        except _Failure as error:
            raise self._failed(str(error)) from None
        except (AttributeError, KeyError, TypeError) as error:
            raise self._failed(
                f"sends events of another form ({error!r}): check that STRATA_SERVER_URL is an "
                "OpenAI-compatible server"
            ) from None

    def _body(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> dict[str, Any]:
        """A request whose answer is streamed, with its usage in the end."""
        defaults = {name: getattr(self, name) for name in ("max_tokens", "temperature", "seed")}
        given = {**defaults, **options, "stop": stop or None}
        return {
            "model": self.model,
            "messages": convert_to_openai_messages(messages),
            **{name: value for name, value in given.items() if value is not None},
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def _headers(self) -> dict[str, str]:
        if self.key is None:
            return {}
        key = self.key.get_secret_value()
        # The HTTP library refuses it too, but shows it as it says so.
        if not (key.isascii() and key.isprintable()):
            raise _Failure(
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
            if status in {400, 422} and (extras := {e for e in self.optional if e in sent}):
                # Those that the refusal names; all of them where it names none.
                named = {e for e in extras if e.removeprefix("top_").rstrip("s") in said.lower()}
                left_out |= named or extras
                continue
            wait = _retry_after(response)
            overloaded = status == 429 or (status >= 500 and status != 501)
            if not overloaded or tries == self.retries or (wait or 0) > _LONGEST_RETRY_AFTER:
                raise _Failure(_refusal(status, said, self.model))
            # Not all who were refused together come back together.
            pause = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE) * random.uniform(0.75, 1)  # noqa: S311
            await asyncio.sleep(pause if wait is None else wait)
            tries += 1

    def _failed(self, what: str) -> GeneratorError:
        sentence = f"{self.label or self.address} {what}"
        if self.key:
            sentence = sentence.replace(self.key.get_secret_value(), "…")
        return GeneratorError(sentence)


@cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


async def _events(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a streamed answer. Raises _Failure, also when the end is missing."""
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
        except ValueError:
            raise _broken(f"sends “{_one_line(data)}”, which is no JSON") from None
        if error := event.get("error"):
            raise _broken(f"stopped answering: {_one_line(_message(error))}")
        finished |= any(choice.get("finish_reason") for choice in event.get("choices") or [])
        yield event
    if not finished:
        raise _broken("broke off in the middle of its answer")


async def _lines(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The lines of a stream. httpx's own end at U+2028 and the like too, which JSON may hold."""
    begun = b""
    async for part in response.aiter_bytes():
        *whole, begun = (begun + part).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    yield begun.decode("utf-8", "replace")


def _chunk(event: dict[str, Any]) -> ChatGenerationChunk | None:
    """What an event tells; None if that is nothing."""
    choice = (event.get("choices") or [{}])[0]
    text = (choice.get("delta") or {}).get("content") or ""
    logprobs = [
        {**_token(token), "top_logprobs": [_token(t) for t in token.get("top_logprobs") or []]}
        for token in (choice.get("logprobs") or {}).get("content") or []
    ]
    finish_reason = choice.get("finish_reason")
    tokens = cached = None
    if usage := event.get("usage"):
        tokens = usage["prompt_tokens"], usage.get("completion_tokens") or 0
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    if not (text or logprobs or finish_reason or tokens):
        return None
    return chunk_of(
        text, logprobs=logprobs, finish_reason=finish_reason, tokens=tokens, cached=cached
    )


def _token(token: dict[str, Any]) -> dict[str, Any]:
    return {"token": token["token"], "logprob": token["logprob"]}


def _broken(what: str) -> _Failure:
    return _Failure(
        f"{what}: check that STRATA_SERVER_URL is an OpenAI-compatible server, and its log"
    )


def _retry_after(response: httpx.Response) -> float | None:
    """The seconds that the server asks to wait for, if it does."""
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _refusal(status: int, said: str, model: str) -> str:
    because = f"{status}: {_one_line(said)}" if said else str(status)
    match status:
        case 401 | 403:
            # Not what it said: some servers repeat the key.
            return f"refuses the key ({status}): set STRATA_SERVER_KEY to one that it takes"
        case 404:
            return (
                f"has no model {model}, or no chat at this address ({because}): set STRATA_MODEL "
                "to a model that it serves; STRATA_SERVER_URL mostly ends in /v1"
            )
        case 429:
            return f"is overloaded ({because}): ask again later, or lower STRATA_SERVER_CONCURRENCY"
        case _ if status >= 500:
            return f"fails ({because}): ask again later, or look into the server's log"
        case _ if status >= 400:
            return f"refuses the request ({because})"
    return f"answers {because} instead of a chat: check STRATA_SERVER_URL"


def _message_of(response: httpx.Response) -> str:
    """The message of a refusal; of one that is no JSON, its text."""
    try:
        return _message(response.json().get("error") or response.json())
    except (ValueError, AttributeError):
        return response.text


def _message(error: Any) -> str:
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)


def _one_line(text: str) -> str:
    """At most 200 characters of a text of any origin, on one line."""
    return shorten("".join(c if c.isprintable() else " " for c in text), 200, placeholder=" …")

"""A model on any OpenAI-compatible server: vLLM, Ollama, llama.cpp, or a hosted service.

httpx speaks to it, not OpenAI's own client: that one sends what it finds in the OPENAI_* variables,
the key of another service among it, and repeats requests that timed out, which makes a slow server
slower and whoever asked wait several times as long.
"""

from __future__ import annotations

import asyncio
import random
import ssl
from contextlib import aclosing
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from langchain_core.messages import BaseMessage
from pydantic import Field, PrivateAttr, SecretStr, field_validator

from chatbot.models.chat_completions import read_event, streamed_request
from chatbot.models.errors import GeneratorError
from chatbot.models.server_answers import (
    BrokenAnswer,
    events_of,
    is_overload,
    refusal,
    refused_extras,
    retry_after,
    said_in,
)
from chatbot.models.streaming import Chunks, StreamingChatModel

if TYPE_CHECKING:
    import httpx

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# A server that asks for more patience than this is told of at once.
_LONGEST_RETRY_AFTER = 60.0


class ServedChatModel(StreamingChatModel):
    """Chat with `model` on the server at `url`, which mostly ends in `/v1`.

    `timeout` is in seconds, until the next word; `connect_timeout` until the server takes the
    call. What is refused as overload (429, 5xx) is asked again up to `retries` times, after growing
    pauses or as long as the server says. At most `concurrency` requests of an event loop are under
    way. Log-probabilities, structured output and usage are asked for; a server that refuses one
    is asked without it from then on.

    The key goes to this server only, and into no message. Proxies of the environment are used,
    except for an address of this machine. Leaving or cancelling a stream closes its connection,
    which stops the server's work; each request has a connection of its own, so any number of event
    loops, threads and forked processes can share the model. Raises GeneratorError.
    """

    url: str
    model: str
    key: SecretStr | None = None
    timeout: float = Field(120.0, gt=0)
    connect_timeout: float = Field(5.0, gt=0)
    retries: int = Field(4, ge=0)
    concurrency: int = Field(8, ge=1)
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int | None = None

    _refused: set[str] = PrivateAttr(default_factory=set)
    _places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = PrivateAttr(
        default_factory=WeakKeyDictionary
    )

    @field_validator("key")
    @classmethod
    def _bare(cls, key: SecretStr | None) -> SecretStr | None:
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
        return bool(self.key) and self._parsed.scheme == "http" and not self._is_here

    @property
    def _parsed(self) -> httpx.URL:
        import httpx

        try:
            return httpx.URL(self.url)
        except httpx.InvalidURL as error:
            raise GeneratorError(f"STRATA_SERVER_URL is no address ({error})") from None

    @property
    def _is_here(self) -> bool:
        host = self._parsed.host
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        import httpx

        defaults = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
        }
        body = {
            "model": self.model,
            **streamed_request(messages, stop, {**defaults, **options}),
        }
        words = 0
        try:
            async with (
                self._place(),
                self._client() as client,
                aclosing(await self._open(client, body)) as response,
            ):
                events = events_of(response)
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
            reason = str(error) or f"no connection within {self.connect_timeout:g} seconds"
            raise self._failed(
                f"does not answer ({reason}): start it, or correct STRATA_SERVER_URL"
            ) from None
        except httpx.TransportError as error:
            raise self._failed(
                f"broke off its answer after {words} words ({error}): ask again, or look into the "
                "server's log"
            ) from None
        except BrokenAnswer as error:
            raise self._failed(
                f"{error}: check that STRATA_SERVER_URL is an OpenAI-compatible server, and its log"
            ) from None
        except (AttributeError, KeyError, TypeError) as error:
            raise self._failed(
                f"sends events of another form ({error!r}): check that STRATA_SERVER_URL is an "
                "OpenAI-compatible server"
            ) from None

    def _place(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        return self._places.setdefault(loop, asyncio.Semaphore(self.concurrency))

    def _client(self) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            timeout=httpx.Timeout(self.timeout, connect=self.connect_timeout),
            headers=self._headers,
            verify=_certificates(),
            trust_env=not self._is_here,
        )

    @property
    def _headers(self) -> dict[str, str]:
        if self.key is None:
            return {}
        key = self.key.get_secret_value()
        # The HTTP library refuses it too, but shows it as it says so.
        if not (key.isascii() and key.isprintable()):
            raise self._failed(
                "is not asked: STRATA_SERVER_KEY holds a line break or another character that no "
                "key has; set it again"
            )
        return {"Authorization": f"Bearer {key}"}

    async def _open(self, client: httpx.AsyncClient, body: dict[str, Any]) -> httpx.Response:
        """The response as it begins; asked again where that can help."""
        left_out = set(self._refused)
        tries = 0
        while True:
            sent = {name: value for name, value in body.items() if name not in left_out}
            url = f"{self.url.rstrip('/')}/chat/completions"
            response = await client.send(client.build_request("POST", url, json=sent), stream=True)
            if response.status_code == 200:
                self._refused |= left_out
                return response
            await response.aread()
            status, said = response.status_code, said_in(response)
            if status in {400, 422} and (refused := refused_extras(sent, said)):
                left_out |= refused
                continue
            wait = retry_after(response)
            impatient = wait is not None and wait > _LONGEST_RETRY_AFTER
            if not is_overload(status) or tries == self.retries or impatient:
                raise self._failed(refusal(status, said, self.model))
            await asyncio.sleep(_pause(tries) if wait is None else wait)
            tries += 1

    def _failed(self, what: str) -> GeneratorError:
        sentence = f"{self.address} {what}"
        if self.key:
            sentence = sentence.replace(self.key.get_secret_value(), "…")
        return GeneratorError(sentence)


def _pause(tries: int) -> float:
    # Not all who were refused together come back together.
    longest: float = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE)
    return longest * random.uniform(0.75, 1)  # noqa: S311


@cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()

"""A model that LangChain reaches: on an OpenAI-compatible server, or of a provider by name."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from importlib import import_module
from ipaddress import ip_address
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr, SecretStr

from chatbot.errors import GeneratorError, PromptTooLong
from chatbot.models.certificates import trusted_certificates
from chatbot.models.server_refusals import (
    OVERFLOW,
    USUAL,
    deepest,
    message_of,
    one_line,
    origin,
    retry_after,
    status_of,
    to_leave_out,
)
from chatbot.models.streaming import Chunks, StreamingChatModel

_CONNECT_SECONDS = 5.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# A server that asks for more patience than this is reported at once.
_LONGEST_RETRY_AFTER = 60.0
_PROBE_SECONDS = 3.0
_AVOIDED_SECONDS = 30.0
"""So long after a failure another server is asked first, if there is one."""
_HEADERS = {"accept", "accept-encoding", "connection", "content-length", "content-type", "host"}


def provider_of(model: str) -> str | None:
    """The provider in `provider:name`; None if LangChain knows none by the words before the colon.

    Names of a server have colons, too: `qwen3:8b`.
    """
    provider, colon, _ = model.partition(":")
    return provider if colon and provider in _packages() else None


def _packages() -> dict[str, str]:
    """The module of each provider that LangChain knows; importing LangChain takes a second."""
    from langchain.chat_models.base import _BUILTIN_PROVIDERS

    return {provider: module for provider, (module, *_) in _BUILTIN_PROVIDERS.items()}


class ServedChatModel(StreamingChatModel):
    """Chat with `model` on the server at `url`, or with `provider:name` by LangChain's package.

    `timeout` is in seconds, until the next word. Overload (429, 5xx) is asked again up to `retries`
    times, after growing pauses or as long as the server says. At most `concurrency` requests of an
    event loop are under way. What a server refuses to be asked for it is not asked for again.
    `second` is asked where this one fails, by `chatbot.runtime.model_calls`.

    The key goes to this server only, and into no message. No header is sent but ours, whatever
    OPENAI_* variables there are (another provider's package reads its own); proxies are used,
    except for an address of this machine. Leaving or cancelling a stream closes its connection.
    Each event loop has a client of its own, and each request a connection: loops, threads and
    forked processes can share the model. Raises GeneratorError.
    """

    model: str
    url: str | None = None
    key: SecretStr | None = None
    timeout: float = Field(120.0, gt=0)
    retries: int = Field(4, ge=0)
    concurrency: int = Field(8, ge=1)
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int | None = None
    second: "ServedChatModel | None" = None
    settings: str = "STRATA_SERVER_"
    """How the names of its settings begin, for messages; that of its model is STRATA_MODEL then."""

    _failed: float | None = PrivateAttr(default=None)
    _provider: str = PrivateAttr(default="")
    _refused: set[str] = PrivateAttr(default_factory=set)
    _semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = PrivateAttr(
        default_factory=WeakKeyDictionary
    )
    _asked_by: WeakKeyDictionary[asyncio.AbstractEventLoop, BaseChatModel] = PrivateAttr(
        default_factory=WeakKeyDictionary
    )

    @property
    def _llm_type(self) -> str:
        return "server"

    def load(self) -> None:
        """Import the provider's package, which takes a second or two."""
        provider = provider_of(self.model) or "openai"
        module = _packages()[provider]
        try:
            import_module(module)
        except ImportError as error:
            package = module.partition(".")[0].replace("_", "-")
            raise GeneratorError(
                f"{self.address} needs another package ({error}): run `pip install {package}`"
            ) from error
        self._provider = provider

    @property
    def address(self) -> str:
        """The server's URL without its secret parts; without a URL, the model's name."""
        if not self.url:
            return self.model
        return str(httpx2.URL(self.url).copy_with(userinfo=b"", query=None))

    @property
    def known_as(self) -> str:
        """The model's name."""
        return self.model

    @property
    def server(self) -> str:
        """The server's address, or the provider."""
        return self.address if self.url else self.provider

    @property
    def provider(self) -> str:
        """The provider, "openai" for any server that speaks its protocol."""
        return provider_of(self.model) or "openai"

    @property
    def in_order(self) -> "tuple[ServedChatModel, ...]":
        """This one and its second, first the one that did not fail within the last seconds."""
        if self.second is None:
            return (self,)
        failed = self._failed is not None and time.monotonic() - self._failed < _AVOIDED_SECONDS
        return (self.second, self) if failed else (self, self.second)

    def problem(self) -> str:
        """Why the server cannot be asked now, in a sentence; empty if it can, or has no URL.

        It is asked for its list of models, which costs nothing, and waited for three seconds.
        """
        if not self.url:
            return ""
        try:
            with httpx2.Client(
                verify=trusted_certificates(), trust_env=not self._is_local, timeout=_PROBE_SECONDS
            ) as http:
                # The path before its query, which may hold a key.
                url = httpx2.URL(self.url)
                url = url.copy_with(path=f"{url.path.rstrip('/')}/models")
                headers = {"Authorization": f"Bearer {self._secret}"} if self._secret else {}
                reply = http.get(url, headers=headers)
                # Not every server has a list; one that says so can be asked.
                if reply.is_error and reply.status_code not in (404, 405, 501):
                    raise httpx2.HTTPStatusError(
                        deepest(reply.text), request=reply.request, response=reply
                    )
        except httpx2.ReadTimeout:
            return f"{self.address} sent nothing for {_PROBE_SECONDS:g} seconds: look into its log"
        except Exception as raised:  # noqa: BLE001 - of the library, of TLS, of the name's encoding
            return str(self._as_generator_error(origin(raised), 0))
        return ""

    @property
    def shows_key_to_the_network(self) -> bool:
        """Whether the key travels to another machine unencrypted."""
        return bool(self._secret) and (self.url or "").startswith("http:") and not self._is_local

    @property
    def _secret(self) -> str:
        return self.key.get_secret_value() if self.key else ""

    @property
    def _is_local(self) -> bool:
        host = httpx2.URL(self.url or "").host
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        if not self._provider:
            await asyncio.to_thread(self.load)
        defaults = {name: getattr(self, name) for name in ("max_tokens", "temperature", "seed")}
        parameters = {"stream_options": {"include_usage": True}, **defaults, **options}
        if self._provider != "openai":
            parameters = {name: parameters[name] for name in USUAL}
        left_out = set(self._refused)
        tries = words = 0
        loop = asyncio.get_running_loop()
        async with self._semaphores.setdefault(loop, asyncio.Semaphore(self.concurrency)):
            while True:
                names = parameters.keys() - left_out
                sent = {name: parameters[name] for name in names if parameters[name] is not None}
                try:
                    async with aclosing(self._answer(messages, stop, sent)) as pieces:
                        async for piece in pieces:
                            self._refused |= left_out
                            words += bool(piece.text)
                            yield ChatGenerationChunk(message=piece)
                    self._failed = None
                    return
                except Exception as raised:  # noqa: BLE001 - each provider has errors of its own
                    error = origin(raised)
                    status = status_of(error)
                    if refused := to_leave_out(status, message_of(error), sent):
                        left_out |= refused
                        continue
                    wait = retry_after(error)
                    overloaded = status == 429 or (status >= 500 and status != 501)
                    patient = tries < self.retries and (wait or 0) <= _LONGEST_RETRY_AFTER
                    if words or not (overloaded and patient):
                        failure = self._as_generator_error(error, words)
                        if not isinstance(failure, PromptTooLong):
                            self._failed = time.monotonic()
                        raise failure from None
                # Not all who were refused together come back together.
                pause = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE) * random.uniform(0.75, 1)  # noqa: S311
                await asyncio.sleep(pause if wait is None else wait)
                tries += 1

    async def _answer(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> AsyncGenerator[AIMessageChunk, None]:
        """The chunks of one reply of the server; raises whatever the provider's package does."""
        pieces: Any = self._open(options, messages, stop)
        async with aclosing(pieces):
            finished = False
            while True:
                # Not the library's own: a server may send signs of life and no word.
                async with asyncio.timeout(self.timeout):
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                # finish_reason, stop_reason, done_reason, stopReason: each has its own.
                finished |= any(n.lower().endswith("reason") for n in piece.response_metadata)
                yield AIMessageChunk(
                    content=piece.text,
                    response_metadata=piece.response_metadata,
                    usage_metadata=piece.usage_metadata,
                )
        if not finished:
            raise GeneratorError("the end is missing")

    def _open(
        self, options: dict[str, Any], messages: list[BaseMessage], stop: list[str] | None
    ) -> AsyncIterator[AIMessageChunk]:
        if self._provider == "openai":
            loop = asyncio.get_running_loop()
            if (asked := self._asked_by.get(loop)) is None:
                # To make one takes as long as all else that is done for a request.
                asked = self._asked_by[loop] = self._speaker_of_openai()
            # As they are: its own parameters rename max_tokens, which older servers do not know.
            return asked.astream(messages, stop=stop, extra_body=options)
        from langchain.chat_models import init_chat_model

        url = "azure_endpoint" if self._provider == "azure_openai" else "base_url"
        own: dict[str, Any] = {
            url: self.url,
            "api_key": self._secret,
            "timeout": self.timeout,
            **options,
        }
        given = {name: value for name, value in own.items() if value not in {None, ""}}
        name = self.model.removeprefix(f"{self._provider}:")
        other: BaseChatModel = init_chat_model(
            name, model_provider=self._provider, max_retries=0, **given
        )
        return other.astream(messages, stop=stop)

    def _speaker_of_openai(self) -> BaseChatModel:
        from langchain.chat_models import init_chat_model

        async def key() -> str:
            return "set by _only_our_headers"

        # No connection outlives its request: a server may close it just when it is used again.
        http = httpx2.AsyncClient(
            verify=trusted_certificates(),
            trust_env=not self._is_local,
            limits=httpx2.Limits(max_keepalive_connections=0),
            event_hooks={"request": [self._only_our_headers]},
        )
        return init_chat_model(
            self.model.removeprefix("openai:"),
            model_provider="openai",
            base_url=self.url or "https://api.openai.com/v1",
            api_key=key,
            http_async_client=http,
            timeout=httpx2.Timeout(self.timeout, connect=_CONNECT_SECONDS),
            max_retries=0,
            openai_proxy="",
            use_responses_api=False,
            stream_chunk_timeout=None,
        )

    async def _only_our_headers(self, request: httpx2.Request) -> None:
        for name in set(request.headers) - _HEADERS:
            del request.headers[name]
        if self._secret:
            request.headers["Authorization"] = f"Bearer {self._secret}"

    def _as_generator_error(self, error: Exception, words: int) -> GeneratorError:
        """The error in our words: who, why, and what to do."""
        status, message, name = (
            status_of(error),
            one_line(message_of(error)),
            type(error).__name__,
        )
        because = f"{status}: {message}" if message else str(status)
        kind = str(status)
        own = self.settings == "STRATA_SERVER_"
        model = "STRATA_MODEL" if own else f"{self.settings}MODEL"
        if status in {401, 403}:
            # Not what it said: some servers repeat the key.
            what = f"refuses the key ({status}): set {self.settings}KEY to one that it takes"
        elif status == 404:
            what = (
                f"has no model {self.model}, or no chat at this address ({because}): set "
                f"{model} to a model that it serves; {self.settings}URL mostly ends in /v1"
            )
        elif status == 429:
            what = f"is overloaded ({because}): ask again later, or lower STRATA_SERVER_CONCURRENCY"
        elif status >= 500:
            what = f"fails ({because}): ask again later, or look into the server's log"
        elif status:
            what = f"refuses the request ({because})"
        elif "Timeout" in name and name != "ConnectTimeout":
            kind = "timeout"
            what = (
                f"sent nothing for {self.timeout:g} seconds: ask again later, or raise "
                "STRATA_SERVER_TIMEOUT"
            )
        elif words:
            kind = "broken_off"
            what = (
                f"broke off its answer after {words} words ({message}): ask again, or see its log"
            )
        elif self.url:
            kind = "unreachable"
            what = f"does not answer ({message or name}): start it, or correct {self.settings}URL"
        else:
            kind = "unreachable"
            what = f"cannot be asked ({message or name}): set {self.settings}KEY, or what it needs"
        error_type = PromptTooLong if status == 400 and OVERFLOW.search(message) else GeneratorError
        sentence = f"{self.address} {what}"
        failure = error_type(sentence.replace(self._secret, "…") if self._secret else sentence)
        failure.kind = kind
        return failure

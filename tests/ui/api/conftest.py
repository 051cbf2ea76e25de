import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.chatbot import Chatbot
from strata_client import Strata
from tests.browser.conftest import free_port
from ui.api.app import Api
from ui.serving.gate import Gate

MakeKey = Callable[..., str]
Client = Callable[..., Strata]


@contextmanager
def serving(chatbot: Chatbot) -> Iterator[str]:
    """Serve the interface for programs on a real port, behind the gate; yields its address."""
    api = Api(lambda: chatbot)
    app = Starlette(
        routes=api.routes,
        lifespan=api.lifespan,
        middleware=[Middleware(Gate, settings=chatbot.settings)],
    )
    config = uvicorn.Config(
        app, host="127.0.0.1", port=free_port(), log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has ended"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{config.port}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def address(chatbot: Chatbot) -> Iterator[str]:
    """The address of a Strata with the valve's documentation, without a model and sign-in."""
    with serving(chatbot) as url:
        yield url


@pytest.fixture
def make_key(chatbot: Chatbot) -> MakeKey:
    """Makes a key with some scopes."""

    def make(*scopes: Scope, per_minute: int = 0) -> str:
        return ProgramKeys(chatbot.database).make(LOCAL, "robot", scopes, per_minute, usual=0)[1]

    return make


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    """Makes clients with a key, or without one."""
    with ExitStack() as stack:
        yield lambda key=None: stack.enter_context(Strata(address, key))


@pytest.fixture
def strata(client: Client) -> Strata:
    """A client on this computer, which needs no key."""
    return client()


@pytest.fixture
def strata_of() -> Iterator[Callable[[Chatbot], Strata]]:
    """Serves a chatbot, and returns a client of it."""
    with ExitStack() as stack:
        yield lambda chatbot: stack.enter_context(Strata(stack.enter_context(serving(chatbot))))

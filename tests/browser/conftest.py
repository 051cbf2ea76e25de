import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder
from tests.ui.valve_corpus import ingest_valve

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# A machine that is busy with other things may be slow.
expect.set_options(timeout=20_000)

Serve = Callable[..., str]
OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what fails in a real browser show once more that it does; a second run is told of."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.flaky(reruns=1))


# Not for the session: while Playwright is open no other test of this thread can run a loop.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A real Chromium with a profile of its own."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        told = "there is no Chromium: `make browser` installs one"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A data folder with the valve and a part of the sample product."""
    folder = tmp_path_factory.mktemp("served")
    settings = ingest_valve(folder)
    build = [sys.executable, str(ROOT / "examples" / "build.py"), "--output", str(folder / "built")]
    subprocess.run(build, check=True, capture_output=True)
    sample = folder / "built" / "tessaline" / "17.20"
    chatbot = open_chatbot(settings)
    Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1).ingest(
        [sample / "configuration" / "protection.html", sample / "installation-guide.pdf"],
        product="tessaline",
        release="17.20",
    )
    chatbot.database.close()
    return settings


@contextmanager
def running(
    command: list[str], port: int, environment: dict[str, str], path: str = "/_stcore/health"
) -> Iterator[str]:
    """Run a server until the block ends; yields its address once it answers at a path."""
    server = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, cwd="/"
    )
    try:
        end = time.monotonic() + 180
        while not _answers(port, path):
            assert server.poll() is None, "the server has ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def strata_serves(
    settings: Settings, *, port: int = 0, worker: bool = False, **given: str
) -> Iterator[str]:
    """Run `strata serve` with more settings, on a free port unless one is given."""
    port = port or free_port()
    environment = {
        "STRATA_DATA_DIR": str(settings.data_dir),
        "STRATA_MODELS_DIR": str(settings.models_dir),
        "STRATA_GENERATOR": "none",
        **{f"STRATA_{name.upper()}": value for name, value in given.items()},
    }
    command = [sys.executable, "-m", "ui.cli.main", "serve", "--port", str(port)]
    with running([*command, *(() if worker else ("--no-worker",))], port, environment) as address:
        yield address


@pytest.fixture(scope="session")
def served(documentation: Settings) -> Iterator[str]:
    """The address of the chat page, without a generator."""
    with strata_serves(documentation) as address:
        yield address


@pytest.fixture(scope="module")
def window(chromium: Browser) -> Iterator[Page]:
    """The page for one test after the other, since in a new one Streamlit is compiled anew."""
    page = chromium.new_context().new_page()
    page.set_default_timeout(30_000)
    yield page
    page.context.close()


@pytest.fixture
def open_page(window: Page) -> Iterator[OpenPage]:
    """Opens an address at a width; at the end nothing may have been requested from elsewhere."""
    requested: list[str] = []
    listeners: dict[Any, Callable[[Any], None]] = {
        "request": lambda request: requested.append(request.url),
        "websocket": lambda socket: requested.append(socket.url),
        "dialog": lambda dialog: requested.append(f"alert: {dialog.message}"),
    }

    def at(
        address: str,
        width: int = 1440,
        height: int = 900,
        colours: Literal["light", "dark"] = "light",
    ) -> Page:
        window.set_viewport_size({"width": width, "height": height})
        window.emulate_media(color_scheme=colours)
        window.goto(address)
        return window

    for event, listener in listeners.items():
        window.on(event, listener)
    yield at
    _leave(window)
    for event, listener in listeners.items():
        window.remove_listener(event, listener)
    local = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:http://127.0.0.1:")
    assert [url for url in requested if not url.startswith((*local, "about:blank"))] == []


def _leave(page: Page) -> None:
    """Leave a page empty, as nobody has been there."""
    page.unroute_all()
    if page.url != "about:blank":
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.context.clear_permissions()
    page.mouse.move(0, 0)
    page.goto("about:blank")

"""A small product in three releases, ingested for real, and chatbots on it with scripted models."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.indexing.embedding import Embedder
from tests.chatbot import lamp
from tests.chatbot.memory_bots import MakeBot, bots

GUIDE = """# Relay guide

## Ports

| Port | Rate | Use |
|---|---|---|
| XF-1 | {rate} | client |
| XF-2 | 100 Gbit/s | line |

## Timers

`hold_time={hold}` – seconds the relay waits before it switches back. The default is {hold}.

The relay keeps its event log for {days} days. {more}
"""
RELEASES = {
    "17.10": {"rate": "1 Gbit/s", "hold": "5", "days": "30", "more": ""},
    "17.20": {"rate": "10 Gbit/s", "hold": "300", "days": "30", "more": ""},
    "18.00": {
        "rate": "25 Gbit/s",
        "hold": "600",
        "days": "30",
        "more": "The command `set warp-drive` turns the warp_drive option on.",
    },
}


def ingested(
    folder: Path,
    product: str,
    releases: Mapping[str, Mapping[str, str]],
    embedder: Embedder | None = None,
) -> Settings:
    """Settings of a data folder that holds the files, by release and name, of a product.

    The folder serves many tests, so that no answer of one is remembered for another.
    """
    settings = Settings(data_dir=folder / "data", generator="none", memory="off")
    chatbot = open_chatbot(settings)
    for release, files in releases.items():
        source = folder / release
        source.mkdir()
        for name, text in files.items():
            (source / name).write_text(text, "utf-8")
        Builder(chatbot.database, settings.data_dir, embedder or chatbot.embedder).ingest(
            [source], product=product, release=release
        )
    chatbot.database.close()
    return settings


@contextmanager
def opened(settings: Settings) -> Iterator[Chatbot]:
    """A chatbot until the block ends."""
    chatbot = open_chatbot(settings)
    yield chatbot
    close(chatbot)


def close(chatbot: Chatbot) -> None:
    chatbot.corpora.close()
    chatbot.database.close()


@pytest.fixture(scope="session")
def relay_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder that holds three releases of the product "relay"."""
    files = {name: {"guide.md": GUIDE.format(**facts)} for name, facts in RELEASES.items()}
    return ingested(tmp_path_factory.mktemp("relay"), "relay", files)


@pytest.fixture(scope="session")
def relay(relay_settings: Settings) -> Iterator[Callable[[BaseChatModel | None], Chatbot]]:
    """Makes a chatbot on the relay's documentation, opened once, from a model or from none."""
    with opened(relay_settings) as chatbot:
        yield lambda model=None: replace(chatbot, model=model)


@pytest.fixture(scope="session")
def lamp_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder that holds two releases of the product "lamp"."""
    files = {
        release: {name: text.format(**facts) for name, text in lamp.PAGES.items()}
        for release, facts in lamp.RELEASES.items()
    }
    return ingested(tmp_path_factory.mktemp("lamp"), "lamp", files)


@pytest.fixture(scope="session")
def lamp_chatbot(lamp_settings: Settings) -> Iterator[Callable[..., Chatbot]]:
    """Makes a chatbot on the lamp's documentation: from a model, a profile, other settings."""
    with opened(lamp_settings) as chatbot:

        def made(model: BaseChatModel, profile: str = "qamr", **options: Any) -> Chatbot:
            settings = lamp_settings.model_copy(update={"profile": profile, **options})
            return replace(chatbot, settings=settings, model=model)

        yield made


@pytest.fixture
def remember(relay_settings: Settings, tmp_path: Path) -> Iterator[MakeBot]:
    """Makes chatbots that remember on the relay's documentation."""
    with bots(relay_settings, tmp_path) as make:
        yield make

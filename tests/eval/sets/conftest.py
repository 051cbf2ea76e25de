import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder
from tests.chatbot.conftest import ingested, opened
from tests.data_folders import copy_data
from tests.hash_embedder import HashEmbedder

EXAMPLES = Path(__file__).parents[3] / "examples"
GUIDE = """# Relay guide

## Timers

| Parameter | Default | Unit |
|---|---|---|
| hold_time | {hold} | s |
{more}

## Event log

The relay keeps its event log for {days} days. It is written to a ring of pages that never fills.
"""
FILES = {
    "1.0": {"guide.md": GUIDE.format(hold=5, days=30, more="| old_time | 1 | s |")},
    "2.0": {"guide.md": GUIDE.format(hold=300, days=60, more="| new_time | 2 | s |")},
}


@pytest.fixture(scope="session")
def relay_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder that holds two releases of the product "relay"."""
    return ingested(tmp_path_factory.mktemp("relay"), "relay", FILES)


@pytest.fixture
def relay(relay_settings: Settings, tmp_path: Path) -> Iterator[Chatbot]:
    """A chatbot on the relay's documentation, which a test may change."""
    data = copy_data(relay_settings.data_dir, tmp_path / "data")
    with opened(relay_settings.model_copy(update={"data_dir": data})) as chatbot:
        yield chatbot


@pytest.fixture
def with_model(relay: Chatbot) -> Callable[[BaseChatModel], Chatbot]:
    return lambda model: replace(relay, model=model)


@pytest.fixture(scope="session")
def sample_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder that holds two releases of the sample product."""
    folder = tmp_path_factory.mktemp("sample")
    build = [sys.executable, str(EXAMPLES / "build.py"), "--output", str(folder / "built")]
    subprocess.run(build, check=True, capture_output=True)
    settings = Settings(data_dir=folder / "data", generator="none", memory="off")
    chatbot = open_chatbot(settings)
    for release in ("17.10", "17.20"):
        Builder(chatbot.database, settings.data_dir, HashEmbedder()).ingest(
            [folder / "built" / "tessaline" / release], product="tessaline", release=release
        )
    chatbot.database.close()
    return settings


@pytest.fixture
def sample(sample_settings: Settings, tmp_path: Path) -> Iterator[Chatbot]:
    """A chatbot on the sample's documentation, which a test may change."""
    data = copy_data(sample_settings.data_dir, tmp_path / "data")
    with opened(sample_settings.model_copy(update={"data_dir": data})) as chatbot:
        yield chatbot


def ingest_again(chatbot: Chatbot, release: str, folder: Path, **files: str) -> None:
    """Ingest other texts in place of those of a release."""
    source = folder / f"again {release}"
    source.mkdir()
    for name, text in files.items():
        (source / f"{name}.md").write_text(text, "utf-8")
    Builder(chatbot.database, chatbot.settings.data_dir, chatbot.embedder).ingest(
        [source], product="relay", release=release
    )

"""Three invented products, ingested for real, and the chatbot that rows are asked of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.catalog.release_settings import (
    ProductSettings,
    ReleaseAdministration,
    ReleaseSettings,
)
from tests.scenarios.rows import Row

DOCUMENTS = Path(__file__).parent / "documents"
PRODUCTS = {"brimvale": (), "quillmq": ("Quill MQ",), "orrery-hub": ("Orrery",)}
"""The products with their other names."""
CODE_NAMES = {"22.04": "Amber Finch", "23.10": "Basalt Heron", "24.04": "Cobalt Wren"}
"""Of orrery-hub."""

Ask = Callable[[Row], Chatbot]


@pytest.fixture(scope="session")
def chatbot_for(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ask]:
    """Makes the chatbot that a row is asked of: without a model, or with one that writes its line.

    With --profile it has that profile, and the model of the settings.
    """
    profile = request.config.getoption("--profile")
    chosen = {"profile": profile} if profile else {"profile": "embedded", "generator": "none"}
    settings = Settings(data_dir=tmp_path_factory.mktemp("scenarios"), memory="off", **chosen)
    chatbot = open_chatbot(settings)
    for folder in sorted(DOCUMENTS.glob("*/*")):
        Builder(chatbot.database, settings.data_dir, chatbot.embedder).ingest(
            [folder], product=folder.parent.name, release=folder.name
        )
    catalog = ReleaseAdministration(chatbot.database)
    for product, names in PRODUCTS.items():
        catalog.change_product(product, ProductSettings(names))
    for release, name in CODE_NAMES.items():
        catalog.change_release("orrery-hub", release, ReleaseSettings((name,)))

    def made(row: Row) -> Chatbot:
        if profile or row.writes is None:
            return chatbot
        return replace(chatbot, model=ScriptedChatModel(otherwise=row.writes))

    yield made
    chatbot.corpora.close()
    chatbot.database.close()

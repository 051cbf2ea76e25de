from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.settings import Settings
from tests.ui.valve_corpus import ingest_valve
from ui import services

MakeChatbot = Callable[..., Chatbot]
"""Takes a chat model, and settings if they are others than the valve's."""


@pytest.fixture(scope="session")
def valve_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder that holds two releases of the product "valve"."""
    return ingest_valve(tmp_path_factory.mktemp("valve"))


@pytest.fixture
def valve(valve_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeChatbot]:
    """Makes the chatbot that the page gets, with a scripted model or none."""
    opened: list[Chatbot] = []

    def with_model(model: BaseChatModel | None, settings: Settings = valve_settings) -> Chatbot:
        chatbot = replace(open_chatbot(settings), model=model)
        opened.append(chatbot)
        monkeypatch.setattr(services, "chatbot", lambda: chatbot)
        services.open_questions.clear()
        return chatbot

    yield with_model
    services.open_questions.clear()
    for chatbot in opened:
        chatbot.corpora.close()
        chatbot.database.close()

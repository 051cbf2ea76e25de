from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Lock

import pytest
import streamlit as st
from click.testing import Result
from langchain_core.language_models import BaseChatModel
from sqlalchemy import delete, select
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.context import ContextProxy
from typer.testing import CliRunner

from chatbot.accounts.people import Person
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.errors import NotSignedIn
from chatbot.settings import Settings
from corpora.database.history_tables import AuditRow, ConversationRow, UseRow
from corpora.database.memory_tables import MemoryPairRow
from tests.chatbot.conftest import close, opened
from tests.data_folders import copy_data
from tests.ui.valve_corpus import ingest_valve
from ui.cli.main import app
from ui.serving import services
from ui.sources import page_picture, source_view

SignIn = Callable[[Person | None], None]
Command = Callable[..., Result]
"""Runs a command with its arguments; `typed` is what somebody types then."""
MakeChatbot = Callable[..., Chatbot]
"""Takes a chat model, and settings if they are others than the valve's."""


@pytest.fixture(scope="session", autouse=True)
def packages_are_scanned_once() -> Iterator[None]:
    """Every AppTest looks for components in all packages that are installed."""
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="session", autouse=True)
def pictures_are_drawn_in_this_process() -> Iterator[None]:
    """A process for each is real in tests/ui/test_page_picture.py and in the browser."""
    drawing = Lock()

    def drawn(data: bytes, number: int, quotes: Sequence[str], format: str) -> bytes:
        try:
            with drawing:
                return page_picture.draw(data, number, quotes, format)
        except Exception:  # noqa: BLE001 - whatever it is, the process says it in its own words
            return page_picture.page_picture(data, number, quotes, format)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_view, "page_picture", drawn)
        yield


@pytest.fixture(autouse=True)
def from_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser that AppTest stands in for is on the server's own machine."""
    monkeypatch.setattr(ContextProxy, "ip_address", None)


@pytest.fixture
def signed_in(monkeypatch: pytest.MonkeyPatch) -> SignIn:
    """Makes somebody the person of every session, or nobody who is signed in."""

    def by(person: Person | None) -> None:
        def who() -> Person:
            if person is None:
                raise NotSignedIn("Nobody is signed in.")
            return person

        # Below what pages import by name, so that a page that is imported now keeps nothing of it.
        monkeypatch.setattr(services, "_local", who)

    return by


@pytest.fixture(scope="session")
def valve_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a data folder that holds two releases of the product "valve"."""
    return ingest_valve(tmp_path_factory.mktemp("valve"))


@pytest.fixture(scope="session")
def opened_valve(valve_settings: Settings) -> Iterator[Chatbot]:
    """The chatbot of these settings, opened once."""
    with opened(valve_settings) as chatbot:
        yield chatbot


def forget_people(chatbot: Chatbot) -> None:
    """The documentation is there for all tests; what was said and used up in one for no other."""
    with chatbot.database.writing() as session:
        for row in (ConversationRow, MemoryPairRow, UseRow):
            session.execute(delete(row))


@pytest.fixture
def valve(opened_valve: Chatbot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeChatbot]:
    """Makes the chatbot that the page gets, with a scripted model or none."""
    made: list[Chatbot] = []

    def with_model(model: BaseChatModel | None, settings: Settings | None = None) -> Chatbot:
        chatbot = replace(open_chatbot(settings) if settings else opened_valve, model=model)
        made.append(chatbot)
        monkeypatch.setattr(services, "whole", lambda: chatbot)
        forget()
        return chatbot

    def forget() -> None:
        """A server has one database, so what it remembers does not say of which."""
        services.open_questions.clear()
        services._gaps.clear()
        st.cache_data.clear()

    yield with_model
    forget()
    with opened_valve.database.reading() as session:
        recorded = session.scalars(select(AuditRow.action)).all()
    assert not recorded, "what leaves a trail needs a data folder of its own (fixture chatbot)"
    for chatbot in made:
        forget_people(chatbot)
        if chatbot.database is not opened_valve.database:
            close(chatbot)


@pytest.fixture
def chatbot(valve: MakeChatbot, valve_settings: Settings, tmp_path: Path) -> Chatbot:
    """The valve's chatbot without a model, with a memory and a history of its own."""
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    made = valve(None, valve_settings.model_copy(update={"data_dir": data}))
    forget_people(made)
    return made


@pytest.fixture
def strata(chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs commands on that data folder."""
    monkeypatch.setenv("STRATA_DATA_DIR", str(chatbot.settings.data_dir))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    return lambda *arguments, typed="": CliRunner().invoke(
        app, [str(argument) for argument in arguments], input=typed
    )

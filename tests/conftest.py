import os
import shutil
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache, wraps
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import hypothesis
import pytest
from httpx._transports import default as httpx_transports
from httpx2._transports import default as httpx2_transports
from xdist.scheduler import LoadFileScheduling

from chatbot import settings
from chatbot.memory.suspending import with_memory
from chatbot.models import embedders
from corpora.database import engine
from corpora.database.engine import Database, open_database
from corpora.documents import upload_checks
from corpora.indexing import vectors
from corpora.indexing.embedding import MiniLM, Vectors
from corpora.indexing.encoder import Encoder
from corpora.indexing.vectors import Prober, _probe
from ingestion import reading
from ingestion.includes import Included, with_included
from ingestion.page import Document, Picture, Rejected
from ingestion.sandbox import Sandbox, _drawn, _parsed, _picture, loader_of
from tests import data_folders
from tests.data_folders import database_url
from tests.postgresql import cluster

# What libraries ask of their makers once a day is off in tests, as it is in every command.
settings.prepare_process()

# What is installed without extras; the tests of embedding run the other as well.
os.environ["STRATA_EMBEDDING_RUNTIME"] = "onnxruntime"
# Its own threads and those of the runtimes have waited for each other for good.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

# How long an example takes says more about the machine than about the example.
hypothesis.settings.register_profile("strata", deadline=None)
hypothesis.settings.register_profile("long", deadline=None, max_examples=5000)
hypothesis.settings.load_profile("strata")

LONGEST = ("browser", "timeout", "generator")
"""The marks of the files that take longest, the longest first."""
MANY = 150
"""The tests of a file that takes long without such a mark."""


class Scheduling(LoadFileScheduling):
    """A worker gets one file after the other, in their order; one gets all browser tests."""

    def _split_scope(self, nodeid: str) -> str:
        return "browser" if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgresql", action="store_true", help="keep every database in PostgreSQL")
    parser.addoption("--profile", help="ask the scenarios with it and the model of the settings")
    parser.addoption("--long", action="store_true", help="larger files, fifty times the examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long"):
        hypothesis.settings.load_profile("long")
    if config.getoption("--postgresql"):
        # A command leaves its connections to the end of its process; in a test it has none.
        config.addinivalue_line("filterwarnings", "ignore:.*psycopg.Connection:ResourceWarning")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow group, and begin with the files that take longest.

    So no worker is left with one of them.
    """
    if config.getoption("--postgresql"):
        items[:] = [item for item in items if not item.get_closest_marker("sqlite")]
    place: dict[Path, int] = {}
    tests = Counter(item.path for item in items)
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & {"browser", "generator"} or "endurance" in item.path.parts:
            item.add_marker("slow")
        otherwise = len(LONGEST) + (tests[item.path] < MANY)
        own = next((i for i, mark in enumerate(LONGEST) if mark in marks), otherwise)
        place[item.path] = min(own, place.get(item.path, own))
    items.sort(key=lambda item: place[item.path])


class ParsedHere(Sandbox):
    """Parses in this process, one file at a time, since pymupdf bears no more."""

    _parsing = Lock()

    def parse(self, data: bytes, file: str) -> Document | Rejected:
        with self._parsing:
            read: Document | Rejected = _parsed(loader_of(self.loader, self.ocr), data, file)
        return read

    def include(
        self, data: bytes, file: str, read: Callable[[str], bytes | None], release: str = ""
    ) -> Included | Rejected:
        return with_included(data, file, read, release)

    def picture(self, data: bytes, place: str) -> Picture | Rejected:
        with self._parsing:
            return _picture(_parsed(_drawn, data, place), data)


class ProbesHere(Prober):
    """Probes in this process."""

    def probe(self, directory: Path, expected: int) -> None:
        _probe(directory, expected)


@pytest.fixture(scope="session", autouse=True)
def ingests_stay_in_this_process() -> Iterator[None]:
    """Processes to parse in and to probe an index would take most of the time of an ingest.

    They are real in tests/ingestion, tests/corpora/test_vectors.py, and wherever a test runs a
    process that ingests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "Sandbox", ParsedHere)
        patch.setattr(upload_checks, "Sandbox", ParsedHere)
        patch.setattr(vectors, "Prober", ProbesHere)
        yield


@pytest.fixture(scope="session", autouse=True)
def models_are_loaded_once() -> Iterator[None]:
    """Every embedder of the same files and threads shares what the first one loaded."""
    load = Encoder._load

    @cache
    def loaded(*files: Any, runtime: Any) -> Any:
        return load(Encoder(*files, runtime=runtime))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Encoder,
            "_load",
            lambda e: loaded(e.model, e.tokenizer_file, e.longest, e.threads, runtime=e.runtime),
        )
        yield


class RememberingMiniLM(MiniLM):
    """Embeds the same texts once: what they are embedded with changes their vectors a little."""

    kept: ClassVar[dict[Hashable, Vectors]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        by = self._there()
        key = (by.model, by.runtime, by.threads, by.batch, *texts)
        if key not in self.kept:
            self.kept[key] = super().embed(texts)
        return self.kept[key].copy()

    embed_queries = embed


@pytest.fixture(scope="session", autouse=True)
def the_same_texts_are_embedded_once() -> Iterator[None]:
    """The documents of most tests are the same few; tests/corpora/test_embedding.py has MiniLM."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedders, "MiniLM", RememberingMiniLM)
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates_are_read_once() -> Iterator[None]:
    """Every client of a test would read some hundred and fifty of them anew, also for http."""
    with pytest.MonkeyPatch.context() as patch:
        for transports in (httpx_transports, httpx2_transports):
            patch.setattr(transports, "create_ssl_context", cache(transports.create_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """A power cut ends a test anyway, and what a killed process has written stays."""
    configure = engine._configure_sqlite

    @wraps(configure)
    def without_waiting(connection: Any, record: object) -> None:
        configure(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_configure_sqlite", without_waiting)
        yield


@pytest.fixture(scope="session", autouse=True)
def databases(request: pytest.FixtureRequest) -> Iterator[None]:
    """With --postgresql, a data folder's database is one of a real server instead of a file."""
    if not request.config.getoption("--postgresql"):
        yield
        return
    with cluster() as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_folders, "server", server)
        patch.setattr(settings, "sqlite_url", server.database_of)
        yield


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty data folder."""
    directory = tmp_path / "data"
    directory.mkdir()
    return directory


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database without rows, made once, of which every test gets a copy."""
    directory = tmp_path_factory.mktemp("empty")
    open_database(database_url(directory)).close()
    return directory / "strata.db"


@pytest.fixture
def database(data_dir: Path, empty_database: Path) -> Iterator[Database]:
    """The database of the data folder."""
    file = data_dir / "strata.db"
    data_dir.mkdir(exist_ok=True)
    if empty_database.exists() and not file.exists():
        shutil.copy(empty_database, file)
    database = with_memory(open_database(database_url(data_dir)))
    yield database
    database.close()

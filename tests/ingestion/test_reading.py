import os
import re
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

import ingestion
from ingestion.listing import DEFAULT_LIMITS, Limits, SourceFile, list_files
from ingestion.page import Document, Rejected
from ingestion.reading import read_files

MARKDOWN = b"# Title\n\nA paragraph with enough words to be read as text.\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def _files(paths: Sequence[Path], limits: Limits = Limits()) -> list[str]:  # noqa: B008
    return [e.file for e in list_files(paths, limits=limits) if isinstance(e, SourceFile)]


def _rejected(paths: Sequence[Path], limits: Limits = Limits()) -> dict[str, str]:  # noqa: B008
    return {e.file: e.reason for e in list_files(paths, limits=limits) if isinstance(e, Rejected)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    for name in ("b.md", "a/z.md", "a/b/c.md", "c.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(MARKDOWN)
    return root


def test_folders_are_read_in_sorted_order_by_relative_name(folder: Path) -> None:
    assert _files([folder]) == ["b.md", "c.txt", "a/z.md", "a/b/c.md"]


def test_a_single_file_goes_by_its_name(folder: Path) -> None:
    assert _files([folder / "a" / "z.md"]) == ["z.md"]


def test_other_formats_and_hidden_files_in_a_folder_are_counted(folder: Path) -> None:
    for name in ("logo.png", "style.css", "more.png", ".DS_Store", "a/.hidden.md"):
        (folder / name).write_bytes(b"x")
    for name in (".git/config.md", "_static/readme.txt", "_sources/index.rst.txt"):
        (folder / name).parent.mkdir()
        (folder / name).write_bytes(MARKDOWN)
    listing = list_files([folder])
    assert len(listing) == 4
    assert listing.skipped == {".png": 2, ".css": 1, "hidden": 2}


def test_a_file_in_a_folder_goes_by_the_name_that_a_zip_has_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "U\u0308bersicht"
    folder.mkdir()
    (folder / "Gro\u0308\u00dfe.rst").write_text("Size\n====\n\n.. include:: Mas\u0308se.inc\n")
    (folder / "Mas\u0308se.inc").write_text("It is 12 m high.\n")
    (read,) = read_files(list_files([tmp_path]))
    assert isinstance(read, Document)
    assert read.file == "Übersicht/Größe.rst"
    assert "12 m" in read.pages[0].text


def test_of_two_names_that_differ_in_how_letters_are_parted_one_is_kept(tmp_path: Path) -> None:
    (tmp_path / "e\u0301.md").write_bytes(MARKDOWN)
    (tmp_path / "\u00e9.md").write_bytes(MARKDOWN)
    kept, rejected = list_files([tmp_path])
    assert kept.file == "\u00e9.md"
    assert isinstance(rejected, Rejected)
    assert "another file of this name" in rejected.reason


def test_a_named_file_of_another_format_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PNG)
    assert (
        "Strata cannot read .png; known are .pdf" in _rejected([tmp_path / "logo.png"])["logo.png"]
    )


def test_a_path_that_is_not_there_is_rejected(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert "not found" in _rejected([missing])[str(missing)]


def test_what_is_no_file_is_rejected_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert "not a regular file" in _rejected([tmp_path / "pipe.md"])[str(tmp_path / "pipe.md")]
    assert "not a regular file" in _rejected([tmp_path])["pipe.md"]


def test_links_that_lead_out_are_not_followed(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(MARKDOWN)
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "inside.md").symlink_to(folder / "b.md")
    (folder / "linked").symlink_to(outside)
    assert "leads out" in _rejected([folder])["link.md"]
    assert "inside.md" in _files([folder])
    assert not any("secret" in file for file in _files([folder]))


def test_links_that_lead_to_themselves_are_named_and_the_rest_is_read(folder: Path) -> None:
    (folder / "self.md").symlink_to("self.md")
    (folder / "one.md").symlink_to("two.md")
    (folder / "two.md").symlink_to("one.md")
    (folder / "again").symlink_to(folder)
    (folder / "gone.md").symlink_to("nothing.md")
    reasons = _rejected([folder])
    assert sorted(reasons) == ["gone.md", "one.md", "self.md", "two.md"]
    assert set(reasons.values()) == {"a link that leads to nothing or to itself"}
    assert "b.md" in _files([folder])
    assert "not a regular file" in _rejected([folder / "self.md"])[str(folder / "self.md")]


LISTED_AS_NOBODY = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from ingestion.listing import list_files
if os.getuid() == 0:
    os.setgroups([])
    os.setuid(65534)
for path in sys.argv[2:]:
    for entry in list_files([Path(path)]):
        print(entry.file, getattr(entry, "reason", "read"), sep=": ")
"""


def test_what_may_not_be_entered_or_listed_is_named_and_the_rest_is_read() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "docs"
        for name in ("b.md", "entered/in.md", "listed/in.md"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(MARKDOWN)
        Path(place).chmod(0o755)
        (folder / "entered").chmod(0o744)
        (folder / "listed").chmod(0o711)
        package = Path(ingestion.__file__).parents[1]
        told = subprocess.run(
            [sys.executable, "-c", LISTED_AS_NOBODY, package, folder, folder / "entered/in.md"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
    assert told == [
        "b.md: read",
        "entered/in.md: cannot be read (permission denied)",
        "listed: cannot be read (permission denied)",
        f"{folder}/entered/in.md: cannot be read (permission denied)",
    ]


def test_a_name_that_is_no_text_is_told_so(folder: Path) -> None:
    for name in (b"b\xff.md", b"c\xff.zip", b"d.\xff"):
        Path(os.fsdecode(bytes(folder) + b"/" + name)).write_bytes(MARKDOWN)
    listing = list_files([folder])
    assert "its name is not UTF-8" in _rejected([folder])["b?.md"]
    assert "c?.zip" in _rejected([folder])
    assert listing.skipped[".?"] == 1


def test_two_files_of_one_name_are_told_apart(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_bytes(MARKDOWN)
    assert _files([folder, other]).count("b.md") == 1
    assert _rejected([folder, other]) == {
        f"{other}: b.md": "another file of this name was given; ingest the folder above both"
    }


def test_archives_are_listed_by_the_path_inside(folder: Path) -> None:
    with zipfile.ZipFile(folder / "site.zip", "w") as archive:
        archive.writestr("guide/install.md", MARKDOWN)
        archive.writestr("guide/logo.png", PNG)
        archive.writestr("../evil.md", MARKDOWN)
    assert _files([folder / "site.zip"]) == ["guide/install.md"]
    assert "site.zip/guide/install.md" in _files([folder])
    assert list_files([folder / "site.zip"]).skipped == {".png": 1}
    assert "leads out" in _rejected([folder])["site.zip/../evil.md"]


def test_a_damaged_archive_is_rejected_by_name(folder: Path) -> None:
    (folder / "broken.zip").write_bytes(b"PK\x03\x04 cut off")
    assert "damaged" in _rejected([folder])["broken.zip"]
    assert "b.md" in _files([folder])


def test_sizes_are_bounded_and_said(folder: Path) -> None:
    (folder / "big.md").write_bytes(b"x" * 300_000)
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        archive.writestr("big.md", b"x" * 300_000)
    reasons = _rejected([folder], Limits(file_size=200_000))
    assert reasons["big.md"] == "0.3 MB, and the limit is 0.2 MB; split it"
    assert reasons["z.zip/big.md"] == reasons["big.md"]


def test_documents_come_in_the_order_of_the_listing(folder: Path) -> None:
    read = list(read_files(list_files([folder])))
    assert [document.file for document in read] == _files([folder])
    assert all(isinstance(document, Document) for document in read)
    assert {d.content_hash for d in read if isinstance(d, Document)} == {
        sha256(MARKDOWN).hexdigest()
    }


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.html", PNG, "not a .html file but a PNG image"),
        ("a.html", b"%PDF-1.7\n", "not a .html file but a PDF"),
        ("a.md", b"PK\x03\x04" + bytes(30), "not a .md file but a zip archive"),
        ("a.txt", bytes(range(256)), "not a .txt file but binary data"),
        ("a.txt", b"<!DOCTYPE html><html><body>x", "not a .txt file but an HTML page"),
        (
            "a.md",
            b"<?xml version='1.0'?>\n<!-- a --> <!-- b -->\n<HTML>x",
            "not a .md file but an",
        ),
        ("a.pdf", b"<html><body>404", "not a valid PDF but an HTML page"),
        ("a.pdf", b"plain words", "not a valid PDF;"),
        ("a.pdf", b"%PDF-1.7\nnot really", "damaged"),
        ("a.svg", b"<p>x</p>", "not an SVG drawing"),
        ("a.md", b"", "empty"),
        ("a.md", b" \n\n", "empty"),
    ],
)
def test_what_cannot_be_read_is_reported_with_the_reason(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (rejected,) = read_files(list_files([tmp_path]))
    assert isinstance(rejected, Rejected)
    assert rejected.file == name
    assert rejected.reason.startswith(reason)


def test_what_cannot_be_read_stops_no_other(folder: Path) -> None:
    (folder / "a.html").write_bytes(PNG)
    (folder / "a.pdf").write_bytes(b"%PDF-1.7\nnot really")
    read = list(read_files(list_files([folder])))
    assert {entry.file for entry in read if isinstance(entry, Rejected)} == {"a.html", "a.pdf"}
    assert sum(isinstance(entry, Document) for entry in read) == 4


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_text_in_wide_letters_is_text(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes("Grüße, a line of text\n".encode(encoding) * 5)
    (document,) = read_files(list_files([tmp_path]))
    assert isinstance(document, Document)


def test_files_in_archives_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", MARKDOWN)
        archive.writestr("b.html", PNG)
    document, rejected = read_files(list_files([tmp_path / "z.zip"]))
    assert isinstance(document, Document)
    assert document.pages[0].text.startswith("Title")
    assert isinstance(rejected, Rejected)


def test_only_leaves_out_what_is_known_already(folder: Path) -> None:
    (folder / "new.md").write_bytes(MARKDOWN + b"New.\n")
    known = sha256(MARKDOWN).hexdigest()
    read = list(read_files(list_files([folder]), only=lambda file, digest: digest != known))
    assert [document.file for document in read] == ["new.md"]


def test_whoever_reads_is_called_for_files_that_are_passed_over(folder: Path) -> None:
    calls: list[int] = []
    read = read_files(
        list_files([folder]), only=lambda file, digest: False, meanwhile=lambda: calls.append(1)
    )
    assert list(read) == []
    assert len(calls) == 4


def test_reading_can_be_stopped_while_a_file_is_parsed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Enough(Exception):
        pass

    def stop() -> None:
        raise Enough

    monkeypatch.setattr("ingestion.reading._MEANWHILE_SECONDS", 0.01)
    with pytest.raises(Enough):
        list(read_files(list_files([folder]), workers=1, meanwhile=stop))


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _socket(path: Path) -> None:
    path.unlink()
    os.mknod(path, stat.S_IFSOCK | 0o600)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(DEFAULT_LIMITS.file_size + 1)


CHANGES: dict[Callable[[Path], object], str] = {
    Path.unlink: r"cannot be read \(no such file or directory\)",
    _pipe: "not a regular file any more",
    _socket: r"cannot be read \(no such device or address\)",
    _folder: r"cannot be read \(is a directory\)",
    _grown: r"200\.0 MB, and the limit is 200\.0 MB",
    lambda path: path.write_bytes(b""): "empty",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_is_not_what_was_listed_is_named(
    folder: Path, change: Callable[[Path], object]
) -> None:
    listing = list_files([folder])
    change(folder / "b.md")
    read = {entry.file: entry for entry in read_files(listing)}
    assert isinstance(read["b.md"], Rejected)
    assert re.search(CHANGES[change], read["b.md"].reason)
    assert isinstance(read["c.txt"], Document)


def test_a_file_that_changes_is_read_as_it_is_by_then(folder: Path) -> None:
    listing = list_files([folder])
    (folder / "b.md").write_bytes(b"# Other\n\nIt says something else by now.\n")
    (document,) = (d for d in read_files(listing) if d.file == "b.md")
    assert isinstance(document, Document)
    assert "something else by now" in document.pages[0].text


def test_reading_can_be_stopped(folder: Path) -> None:
    reading = read_files(list_files([folder]), workers=1)
    assert isinstance(next(reading), Document)
    reading.close()  # type: ignore[attr-defined]
    assert list(reading) == []


def test_nothing_to_read(tmp_path: Path) -> None:
    assert list(read_files(list_files([tmp_path]))) == []

import os
from pathlib import Path

import pytest

from corpora.errors import SourceError
from corpora.sources.folder_reader import FolderReader
from corpora.sources.kinds import source_kind
from corpora.sources.options import FolderOptions
from corpora.sources.source import FetchedFile, FoundRelease, Secrets


@pytest.fixture
def share(tmp_path: Path) -> Path:
    for release, height in (("17.10", 12), ("17.20", 14)):
        docs = tmp_path / "share" / f"v{release}" / "docs"
        (docs / "alarms").mkdir(parents=True)
        (docs / "guide.md").write_text(f"# Guide\n\nThe mast is {height} m high.\n")
        (docs / "alarms" / "lamp.md").write_text("# Lamp\n\nIt fails.\n")
        (docs / ".hidden.md").write_text("no")
    (tmp_path / "share" / "notes.txt").write_text("beside")
    return tmp_path / "share"


def options(share: Path) -> FolderOptions:
    return FolderOptions(path=f"{share}/v{{release}}/docs")


def fetched(
    share: Path, work: Path, release: FoundRelease, known: dict[str, str] | None = None
) -> tuple[dict[str, FetchedFile], list[str]]:
    work.mkdir(exist_ok=True)
    reader = FolderReader(options(share), Secrets())
    told: list[tuple[int, int | None]] = []
    files = reader.fetch(release, known or {}, work, lambda: None, lambda d, n: told.append((d, n)))
    found = {file.path: file for file in files}
    assert told[-1] == (len(found), len(found))
    return found, reader.remarks


def test_each_folder_is_a_release_and_its_revision_follows_its_files(share: Path) -> None:
    reader = source_kind("folder").open(options(share), Secrets())
    before = reader.releases()
    assert [release.name for release in before] == ["17.10", "17.20"]
    assert reader.releases() == before
    (share / "v17.20" / "docs" / "guide.md").write_text("# Guide\n\nNew.\n")
    after = reader.releases()
    assert after[0] == before[0]
    assert after[1] != before[1]


def test_a_release_is_gone_if_its_folder_is(share: Path) -> None:
    (share / "v17.30").symlink_to("nowhere")
    reader = FolderReader(options(share), Secrets())
    (share / "v17.10" / "docs").rename(share / "v17.10" / "old")
    gone = {name: reader.is_gone(name, lambda: None) for name in ("17.10", "17.20", "17.40")}
    assert gone == {"17.10": True, "17.20": False, "17.40": True}


def test_the_listing_can_be_stopped(share: Path) -> None:
    class Stopped(Exception): ...

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        FolderReader(options(share), Secrets()).releases(stop)


def test_every_file_is_yielded_and_only_what_is_new_is_copied(share: Path, tmp_path: Path) -> None:
    release = FolderReader(options(share), Secrets()).releases()[1]
    found, _ = fetched(share, tmp_path / "one", release)
    assert set(found) == {"guide.md", "alarms/lamp.md"}
    content = found["guide.md"].content
    assert content is not None
    assert "14 m" in content.read_text()
    (share / "v17.20" / "docs" / "guide.md").write_text("# Guide\n\nNew.\n")
    known = {path: file.digest for path, file in found.items()}
    again, _ = fetched(share, tmp_path / "two", release, known)
    assert [path for path, file in again.items() if file.content] == ["guide.md"]


def test_links_out_of_the_tree_are_left_out_and_said(share: Path, tmp_path: Path) -> None:
    docs = share / "v17.10" / "docs"
    (tmp_path / "secret.md").write_text("# Secret\n")
    (tmp_path / "outside").mkdir()
    (docs / "secret.md").symlink_to(tmp_path / "secret.md")
    (docs / "outside").symlink_to(tmp_path / "outside")
    (docs / "same.md").symlink_to(docs / "guide.md")
    (docs / "nothing.md").symlink_to(docs / "gone.md")
    release = FolderReader(options(share), Secrets()).releases()[0]
    found, remarks = fetched(share, tmp_path / "one", release)
    assert set(found) == {"guide.md", "alarms/lamp.md", "same.md"}
    assert sorted(remarks) == [
        "nothing.md is a link to a folder or to nothing, and was left out.",
        "outside is a link out of the folder, and was left out.",
        "secret.md is a link out of the folder, and was left out.",
    ]


def test_a_share_that_is_not_mounted_is_an_error(tmp_path: Path) -> None:
    reader = FolderReader(FolderOptions(path=f"{tmp_path}/gone/{{release}}"), Secrets())
    with pytest.raises(SourceError, match=r"gone/ cannot be read.*mounted"):
        reader.releases()


def test_a_file_that_cannot_be_read_is_an_error(share: Path, tmp_path: Path) -> None:
    guide = share / "v17.10" / "docs" / "guide.md"
    reader = FolderReader(options(share), Secrets())
    release = reader.releases()[0]
    (tmp_path / "one").mkdir()

    def lost() -> None:
        # The share fails after its files were listed.
        guide.unlink(missing_ok=True)

    with pytest.raises(SourceError, match=r"guide\.md cannot be read \(no such file"):
        list(reader.fetch(release, {}, tmp_path / "one", lost, lambda done, total: None))


def test_a_release_that_is_a_link_out_of_the_share_is_left_out_and_said(
    share: Path, tmp_path: Path
) -> None:
    (tmp_path / "private" / "docs").mkdir(parents=True)
    (tmp_path / "private" / "docs" / "secret.md").write_text("# Secret\n")
    (share / "v18.00").symlink_to(tmp_path / "private")
    (share / "vlatest").symlink_to(share / "v17.20")
    reader = FolderReader(options(share), Secrets())
    assert [release.name for release in reader.releases()] == ["17.10", "17.20", "latest"]
    assert reader.remarks == [f"{share}/v18.00/docs leads out of {share}/, and was left out."]
    with pytest.raises(SourceError, match="became a link out"):
        fetched(share, tmp_path / "one", FoundRelease("18.00", ""))


@pytest.mark.parametrize("to_pipe", [False, True])
def test_a_file_that_becomes_another_while_a_release_is_read_is_left_out(
    share: Path, tmp_path: Path, to_pipe: bool
) -> None:
    docs = share / "v17.10" / "docs"
    (tmp_path / "secret.md").write_text("# Secret\n")
    (tmp_path / "one").mkdir()

    def swapped() -> None:
        (docs / "guide.md").unlink(missing_ok=True)
        if to_pipe:
            os.mkfifo(docs / "guide.md")
        else:
            (docs / "guide.md").symlink_to(tmp_path / "secret.md")

    reader = FolderReader(options(share), Secrets())
    release, work = FoundRelease("17.10", ""), tmp_path / "one"
    files = reader.fetch(release, {}, work, swapped, lambda done, total: None)
    assert [file.path for file in files] == ["alarms/lamp.md"]
    assert reader.remarks == ["guide.md is no file of the folder any more, and was left out."]

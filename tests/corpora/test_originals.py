from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import func, select

from corpora.building.removal import delete_release
from corpora.catalog.catalog import Catalog
from corpora.database import durable, originals
from corpora.database.engine import Database, open_database
from corpora.database.originals import Originals
from corpora.database.tables import FileRow
from corpora.documents.uploads import UploadedFile, lay_out_upload, store
from corpora.errors import UnusableOriginals
from corpora.indexing.corpus import open_corpus
from tests.corpora.beacon import ingest_beacon, write_beacon
from tests.corpora.small_bucket import SECRET, bucket
from tests.data_folders import database_url

Place = tuple[str, Callable[[], dict[str, bytes]]]


@pytest.fixture(params=["folder", "bucket"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """A place for originals, and what lies there by name."""
    originals._place.cache_clear()
    if request.param == "folder":
        folder = tmp_path / "originals"
        files = lambda: {f.name: f.read_bytes() for f in folder.rglob("*") if f.is_file()}  # noqa: E731
        yield str(folder), files
        return
    for name, value in SECRET.items():
        monkeypatch.setenv(name, value)
    with bucket() as (address, held):
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        yield "s3://strata/files", lambda: {k.rpartition("/")[2]: v for k, v in held.items()}


@pytest.fixture
def beside(data_dir: Path, place: Place) -> Iterator[Database]:
    database = open_database(database_url(data_dir), place[0])
    yield database
    database.close()


def test_originals_lie_there_once_and_go_with_their_last_document(
    beside: Database, data_dir: Path, tmp_path: Path, place: Place
) -> None:
    _, files = place
    docs = write_beacon(tmp_path / "docs")
    guide = (docs / "guide.md").read_bytes()
    name = sha256(guide).hexdigest()
    for release in ("17.10", "17.20"):
        ingest_beacon(beside, docs, release=release, data_dir=data_dir)
    assert len(files()) == 2
    assert name in files()
    with beside.reading() as session:
        assert session.scalar(select(func.sum(func.length(FileRow.data)))) == 0

    delete_release(beside, data_dir, "Beacon", "17.10")
    corpus = open_corpus(beside, data_dir, "Beacon", "17.20")
    assert corpus.original(name) == guide
    corpus.close()

    delete_release(beside, data_dir, "Beacon", "17.20")
    assert files() == {}
    assert Originals(beside).read(name) is None


def test_an_upload_waits_there_for_its_worker(
    beside: Database, data_dir: Path, place: Place
) -> None:
    data = b"# Guide\n\nThe mast is 12 metres high.\n" * 20
    files = [UploadedFile("guide.md", data), UploadedFile("empty.md", b"")]
    job = store(beside, data_dir, files, product="Beacon", release="17.10", person_id="ada")
    assert set(place[1]()) == {sha256(file.content).hexdigest() for file in files}
    (folder,) = lay_out_upload(beside, data_dir, job)
    assert {f.name: f.read_bytes() for f in folder.iterdir()} == {"guide.md": data, "empty.md": b""}


def test_files_that_were_kept_in_the_database_before_are_still_read(
    database: Database, data_dir: Path, tmp_path: Path
) -> None:
    docs = write_beacon(tmp_path / "docs")
    ingest_beacon(database, docs, data_dir=data_dir)
    later = open_database(database_url(data_dir), str(tmp_path / "originals"))
    name = sha256((docs / "guide.md").read_bytes()).hexdigest()
    assert Originals(later).read(name) == (docs / "guide.md").read_bytes()
    later.close()


def test_a_machine_without_the_setting_is_told_so(
    beside: Database, data_dir: Path, tmp_path: Path
) -> None:
    docs = write_beacon(tmp_path / "docs")
    ingest_beacon(beside, docs, data_dir=data_dir)
    name = sha256((docs / "guide.md").read_bytes()).hexdigest()
    other = open_database(database_url(data_dir))
    with pytest.raises(UnusableOriginals, match="set STRATA_ORIGINALS_URL"):
        Originals(other).read(name)
    other.close()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("a file", "cannot be used"),
        ("s3://strata/files", "cannot be used"),
        ("nonsense://place", "a bucket as in s3"),
    ],
)
def test_a_place_that_cannot_be_used_is_named_and_nothing_is_published(
    data_dir: Path, tmp_path: Path, url: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    originals._place.cache_clear()
    nobody = {**SECRET, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_RETRIES": "0"}
    for name, value in nobody.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "file").touch()
    url = str(tmp_path / "file") if url == "a file" else url
    database = open_database(database_url(data_dir), url)
    with pytest.raises(UnusableOriginals, match=told):
        ingest_beacon(database, write_beacon(tmp_path / "docs"), data_dir=data_dir)
    assert not Catalog(database).products()
    database.close()


def test_what_was_half_written_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = originals._Place(str(tmp_path))

    def cut(path: Path) -> None:
        raise OSError("power")

    monkeypatch.setattr(durable, "sync", cut)
    with pytest.raises(UnusableOriginals, match="power"):
        place.write("abcdef", b"something")
    assert [f for f in tmp_path.rglob("*") if f.is_file()] == []

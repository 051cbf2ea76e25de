"""A disk that is full to the last byte, in every phase of what Strata does there.

The disk is a file system of its own in memory, which takes the right to mount one.
"""

import errno
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from corpora.database.engine import Database, open_database, sqlite_url
from corpora.database.tables import GenerationRow
from corpora.documents.uploads import UploadedFile, store
from corpora.errors import DatabaseFull, DiskFull, UnusableDatabase
from corpora.generations.progress import Progress, Stage
from corpora.indexing.corpus import OpenCorpora
from strata_client import Strata, StrataFailure
from tests.corpora.beacon import ingest_beacon, many_pages, write_beacon
from tests.endurance.site import QUESTION, Site, until, write_winch
from tests.hash_embedder import HashEmbedder

pytestmark = [pytest.mark.timeout(300), pytest.mark.enable_socket]

SIZE = 160 << 20
"""Room for what an ingest leaves free, and for what is done here."""
FULL = 507


class SmallDisk:
    """A folder on a file system of its own, which can be filled to the last byte."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filling = folder / "filling"

    def fill(self) -> None:
        """Leave no room at all, in SQLite's journal neither, which is written over again."""
        for file in self.folder.rglob("strata.db"):
            with closing(sqlite3.connect(file)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with self._filling.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                while _written(file.fileno(), bytes(size)):
                    pass

    def make_room(self) -> None:
        """Take away what it was filled with."""
        self._filling.unlink()

    def protect(self) -> None:
        """Let nothing be written any more."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)


def _written(file: int, data: bytes) -> bool:
    try:
        return os.write(file, data) == len(data)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder))
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def kept(disk: SmallDisk) -> Iterator[Database]:
    database = open_database(sqlite_url(disk.folder))
    yield database
    database.close()


@pytest.fixture
def serving(disk: SmallDisk, kept: Database) -> Iterator[OpenCorpora]:
    corpora = OpenCorpora(kept, disk.folder)
    yield corpora
    corpora.close()


def _mast(serving: OpenCorpora) -> str:
    """What the passage nearest to a question on the mast says, out of the index and SQL."""
    corpus = serving.corpus("Beacon", "17.10")
    ((chunk, _),) = corpus.nearest(HashEmbedder().embed(["mounted on a mast of at least"])[0], 1)
    return corpus.chunk(chunk).text


INGEST = (Stage.LISTING, Stage.READING, Stage.EMBEDDING, Stage.INDEXING, Stage.PUBLISHING)


@pytest.mark.parametrize("stage", INGEST)
def test_an_ingest_ends_with_a_message_and_goes_on_once_there_is_room(
    disk: SmallDisk, kept: Database, serving: OpenCorpora, tmp_path: Path, stage: Stage
) -> None:
    docs = write_beacon(tmp_path / "docs")
    ingest_beacon(kept, docs, data_dir=disk.folder)
    assert "12 metres" in _mast(serving)
    write_beacon(docs, mast=99)
    many_pages(docs, files=4)
    filled = False

    def fill(progress: Progress) -> None:
        nonlocal filled
        if progress.stage is stage and not filled:
            filled = True
            disk.fill()

    with pytest.raises(DiskFull, match=r"too little room on the disk .*not harmed"):
        ingest_beacon(kept, docs, data_dir=disk.folder, on_progress=fill)
    assert filled
    assert "12 metres" in _mast(serving)
    disk.make_room()
    # That it ended could not be written; after a minute of silence it is known.
    with kept.writing() as session:
        silent = datetime.now(UTC) - timedelta(minutes=2)
        session.execute(update(GenerationRow).values(heartbeat=silent))
    ingest_beacon(kept, docs, data_dir=disk.folder)
    assert "99 metres" in _mast(serving)


def test_what_cannot_be_stored_is_refused_and_the_rest_stays(
    disk: SmallDisk, kept: Database, serving: OpenCorpora, tmp_path: Path
) -> None:
    ingest_beacon(kept, write_beacon(tmp_path / "docs"), data_dir=disk.folder)
    assert "12 metres" in _mast(serving)
    disk.fill()
    given = UploadedFile("guide.md", b"# Guide\n")
    with pytest.raises(DiskFull):
        store(kept, disk.folder, [given], product="Beacon", release="17.20", person_id="ann")
    with pytest.raises(DatabaseFull, match=r"is full.*not harmed"), kept.writing() as session:
        session.connection().exec_driver_sql("CREATE TABLE big AS SELECT zeroblob(9000000) AS b")
    assert "12 metres" in _mast(serving)


def test_what_may_only_be_read_is_read_and_keeps_nothing(
    disk: SmallDisk, database: Database
) -> None:
    docs = write_beacon(disk.folder / "docs")
    open_database(sqlite_url(disk.folder)).close()
    disk.protect()
    with pytest.raises(UnusableDatabase, match="that you may write there"):
        open_database(sqlite_url(disk.folder))
    assert ingest_beacon(database, docs).documents == 2


@pytest.fixture
def site(disk: SmallDisk, tmp_path: Path) -> Iterator[Site]:
    with Site(
        tmp_path,
        STRATA_DATABASE_URL=sqlite_url(disk.folder / "data"),
        STRATA_DATA_DIR=str(disk.folder / "data"),
        STRATA_GENERATOR="none",
        STRATA_MEMORY="off",
    ) as site:
        yield site


def _upload(client: Strata, folder: Path, release: str, metres: int, parts: int = 1) -> int:
    files = write_winch(folder, metres, parts, words=400)
    job: int = client.upload("winch", release, files)["id"]
    return job


def _refused(disk: SmallDisk, act: Callable[[], object]) -> str:
    """Fill the disk and act until that is refused: what is freed inside the database is used up."""
    for _ in range(100):
        disk.fill()
        try:
            act()
        except StrataFailure as refused:
            if refused.status != FULL:
                raise
            return str(refused)
    raise AssertionError("there is still room")


def _ask(client: Strata) -> None:
    reply = client.ask(QUESTION, product="winch", release="1.0", conversation="new")
    assert "20 metres" in reply.answer


def test_questions_and_uploads_are_refused_with_a_reason_and_answered_later(
    disk: SmallDisk, site: Site, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    with site.serve("web") as client:
        site.work("worker")
        client.wait(_upload(client, docs, "1.0", 20), every=0.2)
        _ask(client)
        assert "is full, so nothing" in _refused(disk, lambda: _ask(client))
        assert "too little room" in _refused(disk, lambda: _upload(client, docs, "2.0", 30))
        with site.serve("another") as begun:
            assert "room" in _refused(disk, lambda: _ask(begun))
            disk.make_room()
            _ask(begun)
        _ask(client)


def test_a_job_fails_with_the_reason_and_the_worker_goes_on(
    disk: SmallDisk, site: Site, tmp_path: Path
) -> None:
    with site.serve("web") as client:
        site.work("worker")
        client.wait(_upload(client, tmp_path / "docs", "1.0", 20), every=0.2)
        _ask(client)
        job = _upload(client, tmp_path / "docs", "2.0", 30, parts=60)
        until(lambda: client.job(job)["stage"] == Stage.EMBEDDING, "it does not embed")
        disk.fill()
        log = tmp_path / "worker.log"

        def noticed() -> bool:
            disk.fill()
            return "too little room" in log.read_text()

        until(noticed, "the worker does not notice")
        disk.make_room()
        ended = client.wait(job, every=0.2)
        assert ended["state"] == "failed"
        assert "too little room" in ended["message"]
        again = _upload(client, tmp_path / "docs", "2.0", 30)
        assert client.wait(again, every=0.2)["state"] == "done"
        _ask(client)

"""Generations of a release: claimed by one builder, published at once, kept for rollback, pruned.

A generation is a set of documents and a folder of indexes. As long as its moment of publication
is empty it is being built, and its row is the builder's claim to the release.
"""

from __future__ import annotations

import logging
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import delete, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from corpora.database import Database
from corpora.tables import (
    DocumentRow,
    EmbeddingRow,
    FileRow,
    GenerationRow,
    MemberRow,
    ReleaseRow,
    SearchChunkRow,
)

KEPT_FOR_ROLLBACK = 2
"""How many generations that once served are kept beside the one that serves."""

HEARTBEAT_SECONDS = 5.0
DEAD_AFTER_SECONDS = 60.0
_PRUNED_AT_ONCE = 50
_STALE_SECONDS = 3600.0

_log = logging.getLogger(__name__)


class IngestError(Exception):
    """An ingest ended and published nothing; the message says why and what to do."""


class BeingBuilt(IngestError):
    """Another process is ingesting into this release; the message says which."""


class TakenOver(IngestError):
    """This builder was thought dead and another one took its release over."""


def generation_dir(data_dir: Path, generation_id: int) -> Path:
    """Return the folder of a generation's indexes; if it is there, it is complete."""
    return data_dir / "generations" / str(generation_id)


def claim(database: Database, release_id: int, model_id: int, chunking: str) -> int:
    """Start a generation of a release, take over from a dead builder, and return its id.

    Raises BeingBuilt if a living process builds one.
    """
    now = datetime.now(UTC)
    with database.writing() as session:
        # Where rows are locked one by one, claims of the same release wait for each other here.
        name = session.scalars(
            select(ReleaseRow.name).where(ReleaseRow.id == release_id).with_for_update()
        ).one()
        unfinished = session.scalars(
            select(GenerationRow).where(
                GenerationRow.release_id == release_id, GenerationRow.published.is_(None)
            )
        ).all()
        for row in unfinished:
            if _is_alive(row.builder, row.heartbeat, now):
                raise BeingBuilt(
                    f"Release {name} is being ingested already, by process {row.builder} "
                    f"since {row.created:%Y-%m-%d %H:%M} UTC. Wait for it, or stop it first."
                )
            session.delete(row)
        generation = GenerationRow(
            release_id=release_id,
            model_id=model_id,
            chunking=chunking,
            builder=_own_name(),
            heartbeat=now,
            created=now,
        )
        session.add(generation)
        session.flush()
        return generation.id


@contextmanager
def heartbeat(database: Database, generation_id: int) -> Iterator[None]:
    """Say every few seconds that this generation's builder is alive."""
    stopped = threading.Event()

    def beat() -> None:
        while not stopped.wait(HEARTBEAT_SECONDS):
            try:
                with database.writing() as session:
                    session.execute(
                        update(GenerationRow)
                        .where(GenerationRow.id == generation_id)
                        .values(heartbeat=datetime.now(UTC))
                    )
            except OperationalError as error:
                # A missed beat does no harm; what is wrong will meet the builder itself too.
                _log.warning("heartbeat of generation %s missed: %s", generation_id, error)

    thread = threading.Thread(target=beat, name=f"heartbeat-{generation_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def require_claim(session: Session, generation_id: int) -> None:
    """Raise TakenOver unless the generation is still being built."""
    claimed = select(GenerationRow.id).where(
        GenerationRow.id == generation_id, GenerationRow.published.is_(None)
    )
    if session.scalar(claimed.with_for_update()) is None:
        raise TakenOver(
            f"Generation {generation_id} was abandoned because its builder seemed dead, and is "
            "not published. Ingest again; what was read and embedded is kept."
        )


def publish(database: Database, generation_id: int) -> None:
    """Let a generation serve its release from now on.

    Raises TakenOver if another builder replaced it meanwhile.
    """
    with database.writing() as session:
        require_claim(session, generation_id)
        generation = session.get_one(GenerationRow, generation_id)
        generation.published = datetime.now(UTC)
        release = session.get_one(ReleaseRow, generation.release_id)
        release.published_generation_id = generation_id


def abandon(database: Database, data_dir: Path, generation_id: int) -> None:
    """Give up a generation that is being built; its documents stay for the next try."""
    with database.writing() as session:
        session.execute(
            delete(GenerationRow).where(
                GenerationRow.id == generation_id, GenerationRow.published.is_(None)
            )
        )
    sweep_folders(database, data_dir)


def prune(database: Database, data_dir: Path, release_id: int) -> None:
    """Remove a release's older generations and whatever only they needed.

    Kept are the one that serves, the last `KEPT_FOR_ROLLBACK` that served, and one being built.
    Rows go in small transactions, so that others can write in between.
    """
    with database.writing() as session:
        serving = session.scalar(
            select(ReleaseRow.published_generation_id).where(ReleaseRow.id == release_id)
        )
        once = session.scalars(
            select(GenerationRow.id)
            .where(
                GenerationRow.release_id == release_id,
                GenerationRow.published.is_not(None),
                GenerationRow.id != serving,
            )
            .order_by(GenerationRow.id.desc())
        ).all()
        gone = once[KEPT_FOR_ROLLBACK:]
        session.execute(delete(GenerationRow).where(GenerationRow.id.in_(gone)))
    pruned = False
    while _prune_documents(database, release_id):
        pruned = True
    if pruned:
        _prune_unused(database)
    sweep_folders(database, data_dir)


def sweep_folders(database: Database, data_dir: Path) -> None:
    """Remove index folders of generations that are no more, and what killed processes left."""
    # Listed before the ids are read: a folder made later belongs to a generation known then.
    folders = [(folder, folder.stat().st_mtime) for folder in _folders(data_dir)]
    with database.reading() as session:
        known = {str(i) for i in session.scalars(select(GenerationRow.id))}
    for folder, changed in folders:
        name, _, aside = folder.name.partition(".")
        stale = bool(aside) and changed < datetime.now(UTC).timestamp() - _STALE_SECONDS
        if name not in known or stale:
            shutil.rmtree(folder, ignore_errors=True)


def _folders(data_dir: Path) -> list[Path]:
    parent = data_dir / "generations"
    return [f for f in parent.iterdir() if f.is_dir()] if parent.is_dir() else []


def _prune_documents(database: Database, release_id: int) -> bool:
    """Remove some documents that are in no generation; say whether there were any.

    None while a generation is being built, since its builder may be about to take them over.
    """
    building = select(GenerationRow.id).where(
        GenerationRow.release_id == release_id, GenerationRow.published.is_(None)
    )
    with database.writing() as session:
        ids = session.scalars(
            select(DocumentRow.id)
            .where(
                DocumentRow.release_id == release_id,
                DocumentRow.id.not_in(select(MemberRow.document_id)),
                ~building.exists(),
            )
            .limit(_PRUNED_AT_ONCE)
        ).all()
        session.execute(delete(DocumentRow).where(DocumentRow.id.in_(ids)))
    return bool(ids)


def _prune_unused(database: Database) -> None:
    """Remove vectors of texts and bytes of files that no document holds any more."""
    chunks = select(SearchChunkRow.id).where(SearchChunkRow.text_hash == EmbeddingRow.text_hash)
    documents = select(DocumentRow.id).where(DocumentRow.content_hash == FileRow.content_hash)
    unused = (
        delete(EmbeddingRow).where(~chunks.exists()),
        delete(FileRow).where(~documents.exists()),
    )
    for statement in unused:
        with database.writing() as session:
            session.execute(statement, execution_options={"synchronize_session": False})


def _own_name() -> str:
    return f"{os.getpid()} on {socket.gethostname()}"


def _is_alive(builder: str, beat: datetime, now: datetime) -> bool:
    if now - beat > timedelta(seconds=DEAD_AFTER_SECONDS):
        return False
    pid, _, host = builder.partition(" on ")
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

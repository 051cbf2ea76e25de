"""Generations of a release: claimed by one builder, published at once, kept for rollback, pruned.

A generation is a set of documents and a folder of indexes. As long as it neither serves nor waits
for an admin's yes it is being built, and its row is the builder's claim to the release.
"""

import logging
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import and_, delete, select, text, update
from sqlalchemy.orm import Session

from corpora.catalog.languages import language_said
from corpora.database.engine import Database, delete_in_portions
from corpora.database.originals import Originals
from corpora.database.tables import (
    DocumentRow,
    EmbeddingRow,
    GenerationRow,
    MemberRow,
    ReleaseRow,
    SearchChunkRow,
)
from corpora.errors import BeingBuilt, NothingWaits, TakenOver, UnusableDatabase
from corpora.generations.processes import HEARTBEAT_SECONDS, has_ended, is_alive, this_process
from ingestion.messages import sentences

KEPT_FOR_ROLLBACK = 2
"""How many generations that once served are kept beside the one that serves."""

_DOCUMENTS_AT_ONCE = 10
_STALE_SECONDS = 3600.0
_UNFINISHED = and_(GenerationRow.published.is_(None), GenerationRow.waiting.is_(None))
_WAITING = and_(GenerationRow.published.is_(None), GenerationRow.waiting.is_not(None))

_log = logging.getLogger(__name__)


def generation_dir(data_dir: Path, generation_id: int) -> Path:
    """Return the folder of a generation's indexes; if it is there, it is complete."""
    return data_dir / "generations" / str(generation_id)


def generation_schema(generation_id: int) -> str:
    """Return the name of the schema of a generation's indexes; its end counts their formats."""
    return f"generation_{generation_id}_v2"


def claim(database: Database, release_id: int, model_id: int, chunking: str) -> int:
    """Start a generation of a release; raise BeingBuilt if a living process builds one.

    It is indexed in the language that is said of the release then.
    """
    now = datetime.now(UTC)
    with database.writing() as session:
        take_over(session, release_id, session.get_one(ReleaseRow, release_id).name)
        generation = GenerationRow(
            release_id=release_id,
            model_id=model_id,
            chunking=chunking,
            language=language_said(session, release_id),
            builder=this_process(),
            heartbeat=now,
            created=now,
        )
        session.add(generation)
        session.flush()
        return generation.id


def take_over(session: Session, release_id: int, name: str) -> None:
    """Drop what a dead builder left of a release; raise BeingBuilt if a living one builds it."""
    rows = select(GenerationRow).where(GenerationRow.release_id == release_id, _UNFINISHED)
    for row in session.scalars(rows).all():
        if is_alive(row.builder, row.heartbeat):
            raise BeingBuilt(
                "Release {name} is already being ingested by process {builder} since "
                "{created} UTC. Wait for it, or stop it first.",
                name=name,
                builder=row.builder,
                created=f"{row.created:%Y-%m-%d %H:%M}",
            )
        session.delete(row)


def drop_ended(session: Session) -> None:
    """Drop the unfinished generations whose builders are known to have ended, of all releases.

    One that is only silent may be asleep, or cut off from the database for a while.
    """
    for row in session.scalars(select(GenerationRow).where(_UNFINISHED)).all():
        if has_ended(row.builder):
            session.delete(row)


def built_before(database: Database, generation_id: int) -> int | None:
    """Return the generation that this one goes on from: one that waits, else what serves."""
    with database.reading() as session:
        release = session.scalar(
            select(ReleaseRow)
            .join(GenerationRow, GenerationRow.release_id == ReleaseRow.id)
            .where(GenerationRow.id == generation_id)
        )
        if release is None:
            return None
        waiting = waiting_of(session, release.id)
        return waiting.id if waiting else release.published_generation_id


def waiting_of(session: Session, release_id: int) -> GenerationRow | None:
    """Return the generation of a release that waits for an admin's yes; there is one at most."""
    rows = select(GenerationRow).where(GenerationRow.release_id == release_id, _WAITING)
    return session.scalar(rows.order_by(GenerationRow.id.desc()).limit(1))


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
            except UnusableDatabase as error:
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
    claimed = select(GenerationRow.id).where(GenerationRow.id == generation_id, _UNFINISHED)
    if session.scalar(claimed) is None:
        raise TakenOver(
            "Generation {generation_id} was abandoned because its builder seemed dead, and is "
            "not published. Ingest again; what was read and embedded is kept.",
            generation_id=generation_id,
        )


def publish(database: Database, generation_id: int) -> str:
    """Let a generation serve and say what follows; TakenOver if another builder replaced it."""
    with database.writing() as session:
        require_claim(session, generation_id)
        follows = _serve(database, session, session.get_one(GenerationRow, generation_id))
        return sentences([follows, database.on_built(session, generation_id)])


def put_aside(database: Database, generation_id: int) -> str:
    """Let a generation wait for an admin's yes, in place of one that waits; say what follows.

    What serves stays. Raises TakenOver if another builder replaced it.
    """
    with database.writing() as session:
        require_claim(session, generation_id)
        generation = session.get_one(GenerationRow, generation_id)
        _drop_waiting(session, generation.release_id)
        generation.waiting = datetime.now(UTC)
        session.flush()
        return database.on_built(session, generation_id)


def publish_waiting(database: Database, data_dir: Path, release_id: int, only: int | None) -> str:
    """Let the generation that waits serve, and say what follows; NothingWaits if there is none.

    It has to be the `only` one, if that is given: somebody has seen what it says.
    """
    with database.writing() as session:
        follows = _serve(database, session, _require_waiting(session, release_id, only))
    prune(database, data_dir, release_id)
    return follows


def discard_waiting(database: Database, data_dir: Path, release_id: int, only: int | None) -> None:
    """Throw away the generation that waits, with all that only it needed; raise NothingWaits."""
    with database.writing() as session:
        session.delete(_require_waiting(session, release_id, only))
    prune(database, data_dir, release_id)


def _serve(database: Database, session: Session, generation: GenerationRow) -> str:
    generation.published, generation.waiting = datetime.now(UTC), None
    session.flush()
    # What waits was built before this one, which goes on from it.
    _drop_waiting(session, generation.release_id)
    release = session.get_one(ReleaseRow, generation.release_id)
    release.published_generation_id = generation.id
    return database.on_change(session, release.id)


def _drop_waiting(session: Session, release_id: int) -> None:
    session.execute(delete(GenerationRow).where(GenerationRow.release_id == release_id, _WAITING))


def _require_waiting(session: Session, release_id: int, only: int | None) -> GenerationRow:
    found = waiting_of(session, release_id)
    if found is None:
        raise NothingWaits("No version of this release waits to be published.")
    if only not in (None, found.id):
        raise NothingWaits(
            "Another version of this release has been built meanwhile and waits in place of the "
            "one that you saw. Look at that one first."
        )
    return found


def abandon(database: Database, data_dir: Path, generation_id: int) -> None:
    """Give up a generation that is being built; its documents stay for the next try."""
    with database.writing() as session:
        session.execute(delete(GenerationRow).where(GenerationRow.id == generation_id, _UNFINISHED))
    sweep_folders(database, data_dir)


def prune(database: Database, data_dir: Path, release_id: int) -> None:
    """Remove a release's older generations and whatever only they needed.

    Kept are the one that serves, the last `KEPT_FOR_ROLLBACK` that served, one that waits and one
    being built.
    """
    database, of_release = database.whole, GenerationRow.release_id == release_id
    with database.writing() as session:
        release = session.get(ReleaseRow, release_id)
        serving = release.published_generation_id if release else None
        once = session.scalars(
            select(GenerationRow.id)
            .where(of_release, GenerationRow.published.is_not(None), GenerationRow.id != serving)
            .order_by(GenerationRow.id.desc())
        ).all()
        gone = once[KEPT_FOR_ROLLBACK:]
        session.execute(delete(GenerationRow).where(GenerationRow.id.in_(gone)))
    # None goes while a generation is being built, since its builder may be about to take it over.
    building = select(GenerationRow.id).where(of_release, _UNFINISHED)
    unused = and_(
        DocumentRow.release_id == release_id,
        DocumentRow.id.not_in(select(MemberRow.document_id)),
        ~building.exists(),
    )
    if delete_in_portions(database, DocumentRow.id, unused, at_once=_DOCUMENTS_AT_ONCE):
        prune_unused(database)
    sweep_folders(database, data_dir)


def sweep_folders(database: Database, data_dir: Path) -> None:
    """Remove indexes of generations that are no more, and what killed processes left aside."""
    # Listed before the ids are read: a folder made later belongs to a generation known then.
    folders = [(f, f.stat().st_mtime) for f in (data_dir / "generations").glob("*/")]
    database = database.whole
    with database.reading() as session:
        known = {str(i) for i in session.scalars(select(GenerationRow.id))}
    sweep_schemas(database)
    for folder, changed in folders:
        name, _, aside = folder.name.partition(".")
        stale = bool(aside) and changed < datetime.now(UTC).timestamp() - _STALE_SECONDS
        if name not in known or stale:
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(data_dir / "memory", ignore_errors=True)


def sweep_schemas(database: Database) -> None:
    """Drop the schemas of generations that are no more, where PostgreSQL holds indexes."""
    if database.engine.dialect.name != "postgresql":
        return
    with database.reading() as session:
        schemas = session.scalars(
            text(r"SELECT nspname FROM pg_namespace WHERE nspname LIKE 'generation\_%'")
        ).all()
        kept = {generation_schema(i) for i in session.scalars(select(GenerationRow.id))}
    for name in set(schemas) - kept:
        with database.writing() as session:
            session.execute(text(f'DROP SCHEMA IF EXISTS "{name}" CASCADE'))


def prune_unused(database: Database) -> None:
    """Remove vectors of texts and bytes of files that no document holds any more."""
    database = database.whole
    chunks = select(SearchChunkRow.id).where(SearchChunkRow.text_hash == EmbeddingRow.text_hash)
    delete_in_portions(database, EmbeddingRow.text_hash, ~chunks.exists())
    Originals(database).prune()

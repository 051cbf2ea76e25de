"""The accepted answers that are held against a generation, and the job that does it.

Accepted is what people rated good, wrote, corrected or brought in, or what they liked; what is only
measured is not.
"""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import ScoreOrigin, Store
from corpora.catalog.catalog import releases_of
from corpora.database.job_tables import JobRow, JobState
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import GenerationRow, ReleaseRow
from corpora.jobs.jobs import CHECKS, JobKind, order_job
from ingestion.messages import counted


@dataclass(frozen=True)
class Held:
    """What a generation of a release is held against: the accepted pairs of `against`.

    That is the release itself where an earlier generation of it has served, else one before it.
    """

    generation: int
    release: ReleaseRow
    against: ReleaseRow
    pairs: tuple[int, ...]

    @property
    def is_own(self) -> bool:
        """Whether the answers are those of the same release."""
        return self.release.id == self.against.id


def held_against(session: Session, generation_id: int, against: str = "") -> Held | None:
    """The answers to hold against a generation; of the release `against`, if it is given.

    None where nobody has accepted an answer of the release, or of one before it.
    """
    generation = session.get_one(GenerationRow, generation_id)
    release = session.get_one(ReleaseRow, generation.release_id)
    served_before = select(func.count()).where(
        GenerationRow.release_id == release.id,
        GenerationRow.id != generation_id,
        GenerationRow.published.is_not(None),
    )
    rows = releases_of(release.product)
    earlier = [row for row in rows[: rows.index(release)][::-1] if not row.retired]
    candidates = [release, *earlier] if session.scalar(served_before) else earlier
    if against:
        candidates = [row for row in rows if row.name == against]
    answered = set(session.scalars(select(MemoryPairRow.release_id).distinct()))
    for row in candidates:
        if row.id not in answered:
            continue
        pairs = session.scalars(select(MemoryPairRow.id).where(_accepted(row, release))).all()
        if pairs:
            return Held(generation_id, release, row, tuple(sorted(pairs)))
    return None


def _accepted(of: ReleaseRow, checked: ReleaseRow) -> ColumnElement[bool]:
    accepted = (
        (MemoryPairRow.release_id == of.id)
        & (MemoryPairRow.store == Store.HIGH)
        & (MemoryPairRow.origin != ScoreOrigin.MEASURED)
    )
    # In their own release answers are suspended by the very change that is looked for.
    return accepted if of.id == checked.id else accepted & (MemoryPairRow.suspended == "")


def order_check(session: Session, generation_id: int) -> str:
    """Order that accepted answers are held against a generation, if there are any; say so."""
    held = held_against(session, generation_id)
    generation = session.get_one(GenerationRow, generation_id)
    if held is None and generation.waiting is None:
        return ""
    # What waits is told to admins by the same job.
    release = session.get_one(ReleaseRow, generation.release_id)
    product = release.product.name
    # The one that waits will look at the newest generation.
    waiting = (JobRow.kind.in_(CHECKS), JobRow.state == JobState.WAITING)
    of_release = (JobRow.product == product, JobRow.release == release.name)
    if session.scalar(select(JobRow.id).where(*waiting, *of_release).limit(1)) is None:
        order_job(session, JobKind.CHECK, product, release.name)
    if held is None:
        return ""
    return counted(
        "{number} accepted answer of {release} will be held against this version.",
        "{number} accepted answers of {release} will be held against this version.",
        len(held.pairs),
        release=held.against.name,
    )

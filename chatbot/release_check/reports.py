"""The report of a check as it is kept, for pages, commands and programs."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.release_check.accepted_answer import citations_of
from chatbot.release_check.verdicts import Verdict
from chatbot.turn import Citation
from corpora.catalog.catalog import require_product, require_release
from corpora.database.check_tables import CheckedAnswerRow, ReleaseCheckRow
from corpora.database.engine import Database
from corpora.database.tables import GenerationRow, ProductRow, ReleaseRow
from corpora.generations.generations import waiting_of

_ORDER = (Verdict.CHANGED, Verdict.GONE, Verdict.FAILED, Verdict.SAME, Verdict.HOLDS)
"""What somebody has to look at comes first."""


@dataclass(frozen=True)
class Finding:
    """An accepted answer and what became of it; each side with what it cites.

    `old_values` are figures and names of the old answer that are no more, `new_values` those that
    stand in their place. `new_answer` is empty where nothing was asked; from a capable model it is
    what the documentation says now, word for word. `problem` says why it could not be asked, or
    judged by the model.
    """

    pair: int
    question: str
    verdict: Verdict
    old_answer: str
    old_citations: tuple[Citation, ...]
    new_answer: str = ""
    new_citations: tuple[Citation, ...] = ()
    old_values: tuple[str, ...] = ()
    new_values: tuple[str, ...] = ()
    calls: int = 0
    problem: str = ""


@dataclass(frozen=True)
class CheckReport:
    """What became of the accepted answers of the release `against` in a generation of `release`.

    `waits` says whether that waits to be published; `finished` is empty while some are left.
    """

    product: str
    release: str
    generation: int
    waits: bool
    against: str
    created: datetime
    finished: datetime | None
    told: str
    counts: dict[Verdict, int]
    calls: int
    findings: tuple[Finding, ...]

    @property
    def is_own(self) -> bool:
        """Whether it is held against the generation before, and no other release."""
        return self.release == self.against

    def count(self, *verdicts: Verdict) -> int:
        """How many answers have one of these verdicts."""
        return sum(self.counts.get(verdict, 0) for verdict in verdicts)


@dataclass(frozen=True)
class WaitingGeneration:
    """A generation that waits for an admin's yes, since when."""

    product: str
    release: str
    generation: int
    since: datetime


def checked_generation(session: Session, release: ReleaseRow) -> int | None:
    """The generation of a release that is checked: the one that waits, else the one that serves."""
    waiting = waiting_of(session, release.id)
    return waiting.id if waiting else release.published_generation_id


def read_report(database: Database, product: str, release: str) -> CheckReport | None:
    """The report on the newest generation of a release; None where it was not checked.

    Raises UnknownRelease.
    """
    with database.reading() as session:
        row = require_release(session, product, release)
        generation = checked_generation(session, row)
        of_generation = ReleaseCheckRow.generation_id == generation
        check = session.scalar(select(ReleaseCheckRow).where(of_generation))
        if check is None or generation is None:
            return None
        rows = session.scalars(
            select(CheckedAnswerRow)
            .where(CheckedAnswerRow.check_id == check.id)
            .order_by(CheckedAnswerRow.id)
        )
        findings = sorted(map(_finding, rows), key=lambda finding: _ORDER.index(finding.verdict))
        counted = Counter(finding.verdict for finding in findings)
        return CheckReport(
            row.product.name,
            row.name,
            generation,
            generation != row.published_generation_id,
            check.against,
            check.created,
            check.finished,
            check.told,
            {verdict: counted[verdict] for verdict in Verdict},
            sum(finding.calls for finding in findings),
            tuple(findings),
        )


def waiting_generations(database: Database, product: str = "") -> tuple[WaitingGeneration, ...]:
    """What waits to be published, of one product or of all, the oldest first."""
    rows = (
        select(ProductRow.name, ReleaseRow.name, GenerationRow.id, GenerationRow.waiting)
        .join(ReleaseRow, ReleaseRow.product_id == ProductRow.id)
        .join(GenerationRow, GenerationRow.release_id == ReleaseRow.id)
        .where(GenerationRow.waiting.is_not(None), GenerationRow.published.is_(None))
        .order_by(GenerationRow.id)
    )
    with database.reading() as session:
        if product:
            rows = rows.where(ProductRow.id == require_product(session, product).id)
        return tuple(
            WaitingGeneration(of_product, release, generation, since)
            for of_product, release, generation, since in session.execute(rows)
            if since is not None
        )


def checked_releases(database: Database, product: str) -> tuple[str, ...]:
    """The releases of a product whose newest generation was checked, the last check first."""
    with database.reading() as session:
        rows = session.execute(
            select(ReleaseRow.name, ReleaseCheckRow.generation_id, ReleaseRow.id)
            .join(GenerationRow, GenerationRow.release_id == ReleaseRow.id)
            .join(ReleaseCheckRow, ReleaseCheckRow.generation_id == GenerationRow.id)
            .where(ReleaseRow.product_id == require_product(session, product).id)
            .order_by(ReleaseCheckRow.id.desc())
        ).all()
        return tuple(
            row.name
            for row in rows
            if row.generation_id == checked_generation(session, session.get_one(ReleaseRow, row.id))
        )


def _finding(row: CheckedAnswerRow) -> Finding:
    told: dict[str, Any] = row.details

    def citations(side: str) -> tuple[Citation, ...]:
        return citations_of(told.get(side, ()))

    return Finding(
        row.pair_id,
        told["question"],
        Verdict(row.verdict),
        told["old_answer"],
        citations("old_citations"),
        told.get("new_answer", ""),
        citations("new_citations"),
        tuple(told.get("old_values", ())),
        tuple(told.get("new_values", ())),
        row.calls,
        told.get("problem", ""),
    )

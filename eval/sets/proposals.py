"""Proposed questions as rows, which an admin accepts into the regression set, edits or drops."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from chatbot.accounts.audit import recorded
from chatbot.accounts.people import Person, require_short
from chatbot.errors import BadInput
from chatbot.review.regression_set import patterns_of
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.question_tables import ProposalRow
from eval.gold import GoldQuestion
from eval.sets.wording import digest_of
from ingestion.messages import message
from ingestion.objections import first_objection

LONGEST = {"question": 4_000, "gold_answer": 20_000}
"""Characters."""
_PORTION = 200
"""Drafts that are kept at once: whatever else writes waits for no more."""


class State(StrEnum):
    """What became of a proposal."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    DROPPED = "dropped"


@dataclass(frozen=True)
class StatedOn:
    """A page that an answer stands on, by its text's SHA-256, and the words there that say it."""

    release: str
    file: str
    number: int
    page_id: int
    page_hash: str
    section: str = ""
    anchor: str | None = None
    document: str = ""
    quote: str = ""


@dataclass(frozen=True)
class Draft:
    """A question that may be proposed: where it came from, and the pages its answer stands on."""

    gold: GoldQuestion
    came_from: str
    pages: tuple[StatedOn, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """A kept draft, and what became of it; `decided_by` is who said so."""

    id: int
    state: State
    draft: Draft
    decided_by: str


@dataclass(frozen=True)
class Proposals:
    """Keeps proposals; raises NotAllowed unless an admin asks, BadInput for what is not there."""

    database: Database

    def add(
        self, person: Person, drafts: Sequence[Draft], state: State = State.PROPOSED
    ) -> tuple[int, ...]:
        """Keep drafts, and return the ids of those that were not there, whatever their state.

        Each portion is kept and recorded for itself; where one fails, those before it stay.
        """
        person.require_admin()
        portions = (drafts[at : at + _PORTION] for at in range(0, len(drafts), _PORTION))
        return tuple(kept for portion in portions for kept in self._add(person, portion, state))

    def _add(self, person: Person, drafts: Sequence[Draft], state: State) -> list[int]:
        added: list[int] = []
        with self.database.writing() as session:
            for draft in drafts:
                columns = _columns(draft, state, person)
                new = insert_or_ignore(session, ProposalRow).values(**columns)
                kept = session.scalar(new.returning(ProposalRow.id))
                added += [kept] if kept is not None else []
            origins = sorted({draft.came_from for draft in drafts})
            about = ", ".join(sorted({_about(draft.gold) for draft in drafts}))[:300]
            if added:
                recorded(
                    *(session, person, "propose questions", about),
                    added=len(added),
                    state=str(state),
                    came_from=", ".join(origins)[:300],
                )
        return added

    def page(
        self,
        person: Person,
        state: State,
        product: str | None = None,
        *,
        offset: int = 0,
        limit: int = 25,
    ) -> tuple[Proposal, ...]:
        """Proposals in a state, in the order in which they came; accepted ones newest first."""
        person.require_admin()
        order = ProposalRow.id if state is State.PROPOSED else ProposalRow.id.desc()
        rows = select(ProposalRow).where(*_wanted(state, product)).order_by(order)
        with self.database.reading() as session:
            return tuple(map(proposal_of, session.scalars(rows.offset(offset).limit(limit))))

    def count(self, person: Person, state: State, product: str | None = None) -> int:
        """How many there are in a state."""
        person.require_admin()
        counted = select(func.count()).select_from(ProposalRow).where(*_wanted(state, product))
        with self.database.reading() as session:
            return session.scalar(counted) or 0

    def decide(self, person: Person, proposal: int, state: State) -> None:
        """Accept, drop or put back a proposal."""
        person.require_admin()
        with self.database.writing() as session:
            row = _row(session, proposal)
            _decided(row, person, state)
            recorded(
                session, person, f"question {state}", message("question {number}", number=proposal)
            )

    def edit(self, person: Person, proposal: int, question: str, answer: str) -> None:
        """Accept a proposal with another question or answer; its patterns are those of the answer.

        Raises BadInput for what is no gold question, or is there already.
        """
        person.require_admin()
        changed = {"question": " ".join(question.split()), "gold_answer": answer.strip()}
        for field, text in changed.items():
            require_short(field.replace("_", " "), text, LONGEST[field])
        with self.database.writing() as session:
            row = _row(session, proposal)
            before = GoldQuestion.model_validate(row.gold)
            fields: dict[str, Any] = {**row.gold, **changed}
            if before.gold_answer != changed["gold_answer"] and before.answerable:
                fields |= {"must_include": patterns_of(answer), "facts": [], "steps": []}
            try:
                gold = GoldQuestion.model_validate(fields)
            except ValidationError as error:
                raise BadInput(
                    "That is no question with an answer: {problem}.", problem=first_objection(error)
                ) from error
            digest = digest_of(row.product, row.release, gold.question)
            other = select(ProposalRow.id).where(
                ProposalRow.digest == digest, ProposalRow.id != row.id
            )
            if (there := session.scalar(other)) is not None:
                raise BadInput("This question is there already: question {there}.", there=there)
            row.gold, row.digest = gold.model_dump(mode="json"), digest
            _decided(row, person, State.ACCEPTED)
            # Of texts the log keeps only the length, because it is kept for good.
            lengths = {field: len(text) for field, text in changed.items()}
            recorded(
                session,
                person,
                "edit question",
                message("question {number}", number=proposal),
                **lengths,
            )


def accepted(session: Session, product: str | None = None) -> Iterable[Proposal]:
    """The accepted proposals, the oldest first."""
    rows = select(ProposalRow).where(*_wanted(State.ACCEPTED, product)).order_by(ProposalRow.id)
    return map(proposal_of, session.scalars(rows))


def proposal_of(row: ProposalRow) -> Proposal:
    """A row as what it says."""
    pages = tuple(StatedOn(**page) for page in row.pages)
    draft = Draft(GoldQuestion.model_validate(row.gold), row.came_from, pages)
    return Proposal(row.id, State(row.state), draft, row.decided_by)


def _columns(draft: Draft, state: State, person: Person) -> dict[str, Any]:
    gold, now = draft.gold, datetime.now(UTC)
    release, decided = _release(gold), state is not State.PROPOSED
    return {
        "state": str(state),
        "product": gold.product,
        "release": release,
        "gold": gold.model_dump(mode="json"),
        "pages": [asdict(page) for page in draft.pages],
        "came_from": draft.came_from,
        "digest": digest_of(gold.product, release, gold.question),
        "created": now,
        "decided": now if decided else None,
        "decided_by": (person.id or person.name) if decided else "",
    }


def _release(gold: GoldQuestion) -> str:
    return ", ".join(gold.gold_releases)


def _about(gold: GoldQuestion) -> str:
    return f"{gold.product} {_release(gold)}".strip()


def _wanted(state: State, product: str | None) -> list[ColumnElement[bool]]:
    of_product = [ProposalRow.product == product] if product else []
    return [ProposalRow.state == str(state), *of_product]


def _row(session: Session, proposal: int) -> ProposalRow:
    if (row := session.get(ProposalRow, proposal)) is None:
        raise BadInput("There is no question {number}.", number=proposal)
    return row


def _decided(row: ProposalRow, person: Person, state: State) -> None:
    row.state = str(state)
    row.decided, row.decided_by = datetime.now(UTC), person.id or person.name

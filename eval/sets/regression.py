"""The regression set: the questions that are asked again with every change."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from chatbot.conversations.feedback import UP
from chatbot.errors import NoGold
from chatbot.memory.pairs import Rating, Role, ScoreOrigin
from chatbot.memory.suspending import page_hash
from chatbot.reply import Reply
from chatbot.review.regression_set import gold_of_turn, patterns_of
from chatbot.text.markdown import without_marks
from chatbot.turn import Citation
from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import PageRow, ProductRow, ReleaseRow
from eval.gold import GoldQuestion, QuestionKind
from eval.sets.pages import sources_of, why_stale
from eval.sets.proposals import StatedOn, accepted
from eval.sets.wording import digest_of, naming

MOST_LIKED = 200
"""The number of answers that only their askers found good; the newest are in the set."""
_CURATED = (MemoryPairRow.origin == str(ScoreOrigin.CURATED), MemoryPairRow.store == "high")


@dataclass(frozen=True)
class Member:
    """A question of the set, where it came from, and why it is stale: empty if it is not.

    `proposal` is the accepted one, None for what was rated.
    """

    gold: GoldQuestion
    came_from: str
    pages: tuple[StatedOn, ...]
    stale: str = ""
    proposal: int | None = None


@dataclass(frozen=True)
class Gathered:
    """The set; `left_out` are turns that an admin put into it and cannot be a question, and why."""

    members: tuple[Member, ...]
    left_out: tuple[tuple[int, str], ...]


def regression_set(
    database: Database, product: str | None = None, *, stale: bool = False
) -> tuple[GoldQuestion, ...]:
    """The accepted questions and the rated turns; those whose pages have changed where asked for.

    A question that is there in several ways counts once: the accepted one, else what an admin rated
    or wrote, else what its asker liked.
    """
    return tuple(m.gold for m in gather(database, product).members if stale or not m.stale)


def exported(members: Iterable[Member], *, stale: bool = False) -> list[dict[str, Any]]:
    """The rows of an export, as a gold file has them, with where each came from."""
    return [
        {**member.gold.model_dump(mode="json"), "came_from": member.came_from}
        for member in members
        if stale or not member.stale
    ]


def gather(database: Database, product: str | None = None) -> Gathered:
    """The set with where each question came from, the stale ones too."""
    left_out: list[tuple[int, str]] = []
    with database.reading() as session:
        rated = dict(_turns(session, product, _rated(), left_out))
        curated = _curated(session, product, rated)
        liked = dict(_turns(session, product, _liked(product), left_out))
        found: dict[str, Member] = {}
        for member in (*_accepted(session, product), *rated.values(), *curated, *liked.values()):
            gold = member.gold
            about = digest_of(gold.product, ", ".join(gold.gold_releases), gold.question)
            found.setdefault(about, member)
        listed = list(found.values())
        stale = why_stale(
            session, {n: (m.gold.product, m.pages) for n, m in enumerate(listed) if not m.stale}
        )
    of_set = (replace(m, stale=m.stale or stale.get(n, "")) for n, m in enumerate(listed))
    return Gathered(tuple(of_set), tuple(left_out))


def _accepted(session: Session, product: str | None) -> Iterator[Member]:
    for proposal in accepted(session, product):
        draft = proposal.draft
        # Two files may have given the same id to different questions.
        gold = draft.gold.model_copy(update={"id": f"question-{proposal.id}"})
        yield Member(gold, draft.came_from, draft.pages, proposal=proposal.id)


def _rated() -> ColumnElement[bool]:
    """Turns that an admin put into the set, or found good as the asker did."""
    good = (ReviewRow.rating == str(Rating.GOOD)) & (FeedbackRow.thumbs == UP)
    return or_(ReviewRow.in_regression_set, good)


def _liked(product: str | None) -> ColumnElement[bool]:
    """The newest turns that their askers found good and no admin rated or answered otherwise."""
    curated = (
        select(MemoryUseRow.turn_id)
        .join(MemoryPairRow, MemoryPairRow.id == MemoryUseRow.pair_id)
        .where(*_CURATED)
    )
    left_open = (ReviewRow.rating == "") & ~ReviewRow.in_regression_set
    newest = (
        select(TurnRow.id)
        .outerjoin(TurnRow.review)
        .join(TurnRow.feedback)
        .where(FeedbackRow.thumbs == UP, ~TurnRow.superseded, TurnRow.id.not_in(curated))
        .where(or_(ReviewRow.turn_id.is_(None), left_open))
        .order_by(TurnRow.id.desc())
        .limit(MOST_LIKED)
    )
    return TurnRow.id.in_(newest.where(TurnRow.product == product) if product else newest)


def _turns(
    session: Session,
    product: str | None,
    wanted: ColumnElement[bool],
    left_out: list[tuple[int, str]],
) -> Iterator[tuple[int, Member]]:
    """The questions of turns by the turn's id; those that an admin put there and are none."""
    rows = (
        select(TurnRow)
        .outerjoin(TurnRow.review)
        .outerjoin(TurnRow.feedback)
        .where(wanted, ~TurnRow.superseded)
        .order_by(TurnRow.id)
    )
    for turn in session.scalars(rows.where(TurnRow.product == product) if product else rows):
        try:
            gold = GoldQuestion.model_validate(gold_of_turn(session, turn))
        except NoGold as reason:
            if turn.review and turn.review.in_regression_set:
                left_out.append((turn.id, str(reason)))
            continue
        citations = Reply.model_validate(turn.answer).citations
        pages = _cited(session, citations) if gold.sources else ()
        gone = "a page that it cites is gone" if gold.sources and pages is None else ""
        yield turn.id, Member(gold, f"answer {turn.id}", pages or (), gone)


def _curated(session: Session, product: str | None, turns: Collection[int]) -> Iterator[Member]:
    """The saved answers that an admin wrote or vouched for, but for those of these turns."""
    of_turns = select(MemoryUseRow.pair_id).where(MemoryUseRow.turn_id.in_(turns))
    made = (MemoryUseRow.pair_id == MemoryPairRow.id) & (MemoryUseRow.role == Role.SOURCE)
    rows = (
        select(ProductRow.name, ReleaseRow.name, MemoryPairRow, MemoryUseRow.turn_id)
        .select_from(MemoryPairRow)
        .join(ReleaseRow)
        .join(ProductRow)
        .outerjoin(MemoryUseRow, made)
        .where(*_CURATED)
        .where(MemoryPairRow.id.not_in(of_turns))
        .order_by(MemoryPairRow.id)
    )
    wanted = rows.where(ProductRow.name == product) if product else rows
    for of_product, release, pair, turn in session.execute(wanted):
        answer = without_marks(pair.answer["text"]).strip()
        citations = pair.answer.get("citations", [])
        pages = tuple(
            StatedOn(
                release,
                page.file,
                citation["page"],
                page.page_id,
                page.page_hash.hex(),
                citation.get("section", ""),
                citation.get("anchor"),
            )
            for page, citation in zip(pair.pages, citations, strict=False)
        )
        gold = GoldQuestion(
            # The turn whose question it holds: `eval.runs.forgetting` looks for it.
            id=f"saved-{pair.id}" + (f"-turn-{turn}" if turn else ""),
            product=of_product,
            question=naming(pair.question, release),
            kind=QuestionKind.RELEASE_SPECIFIC_DIFFERS,
            gold_answer=answer,
            must_include=tuple(patterns_of(answer)),
            sources=sources_of(pages),
            release=release,
        )
        yield Member(gold, f"saved answer {pair.id}", pages, pair.suspended)


def _cited(session: Session, citations: Sequence[Citation]) -> tuple[StatedOn, ...] | None:
    """The cited pages as they were; None where one is not kept any more."""
    wanted = PageRow.id.in_({citation.page_id for citation in citations})
    texts = {page.id: page.text for page in session.scalars(select(PageRow).where(wanted))}
    if any(citation.page_id not in texts for citation in citations):
        return None
    return tuple(
        StatedOn(
            release=c.release,
            file=c.file,
            number=c.page,
            page_id=c.page_id,
            page_hash=page_hash(texts[c.page_id]).hex(),
            section=c.section,
            anchor=c.anchor,
            document=c.document,
            quote=c.quote,
        )
        for c in citations
    )

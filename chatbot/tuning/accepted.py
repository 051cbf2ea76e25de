"""The answers that people accepted: good pairs of the memory, and refusals that were right."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter
from chatbot.answering.lead_prompt import UNKNOWN
from chatbot.memory.pairs import Rating, ScoreOrigin, Store
from chatbot.memory.remembering import ANSWERED, question_of
from chatbot.retrieval.support import says_unknown
from chatbot.review.ratings import review_of
from chatbot.text.markdown import without_marks
from corpora.catalog.catalog import require_product, require_release
from corpora.database.history_tables import TurnRow

_ORDER = tuple(ScoreOrigin)


@dataclass(frozen=True)
class Accepted:
    """A question and the right lead; of two that say the same the higher `rank` is kept."""

    question: str
    product: str
    release: str
    reply: str
    abstains: bool
    origin: str
    rank: tuple[bool, int, float]
    created: datetime
    pair: int | None = None
    turn: int | None = None
    cited: frozenset[str] = frozenset()


def accepted_pairs(
    overview: Overview, within: ReleaseFilter, left_out: Counter[str], *, measured: bool
) -> Iterator[Accepted]:
    """The pairs that people accepted; the reasons against others are counted in `left_out`."""
    for kept in overview.every(PairFilter(within)):
        row, answer = kept.row, kept.row.answer
        if row.suspended:
            left_out["suspended, since the pages behind it changed"] += 1
        elif row.store != Store.HIGH:
            left_out["rated or measured as poor"] += 1
        elif row.origin == ScoreOrigin.MEASURED and not measured:
            left_out["rated by nobody (--measured takes these too)"] += 1
        else:
            reply = answer.get("value") or without_marks(answer["text"]).strip()
            unknown = says_unknown(reply)
            yield Accepted(
                question=row.question,
                product=kept.product,
                release=kept.release,
                reply=UNKNOWN if unknown else reply,
                abstains=unknown,
                origin=row.origin,
                rank=(not unknown, _ORDER.index(ScoreOrigin(row.origin)), row.score),
                created=row.created,
                pair=row.id,
                cited=frozenset(citation["release"] for citation in answer.get("citations", ())),
            )


def accepted_refusals(overview: Overview, within: ReleaseFilter) -> Iterator[Accepted]:
    """The turns of which people say that not to know was right, the oldest first."""
    overview.person.require_admin()
    wanted = select(TurnRow).where(~TurnRow.superseded, TurnRow.route.in_(ANSWERED))
    rows = wanted.options(
        joinedload(TurnRow.feedback), joinedload(TurnRow.review), joinedload(TurnRow.trace)
    ).order_by(TurnRow.id)
    with overview.database.reading() as session:
        of_release = ""
        if within.product:
            product = require_product(session, within.product).name
            rows = rows.where(TurnRow.product == product)
        if within.release:
            of_release = require_release(session, within.product, within.release).name
        for turn in session.scalars(rows.execution_options(yield_per=200)):
            review = review_of(turn)
            release = review.corrected_release or turn.release
            if not turn.product or not release or of_release not in ("", release):
                continue
            if review.corrected_answer:
                right = says_unknown(review.corrected_answer)
            elif review.rating:
                right = turn.abstained and review.rating == Rating.GOOD
            else:
                right = turn.abstained and turn.feedback is not None and turn.feedback.thumbs > 0
            if right:
                origin = ScoreOrigin.RATING if review.rating else ScoreOrigin.THUMBS
                yield Accepted(
                    question=question_of(turn, turn.trace),
                    product=turn.product,
                    release=release,
                    reply=UNKNOWN,
                    abstains=True,
                    origin=origin,
                    rank=(False, _ORDER.index(origin), 1.0),
                    created=turn.created,
                    turn=turn.id,
                )

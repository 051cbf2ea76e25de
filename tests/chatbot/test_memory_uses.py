from __future__ import annotations

from datetime import UTC, datetime

import pytest

from chatbot.accounts.people import LOCAL
from chatbot.administration.overview import Overview
from chatbot.chain.reply import remembered_pair
from chatbot.memory.pairs import ScoreOrigin
from chatbot.memory.questions import standalone_text
from chatbot.turn import Remembered, Turn
from corpora.database.engine import Database
from corpora.database.tables import ProductRow, ReleaseRow
from tests.chatbot.asked import asked
from tests.ui.memory_pairs import keep, use

pytestmark = pytest.mark.database

AT = datetime(2026, 11, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("origin", "named"),
    [(ScoreOrigin.THUMBS, ""), (ScoreOrigin.RATING, "ada"), (ScoreOrigin.CURATED, "ada")],
)
def test_a_reply_names_admins_and_nobody_who_gave_a_thumb(origin: ScoreOrigin, named: str) -> None:
    pair = Remembered(1, "Why?", "So.", "So", (), 0.9, origin, "ada", AT, 0.97)
    assert remembered_pair(pair).rated_by == named


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        (", at which interval is the filter changed?", "at which interval is the filter changed?"),
        (
            "Which color has pin 11 of the alarm cable,?",
            "Which color has pin 11 of the alarm cable?",
        ),
        ("max frame size, factory value, ", "max frame size, factory value"),
        (": the REST port ?", "the REST port?"),
        ("::leaf of the tree.", "::leaf of the tree."),
        ("10:30, or 11:00?", "10:30, or 11:00?"),
    ],
)
def test_a_question_without_its_release_begins_and_ends_as_people_write(
    left: str, kept: str
) -> None:
    assert standalone_text(Turn(left)) == kept


def test_the_turns_that_have_to_do_with_a_pair_are_listed_newest_first(database: Database) -> None:
    pair = _pair(database)
    first = asked(database, "How long?", owner="ada@example.org")
    second = asked(database, "For how long?", at=AT)
    use(database, first, pair, "source")
    use(database, second, pair, "reuse")
    overview = Overview(database, LOCAL)
    uses, total = overview.uses(pair)
    assert [(u.turn.id, u.role, u.turn.question, u.turn.owner) for u in uses] == [
        (second, "reuse", "For how long?", ""),
        (first, "source", "How long?", "ada@example.org"),
    ]
    assert (uses[0].turn.created, total) == (AT, 2)
    shown, total = overview.uses(pair, limit=1)
    assert (len(shown), total) == (1, 2)
    assert overview.uses(999) == ((), 0)


def _pair(database: Database) -> int:
    with database.writing() as session:
        product = ProductRow(name="relay", aliases=[])
        session.add(product)
        session.flush()
        session.add(ReleaseRow(product_id=product.id, name="17.20", aliases=[], retired=False))
    return keep(database, "How long?", product="relay", release="17.20")

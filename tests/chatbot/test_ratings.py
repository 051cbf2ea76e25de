from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.errors import BadInput, NotAllowed, UnknownTurn
from chatbot.review.ratings import Ratings
from chatbot.review.turns import AllTurns
from corpora.database.engine import Database
from corpora.database.history_tables import ReviewRow
from tests.chatbot.test_review_turns import ADMIN, USER, written

pytestmark = pytest.mark.database

GRACE = Person("grace@example.org", "Grace", is_admin=True)


@pytest.fixture
def ratings(database: Database) -> Ratings:
    """Ratings over a database with two turns, 1 and 2."""
    written(database, [datetime(2026, 5, 1, tzinfo=UTC)] * 2)
    return Ratings(database)


NO_REVIEW = {
    **dict.fromkeys(("rating", "corrected_answer", "corrected_release", "note"), ""),
    **dict.fromkeys(("assignee", "reviewer"), ""),
    "status": "open",
    "in_regression_set": False,
    "updated": None,
}


def review_of(ratings: Ratings, turn: int) -> ReviewRow:
    return AllTurns(ratings.database).open(ADMIN, turn).review


def told(ratings: Ratings, turn: int) -> dict[str, Any]:
    review = review_of(ratings, turn)
    return {name: getattr(review, name) for name in NO_REVIEW}


def test_what_is_changed_is_kept_and_the_rest_stays(ratings: Ratings) -> None:
    assert told(ratings, 1) == NO_REVIEW
    ratings.change(ADMIN, 1, rating="bad", note="  It is 300 s. ")
    ratings.change(GRACE, 1, corrected_answer="300 s", status="done", assignee="ada@example.org")
    review = review_of(ratings, 1)
    assert (review.rating, review.note) == ("bad", "It is 300 s.")
    assert (review.corrected_answer, review.status) == ("300 s", "done")
    assert review.assignee == "ada@example.org"
    assert review.reviewer == "grace@example.org"
    assert review.updated is not None
    assert told(ratings, 2) == NO_REVIEW
    assert ratings.change(LOCAL, 1, rating="").reviewer == "local"
    assert review_of(ratings, 1).rating == ""


def test_of_two_who_had_seen_the_same_the_second_is_told_what_is_there_now(
    ratings: Ratings,
) -> None:
    seen = {"note": "", "assignee": ""}
    ratings.change(GRACE, 1, seen, note="Grace's", assignee="")
    with pytest.raises(BadInput, match=r"grace@example\.org has changed “Note” .*“Grace's”"):
        ratings.change(ADMIN, 1, seen, note="Ada's", assignee="")
    ratings.change(ADMIN, 1, seen, note="", assignee="ada@example.org")
    both = (told(ratings, 1)["note"], told(ratings, 1)["assignee"])
    assert both == ("Grace's", "ada@example.org")
    ratings.change(ADMIN, 1, seen, note="Grace's", assignee="")
    ratings.change(ADMIN, 1, {"note": "Grace's"}, note="Ada's")
    assert told(ratings, 1)["note"] == "Ada's"


def test_every_change_is_in_the_audit_log_without_what_was_written(ratings: Ratings) -> None:
    ratings.change(ADMIN, 1, rating="wrong release", note="Call Jane Doe, she asked for it.")
    ratings.change(GRACE, 1, rating="wrong release")
    (entry,) = AuditLog(ratings.database).page(LOCAL)[0]
    assert (entry.person, entry.action, entry.subject) == ("ada@example.org", "rate", "turn 1")
    assert entry.details == {"rating": "wrong release", "note": 32}


def test_a_rating_without_its_record_is_not_kept(ratings: Ratings) -> None:
    def fails(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if "INTO audit_log" in statement:
            raise OSError("the disk is full")

    engine = ratings.database.engine
    event.listen(engine, "before_cursor_execute", fails)
    with pytest.raises(OSError, match="disk is full"):
        ratings.change(ADMIN, 1, rating="good")
    event.remove(engine, "before_cursor_execute", fails)
    assert told(ratings, 1) == NO_REVIEW


def test_what_is_no_rating_is_refused(ratings: Ratings) -> None:
    for wrong, reason in (
        ({"rating": "excellent"}, "'excellent' is none of good, bad"),
        ({"status": "closed"}, "is none of open, done"),
        ({"corrected_answer": "x" * 20_001}, "the limit is 20,000: shorten it"),
    ):
        with pytest.raises(BadInput, match=reason):
            ratings.change(ADMIN, 1, **wrong)
    with pytest.raises(TypeError, match="'reviewer'"):
        ratings.change(ADMIN, 1, reviewer="somebody else")
    with pytest.raises(NotAllowed):
        ratings.change(USER, 1, rating="good")
    with pytest.raises(UnknownTurn):
        ratings.change(ADMIN, 3, rating="good")
    assert told(ratings, 1) == NO_REVIEW

from datetime import timedelta

import pytest

from chatbot.accounts.people import LOCAL
from chatbot.models.embedders import open_embedder
from chatbot.review import gaps as module
from chatbot.review.gaps import ContentGaps, Gap
from chatbot.review.turns import ANY, TurnFilter
from chatbot.settings import Settings
from corpora.database.engine import Database
from tests.chatbot.asked import NOW, asked

pytestmark = pytest.mark.database


@pytest.fixture
def gaps(database: Database) -> ContentGaps:
    return ContentGaps(database, open_embedder(Settings()))


def found(gaps: ContentGaps, wanted: TurnFilter = ANY) -> tuple[Gap, ...]:
    return gaps.report(LOCAL, wanted).gaps


def test_questions_that_ask_the_same_are_one_gap(database: Database, gaps: ContentGaps) -> None:
    same = [
        "How do I reset the admin password?",
        "How can the password of the admin be reset?",
        "Resetting the admin password, how?",
    ]
    for number, question in enumerate(same):
        asked(database, question, abstained=True, owner=f"p{number % 2}")
    other = asked(database, "Which ports does the firewall have to open?", abstained=True)
    first, second = found(gaps)
    assert (first.times, first.people) == (3, 2)
    assert first.asked.words in same
    assert {q.asked.words for q in first.questions} == set(same)
    assert [q.turn for q in second.questions] == [other]


def test_the_same_of_another_thing_is_another_gap(database: Database, gaps: ContentGaps) -> None:
    for question in (
        *("What is the default of hold_time?", "What is the range of hold_time?"),
        *("What is the default of drain_time?", "What does alarm LOF mean?"),
        *("What does alarm BDI mean?", "How do I add a user?", "How do I delete a user?"),
    ):
        asked(database, question, abstained=True)
    assert len(found(gaps)) == 7


def test_releases_are_apart_and_so_are_products(database: Database, gaps: ContentGaps) -> None:
    for product, release in (("relay", "17.10"), ("relay", "18.00"), ("valve", "18.00")):
        asked(database, "How do I reset it?", abstained=True, product=product, release=release)
    told = {("relay", "17.10"), ("relay", "18.00"), ("valve", "18.00")}
    assert {(g.product, g.release) for g in found(gaps)} == told
    # A comparison is one of each release.
    compared = {"release": None, "compared_releases": ["17.20", "19.00"], "route": "compare"}
    asked(database, "What changed in the password rules?", abstained=True, **compared)
    both = {("relay", "17.20"), ("relay", "19.00")}
    assert {(g.product, g.release) for g in found(gaps)} == told | both
    (only,) = found(gaps, TurnFilter(release="19.00"))
    assert only.release == "19.00"


def test_what_was_answered_asked_back_or_asked_anew_is_no_gap(
    database: Database, gaps: ContentGaps
) -> None:
    asked(database, "answered")
    asked(database, "asked back", abstained=True, route="clarify")
    anew = asked(database, "asked anew", abstained=True)
    with database.writing() as session:
        session.get_one(module.TurnRow, anew).superseded = True
    assert found(gaps) == ()


def test_a_follow_up_is_compared_by_what_it_means(database: Database, gaps: ContentGaps) -> None:
    base = "How do I reset the admin password in 17.2?"
    meant = {"base": base, "filtered": "reset admin password 17.2", "versionless": "reset password"}
    alone = {"base": "Reset password?", "filtered": "reset password", "versionless": None}
    asked(database, "and in 17.2?", abstained=True, queries=meant)
    asked(database, "Reset password?", abstained=True, queries=alone)
    (gap,) = found(gaps)
    assert {q.asked.words for q in gap.questions} == {"and in 17.2?", "Reset password?"}


def test_the_most_asked_comes_first_then_the_latest_and_the_oldest_are_left_out(
    database: Database, gaps: ContentGaps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 4)
    for question, days in (("the lamp", 2), ("the battery", 0), ("it fly", 3), ("it fly", 3)):
        asked(database, f"Can {question}?", abstained=True, at=NOW - timedelta(days=days))
    asked(database, "Can the oldest?", abstained=True, at=NOW - timedelta(days=9))
    report = gaps.report(LOCAL, ANY)
    listed = [(gap.asked.words, gap.last_asked) for gap in report.gaps]
    order = (("it fly", 3), ("the battery", 0), ("the lamp", 2))
    assert listed == [(f"Can {asked}?", NOW - timedelta(days=days)) for asked, days in order]
    assert report.left_out == 1

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import event

from chatbot.accounts.people import LOCAL
from chatbot.review.numbers import Figures, Numbers, Span
from chatbot.review.turns import ANY, TurnFilter
from corpora.database.engine import Database
from tests.chatbot.asked import NOW, asked

pytestmark = pytest.mark.database


def test_what_became_of_questions_is_counted(database: Database) -> None:
    assert Numbers(database).total(LOCAL, ANY) == Figures()
    assert list(Numbers(database).rows(LOCAL, ANY, Span.DAY)) == []
    asked(database, "one", owner="a", thumbs=1, rating="good", seconds=1.0, model_calls=3)
    asked(database, "two", owner="a", thumbs=-1, rating="wrong release", seconds=2.0)
    asked(database, "three", owner="b", abstained=True, rating="incomplete", seconds=3.0)
    asked(database, "four", owner="b", abstained=True, route="clarify", release=None, seconds=4.0)
    asked(database, "five", owner="b", route="reuse", thumbs=-1, rating="bad", model_calls=1)
    once = ("abstentions", "clarifications", "reused", "thumbs_up", "rated_good", "rated_bad")
    once += ("rated_wrong_release", "rated_incomplete")
    more = {"questions": 5, "people": 2, "model_calls": 4, "thumbs_down": 2}
    expected = Figures(**dict.fromkeys(once, 1), **more, median=2.0, p95=4.0)
    assert Numbers(database).total(LOCAL, ANY) == expected
    assert Numbers(database).total(LOCAL, TurnFilter(route="reuse")).questions == 1


def test_days_without_questions_are_there_and_empty(database: Database) -> None:
    asked(database, "late", at=datetime(2026, 11, 17, 23, 59, 59, tzinfo=UTC))
    asked(database, "early", at=datetime(2026, 11, 20, 0, 0, 1, tzinfo=UTC), seconds=7.0)
    periods = Numbers(database).over_time(LOCAL, ANY, Span.DAY)
    assert list(periods) == [date(2026, 11, day) for day in (17, 18, 19, 20)]
    assert [figures.questions for figures in periods.values()] == [1, 0, 0, 1]
    assert [figures.median for figures in periods.values()] == [1.0, None, None, 7.0]


def test_every_release_has_its_own_latency(database: Database) -> None:
    for seconds in range(1, 21):
        asked(database, "old", release="17.10", seconds=float(seconds))
    asked(database, "new", release="18.00", seconds=100.0)
    asked(database, "both", release=None, route="compare", seconds=50.0)
    by_release = Numbers(database).by_release(LOCAL, ANY)
    found = {release: figures for _, release, figures in by_release}
    assert list(found) == ["17.10", None, "18.00"]
    assert (found["17.10"].median, found["17.10"].p95) == (10.0, 19.0)
    assert (found["18.00"].median, found["18.00"].p95) == (100.0, 100.0)
    assert found[None].questions == 1


def test_steps_have_times_in_all_and_per_day(database: Database) -> None:
    for seconds in (1.0, 2.0, 9.0):
        asked(database, "slow", timings={"answer_generation": seconds, "context_retrieval": 0.5})
    asked(database, "old", at=NOW - timedelta(days=1), timings={"context_retrieval": 0.25})
    times = Numbers(database).by_step(LOCAL, ANY, Span.DAY)
    assert [(s.step, s.turns, s.median, s.p95) for s in times.steps] == [
        ("answer_generation", 3, 2.0, 9.0),
        ("context_retrieval", 4, 0.5, 0.5),
    ]
    assert [(start.day, s.step, s.median) for start, s in times.over_time] == [
        (19, "context_retrieval", 0.25),
        (20, "answer_generation", 2.0),
        (20, "context_retrieval", 0.5),
    ]
    assert (times.read, times.turns) == (4, 4)


def test_an_export_has_a_row_for_each_day_and_release(database: Database) -> None:
    asked(database, "one", release="17.10")
    asked(database, "two", release="18.00", abstained=True)
    asked(database, "three", release="18.00", at=NOW - timedelta(days=1))
    rows = list(Numbers(database).rows(LOCAL, ANY, Span.DAY))
    assert [(r["day"], r["release"], r["questions"], r["abstentions"]) for r in rows] == [
        ("2026-11-19", "18.00", 1, 0),
        ("2026-11-20", "17.10", 1, 0),
        ("2026-11-20", "18.00", 1, 1),
    ]
    assert [r["week"] for r in Numbers(database).rows(LOCAL, ANY, Span.WEEK)] == ["2026-11-16"] * 2


@pytest.mark.sqlite
def test_counting_reads_no_payload(database: Database) -> None:
    """A plan that says so: with 100,000 turns the payloads are hundreds of megabytes."""
    statements: list[tuple[str, object]] = []
    event.listen(
        database.engine,
        "before_cursor_execute",
        lambda _c, _k, statement, parameters, *_: statements.append((statement, parameters)),
    )
    numbers = Numbers(database)
    numbers.total(LOCAL, TurnFilter(product="relay", since=NOW))
    numbers.over_time(LOCAL, TurnFilter(release="17.20"), Span.WEEK)
    counted = [s for s in statements if "turns" in s[0]]
    assert len(counted) == 4
    with database.engine.connect() as connection:
        for statement, parameters in counted:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            of_turns = [row.detail for row in plan if "turns" in row.detail]
            assert of_turns
            assert all("USING COVERING INDEX ix_turns_facts" in detail for detail in of_turns)

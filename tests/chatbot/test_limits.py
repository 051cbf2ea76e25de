from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update

from chatbot.accounts.limits import MOST_OPEN, UsageLimits
from chatbot.accounts.people import LOCAL, Person
from chatbot.errors import LimitReached
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import UseRow

pytestmark = pytest.mark.database

BO = Person("bo@example.org", "Bo", is_admin=True)


def passed(limits: UsageLimits, owner: str = BO.id) -> bool:
    try:
        limits.question(owner)
    except LimitReached:
        return False
    return True


def age(database: Database, by: timedelta) -> None:
    with database.writing() as session:
        session.execute(update(UseRow).values(at=datetime.now(UTC) - by))


def test_the_limit_is_for_one_person_and_one_minute(database: Database) -> None:
    limits = UsageLimits(database, questions_per_minute=2, uploads_per_day=1)
    assert [passed(limits) for _ in range(3)] == [True, True, False]
    assert passed(limits, "cy@example.org")
    age(database, timedelta(seconds=59))
    assert not passed(limits)
    age(database, timedelta(seconds=61))
    assert passed(limits)


def test_what_is_refused_says_how_much_and_when_it_goes_on(database: Database) -> None:
    limits = UsageLimits(database, questions_per_minute=1, uploads_per_day=1)
    limits.question(BO.id)
    age(database, timedelta(seconds=20))
    with pytest.raises(LimitReached, match=r"limit of 1 questions.* go on in (39|40) seconds"):
        limits.question(BO.id)
    limits.upload(BO)
    age(database, timedelta(hours=3, minutes=5))
    with pytest.raises(LimitReached, match=r"limit of 1 uploads.* go on in 21 hours"):
        limits.upload(BO)


def test_without_sign_in_or_limit_nothing_is_counted(database: Database) -> None:
    limits = UsageLimits(database, questions_per_minute=1, uploads_per_day=0)
    for _ in range(3):
        limits.question(LOCAL.id)
        limits.upload(BO)
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(UseRow)) == 0


def test_processes_that_count_at_once_agree(database: Database) -> None:
    url = database.engine.url.render_as_string()
    opened = [open_database(url) for _ in range(4)]
    try:
        with ThreadPoolExecutor(8) as pool:
            tries = [UsageLimits(opened[i % 4], 5, 0) for i in range(24)]
            assert sum(pool.map(passed, tries)) == 5
    finally:
        for other in opened:
            other.close()


def test_one_owner_has_so_many_questions_open_and_may_go_on_when_one_is_answered(
    database: Database,
) -> None:
    limits = UsageLimits(database, questions_per_minute=0, uploads_per_day=0)
    close, *_ = [limits.open_question(BO.id) for _ in range(MOST_OPEN)]
    with pytest.raises(LimitReached, match="You can go on when one of them is"):
        limits.open_question(BO.id)
    limits.open_question("cy@example.org")
    for _ in range(MOST_OPEN + 1):
        limits.open_question(LOCAL.id)
    close()
    limits.open_question(BO.id)

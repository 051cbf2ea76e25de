from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from chatbot.conversations.conversations import Conversations
from chatbot.errors import UnknownTurn
from chatbot.review.ratings import Ratings
from chatbot.review.turns import ANY, NOT_RATED, AllTurns, TurnFilter
from chatbot.turn import Citation
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import ReviewRow, TurnRow, TurnTraceRow
from tests.chatbot.asked import NOW, asked
from tests.data_folders import database_url

pytestmark = pytest.mark.database

ADMIN = Person("ada@example.org", "Ada", is_admin=True)
USER = Person("bob@example.org", "Bob", is_admin=False)
HOUR = timedelta(hours=1)
CITED = Citation("", "part-2.html", "17.20", 1, "", None, "", 1)

ALONE: dict[str, tuple[dict[str, Any], TurnFilter]] = {
    "product": ({"product": "valve"}, TurnFilter(product="valve")),
    "release": ({"release": "18.00"}, TurnFilter(release="18.00")),
    "since": ({"at": NOW + HOUR}, TurnFilter(since=NOW + HOUR)),
    "until": ({"at": NOW - HOUR}, TurnFilter(until=NOW)),
    "owner": ({"owner": USER.id}, TurnFilter(owner=USER.id)),
    "thumbs": ({"thumbs": -1}, TurnFilter(thumbs=-1)),
    "abstained": ({"abstained": True}, TurnFilter(abstained=True)),
    "clarified": ({"route": "clarify"}, TurnFilter(clarified=True)),
    "route": ({"route": "inventory"}, TurnFilter(route="inventory")),
    "seconds": ({"seconds": 20.0}, TurnFilter(seconds=10)),
    "document": ({"citations": [CITED]}, TurnFilter(document="part-2.html")),
    "words": ({"answer": "bacor delfi"}, TurnFilter(words="bacor del")),
    "rating": ({"rating": "bad"}, TurnFilter(rating="bad")),
    "done": ({}, TurnFilter(status="done")),
    "assignee": ({}, TurnFilter(assignee="grace@example.org")),
    "kept": ({}, TurnFilter(in_regression_set=True)),
    "asked anew": ({}, TurnFilter(superseded=True)),
}
"""Filters, each with what a turn is like that it finds alone."""
OTHERS = {
    "abstained": TurnFilter(abstained=False),
    "clarified": TurnFilter(clarified=False),
    "rating": TurnFilter(rating=NOT_RATED),
    "done": TurnFilter(status="open"),
    "kept": TurnFilter(in_regression_set=False),
}
"""Filters that find all but this one."""


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, dict[str, int]]]:
    """A database with one turn for each filter, and their ids."""
    database = open_database(database_url(tmp_path_factory.mktemp("history")))
    ids = {name: asked(database, "?", **made) for name, (made, _) in ALONE.items()}
    Ratings(database).change(ADMIN, ids["done"], status="done")
    for name in ("assignee", "kept"):
        Ratings(database).change(ADMIN, ids[name], note="look")
    with database.writing() as session:
        session.get_one(TurnRow, ids["asked anew"]).superseded = True
        session.get_one(ReviewRow, ids["assignee"]).assignee = "grace@example.org"
        session.get_one(ReviewRow, ids["kept"]).in_regression_set = True
    yield database, ids
    database.close()


def test_a_filter_finds_what_is_like_that_and_nothing_else(
    history: tuple[Database, dict[str, int]],
) -> None:
    database, ids = history
    turns = AllTurns(database)

    def found(wanted: TurnFilter) -> set[int]:
        page, _ = turns.page(ADMIN, wanted, size=100)
        assert turns.count(ADMIN, wanted) == len(page)
        return {turn.id for turn in page}

    for name, (_, wanted) in ALONE.items():
        assert found(wanted) == {ids[name]}, name
    for name, wanted in OTHERS.items():
        assert found(wanted) == {*ids.values()} - {ids[name]}, name
    assert found(ANY) == {*ids.values()}
    assert found(TurnFilter(product="valve", words="bacor")) == set()
    assert turns.count(ADMIN, ANY, most=3) == 4


@pytest.mark.parametrize("words", ['"', "a OR b*", "NEAR(a b)", "text:x", "-a ^b", "'; DROP TABLE"])
def test_what_is_searched_for_is_never_an_operator(
    history: tuple[Database, dict[str, int]], words: str
) -> None:
    AllTurns(history[0]).page(ADMIN, TurnFilter(words=words))


def test_pages_show_every_turn_once_also_those_of_one_moment(database: Database) -> None:
    written(database, [NOW] * 3 + [NOW + HOUR, NOW - HOUR])
    turns = AllTurns(database)
    page, begin = turns.page(ADMIN, size=2)
    found = [*page]
    while begin:
        page, begin = turns.page(ADMIN, older_than=begin, size=2)
        found += page
    assert [turn.id for turn in found] == [4, 3, 2, 1, 5]


def test_neighbours_are_those_of_the_filter_even_of_a_turn_outside_it(database: Database) -> None:
    for number in range(5):
        asked(database, "?", at=NOW + number * HOUR, route="clarify" if number % 2 else "documents")
    turns = AllTurns(database)

    def beside(turn: int) -> tuple[int | None, int | None]:
        found = turns.neighbours(ADMIN, turn, TurnFilter(clarified=True))
        return found.newer, found.older

    assert [beside(turn) for turn in (4, 3, 2)] == [(None, 2), (4, 2), (4, None)]


def test_an_opened_turn_has_its_conversation_and_its_trace(
    relay: Callable[[Any], Chatbot], tmp_path: Any
) -> None:
    chatbot = own(relay(None), tmp_path)
    conversation = chatbot.conversations.of(USER.id).start("relay", "Rates")

    def ask(question: str, instead_of: int | None = None) -> int:
        reply = chatbot.ask(
            question, conversation=conversation, owner=USER.id, instead_of=instead_of
        )
        assert reply.kept_as is not None
        return reply.kept_as

    first = ask("What rate has port XF-1 in 17.20?")
    wrong = ask("And XF-9?")
    last = ask("And XF-2?", instead_of=wrong)
    turns = AllTurns(chatbot.database)
    opened = turns.open(ADMIN, last)
    assert (opened.turn.conversation.title, opened.turn.conversation.product) == ("Rates", "relay")
    assert [(t.id, t.superseded) for t in opened.before] == [(first, False), (wrong, True)]
    assert opened.before[0].answer["answer"].startswith("`XF-1`: rate 10 Gbit/s")
    assert (opened.after, opened.turn.feedback, opened.review.rating) == ((), None, "")
    assert opened.trace is not None
    assert opened.trace.queries is not None
    assert opened.trace.queries.base
    assert opened.trace.retrieved[0].file
    assert [t.id for t in turns.open(ADMIN, first).after] == [wrong, last]
    # One of an earlier version has no trace.
    with chatbot.database.writing() as session:
        session.execute(delete(TurnTraceRow))
    assert turns.open(ADMIN, last).trace is None
    chatbot.database.close()


def test_of_an_empty_history_there_is_nothing(database: Database) -> None:
    for begin in (None, (datetime(2026, 1, 1, tzinfo=UTC), 1)):
        assert AllTurns(database).page(ADMIN, older_than=begin) == ((), None)
    for ask in (AllTurns(database).open, AllTurns(database).neighbours):
        with pytest.raises(UnknownTurn, match="no answer 12"):
            ask(ADMIN, 12)


def own(chatbot: Chatbot, folder: Any) -> Chatbot:
    """The chatbot with conversations of its own, which other tests do not see."""
    database = open_database(database_url(folder))
    return replace(chatbot, database=database, conversations=Conversations(database))


def written(database: Database, moments: list[datetime]) -> None:
    """Keep a turn for each moment."""
    for at in moments:
        asked(database, "?", at=at)

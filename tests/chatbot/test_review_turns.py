from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import delete, select, text

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from chatbot.conversations.conversations import Conversations
from chatbot.errors import NotAllowed, UnknownTurn
from chatbot.review.ratings import Ratings
from chatbot.review.turns import ANY, NOT_RATED, AllTurns, TurnFilter
from chatbot.turn import Citation
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import (
    FeedbackRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTraceRow,
)
from tests.chatbot.asked import asked
from tests.data_folders import database_url

pytestmark = pytest.mark.database

ADMIN = Person("ada@example.org", "Ada", is_admin=True)
USER = Person("bob@example.org", "Bob", is_admin=False)
TURNS = 200
BEGIN, YEARS = datetime(2024, 1, 1, tzinfo=UTC), timedelta(days=730)
HALF = BEGIN + YEARS / 2


WORDS = ("bacor", "delfi", "ganlo", "mernu", "pasri", "solten", "voba")
PRODUCTS = {"beacon": ("3.0", "3.1"), "harbour": ("2023.1", "2024.1"), "tessaline": ("17.20",)}
COLLEAGUES = ("", "ada@example.org", "grace@example.org")


def fill(database: Database) -> None:
    """Write varied turns, the oldest first; drawn from one seed."""
    draw = Random(7)
    for number in range(TURNS):
        product = draw.choice([*PRODUCTS])
        release = draw.choice(PRODUCTS[product])
        file = f"{product}/part-{number % 4}.html"
        cited = [Citation("", file, release, 1, "", None, "", 1)]
        route = draw.choice(("documents",) * 4 + ("inventory", "clarify"))
        turn = asked(
            database,
            " ".join(draw.choices(WORDS, k=3)),
            at=BEGIN + YEARS * (number / TURNS),
            owner=f"person{number % 5}@example.org",
            thumbs=draw.choice((0, 1, -1)),
            rating=draw.choice(("", "good", "bad")),
            answer=" ".join(draw.choices(WORDS, k=3)),
            product=product,
            release=release,
            route=route,
            abstained=route == "clarify" or draw.random() < 0.2,
            seconds=draw.choice((1.0, 20.0)),
            citations=cited if draw.random() < 0.8 else [],
        )
        done, colleague = draw.choice(("open", "done")), draw.choice(COLLEAGUES)
        if draw.random() < 0.5:
            Ratings(database).change(ADMIN, turn, status=done, assignee=colleague)
        with database.writing() as session:
            session.get_one(TurnRow, turn).superseded = draw.random() < 0.1
            if (review := session.get(ReviewRow, turn)) is not None:
                review.in_regression_set = draw.random() < 0.3


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database with made-up turns."""
    database = open_database(database_url(tmp_path_factory.mktemp("history")))
    fill(database)
    yield database
    database.close()


@dataclass(frozen=True)
class Known:
    """Everything a filter may look at, of one turn."""

    row: TurnRow
    thumbs: int
    review: ReviewRow
    files: frozenset[str]
    words: tuple[str, ...]

    def has(self, word: str) -> bool:
        return any(w.startswith(word) for w in self.words)


@pytest.fixture(scope="module")
def known(history: Database) -> list[Known]:
    """All turns, the newest first."""
    with history.reading() as session:
        thumbs = {f.turn_id: f.thumbs for f in session.scalars(select(FeedbackRow))}
        reviews = {r.turn_id: r for r in session.scalars(select(ReviewRow))}
        cited = [(c.turn_id, c.file) for c in session.scalars(select(TurnCitationRow))]
        none = ReviewRow(rating="", status="open", assignee="", in_regression_set=False)
        return [
            Known(
                row,
                thumbs.get(row.id, 0),
                reviews.get(row.id, none),
                frozenset(file for turn, file in cited if turn == row.id),
                tuple(f"{row.question} {row.answer['answer']}".lower().split()),
            )
            for row in session.scalars(
                select(TurnRow).order_by(TurnRow.created.desc(), TurnRow.id.desc())
            )
        ]


FILE = "tessaline/part-2.html"
GRACE = "grace@example.org"
FILTERS: dict[str, tuple[TurnFilter, Callable[[Known], bool]]] = {
    "product": (TurnFilter(product="beacon"), lambda t: t.row.product == "beacon"),
    "release": (TurnFilter(release="17.20"), lambda t: t.row.release == "17.20"),
    "since": (TurnFilter(since=HALF), lambda t: t.row.created >= HALF),
    "until": (TurnFilter(until=HALF), lambda t: t.row.created < HALF),
    "owner": (TurnFilter(owner="person3@example.org"), lambda t: "person3" in t.row.owner),
    "thumbs": (TurnFilter(thumbs=-1), lambda t: t.thumbs == -1),
    "abstained": (TurnFilter(abstained=True), lambda t: t.row.abstained),
    "answered": (TurnFilter(abstained=False), lambda t: not t.row.abstained),
    "clarified": (TurnFilter(clarified=True), lambda t: t.row.route == "clarify"),
    "not clarified": (TurnFilter(clarified=False), lambda t: t.row.route != "clarify"),
    "route": (TurnFilter(route="inventory"), lambda t: t.row.route == "inventory"),
    "seconds": (TurnFilter(seconds=10), lambda t: t.row.seconds >= 10),
    "document": (TurnFilter(document=FILE), lambda t: FILE in t.files),
    "rating": (TurnFilter(rating="bad"), lambda t: t.review.rating == "bad"),
    "not rated": (TurnFilter(rating=NOT_RATED), lambda t: t.review.rating == ""),
    "open": (TurnFilter(status="open"), lambda t: t.review.status != "done"),
    "done": (TurnFilter(status="done"), lambda t: t.review.status == "done"),
    "assignee": (TurnFilter(assignee=GRACE), lambda t: t.review.assignee == GRACE),
    "kept": (TurnFilter(in_regression_set=True), lambda t: t.review.in_regression_set),
    "not kept": (TurnFilter(in_regression_set=False), lambda t: not t.review.in_regression_set),
    "asked anew": (TurnFilter(superseded=True), lambda t: t.row.superseded),
    "a word": (TurnFilter(words=WORDS[0]), lambda t: t.has(WORDS[0])),
    "two words": (
        TurnFilter(words=f"{WORDS[0]} {WORDS[1]}"),
        lambda t: WORDS[0] in t.words and t.has(WORDS[1]),
    ),
    "together": (
        TurnFilter(product="tessaline", abstained=False, words=WORDS[2], since=HALF),
        lambda t: (
            t.row.product == "tessaline"
            and not t.row.abstained
            and t.has(WORDS[2])
            and t.row.created >= HALF
        ),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_what_is_like_that_and_nothing_else(
    history: Database, known: list[Known], name: str
) -> None:
    wanted, is_wanted = FILTERS[name]
    expected = [turn.row.id for turn in known if is_wanted(turn)]
    assert 0 < len(expected) < TURNS
    turns = AllTurns(history)
    assert [t.id for t in turns.page(ADMIN, wanted, size=TURNS)[0]] == expected
    assert turns.count(ADMIN, wanted) == len(expected)


def test_pages_show_every_turn_once(history: Database) -> None:
    turns, wanted = AllTurns(history), TurnFilter(product="harbour")
    whole = [t.id for t in turns.page(ADMIN, wanted, size=TURNS)[0]]
    page, begin = turns.page(ADMIN, wanted, size=30)
    found = [*page]
    while begin:
        page, begin = turns.page(ADMIN, wanted, older_than=begin, size=30)
        found += page
    assert [t.id for t in found] == whole


def test_turns_of_one_moment_have_an_order_too(database: Database) -> None:
    moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
    written(database, [moment] * 5)
    turns = AllTurns(database)
    first, begin = turns.page(ADMIN, size=2)
    second, _ = turns.page(ADMIN, older_than=begin, size=2)
    assert [t.id for t in (*first, *second)] == [5, 4, 3, 2]
    assert turns.neighbours(ADMIN, 3).newer == 4
    assert turns.neighbours(ADMIN, 3).older == 2


def test_neighbours_are_those_of_the_filter_even_of_a_turn_outside_it(history: Database) -> None:
    turns, wanted = AllTurns(history), TurnFilter(clarified=True)
    ids = [t.id for t in turns.page(ADMIN, wanted, size=TURNS)[0]]
    beside = turns.neighbours(ADMIN, ids[3], wanted)
    assert (beside.newer, beside.older) == (ids[2], ids[4])
    assert turns.neighbours(ADMIN, ids[0], wanted).newer is None
    assert turns.neighbours(ADMIN, ids[-1], wanted).older is None
    outside = next(i for i in range(ids[3] - 1, ids[4], -1) if i not in ids)
    beside = turns.neighbours(ADMIN, outside, wanted)
    assert (beside.newer, beside.older) == (ids[3], ids[4])


def test_counting_ends_early(history: Database) -> None:
    assert AllTurns(history).count(ADMIN, ANY, most=100) == 101


@pytest.mark.parametrize("words", ['"', "a OR b*", "NEAR(a b)", "text:x", "-a ^b", "'; DROP TABLE"])
def test_what_is_searched_for_is_never_an_operator(history: Database, words: str) -> None:
    AllTurns(history).page(ADMIN, TurnFilter(words=words))


@pytest.mark.sqlite
def test_a_page_is_found_in_the_index_alone(history: Database) -> None:
    """Whatever is filtered by, no payload is read until the page is found."""
    with history.reading() as session:
        statements: list[str] = []
        connection = session.connection()
        for wanted in (ANY, TurnFilter(owner="x", abstained=True, seconds=3, route="compare")):
            statements.append(plan(connection, wanted, session))
    for steps in statements:
        assert "USING COVERING INDEX ix_turns_facts" in steps
        assert "SCAN turns\n" not in steps


def plan(connection: Any, wanted: TurnFilter, session: Any) -> str:
    from chatbot.review.turns import conditions

    query = (
        select(TurnRow.id)
        .where(*conditions(session, wanted))
        .order_by(TurnRow.created.desc(), TurnRow.id.desc())
        .limit(50)
    )
    compiled = query.compile(connection, compile_kwargs={"literal_binds": True})
    rows = connection.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))
    return "\n".join(str(row[3]) for row in rows) + "\n"


def test_an_opened_turn_has_its_conversation_and_its_trace(
    relay: Callable[[Any], Chatbot], tmp_path: Any
) -> None:
    chatbot = own(relay(None), tmp_path)
    conversation = chatbot.conversations.of("bob@example.org").start("relay", "Rates")

    def ask(question: str, instead_of: int | None = None) -> int:
        reply = chatbot.ask(
            question, conversation=conversation, owner="bob@example.org", instead_of=instead_of
        )
        assert reply.kept_as is not None
        return reply.kept_as

    first = ask("What rate has port XF-1 in 17.20?")
    wrong = ask("And XF-9?")
    last = ask("And XF-2?", instead_of=wrong)
    turns = AllTurns(chatbot.database)
    opened = turns.open(ADMIN, last)
    assert (opened.turn.conversation.title, opened.turn.conversation.product) == ("Rates", "relay")
    assert [t.id for t in opened.before] == [first, wrong]
    assert [t.superseded for t in opened.before] == [False, True]
    assert opened.before[0].answer["answer"].startswith("`XF-1`: rate 10 Gbit/s")
    assert opened.after == ()
    assert opened.trace is not None
    assert opened.trace.queries is not None
    assert opened.trace.queries.base
    assert opened.trace.retrieved[0].file
    assert opened.turn.feedback is None
    assert opened.review.rating == ""
    assert [t.id for t in turns.open(ADMIN, first).after] == [wrong, last]
    chatbot.database.close()


def test_a_turn_of_an_earlier_version_has_no_trace(database: Database) -> None:
    written(database, [datetime(2024, 5, 1, tzinfo=UTC)])
    with database.writing() as session:
        session.execute(delete(TurnTraceRow))
    assert AllTurns(database).open(ADMIN, 1).trace is None


def test_of_an_empty_history_there_is_nothing(database: Database) -> None:
    nowhere = (datetime(2026, 1, 1, tzinfo=UTC), 1)
    for begin in (None, nowhere):
        assert AllTurns(database).page(ADMIN, older_than=begin) == ((), None)
    for ask in (AllTurns(database).open, AllTurns(database).neighbours):
        with pytest.raises(UnknownTurn, match="no answer 12"):
            ask(ADMIN, 12)


def test_choices_are_what_there_is(history: Database, known: list[Known]) -> None:
    turns = AllTurns(history)
    assert turns.choices(ADMIN, "product") == ("beacon", "harbour", "tessaline")
    assert turns.choices(ADMIN, "release", "beacon") == ("3.0", "3.1")
    assert set(turns.choices(ADMIN, "owner")) == {t.row.owner for t in known}
    assert turns.choices(ADMIN, "assignee") == ("ada@example.org", "grace@example.org")
    assert set(turns.choices(ADMIN, "document")) == set().union(*(t.files for t in known))


def test_only_admins_see_any_of_it(history: Database) -> None:
    turns = AllTurns(history)
    doors: list[Callable[[], object]] = [
        lambda: turns.page(USER),
        lambda: turns.count(USER),
        lambda: turns.neighbours(USER, 1),
        lambda: turns.open(USER, 1),
        lambda: turns.choices(USER, "owner"),
    ]
    for door in doors:
        with pytest.raises(NotAllowed):
            door()


def own(chatbot: Chatbot, folder: Any) -> Chatbot:
    """The chatbot with conversations of its own, which other tests do not see."""
    database = open_database(database_url(folder))
    return replace(chatbot, database=database, conversations=Conversations(database))


def written(database: Database, moments: list[datetime]) -> None:
    """Keep a turn for each moment."""
    for at in moments:
        asked(database, "?", at=at)

from __future__ import annotations

from chatbot.releases.rules import resolve_release
from chatbot.turn import Queries, Turn
from chatbot.understanding.queries import rewrite_query
from corpora.catalog.release import Product, Release

CATALOG = (
    Product("switch", releases=tuple(Release("switch", n) for n in ("17.10", "17.20", "18.00"))),
)


def queries(question: str, *history: tuple[str, str]) -> Queries:
    resolution = resolve_release(question, CATALOG, product="switch", history=history)
    turn = Turn(question, product="switch", history=history, resolved=resolution)
    rewritten = rewrite_query(lambda: CATALOG)(turn).queries
    assert rewritten is not None
    return rewritten


def test_a_question_with_a_release_gives_three_queries() -> None:
    found = queries("What is the default of hello_timer in release 17.20?")
    assert found.base == "What is the default of hello_timer in release 17.20?"
    assert found.filtered == "default hello_timer 17.20"
    assert found.versionless == "default hello_timer"
    assert len(found.distinct()) == 3


def test_a_question_without_a_release_gives_two() -> None:
    found = queries("What is the default of hello_timer?")
    assert found.versionless is None
    assert len(found.distinct()) == 2


def test_identifiers_stay_as_they_are_written() -> None:
    found = queries("does Query.update(values, synchronize_session='auto') work in 18.00?")
    assert found.versionless is not None
    assert "synchronize_session='auto'" in found.versionless


def test_the_other_release_of_an_upgrade_is_part_of_the_question() -> None:
    found = queries("How long does the upgrade to 18.00 take from 17.10?")
    assert "17.10" in found.subject
    assert "18.00" not in found.subject

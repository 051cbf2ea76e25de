"""Measures of ranks, computed by hand."""

from math import log2
from typing import Any

import pytest

from eval.runs.folder import FoundPage
from eval.runs.ranking import ranking_scores
from tests.eval.made_gold import gold

FILE = "guide.pdf"


def page(number: int, release: str = "2.0", *anchors: str) -> FoundPage:
    return FoundPage(release=release, file=f"docs/{FILE}", page=number, anchors=anchors)


def source(**changes: Any) -> dict[str, Any]:
    return {"release": "2.0", "file": FILE, **changes}


def test_a_single_page_that_is_found_third() -> None:
    scores = ranking_scores(gold(), [page(1), page(2), page(4), page(4), page(5)])
    assert scores["mrr"] == pytest.approx(1 / 3)
    assert [scores[f"recall@{k}"] for k in (1, 3, 5, 10)] == [0, 1, 1, 1]
    # One of one, discounted by its rank: (1 / log2(4)) / (1 / log2(2)).
    assert [scores[f"ndcg@{k}"] for k in (1, 3, 5, 10)] == pytest.approx([0, 0.5, 0.5, 0.5])


def test_two_pages_that_are_found_first_and_fourth() -> None:
    asked = gold(sources=[source(page=4), source(page=7)])
    scores = ranking_scores(asked, [page(4), page(1), page(2), page(7)])
    assert scores["mrr"] == 1
    assert [scores[f"recall@{k}"] for k in (1, 3, 5, 10)] == [0.5, 0.5, 1, 1]
    ideal = 1 + 1 / log2(3)
    assert scores["ndcg@1"] == 1
    assert scores["ndcg@3"] == pytest.approx(1 / ideal)
    assert scores["ndcg@5"] == pytest.approx((1 + 1 / log2(5)) / ideal)


def test_the_same_page_of_another_release_is_another_page() -> None:
    scores = ranking_scores(gold(), [page(4, "1.0")])
    assert set(scores.values()) == {0}


def test_sources_on_one_page_are_one_page_to_find() -> None:
    asked = gold(sources=[source(anchor="one"), source(anchor="two")])
    scores = ranking_scores(asked, [page(1, "2.0", "one", "two")])
    assert set(scores.values()) == {1}


def test_a_source_that_is_a_whole_file_is_on_any_of_its_pages() -> None:
    assert ranking_scores(gold(sources=[source()]), [page(9)])["mrr"] == 1


@pytest.mark.parametrize("asked", [gold(sources=[]), gold(kind="unanswerable")])
def test_where_there_is_no_page_to_find_nothing_is_scored(asked: Any) -> None:
    assert set(ranking_scores(asked, [page(4)]).values()) == {None}

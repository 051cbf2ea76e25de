from __future__ import annotations

import json

import pytest

from eval.figures import Share
from eval.gold import GoldQuestion, GoldSource, QuestionKind
from eval.retrieval import RankedPage, retrieval_items, score_retrieval, to_json

LOOKUP = GoldQuestion(
    id="q-1",
    product="router",
    question="timeout in 2.0?",
    kind=QuestionKind.TABLE_LOOKUP,
    gold_answer="60",
    must_include=("60",),
    sources=(GoldSource(release="2.0", file="guide.pdf", page=4),),
    release="2.0",
)
COMPARISON = LOOKUP.model_copy(
    update={
        "id": "q-2",
        "kind": QuestionKind.COMPARE,
        "releases": ("1.0", "2.0"),
        "sources": tuple(
            GoldSource(release=release, file="limits.html", anchor="timeout")
            for release in ("1.0", "2.0")
        ),
    }
)
UNANSWERABLE = LOOKUP.model_copy(
    update={"id": "q-3", "kind": QuestionKind.UNANSWERABLE, "sources": ()}
)

OTHER = RankedPage("guide.pdf", 5)
RIGHT = RankedPage("guide.pdf", 4)


def test_each_side_of_a_comparison_is_searched_for_and_the_unanswerable_are_not() -> None:
    items = retrieval_items([LOOKUP, COMPARISON, UNANSWERABLE])

    assert [item.key for item in items] == [("q-1", "2.0"), ("q-2", "1.0"), ("q-2", "2.0")]
    assert [source.release for source in items[1].sources] == ["1.0"]


@pytest.mark.parametrize(
    ("page", "held"),
    [
        (RankedPage("a/limits.html", 3, ("intro", "timeout")), True),
        (RankedPage("limits.html", 3, ("timeout-units",)), False),
        (RankedPage("my-limits.html", 3, ("timeout",)), False),
        (RankedPage("limits.html", 3), False),
    ],
)
def test_an_anchor_is_held_by_the_page_that_lists_it(page: RankedPage, held: bool) -> None:
    assert page.holds(GoldSource(release="2.0", file="limits.html", anchor="timeout")) is held


def test_a_pdf_page_is_held_by_its_number() -> None:
    assert RIGHT.holds(LOOKUP.sources[0])
    assert not OTHER.holds(LOOKUP.sources[0])


@pytest.mark.parametrize(
    ("before", "within"),
    [(0, [1, 1, 1, 1]), (2, [0, 1, 1, 1]), (4, [0, 0, 1, 1]), (9, [0, 0, 0, 1]), (10, [0] * 4)],
)
def test_the_rank_of_the_first_gold_page_counts(before: int, within: list[int]) -> None:
    ranked = {("q-1", "2.0"): [*[OTHER] * before, RIGHT, RIGHT]}
    summary = score_retrieval(retrieval_items([LOOKUP]), ranked)

    assert summary.scores[0].rank == before + 1
    assert [share.hits for share in summary.within["all"].values()] == within
    assert list(summary.within["all"]) == [1, 3, 5, 10]


def test_groups_and_json() -> None:
    ranked = {
        ("q-1", "2.0"): [RIGHT],
        ("q-2", "1.0"): [RankedPage("limits.html", 1, ("timeout",))],
        ("q-2", "2.0"): [],
    }
    summary = score_retrieval(retrieval_items([LOOKUP, COMPARISON]), ranked)

    assert summary.within["all"][1] == Share(2, 3)
    assert {kind: within[10] for kind, within in summary.within.items()} == {
        "all": Share(2, 3),
        "table_lookup": Share(1, 1),
        "compare": Share(1, 2),
    }
    assert summary.scores[2].rank is None
    assert json.loads(json.dumps(to_json(summary)))["within"]["all"]["1"]["of"] == 3


def test_a_question_that_was_not_searched_for_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"question q-1 in release 2\.0"):
        score_retrieval(retrieval_items([LOOKUP]), {})

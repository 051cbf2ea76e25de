from __future__ import annotations

import pytest

from eval.figures import Share
from eval.gold import GoldQuestion, GoldSource, QuestionKind
from eval.retrieval import RankedPage, among_first, score_search, searches

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
    found = [(q.id, release) for q, release in searches([LOOKUP, COMPARISON, UNANSWERABLE])]

    assert found == [("q-1", "2.0"), ("q-2", "1.0"), ("q-2", "2.0")]


def test_a_page_counts_in_its_own_release_alone() -> None:
    question = COMPARISON.model_copy(update={"sources": COMPARISON.sources[:1]})
    page = RankedPage("limits.html", 1, ("timeout",))

    assert score_search(question, "1.0", [page]).rank == 1
    assert score_search(question, "2.0", [page]).rank is None


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
    score = score_search(LOOKUP, "2.0", [*[OTHER] * before, RIGHT, RIGHT])

    assert score.rank == before + 1
    first = among_first([score])["all"]
    assert [share.hits for share in first.values()] == within
    assert list(first) == [1, 3, 5, 10]


def test_kinds_are_counted_apart() -> None:
    scores = [
        score_search(LOOKUP, "2.0", [RIGHT]),
        score_search(COMPARISON, "1.0", [RankedPage("limits.html", 1, ("timeout",))]),
        score_search(COMPARISON, "2.0", []),
    ]
    within = among_first(scores)

    assert within["all"][1] == Share(2, 3)
    assert {kind: shares[10] for kind, shares in within.items()} == {
        "all": Share(2, 3),
        "table_lookup": Share(1, 1),
        "compare": Share(1, 2),
    }
    assert scores[2].rank is None

import pytest

from eval.figures import Share
from eval.retrieval import RankedPage, among_first, score_search, searches
from tests.eval.made_gold import gold

SIDES = [{"release": r, "file": "limits.html", "anchor": "timeout"} for r in ("1.0", "2.0")]
LOOKUP = gold(kind="table_lookup")
COMPARISON = gold(id="q-2", kind="compare", releases=["1.0", "2.0"], sources=SIDES)
UNANSWERABLE = gold(id="q-3", kind="unanswerable", sources=[])
OTHER, RIGHT = RankedPage("guide.pdf", 5), RankedPage("guide.pdf", 4)


def test_each_side_of_a_comparison_is_searched_for_and_the_unanswerable_are_not() -> None:
    found = [(q.id, release) for q, release in searches([LOOKUP, COMPARISON, UNANSWERABLE])]
    assert found == [("q-1", "2.0"), ("q-2", "1.0"), ("q-2", "2.0")]


@pytest.mark.parametrize(
    ("page", "held"),
    [
        (RankedPage("a/limits.html", 3, ("intro", "timeout")), True),
        (RankedPage("limits.html", 3, ("timeout-units",)), False),
        (RankedPage("my-limits.html", 3, ("timeout",)), False),
    ],
)
def test_an_anchor_is_held_by_the_page_that_lists_it(page: RankedPage, held: bool) -> None:
    assert page.holds(COMPARISON.sources[0]) is held


@pytest.mark.parametrize(
    ("before", "within"),
    [(0, [1, 1, 1, 1]), (2, [0, 1, 1, 1]), (9, [0, 0, 0, 1]), (10, [0, 0, 0, 0])],
)
def test_the_rank_of_the_first_gold_page_counts(before: int, within: list[int]) -> None:
    score = score_search(LOOKUP, "2.0", [*[OTHER] * before, RIGHT, RIGHT])
    assert score.rank == before + 1
    assert [share.hits for share in among_first([score])["all"].values()] == within


def test_kinds_are_counted_apart_and_a_page_counts_in_its_own_release() -> None:
    one_side = COMPARISON.model_copy(update={"sources": COMPARISON.sources[:1]})
    page = RankedPage("limits.html", 1, ("timeout",))
    within = among_first(
        [
            score_search(LOOKUP, "2.0", [RIGHT]),
            score_search(one_side, "1.0", [page]),
            score_search(one_side, "2.0", [page]),
        ]
    )
    assert {kind: shares[10] for kind, shares in within.items()} == {
        "all": Share(2, 3),
        "table_lookup": Share(1, 1),
        "compare": Share(1, 2),
    }

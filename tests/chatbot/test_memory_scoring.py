from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.accounts.people import LOCAL
from chatbot.memory.pairs import Rating, Score, ScoreOrigin
from chatbot.memory.scoring.measuring import Measured
from chatbot.memory.scoring.opinions import (
    AGREEING,
    FAITHFUL,
    LEAST_GAMMA,
    RATED,
    Opinions,
    Thumb,
    combine,
)
from corpora.database.history_tables import ReviewRow

START = datetime(2030, 1, 1, tzinfo=UTC)
GAMMA = 0.6
share = st.floats(0, 1)
gammas = st.floats(LEAST_GAMMA, 0.95)
many_thumbs = st.lists(
    st.builds(
        lambda person, up, hour: Thumb(person, up, START + timedelta(hours=hour)),
        st.sampled_from(["ada", "ben", "cem", "dua"]),
        st.sampled_from([1, -1]),
        st.integers(0, 100),
    ),
    max_size=12,
)


def kept(faithfulness: float = 0.9, relevancy: float = 0.9) -> Score:
    value = Measured(faithfulness, relevancy).value
    return Score(value, ScoreOrigin.MEASURED, START, "", faithfulness, relevancy)


def thumb(person: str, thumbs: int = 1, hour: int = 0) -> Thumb:
    return Thumb(person, thumbs, START + timedelta(hours=hour))


def combined(score: Score, *thumbs: Thumb, rating: str = "", gamma: float = GAMMA) -> Score:
    review = ReviewRow(rating=rating, reviewer="admin", updated=START + timedelta(days=1))
    return combine(score, Opinions(thumbs, review if rating else None), gamma)


def test_a_thumb_up_lifts_a_supported_answer_over_gamma() -> None:
    lifted = combined(kept(0.6, 0.2), thumb("ada", hour=3))
    assert lifted.value > GAMMA > kept(0.6, 0.2).value
    assert (lifted.origin, lifted.by, lifted.at) == (
        ScoreOrigin.THUMBS,
        "",
        START + timedelta(hours=3),
    )
    assert (lifted.faithfulness, lifted.relevancy) == (0.6, 0.2)


def test_where_nobody_signs_in_one_thumb_down_is_enough() -> None:
    assert combined(kept(1, 1), thumb(LOCAL.id, -1)).value < GAMMA


@pytest.mark.parametrize(
    ("rating", "high"), [("good", True), ("bad", False), ("wrong release", False)]
)
def test_an_admin_outranks_the_thumbs_and_the_measure(rating: str, high: bool) -> None:
    rated = combined(kept(0.1, 0.1), thumb("ada", 1), thumb("ben", -1), rating=rating)
    assert (rated.value >= GAMMA) is high
    assert (rated.origin, rated.by) == (ScoreOrigin.RATING, "admin")


def test_every_rating_has_a_score_and_only_good_can_be_high() -> None:
    assert set(RATED) == set(Rating)
    assert all(
        (score < LEAST_GAMMA) is (rating is not Rating.GOOD) for rating, score in RATED.items()
    )


def test_what_is_withdrawn_leaves_the_measure() -> None:
    rated = combined(kept(0.8, 0.6), rating="bad")
    assert replace(combined(rated), at=START) == kept(0.8, 0.6)
    liked = combined(kept(0.6, 0.4), thumb("ada"))
    assert replace(combined(liked), at=START) == kept(0.6, 0.4)


@pytest.mark.parametrize("origin", [ScoreOrigin.IMPORTED, ScoreOrigin.CURATED])
def test_what_an_admin_wrote_stays_as_it_is(origin: ScoreOrigin) -> None:
    written = Score(0.95, origin, START, "admin")
    assert combined(written, thumb("ada", -1), rating="bad") == written


@given(share, share, many_thumbs, gammas)
def test_the_rules_hold_for_any_thumbs(
    faithfulness: float, relevancy: float, thumbs: list[Thumb], gamma: float
) -> None:
    score = kept(faithfulness, relevancy)
    found = combined(score, *thumbs, gamma=gamma)
    assert 0 <= found.value <= 1
    assert found == combined(score, *sorted(thumbs, key=lambda t: t.at), gamma=gamma)
    last = {t.person: t.thumbs for t in sorted(thumbs, key=lambda t: t.at)}
    downs = list(last.values()).count(-1)
    if downs >= AGREEING:
        assert found.value < gamma
    elif faithfulness >= FAITHFUL and len(last) - downs > downs:
        assert found.value >= max(gamma, score.value)
    else:
        assert found == score


@given(share, share, gammas)
def test_one_more_thumb_up_never_lowers_a_score(
    faithfulness: float, relevancy: float, gamma: float
) -> None:
    score = kept(faithfulness, relevancy)
    values = [
        combined(score, *(thumb(f"person {i}") for i in range(n)), gamma=gamma).value
        for n in range(5)
    ]
    assert values == sorted(values)

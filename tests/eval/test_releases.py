from typing import Any

import pytest

from chatbot.releases.resolution import ReleaseStatus, Resolution
from corpora.catalog.release import Product, Release
from eval.figures import Share
from eval.gold import GoldError
from eval.releases import (
    Outcome,
    ReleaseQuestion,
    figures,
    measure_releases,
    outcome_of,
    wrong,
)

ROUTER = Product("router", (), tuple(Release("router", r, (), False) for r in ("1.0", "2.0")), None)


def asked(**changes: Any) -> ReleaseQuestion:
    fields = {"id": "r-1", "product": "router", "question": "?", "releases": ["1.0"]}
    return ReleaseQuestion.model_validate({"status": "stated", **fields, **changes})


@pytest.mark.parametrize(
    ("meant", "status", "releases", "outcome"),
    [
        ({}, "stated", ["1.0"], Outcome.RIGHT),
        ({}, "latest", ["2.0"], Outcome.SILENTLY_WRONG),
        ({}, "stated", ["2.0"], Outcome.WRONG_BUT_SAID),
        ({}, "ambiguous", [], Outcome.ASKED_BACK),
        ({}, "unknown", [], Outcome.WRONG_BUT_SAID),
        ({"may_ask": True}, "unknown", [], Outcome.ASKED_BACK),
        ({"status": "unknown", "releases": []}, "unknown", [], Outcome.RIGHT),
        ({"status": "unknown", "releases": []}, "latest", ["2.0"], Outcome.SILENTLY_WRONG),
        ({"status": "unknown", "releases": ["2.0"]}, "latest", ["2.0"], Outcome.SILENTLY_WRONG),
        ({"status": "ambiguous"}, "ambiguous", [], Outcome.RIGHT),
        ({"status": "ambiguous"}, "unknown", [], Outcome.ASKED_BACK),
        ({"status": "latest", "releases": ["2.0"]}, "latest", ["2.0"], Outcome.RIGHT),
        ({"status": "latest", "releases": ["2.0"]}, "stated", ["1.0"], Outcome.WRONG_BUT_SAID),
        ({"status": "compared", "releases": ["1.0", "2.0"]}, "latest", ["2.0"], "silently_wrong"),
    ],
)
def test_what_a_resolution_is_worth(
    meant: dict[str, Any], status: str, releases: list[str], outcome: str
) -> None:
    found = Resolution(ReleaseStatus(status), "router", tuple(releases))

    assert outcome_of(asked(**meant), found) == outcome


def test_questions_are_resolved_over_the_catalog() -> None:
    questions = [
        asked(question="the timeout in 1.0?"),
        asked(question="the timeout?", status=ReleaseStatus.LATEST, releases=["2.0"]),
        asked(question="the timeout in 2.0?"),
    ]
    scores = measure_releases(questions, [ROUTER])

    assert figures(scores)["right"] == Share(2, 3)
    assert figures(scores)["silently wrong: the latest, though another is meant"] == Share(0, 3)
    assert scores[0].outcome is Outcome.WRONG_BUT_SAID
    assert wrong(scores) == [
        ("the timeout in 2.0?", "1.0", "2.0 (stated)", "wrong but said"),
    ]
    with pytest.raises(GoldError, match="no product 'switch'"):
        measure_releases([asked(product="switch")], [ROUTER])

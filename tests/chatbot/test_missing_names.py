"""Names that a question is about and that no passage holds."""

from __future__ import annotations

from typing import cast

import pytest

from chatbot.answering.undocumented_gate import missing_names_share, qualifiers
from corpora.indexing.corpus import Corpus

TEXT = "hold_time is the time that the valve is held. The lever has a lock."
ENGLISH = set("default of which does the valve expose lock have a patch for how long is it".split())  # noqa: SIM905


class EachWordAlike:
    """A release in which every word is as rare."""

    def idf(self, token: str) -> float:
        return 1.0


@pytest.mark.parametrize(
    ("question", "only_code", "share"),
    [
        ("holdTimeout default", True, 0.5),
        ("hold_time default", True, 0.0),
        ("Which Gizmo metrics does the valve expose", True, 0.0),
        ("Which Gizmo metrics does the valve expose", False, 0.25),
        ("which gizmo metrics does the valve expose", False, 0.0),
        ("valve.hold_time default", True, 0.0),
        ("valve.patch default", True, 0.5),  # an everyday word shows nothing
    ],
)
def test_names_that_no_passage_holds_are_weighed(
    question: str, only_code: bool, share: float
) -> None:
    corpus = cast("Corpus", EachWordAlike())
    found = missing_names_share(corpus, question, TEXT, ENGLISH.__contains__, only_code=only_code)
    assert found == pytest.approx(share)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How do I add a Gizmo endpoint to the valve?", ["Gizmo"]),
        ("Which port does the built-in Gizmo metrics exporter listen on?", ["Gizmo"]),
        ("What speed do I enter in Gizmo for the valve?", []),  # where the asker is
        ("Which lock is used on the Gizmo side of the valve?", []),
        ("Our Gizmo job fails: which lock does the valve have?", []),
        ("Does the Gizmo have a lock?", []),
    ],
)
def test_a_proper_name_tells_which_thing_is_asked_about(question: str, named: list[str]) -> None:
    assert qualifiers(question) == named

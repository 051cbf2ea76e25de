"""Which passage is best for what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.retrieval.kinds import asked_for
from chatbot.retrieval.passages import best_passages
from chatbot.retrieval.records import records
from chatbot.retrieval.reranking import lift_by_passage
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

PATH = ("Valves",)
TERMS = ("Term", "Meaning")
LONG = "This guide is for those who set up a relief valve. " * 20
PAGE = stored_page(
    Block(BlockKind.HEADING, "Valves", PATH),
    Block(BlockKind.PARAGRAPH, LONG, PATH),
    Block(BlockKind.PARAGRAPH, "A relief valve is a part that lets pressure out.", PATH),
    Block(BlockKind.TABLE_HEADER, " — ".join(TERMS), PATH, header=TERMS),
    Block(BlockKind.TABLE_ROW, "check valve — It lets water through one way.", PATH, header=TERMS),
)


def alike(_question: str, passages: Sequence[str]) -> list[float]:
    return [0.5] * len(passages)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("What is a check valve?", "one way"),
        ("How do I set up a relief valve?", "This guide"),
    ],
)
def test_what_says_what_a_thing_is_defines_it(question: str, best: str) -> None:
    scored = [replace(r, score=1.2 if r.start < 100 else 1.0) for r in records(PAGE)]
    found = best_passages(lift_by_passage(question, asked_for(question), {}, scored, alike))
    assert best in found[0].text

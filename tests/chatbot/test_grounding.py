from __future__ import annotations

from dataclasses import replace

import pytest

from chatbot.retrieval.records import records
from chatbot.retrieval.support import cite, says_unknown
from chatbot.turn import Record
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

PATH = ("Pooling", "QueuePool")
OVERFLOW = ("Pooling", "Overflow")


@pytest.fixture
def evidence() -> tuple[Record, ...]:
    page = stored_page(
        Block(
            BlockKind.DEFINITION, "pool_size=5 – connections kept open, ‘AUTO’ by default.", PATH
        ),
        Block(
            BlockKind.PARAGRAPH,
            "Use max_overflow to allow 10 more connections.",
            OVERFLOW,
            "overflow",
        ),
    )
    return records(page)


def test_a_citation_names_its_place_and_repeats_its_words(evidence: tuple[Record, ...]) -> None:
    citation = cite(evidence[1], "2.0")
    assert (citation.release, citation.page, citation.anchor) == ("2.0", 1, "overflow")
    assert citation.section == "Pooling › Overflow"
    assert citation.quote in evidence[1].page.text


def test_words_that_are_not_on_the_page_cannot_be_cited(evidence: tuple[Record, ...]) -> None:
    with pytest.raises(ValueError, match="not on the page"):
        cite(replace(evidence[0], quote="pool_size=99"), "2.0")


@pytest.mark.parametrize(
    ("reply", "unknown"),
    [
        ("I don't know", True),
        ("Not specified", True),
        ("The chunks do not tell.", True),
        ("The documentation does not mention it.", True),
        ("No", False),
        ("not_specified", False),
        ("The option is not needed.", False),
        ("NOT NULL", False),
    ],
)
def test_a_model_that_does_not_know_is_understood(reply: str, unknown: bool) -> None:
    assert says_unknown(reply) is unknown

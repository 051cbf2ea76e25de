from __future__ import annotations

import pytest

from chatbot.grounding import cite, claims, says_unknown, supporting, unsupported_claims
from chatbot.records import records
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


def test_the_record_that_holds_the_value_supports_it(evidence: tuple[Record, ...]) -> None:
    assert supporting("10", evidence) is evidence[1]
    assert supporting("5.", evidence) is evidence[0]
    assert supporting("'auto'", evidence) is evidence[0]


def test_part_of_a_number_or_name_supports_nothing(evidence: tuple[Record, ...]) -> None:
    assert supporting("1", evidence) is None
    assert supporting("overflow", evidence) is None


@pytest.mark.parametrize("part", ["2", "5", "54", "1.4"])
def test_a_figure_is_not_found_inside_a_longer_one(part: str) -> None:
    text = "Since 1.4.54 it waits 2.5 seconds."
    (record,) = records(stored_page(Block(BlockKind.PARAGRAPH, text, PATH)))
    assert supporting(part, (record,)) is None
    assert unsupported_claims(f"It is {part} s.", (record,)) == (part,)
    assert supporting("2.5", (record,)) is record
    assert supporting("1.4.54", (record,)) is record


def test_the_number_of_a_list_item_is_no_value() -> None:
    (item,) = records(stored_page(Block(BlockKind.LIST_ITEM, "1. Copy the load.", PATH)))
    assert supporting("1", (item,)) is None
    assert supporting("load", (item,)) is item


def test_an_invented_name_or_figure_is_found(evidence: tuple[Record, ...]) -> None:
    assert unsupported_claims("pool_size is 5", evidence) == ()
    assert unsupported_claims("pool_limit is 7", evidence) == ("pool_limit", "7")


def test_ordinary_words_are_no_claims() -> None:
    assert claims("yes, by default") == []
    assert claims("wait-to-restore is a time") == []
    assert claims("use --max-rate 10G with Query.update()") == ["--max-rate", "10G", "Query.update"]


def test_a_citation_names_its_place_and_repeats_its_words(evidence: tuple[Record, ...]) -> None:
    citation = cite(evidence[1], "2.0")
    assert (citation.release, citation.page, citation.anchor) == ("2.0", 1, "overflow")
    assert citation.section == "Pooling › Overflow"
    assert citation.quote in evidence[1].page.text


def test_words_that_are_not_on_the_page_cannot_be_cited(evidence: tuple[Record, ...]) -> None:
    from dataclasses import replace

    with pytest.raises(ValueError, match="not on the page"):
        cite(replace(evidence[0], quote="pool_size=99"), "2.0")


@pytest.mark.parametrize(
    ("reply", "unknown"),
    [
        ("I don't know", True),
        ("i do not know.", True),
        ("Not specified", True),
        ("No information provided.", True),
        ("The chunks do not tell.", True),
        ("The documentation does not mention it.", True),
        ("It is not documented.", True),
        ("No", False),
        ("not_specified", False),
        ("The option is not needed.", False),
        ("NOT NULL", False),
    ],
)
def test_a_model_that_does_not_know_is_understood(reply: str, unknown: bool) -> None:
    assert says_unknown(reply) is unknown

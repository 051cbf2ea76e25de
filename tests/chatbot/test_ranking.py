"""Which record is best for what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.retrieval.question_types import question_type
from chatbot.retrieval.records import records
from chatbot.retrieval.reranking import rank_records
from ingestion.page import Block, BlockKind, DocumentKind
from tests.chatbot.stored import stored_page

PATH = ("Valves",)
LONG = "This guide is for those who set up a relief valve. " * 20
PAGE = stored_page(
    Block(BlockKind.HEADING, "Valves", PATH),
    Block(BlockKind.PARAGRAPH, LONG, PATH),
    Block(BlockKind.LIST_ITEM, "- Turn the valve.", PATH),
    Block(BlockKind.PARAGRAPH, "The valve opens at some pressure.", ("Pressure",)),
    Block(BlockKind.PARAGRAPH, "The valve opens at 5 bar.", ("Limits",)),
    Block(BlockKind.DEFINITION, "relief valve – lets pressure out.", ("Terms",)),
)


def alike(_question: str, texts: Sequence[str]) -> list[float]:
    return [0.5] * len(texts)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("What is a relief valve?", "relief valve – lets pressure out."),
        ("How do I open the valve?", "- Turn the valve."),
        ("At which pressure does it open, default?", "The valve opens at 5 bar."),
    ],
)
def test_what_has_the_form_that_is_asked_for_is_best(question: str, best: str) -> None:
    found = rank_records(
        question, question_type(question), "1.0", {}, [(1.0, records(PAGE))], alike
    )
    assert found[0].quote == best


def test_release_notes_come_last_unless_changes_are_asked_for() -> None:
    told = replace(PAGE.document, kind=DocumentKind.RELEASE_NOTES)
    pages = [(1.0, records(replace(PAGE, document=told))), (0.5, records(replace(PAGE, id=2)))]
    for question, first in (("Is it open?", 2), ("What changed?", PAGE.id)):
        found = rank_records(question, question_type(question), "1.0", {}, pages, alike)
        assert found[0].page.id == first

from dataclasses import replace

import pytest

from chatbot.answering.body import Part, as_markdown, compose
from chatbot.answering.lead_prompt import within
from chatbot.retrieval.passages import best_passages, continued, passages_of
from chatbot.retrieval.question_types import QuestionType, question_type
from chatbot.retrieval.records import records
from chatbot.text.markdown import fenced_code
from corpora.indexing.pages import StoredPage
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

MOUNT, LIGHTS = ("Guide", "Mounting"), ("Guide", "Lights")
HEADER = ("Light", "Color", "Meaning")
LONG = "The shelf is heavy, and two persons are needed to lift it into its place. " * 10
MANUAL = stored_page(
    Block(BlockKind.HEADING, "Mounting", MOUNT),
    Block(BlockKind.PARAGRAPH, LONG.strip(), MOUNT),
    Block(BlockKind.PARAGRAPH, "To mount the shelf:", MOUNT),
    Block(BlockKind.LIST_ITEM, "1. Fix the brackets.", MOUNT),
    Block(BlockKind.LIST_ITEM, "2. Run the check:", MOUNT),
    Block(BlockKind.CODE, "shelf check --all", MOUNT),
    Block(BlockKind.LIST_ITEM, "3. Tighten the screws.", MOUNT),
    Block(BlockKind.HEADING, "Lights", LIGHTS),
    Block(BlockKind.TABLE_HEADER, " — ".join(HEADER), LIGHTS, header=HEADER),
    Block(BlockKind.TABLE_ROW, "STATUS — red — Failed", LIGHTS, header=HEADER),
    Block(BlockKind.TABLE_ROW, "STATUS — green — In service", LIGHTS, header=HEADER),
    Block(BlockKind.TABLE_ROW, "ACTIVE — green — In charge", LIGHTS, header=HEADER),
)


def no_page(page_id: int) -> StoredPage:
    raise AssertionError(f"page {page_id} was opened")


def markdown(part: Part | None) -> str:
    assert part
    return as_markdown(part.blocks)


def shown(question: str, found: str) -> str:
    """What is shown of the manual where the best record holds a text."""
    scored = [replace(r, score=1.0) for r in records(MANUAL) if found in r.quote]
    return markdown(compose(question_type(question), best_passages(scored)[0], question, no_page))


def test_steps_are_shown_whole_in_order_and_letter_for_letter() -> None:
    assert shown("How do I mount the shelf?", "Fix the brackets") == (
        "To mount the shelf:\n\n1. Fix the brackets.\n2. Run the check:\n\n"
        "```\nshelf check --all\n```\n\n3. Tighten the screws."
    )


def test_of_a_table_the_rows_that_are_asked_for_are_shown() -> None:
    assert shown("List all lights that are green", "STATUS").split("\n") == [
        "| Light | Color | Meaning |",
        "| --- | --- | --- |",
        "| STATUS | green | In service |",
        "| ACTIVE | green | In charge |",
    ]


def test_a_table_goes_on_over_the_end_of_its_page() -> None:
    rows = [
        Block(BlockKind.TABLE_ROW, f"L{i} — red — Failed", LIGHTS, header=HEADER) for i in (1, 2)
    ]
    head = Block(BlockKind.TABLE_HEADER, " — ".join(HEADER), LIGHTS, header=HEADER)
    second = replace(stored_page(head, rows[1]), id=2, previous_id=1)
    first = replace(stored_page(head, rows[0]), next_id=2)
    pages = {1: first, 2: second}
    (table,) = passages_of(second)
    run = continued(table, pages.__getitem__)
    assert [passage.page.id for passage in run] == [1, 2]
    scored = [replace(r, score=1.0) for r in records(second)]
    part = compose(QuestionType.LIST, best_passages(scored)[0], "all lights", pages.__getitem__)
    assert markdown(part).count("Light") == 1
    assert "L1" in markdown(part)
    assert "L2" in markdown(part)


@pytest.mark.parametrize("form", ["{}) {}", "({}) {}", "Step {}: {}"])
def test_steps_are_copied_with_the_marks_of_their_author(form: str) -> None:
    items = [form.format(*step) for step in (("1", "Cut the power."), ("2", "Open it."))]
    lettered = [item.translate(str.maketrans("12", "ab")) for item in items]
    for marked in (items, lettered):
        page = stored_page(*(Block(BlockKind.LIST_ITEM, item, MOUNT) for item in marked))
        (passage,) = passages_of(page)
        assert passage.is_numbered
        written = markdown(compose(QuestionType.STEPS, passage, "", no_page)).split("\n")
        assert [line.removeprefix("- ") for line in written] == marked
        assert all(line.startswith(("- ", "1)", "2)")) for line in written)


def test_code_cannot_close_its_fence() -> None:
    assert fenced_code("```\nrm -rf\n```").startswith("````\n")


def test_of_a_table_the_model_is_shown_the_rows_that_the_question_names() -> None:
    found = [replace(r, score=1.0) for r in records(MANUAL) if r.cells]
    shown = within(900, best_passages(found), found, "What does STATUS say when it is red?")
    assert [r.quote for e in shown for r in e.records] == ["STATUS — red — Failed"]

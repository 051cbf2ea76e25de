from __future__ import annotations

from dataclasses import replace

import pytest

from chatbot.answering.body import Part, as_markdown, compose
from chatbot.answering.lead_prompt import within
from chatbot.retrieval.passages import Passage, best_passages, continued, passages_of
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


def asked(question: str, *found: str) -> tuple[QuestionType, list[Passage]]:
    """What is asked, and the passages of the manual's records that hold one of the texts."""
    scored = [replace(r, score=1.0) for r in records(MANUAL) if any(f in r.quote for f in found)]
    passages = best_passages(scored)
    return question_type(question), passages


def test_a_list_is_one_passage_with_its_lead_in_and_the_listing_between_its_items() -> None:
    first, steps, table = passages_of(MANUAL)
    assert first.text == LONG.strip()
    assert steps.text.startswith("To mount the shelf:")
    assert steps.text.endswith("3. Tighten the screws.")
    assert "shelf check --all" in steps.text
    assert table.text.startswith("Light — Color — Meaning")


def test_steps_are_shown_whole_in_order_and_letter_for_letter() -> None:
    kind, passages = asked("How do I mount the shelf?", "Fix the brackets")
    part = compose(kind, passages[0], "How do I mount the shelf?", no_page)
    assert kind is QuestionType.STEPS
    assert markdown(part) == (
        "To mount the shelf:\n\n1. Fix the brackets.\n2. Run the check:\n\n"
        "```\nshelf check --all\n```\n\n3. Tighten the screws."
    )


def test_of_a_table_the_rows_that_are_asked_for_are_shown() -> None:
    question = "List all lights that are green"
    kind, passages = asked(question, "STATUS")
    part = compose(kind, passages[0], question, no_page)
    assert kind is QuestionType.LIST
    assert markdown(part).split("\n") == [
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


def test_the_last_step_keeps_the_listing_that_it_announces() -> None:
    page = stored_page(
        Block(BlockKind.PARAGRAPH, LONG.strip(), MOUNT),
        Block(BlockKind.LIST_ITEM, "1. Fix the brackets.", MOUNT),
        Block(BlockKind.LIST_ITEM, "2. Check it.", MOUNT),
        Block(BlockKind.PARAGRAPH, "From the terminal:", MOUNT),
        Block(BlockKind.CODE, "shelf check --all", MOUNT),
        Block(BlockKind.PARAGRAPH, "The shelf is in service.", MOUNT),
    )
    assert passages_of(page)[0].text.endswith("shelf check --all")


def test_numbered_steps_go_on_over_what_they_have_below_them() -> None:
    page = stored_page(
        Block(BlockKind.PARAGRAPH, LONG.strip(), MOUNT),
        Block(BlockKind.LIST_ITEM, "1. Fix the brackets.", MOUNT),
        Block(BlockKind.PARAGRAPH, "There are two kinds.", MOUNT),
        Block(BlockKind.LIST_ITEM, "  - long ones", MOUNT),
        Block(BlockKind.LIST_ITEM, "  - short ones", MOUNT),
        Block(BlockKind.LIST_ITEM, "2. Check it.", MOUNT),
        Block(BlockKind.PARAGRAPH, "Another list begins.", MOUNT),
        Block(BlockKind.LIST_ITEM, "1. Take it off.", MOUNT),
    )
    steps = passages_of(page)[0]
    assert steps.text.endswith("2. Check it.")
    assert steps.is_numbered


def test_an_answer_in_words_has_no_body() -> None:
    page = stored_page(
        Block(BlockKind.PARAGRAPH, "It is checked so:", MOUNT),
        Block(BlockKind.CODE, "shelf check --all", MOUNT),
    )
    (passage,) = best_passages(records(page))
    assert compose(QuestionType.YES_NO, passage, "is it checked?", no_page) is None


def test_code_cannot_close_its_fence() -> None:
    assert fenced_code("```\nrm -rf\n```").startswith("````\n")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How do I change the hold time?", QuestionType.STEPS),
        ("I want to replace the fan", QuestionType.STEPS),
        ("What steps do I follow to update it?", QuestionType.STEPS),
        ("What changed between 1.0 and 2.0?", QuestionType.CHANGE),
        ("was the option removed?", QuestionType.CHANGE),
        ("Why does it fail?", QuestionType.EXPLANATION),
        ("how does scheduling work", QuestionType.EXPLANATION),
        ("Is it supported?", QuestionType.YES_NO),
        ("With the new rack, can I keep the fan?", QuestionType.YES_NO),
        ("hi, can you list the ports", QuestionType.LIST),
        ("Which lights come with the rack?", QuestionType.LIST),
        ("What is a protection group?", QuestionType.DEFINITION),
        ("what is the default timeout", QuestionType.VALUE),
        ("supported rack depth", QuestionType.VALUE),
    ],
)
def test_what_is_asked_is_told_by_the_words(question: str, kind: QuestionType) -> None:
    assert question_type(question) is kind


def test_of_a_table_the_model_is_shown_the_rows_that_the_question_names() -> None:
    found = [replace(r, score=1.0) for r in records(MANUAL) if r.cells]
    shown = within(900, best_passages(found), found, "What does STATUS say when it is red?")
    assert [r.quote for e in shown for r in e.records] == ["STATUS — red — Failed"]


def test_the_best_line_elsewhere_is_shown_beyond_a_section_that_fills_the_room() -> None:
    order, base = ("Settings", "Order"), ("Settings", "Base")
    page = stored_page(
        Block(BlockKind.HEADING, "Order", order),
        Block(BlockKind.PARAGRAPH, LONG.strip(), order),
        Block(BlockKind.HEADING, "Base", base),
        Block(BlockKind.PARAGRAPH, LONG.strip(), base),
        Block(BlockKind.PARAGRAPH, "The filter runs at 50.", base),
    )
    scores = {"The filter runs at 50.": 1.9}
    found = [replace(r, score=scores.get(r.quote, 2.0 - r.start / 1e4)) for r in records(page)]
    shown = within(200, best_passages(found), found, "")
    assert [e.passage.heading for e in shown] == ["Order", "Base", "Base"]
    assert [r.quote for r in shown[-1].records] == ["The filter runs at 50."]


def test_the_rest_of_the_section_that_answers_is_read_before_other_sections() -> None:
    swap, other = ("Guide", "Swapping"), ("Guide", "Signals")
    page = stored_page(
        Block(BlockKind.HEADING, "Swapping", swap),
        Block(BlockKind.PARAGRAPH, LONG.strip(), swap),
        Block(BlockKind.PARAGRAPH, "Send USR2 to the old process.", swap),
        Block(BlockKind.CODE, "kill -USR2 PID", swap),
        Block(BlockKind.PARAGRAPH, "Then send WINCH.", swap),
        Block(BlockKind.HEADING, "Signals", other),
        Block(BlockKind.PARAGRAPH, LONG.strip(), other),
        Block(BlockKind.PARAGRAPH, "HUP reloads the configuration.", other),
    )
    scores = {"Then send WINCH.": 2.0, "HUP reloads the configuration.": 1.9}
    found = [replace(r, score=scores[r.quote]) for r in records(page) if r.quote in scores]
    shown = within(900, best_passages(found), found, "")
    assert [e.passage.text for e in shown] == [
        LONG.strip(),
        "Send USR2 to the old process.\n\nkill -USR2 PID",
        "Then send WINCH.",
        "HUP reloads the configuration.",
    ]

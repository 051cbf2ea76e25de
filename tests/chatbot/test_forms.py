from __future__ import annotations

from dataclasses import replace

import pytest

from chatbot.retrieval.forms import read_value
from chatbot.retrieval.lifecycle import read_end, read_since
from chatbot.retrieval.passages import passages_of
from chatbot.retrieval.records import records
from ingestion.page import Block, BlockKind, DocumentKind
from tests.chatbot.stored import stored_page

BOOLEAN, ENUM = ("Types", "Boolean"), ("Types", "Enum")
HEADER = ("Parameter", "Default", "Range", "Unit")
ALARMS, LEVELS = ("Alarm", "Severity", "Color", "Port"), ("Name", "Meaning")
PAGE = stored_page(
    Block(BlockKind.SIGNATURE, "types.Boolean(create_constraint=True, name=None)", BOOLEAN),
    Block(BlockKind.HEADING, "Enum", ENUM),
    Block(BlockKind.DEFINITION, "create_constraint – defaults to False. Renders a CHECK.", ENUM),
    Block(BlockKind.DEFINITION, "pool_size=5 – connections that are kept open.", ("Engine",)),
    Block(BlockKind.DEFINITION, "--hold-color {red,blue} – What it shows. (default: blue)", ()),
    Block(BlockKind.HEADING, "Timers", ("Timers",)),
    Block(
        BlockKind.DEFINITION, "hold_off – the default is the value of the line card.", ("Timers",)
    ),
    Block(BlockKind.TABLE_HEADER, " — ".join(HEADER), ("Timers",), header=HEADER),
    Block(BlockKind.TABLE_ROW, "wait-to-restore — 300 — 0–3600 — s", ("Timers",), header=HEADER),
    Block(BlockKind.TABLE_ROW, "hello timer — 10 — 1–60 — s", ("Timers",), header=HEADER),
    Block(BlockKind.TABLE_HEADER, " — ".join(ALARMS), ("Alarms",), header=ALARMS),
    Block(BlockKind.TABLE_ROW, "FEED-LOST — minor — red — feed-port", ("Alarms",), header=ALARMS),
    Block(BlockKind.TABLE_HEADER, " — ".join(LEVELS), ("Levels",), header=LEVELS),
    Block(BlockKind.TABLE_ROW, "minor — Look at it within two days.", ("Levels",), header=LEVELS),
    Block(BlockKind.TABLE_ROW, "feed-port — 8443", ("Levels",), header=LEVELS),
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("default pool_size?", "5"),
        ("create_constraint default of Boolean", "True"),
        ("what is create_constraint of Enum by default", "False"),
        ("what is the default of wait-to-restore?", "300 s"),
        ("range of the hello timer", "1–60"),
        ("in which unit is the hello timer", "s"),
        ("severity of FEED-LOST", "minor"),
        ("which colour has FEED-LOST?", "red"),
        ("default hold color", "blue"),  # the words of --hold-color
    ],
)
def test_a_value_in_a_form_is_read(question: str, value: str) -> None:
    reading = read_value(question, records(PAGE))
    assert reading is not None
    assert reading.value == value


SETTINGS = stored_page(
    Block(BlockKind.HEADING, "autoOpen", ("Settings", "autoOpen")),
    Block(BlockKind.LIST_ITEM, "- Default: false", ("Settings", "autoOpen")),
    Block(BlockKind.PARAGRAPH, "Opens the valve at start.", ("Settings", "autoOpen")),
    Block(BlockKind.HEADING, "hold_time", ("Settings", "hold_time")),
    Block(BlockKind.PARAGRAPH, "Default: 30 (seconds)", ("Settings", "hold_time")),
)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("autoOpen default?", "The default of `autoOpen` is false."),
        ("what is the default of hold_time", "The default of `hold_time` is 30 (seconds)."),
    ],
)
def test_a_default_on_its_own_line_is_that_of_the_name_above(question: str, sentence: str) -> None:
    reading = read_value(question, records(SETTINGS))
    assert reading is not None
    assert reading.sentence == sentence


@pytest.mark.parametrize(
    "question",
    [
        "create_constraint default",  # two owners disagree
        "default of hold_off",  # says something, but no value
        "what is pool_size for?",  # asks for no default
        "default and range of wait-to-restore",  # two columns
        "default of the timer",  # two rows could be meant
        "default of max_overflow",  # is not there
    ],
)
def test_where_it_is_not_certain_nothing_is_read(question: str) -> None:
    assert read_value(question, records(PAGE)) is None


HISTORY = stored_page(
    Block(BlockKind.HEADING, "hold_time", ("Settings", "hold_time")),
    Block(BlockKind.PARAGRAPH, "Seconds before the valve closes.", ("Settings", "hold_time")),
    Block(BlockKind.PARAGRAPH, "New in version 2.1.", ("Settings", "hold_time")),
    Block(
        BlockKind.PARAGRAPH,
        "Deprecated since version 3.0: The option is ignored.",
        ("Settings", "hold_time"),
    ),
    Block(BlockKind.HEADING, "autoOpen", ("Settings", "autoOpen")),
    Block(BlockKind.PARAGRAPH, "Changed in version 2.4: may be a list.", ("Settings", "autoOpen")),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "in which version was hold_time added?",
            "The section “hold_time” says: New in version 2.1.",
        ),
        (
            "when was hold_time deprecated?",
            "The section “hold_time” says: Deprecated since version 3.0: The option is ignored.",
        ),
        ("what does hold_time do?", None),
    ],
)
def test_when_a_thing_came_is_read_in_its_section(question: str, told: str | None) -> None:
    found = read_since(question, question, passages_of(HISTORY))
    assert (found and found[0]) == told


NOTES = stored_page(
    Block(BlockKind.HEADING, "2.4.0 (2024-05-01)", ("Changes", "2.4.0 (2024-05-01)")),
    Block(
        BlockKind.LIST_ITEM,
        "- Commands of a valve take the new expansion %(count)d.",
        ("Changes", "2.4.0 (2024-05-01)"),
    ),
)
LEAK_TEST = stored_page(
    Block(BlockKind.HEADING, "The leak command", ("Commands", "The leak command")),
    Block(
        BlockKind.PARAGRAPH,
        "It looks for leaks. New in version 1.3.",
        ("Commands", "The leak command"),
    ),
)


def test_a_remark_that_names_a_part_of_a_thing_tells_since_when_the_part_is_there() -> None:
    path = ("Commands", "valve")
    page = stored_page(
        Block(BlockKind.HEADING, "valve", path),
        Block(BlockKind.PARAGRAPH, "Introduced: 1.0", path),
        Block(BlockKind.PARAGRAPH, "Changed: 1.4. Added support for the drip expansion.", path),
    )
    question = "Since which version may valve hold a drip expansion?"
    found = read_since(question, question, passages_of(page))
    assert found is not None
    assert found[0] == (
        "The section “valve” says: Changed: 1.4. Added support for the drip expansion."
    )


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "since which version is there a leak comand?",
            "The section “The leak command” says: New in version 1.3.",
        ),
        (
            "Since which verison can I write %(count)d in a valve's commands?",
            "The release notes of 2.4.0 say: Commands of a valve take the new expansion %(count)d.",
        ),
        ("is there a leak command?", None),  # asks for no version
        ("since when is there a spring?", None),  # nothing tells of it
    ],
)
def test_since_when_is_read_in_its_section_or_in_release_notes(
    question: str, told: str | None
) -> None:
    notes = replace(NOTES, document=replace(NOTES.document, kind=DocumentKind.RELEASE_NOTES))
    best = (LEAK_TEST, notes) if "leak" in question else (notes, LEAK_TEST)
    found = read_since(question, question, [p for page in best for p in passages_of(page)])
    assert (found and found[0]) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("is --hold-time still honoured?", "No: Deprecated since version 3.0: The option"),
        ("does autoOpen still work?", None),
        ("is hold_time a number?", None),
    ],
)
def test_what_does_nothing_any_more_is_said(question: str, told: str | None) -> None:
    end = read_end(question, passages_of(HISTORY))
    assert (end[0][: len(told)] if end and told else end) == told

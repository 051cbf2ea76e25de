from __future__ import annotations

import pytest

from chatbot.retrieval.forms import read_value
from chatbot.retrieval.records import records
from ingestion.page import Block, BlockKind
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

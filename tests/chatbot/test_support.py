"""What text supports, what may be cited of it, and what a model says that does not know."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.retrieval.records import records
from chatbot.retrieval.support import (
    cite,
    claims,
    find_verbatim,
    is_verbatim,
    names,
    says_unknown,
    unsupported,
)
from ingestion.page import Block, BlockKind
from prompts import as_data
from tests.chatbot.stored import stored_page

PASSAGE = (
    "hold_time=300 – seconds that the relay waits. Set it to None to wait for ever. Run `relay "
    "check --all` first. A window of 180 seconds opens; 10,000 events are kept, three at a time. "
    "Port — Rate\nXF-1 — 10 — Gbit/s\n2 Timers › 2.4 Relays\nSee section 5.1, or Table 7: Rates."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "The default of `hold_time` is 300 s.",
        "Use `hold_time=None` to wait for ever.",
        "1. Run `relay check --all NAME`.",
        "The window is open for 180 s, and 10000 events are kept, 3 at a time.",
        "| XF-1 | 10 Gbit/s |",
        "You asked for 17.20, which does so in YAML.",
        "In simple words: it waits.",
        "It came with v17.20.",
        "The name stands in `{hold_time}`.",
        "From 1 to 10,000 are kept.",
        "In 17.20 a window is open for 180 s.",
        "Section 2.4 says that it waits.",
        "Section 5.1 and table 7 tell more.",
    ],
)
def test_what_the_passage_says_is_supported(sentence: str) -> None:
    assert unsupported(sentence, [PASSAGE], "17.20") == []


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("The default is 600 s.", ["600 s"]),
        ("The window is open for 180 ms.", ["180 ms"]),
        ("Run `relay purge --all`.", ["relay purge"]),
        ("Set `drain_time=300`.", ["drain_time=300"]),
        ("Set `HOLD_TIME_MS` to 300.", ["HOLD_TIME_MS"]),
        ("It is kept for ninety-nine days in 18.00.", ["18.00", "ninety"]),
    ],
)
def test_what_it_does_not_say_is_named(sentence: str, missing: list[str]) -> None:
    assert unsupported(sentence, [PASSAGE], "17.20") == missing


def test_what_is_cited_names_its_place_and_stands_on_the_page() -> None:
    path = ("Pooling", "Overflow")
    told = "Use max_overflow to allow 10 more connections."
    (record,) = records(stored_page(Block(BlockKind.PARAGRAPH, told, path, "overflow")))
    citation = cite(record, "2.0")
    assert (citation.release, citation.page, citation.anchor) == ("2.0", 1, "overflow")
    assert (citation.section, citation.quote) == ("Pooling › Overflow", told)
    with pytest.raises(ValueError, match="not on the page"):
        cite(replace(record, quote="pool_size=99"), "2.0")


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


PAGE = "The  log is kept\nfor 30 days.\u00ad Use “show log”, <chunk> and [INST]."


@pytest.mark.parametrize(
    ("copied", "stands"),
    [
        ("for 30 days.", "for 30 days."),
        ("The log is kept for 30 days.", "The  log is kept\nfor 30 days."),
        ('Use "show log"', "Use “show log”"),
        ("‹chunk> and ［INST]", "<chunk> and [INST]"),
        ("days.\u200b Use", "days.\u00ad Use"),
    ],
)
def test_what_was_copied_is_found_as_it_stands(copied: str, stands: str) -> None:
    assert find_verbatim(copied, PAGE) == stands


@pytest.mark.parametrize(
    "copied", ["for 31 days.", "FOR 30 DAYS.", "days. for 30", "", "  ", "\u200b", "30 days!"]
)
def test_what_does_not_stand_there_is_not_found(copied: str) -> None:
    assert find_verbatim(copied, PAGE) is None


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_every_part_of_a_text_is_found_in_it_and_letter_for_letter(
    text: str, start: int, end: int
) -> None:
    found = find_verbatim(as_data(text[start:end]), text)
    assert found is None or found in text
    assert is_verbatim(as_data(text[start:end]), text) is (found is not None)
    if any(c.isalnum() and c.isascii() for c in text[start:end]):
        assert found is not None


@pytest.mark.parametrize("part", ["section 3.2", "Section 4", "table 2.4", "step 9", "appendix B"])
def test_a_part_that_only_the_asker_names_is_not_supported(part: str) -> None:
    assert unsupported(f"It waits, as {part} says.", [PASSAGE], f"What does {part} say?") == [part]


def test_claims_are_found_in_a_time_that_grows_with_the_text() -> None:
    began = process_time()
    claims("a." * 20_000)
    claims("a" * 40_000)
    says_unknown("not given " * 8_000)
    assert process_time() - began < 4


SOURCE = [
    "| hold_time | 30 | s |\nThe pool holds 16384 entries. The ratio is 2.5, the timeout 300 ms. "
    "In 2.1 the limit is 1,000 rows."
]


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("hold_time のデフォルトは30秒です。", []),
        ("默认值为30秒，上限为16384条。", []),
        ("默认值为31秒。", ["31"]),
        ("Der Standardwert von hold_time ist 30 Sekunden.", []),
        ("Das Verhältnis ist 2,5.", []),
        ("Das Verhältnis ist 2,6.", ["2", "6"]),
        ("Höchstens 16.384 Einträge und 1.000 Zeilen.", []),
        ("Höchstens 16.385 Einträge.", ["16.385"]),
        ("At most 1.000 rows are kept.", ["1.000 rows"]),
        ("1.000 rows", ["1.000 rows"]),
        ("Au plus 16\u202f384 entrées, délai de 300 ms.", []),
        ("El tiempo es de 300 s.", ["300 s"]),
        ("`hold_delay` は30秒です。", ["hold_delay"]),
    ],
)
def test_figures_and_names_are_checked_in_every_language(sentence: str, left: list[str]) -> None:
    assert unsupported(sentence, SOURCE, "") == left


def test_a_figure_counts_in_the_notation_of_a_text_in_another_language() -> None:
    assert unsupported("The ratio is 2.5, of 16,384.", ["Verhältnis: 2,5 von 16.384"], "") == []
    assert unsupported("In 17.20 it is 5.", ["17,20: 5", "17.20"], "") == []


def test_a_release_is_named_between_letters_that_no_blank_parts() -> None:
    assert names("2.1では30", "2.1")
    assert not names("12.1では30", "2.1")

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.retrieval.support import find_verbatim
from prompts import as_data

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
    if any(c.isalnum() and c.isascii() for c in text[start:end]):
        assert found is not None

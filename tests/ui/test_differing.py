from __future__ import annotations

import re

import pytest

from tests.ui.payloads import PAYLOADS
from tests.ui.test_escaping import expected, shown, survives_streamlit
from ui.chat.differing import with_differences

OPEN = ":primary-background["
MARKED = re.compile(r":primary-background\[((?:\\.|[^\[\]\\])+)\]")


@pytest.mark.parametrize(
    ("text", "other", "marked"),
    [
        ("It is 20 s", "It is 45 s", f"It is {OPEN}20] s"),
        ("“a — 20 — s” [1]", "“a — 45 — s” [2]", f"“a — {OPEN}20] — s”\xa0:primary[\\[1\\]]"),
        ("waits 5 s here", "waits here", f"waits {OPEN}5 s] here"),
        ("waits here", "waits 5 s here", "waits here"),
        ("the same, [1]", "“the same” [2]", "the same\\,\xa0:primary[\\[1\\]]"),
        ("use `a b` now", "use `a c` now", f"use {OPEN}`a b`] now"),
        ("use `a[1]` now", "use `a c` now", "use `a[1]` now"),
        ("-5 of them", "5 of them", f"{OPEN}\\-5] of them"),
        ("20 s\n\nas said", "45 s\n\nas said", f"{OPEN}20] s\n\nas said"),
        ("nothing alike here", "I don't know at all", "nothing alike here"),
    ],
)
def test_what_the_other_side_does_not_say_stands_out(text: str, other: str, marked: str) -> None:
    assert with_differences(text, other, 2) == marked


def test_values_stand_out_however_little_they_have_in_common() -> None:
    assert with_differences("5 minutes", "300 s", alike=0) == f"{OPEN}5 minutes]"


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_words_that_differ_are_text(payload: str) -> None:
    words = " ".join(payload.split())
    differing = with_differences(f"a b {words} c", "a b c", alike=0)
    for marked in (differing, with_differences(words, words)):
        bare = MARKED.sub(r"\1", marked)
        assert survives_streamlit(bare)
        assert letters(expected(words)) in letters(shown(bare))


def letters(text: str) -> str:
    """What is left of a text without spaces and the signs of code spans."""
    return "".join(text.replace("`", "").split())

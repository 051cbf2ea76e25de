from __future__ import annotations

import pytest

from ui.answer_text import answer_markdown


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        ("300 s\n\n> a | b [1]", "**300 s**\n\n> a \\| b \\[1\\]"),
        ("Passages:\n\n> one [1]\n>\n> two [2]", "Passages\\:\n\n> one \\[1\\]\n>\n> two \\[2\\]"),
        ("> def f():\n>     pass [1]", "> def f\\(\\)\\:\\\n> \xa0\xa0\xa0\xa0pass \\[1\\]"),
        ("**17.10**: *no*", "**17\\.10**\\: \\*no\\*"),
        ("not `pool_size` but <b>", "not `pool_size` but \\<b\\>"),
        ("There are:\n- 1.0\n- 2.0", "There are\\:\n\n- 1\\.0\n- 2\\.0"),
        ("one\ntwo", "one\\\ntwo"),
    ],
)
def test_an_answers_own_marks_are_kept_and_nothing_else(answer: str, markdown: str) -> None:
    assert answer_markdown(answer) == markdown


def test_quoted_code_spans_show_letter_for_letter() -> None:
    assert answer_markdown("> use `x` now") == "> use \\`x\\` now"

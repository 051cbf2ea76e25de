from __future__ import annotations

import pytest

from ui.chat.answer_text import answer_markdown


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


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        (
            "It is 45 s [1]. See [2].",
            "It is 45 s\xa0:primary[\\[1\\]]\\. See\xa0:primary[\\[2\\]]\\.",
        ),
        ("Not [3], [0] or `x[1]`", "Not \\[3\\]\\, \\[0\\] or `x[1]`"),
        ("> list[1] of a [2]", "> list\\[1\\] of a\xa0:primary[\\[2\\]]"),
        ("> list [1]\n> and more [2]", "> list \\[1\\]\\\n> and more\xa0:primary[\\[2\\]]"),
        ("- one [1]\n- two [2]", "- one\xa0:primary[\\[1\\]]\n- two\xa0:primary[\\[2\\]]"),
    ],
)
def test_the_marks_of_its_citations_stand_out(answer: str, markdown: str) -> None:
    assert answer_markdown(answer, citations=2) == markdown


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        (
            "By port:\n| Port | Rate |\n|:---|---:|\n| XF-1 | 1 [1] |",
            "By port\\:\n\n| Port | Rate |\n| --- | --- |\n| XF\\-1 | 1\xa0:primary[\\[1\\]] |",
        ),
        (
            "| a | b |\n| - | - |\n| `x\\|y` | <b> \\| |\n| one |\n| 1 | 2 | 3 |",
            "| a | b |\n| --- | --- |\n| `x\\|y` | \\<b\\> \\| |\n| one |  |\n| 1 | 2 |",
        ),
        ("| no table |\n| at all |", "\\| no table \\|\\\n\\| at all \\|"),
    ],
)
def test_a_table_stays_one_and_its_cells_are_text(answer: str, markdown: str) -> None:
    assert answer_markdown(answer, citations=1) == markdown

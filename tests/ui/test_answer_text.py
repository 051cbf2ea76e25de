import pytest
from streamlit.testing.v1 import AppTest

CODE = "set *x* <b> :smile: [1](javascript:alert(1)) $x$\n    then `y`"


def shown(answer: str, citations: int = 0, turn: int | None = None) -> str:
    """The Markdown of an answer that holds no listing."""
    page = pieces(answer, citations, turn)
    assert not page.code
    return "\n\n".join(element.value for element in page.markdown)


def pieces(answer: str, citations: int = 0, turn: int | None = None) -> AppTest:
    def page(answer: str, citations: int, turn: int | None) -> None:
        from ui.answers.answer import show_text

        show_text(answer, citations, turn)

    tested = AppTest.from_function(page, args=(answer, citations, turn)).run()
    assert not tested.exception
    return tested


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        ("**17.10**: *no*", "**17\\.10**\\: \\*no\\*"),
        ("not `pool_size` but <b>", "not `pool_size` but \\<b\\>"),
        ("There are:\n- 1.0\n• 2.0", "There are\\:\n\n- 1\\.0\n- 2\\.0"),
        ("1. Open *it*\n2) Close", "1. Open \\*it\\*\n2. Close"),
        (
            "3. a\n   - b\n     - c\n   more\n4. d",
            "3. a\n    - b\n        - c\\\n            more\n4. d",
        ),
        ("one\ntwo", "one\\\ntwo"),
        ("2.5 is no step", "2\\.5 is no step"),
        ("```\nnever closed", "\\`\\`\\`\\\nnever closed"),
        # The marks of its two citations stand out, and no others.
        (
            "It is 45 s [1]. See [2]: there.",
            "It is 45 s\xa0:primary[\\[1\\]]\\. See\xa0:primary[\\[2\\]]\\: there\\.",
        ),
        ("Not [3], [0] or `x[1]`", "Not \\[3\\]\\, \\[0\\] or `x[1]`"),
        ("[1]: /x [1](/x)", "\\[1\\]\\: \\/x \\[1\\]\\(\\/x\\)"),
        ("- one [1]\n- two [2]", "- one\xa0:primary[\\[1\\]]\n- two\xa0:primary[\\[2\\]]"),
        # A table stays one, and its cells are text.
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
def test_an_answers_own_forms_are_kept_and_nothing_else(answer: str, markdown: str) -> None:
    assert shown(answer, citations=2) == markdown


def test_a_listing_stands_apart_letter_for_letter() -> None:
    page = pieces(f"1. Set it:\n\n````text\n{CODE}\n```\n````\n\n2. Save `it`.")
    assert [code.value for code in page.code] == [f"{CODE}\n```"]
    assert [text.value for text in page.markdown] == ["1. Set it\\:", "2. Save `it`\\."]


def test_the_marks_of_a_turn_lead_to_its_sources_and_nowhere_else() -> None:
    answer = "So [2]. [x](#source-1-1) [3]"
    linked = "So\xa0[\\[2\\]](#source-7-2)\\. \\[x\\]\\(\\#source\\-1\\-1\\) \\[3\\]"
    assert shown(answer, citations=2, turn=7) == linked


def test_what_is_unsupported_says_so_on_hover_and_the_reason_ends_nothing() -> None:
    def page() -> None:
        from ui.answers.answer import show_text

        show_text("It is 9 s [1] [?]. `[?]`", 1, None, 'Not there: `9"](x) <b>`\n[?]')

    (text,) = AppTest.from_function(page).run().markdown
    reason = 'Not there\\: \\`9\\"\\]\\(x\\) \\<b\\>\\` \\[\\?\\]'
    mark = f'[\\[\\?\\]](#unsupported "{reason}")'
    assert text.value == f"It is 9 s\xa0:primary[\\[1\\]] {mark}\\. `[?]`"
    assert shown("It is 9 s [?].") == "It is 9 s \\[\\?\\]\\."

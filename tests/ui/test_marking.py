from __future__ import annotations

import pytest

from ui.wording.marking import differing_spans, quoted_spans, quoted_words

PAGE = "The cover screw needs a torque of 4.5 N m. The base screw needs a torque of 6 N m."


def marked(text: str, quote: str) -> list[str]:
    return [text[start:end] for start, end in quoted_spans(text, quote)]


def test_exact_words_are_marked_once() -> None:
    assert marked(PAGE, "needs a torque of") == ["needs a torque of"]
    assert quoted_spans(PAGE, "needs a torque of")[0][0] < 20


def test_words_that_are_broken_into_other_lines_are_found() -> None:
    assert marked("one two\n  three four", "two three four") == ["two\n  three four"]


def test_the_longest_parts_are_marked_where_the_whole_is_not_there() -> None:
    found = marked(PAGE, "Note: the cover screw needs a torque of five N m.")
    assert found == ["The cover screw needs a torque of 4.5 N m."]


def test_single_words_by_chance_are_not_marked() -> None:
    assert marked(PAGE, "a 6 torque screw base") == []
    assert marked(PAGE, "nothing of this") == []
    assert marked(PAGE, "   ") == []


def test_on_a_long_page_the_parts_are_marked_where_most_of_the_quote_stands() -> None:
    page = ["screw", "needs", "a", *["word"] * 5_000, *PAGE.split(), *["word"] * 5_000]
    quote = "Note: the cover screw needs a torque of five N m."
    assert quoted_words(page, quote) == [(5_003, 5_013)]


def test_the_whole_quote_is_found_on_a_long_page_before_parts_of_it_that_stand_together() -> None:
    page = ["one", "two", "three", "four", *["word"] * 3_000, *["four", "three", "one"] * 300]
    assert quoted_words(page, "one two three four") == [(0, 4)]


def test_cells_stand_without_their_delimiters_on_a_printed_page() -> None:
    words = ["Fastener", "Torque", "Cover", "4.5", "N·m", "Base", "6", "N·m"]
    assert quoted_words(words, "Cover — 4.5 N·m") == [(2, 5)]


def test_a_short_quote_is_found_as_a_whole() -> None:
    assert quoted_words(["hold", "300", "s"], "300") == [(1, 2)]


def test_ligatures_and_case_make_no_difference() -> None:
    assert quoted_words(["The", "ﬁrst", "oﬀset", "value"], "first offset value") == [(1, 4)]


@pytest.mark.parametrize(
    ("before", "after", "gone", "come"),
    [
        ("waits 5 min; then stops", "waits 300 s; then stops", ["5 min"], ["300 s"]),
        ("a b", "a b", [], []),
        ("pool_size=5", "pool_size=10", ["5"], ["10"]),
        ("off", "on or off", [], ["on or"]),
        ("", "new", [], ["new"]),
        ("a, b and c", "a and c", [", b"], []),
    ],
)
def test_the_words_that_two_texts_do_not_share_are_marked(
    before: str, after: str, gone: list[str], come: list[str]
) -> None:
    old, new = differing_spans(before, after)
    assert [before[a:b] for a, b in old] == gone
    assert [after[a:b] for a, b in new] == come

from __future__ import annotations

import pytest

from ui.wording.marking import differing_spans, quoted_spans, quoted_words

PAGE = "The cover screw needs a torque of 4.5 N m. The base screw needs a torque of 6 N m."


@pytest.mark.parametrize(
    ("page", "quote", "found"),
    [
        (PAGE, "needs a torque of", ["needs a torque of"]),
        ("one two\n  three four", "two three four", ["two\n  three four"]),
        # The longest parts where the whole is not there, and no words by chance.
        (
            PAGE,
            "Note: the cover screw needs a torque of five N m.",
            ["The cover screw needs a torque of 4.5 N m."],
        ),
        (PAGE, "a 6 torque screw base", []),
        (PAGE, "nothing of this", []),
        (PAGE, "   ", []),
    ],
)
def test_the_quoted_words_are_marked_where_they_stand(
    page: str, quote: str, found: list[str]
) -> None:
    assert [page[start:end] for start, end in quoted_spans(page, quote)] == found


LONG = "Note: the cover screw needs a torque of five N m."
WORDS = ["word"] * 4_000


@pytest.mark.parametrize(
    ("page", "quote", "found"),
    [
        # On a long page where most of the quote stands, and as a whole before parts together.
        (["screw", "needs", "a", *WORDS, *PAGE.split(), *WORDS], LONG, (4_003, 4_013)),
        (["one", "two", "three", *WORDS, *["three", "two", "one"] * 300], "one two three", (0, 3)),
        # Cells of a printed page stand without their delimiters.
        (["Fastener", "Cover", "4.5", "N·m", "Base", "6", "N·m"], "Cover — 4.5 N·m", (1, 4)),
        (["hold", "300", "s"], "300", (1, 2)),
        (["The", "ﬁrst", "oﬀset", "value"], "first offset value", (1, 4)),
    ],
)
def test_a_quote_is_found_among_the_words_of_a_page(
    page: list[str], quote: str, found: tuple[int, int]
) -> None:
    assert quoted_words(page, quote) == [found]


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

from hypothesis import given
from hypothesis import strategies as st

from chatbot.text.markdown import marks, renumbered, with_marks_as_code, without_marks

PIECES = [*"[]`123,; \n", "[1]", "[[1]2]", "`a[2]`", "word "]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_no_mark_is_left_behind(text: str) -> None:
    assert marks(without_marks(text)) == []
    assert marks(with_marks_as_code(text)) == []


def test_marks_are_read_and_taken_out_but_not_in_code() -> None:
    text = "It is 5 [1, 3]. See `a[2]` and that[4]."
    assert marks(text) == [1, 3, 4]
    assert without_marks(text) == "It is 5. See `a[2]` and that."
    assert with_marks_as_code("see [2] and a[3]") == "see `[2]` and a`[3]`"
    assert with_marks_as_code("an open ` and [2]") == "an open ' and `[2]`"
    assert with_marks_as_code("``[[1]") == "''[`[1]`"
    assert with_marks_as_code("over two lines [1,\n2]") == "over two lines `[1, 2]`"


def test_a_mark_within_a_mark_leaves_none() -> None:
    assert without_marks("for ever [[1]9]") == "for ever"


def test_marks_are_numbered_anew_or_dropped_but_not_in_code() -> None:
    new = {1: "[7]", 3: "[8]"}
    text = "`args[1]` is it [1, 3]. See that[2], or [3, 2]; and this [2]."
    assert renumbered(text, lambda n: new.get(n, "")) == (
        "`args[1]` is it [7] [8]. See that, or [8]; and this."
    )

from chatbot.comparison.presence import Finding, presence_in_words
from chatbot.comparison.wording import in_each, in_short, table
from chatbot.turn import Answer, Citation, Documented


def told(text: str, *releases: str) -> Answer:
    cited = tuple(Citation("Guide", "guide.md", r, 1, "", None, text, 1) for r in releases)
    return Answer(text, not releases, cited, text)


def test_a_table_keeps_bars_in_its_cells() -> None:
    assert table(("", "1.0"), [("a|b", "c")]) == "|  | 1.0 |\n| --- | --- |\n| a\\|b | c |"


def test_words_of_documents_and_askers_load_link_and_cite_nothing() -> None:
    hostile = "hold [1] ![x](https://evil.example/x)"
    assert in_short(hostile) == "hold `[1]` [x] (`https://evil.example/x`)"
    nowhere = Finding("1.0", None, None, Documented.NOT_FOUND)
    found = presence_in_words("a` [9] `b", [nowhere])
    assert found.text == "I couldn't find `a' [9] 'b` in the documentation of 1.0."


def test_what_is_the_same_is_said_once_and_what_is_absent_as_such() -> None:
    one, two = told("It is 5 s in 1.0 [1].", "1.0"), told("It is 5 s in 2.0 [1].", "2.0")
    same = in_each(("1.0", "2.0"), (one, two))
    assert same.text == "It is the same in 1.0 [1] and 2.0 [2]: It is 5 s in 2.0."
    own = in_each(("2", "3"), (told("most 2 [1].", "2"), told("most 3 [1].", "3")))
    assert own.text == "**2:** most 2 [1].\n\n**3:** most 3 [2]."
    absent = in_each(("1.0", "2.0"), (told("nothing found."), two))
    assert absent.text == "**1.0:** nothing found.\n\n**2.0:** It is 5 s in 2.0 [1]."

from __future__ import annotations

from chatbot.comparison.presence import Finding, presence_in_words
from chatbot.comparison.topic import question_to_one
from chatbot.comparison.wording import in_each, in_short, joined, table
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


def test_long_texts_fit_on_a_line() -> None:
    assert in_short("- one\n  two") == "one two"
    assert in_short("word " * 100, 20) == "word word word word …"


def test_the_marks_of_answers_go_on_from_one_to_the_next() -> None:
    both = joined([("**1.0:**", told("A [1].", "1.0")), ("**2.0:**", told("B [1].", "2.0"))])
    assert both.text == "**1.0:** A [1].\n\n**2.0:** B [2]."
    assert [citation.release for citation in both.citations] == ["1.0", "2.0"]


def test_what_is_the_same_is_said_once_and_what_is_absent_as_such() -> None:
    one, two = told("It is 5 s in 1.0 [1].", "1.0"), told("It is 5 s in 2.0 [1].", "2.0")
    same = in_each(("1.0", "2.0"), (one, two))
    assert same.text == "It is the same in 1.0 [1] and 2.0 [2]: It is 5 s in 2.0."
    absent = in_each(("1.0", "2.0"), (told("nothing found."), two))
    assert absent.text == "**1.0:** nothing found.\n\n**2.0:** It is 5 s in 2.0 [1]."


def test_a_release_is_asked_without_what_compares_it() -> None:
    def asked(bare: str, *, follows: bool = False) -> str:
        return question_to_one(bare, "hub", follows=follows)

    assert asked("compare with: how does one mute the hub?") == "how does one mute the hub?"
    about = "What does the documentation say about log size?"
    assert asked("What has changed in the log size between and?") == about
    assert asked("compare that with", follows=True) == "compare that with"
    assert "new" in asked("What changed between and?")

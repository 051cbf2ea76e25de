from __future__ import annotations

import pytest

from chatbot.comparison.in_words import changes_in_words, presence_in_words, table
from chatbot.comparison.pages import Differences
from chatbot.comparison.presence import Finding
from chatbot.comparison.wording import in_short, values_side_by_side
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.retrieval.records import records
from chatbot.turn import Answer, Citation, Documented, Turn
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page


def cited(release: str, quote: str) -> Citation:
    return Citation("Guide", "guide.md", release, 1, "Timers", None, quote, 7)


def side(release: str, answer: Answer) -> Turn:
    stated = Resolution(ReleaseStatus.STATED, "relay", (release,))
    return Turn("how long?", resolution=stated, answer=answer)


def told(releases_and_words: dict[str, str]) -> list[Turn]:
    return [
        side(release, Answer(f"{words} [1]", False, (cited(release, words),), words))
        for release, words in releases_and_words.items()
    ]


@pytest.mark.parametrize(
    ("sides", "text"),
    [
        (
            {"1.0": "300 s", "2.0": "600 s"},
            "The default is 300 s in 1.0 [1] and 600 s in 2.0 [2].",
        ),
        ({"1.0": "5 s", "2.0": "5 s"}, "The default is 5 s in 1.0 [1] and 2.0 [2]."),
        (
            {"1.0": "The default of hold is 5 s.", "2.0": "The default of hold is 7 s."},
            "The default of hold is 5 s in 1.0 [1] and 7 s in 2.0 [2].",
        ),
        (
            {"1.0": "The relay waits 5 s.", "2.0": "The relay waits 5 s."},
            "The relay waits 5 s in 1.0 [1] and 2.0 [2].",
        ),
        (
            {"1.0": "The relay waits for 5 s.", "2.0": "Waiting takes 7 s on every relay."},
            "In 1.0: The relay waits for 5 s [1]. In 2.0: Waiting takes 7 s on every relay [2].",
        ),
        (
            {"1.0": "In 1.0 it is off.", "2.0": "In 2.0 it is on. Turn it off by hand."},
            "In 1.0 it is off [1]. In 2.0 it is on. Turn it off by hand [2].",
        ),
    ],
)
def test_what_differs_is_said_in_a_sentence(sides: dict[str, str], text: str) -> None:
    whole = values_side_by_side(told(sides), "what is the default of hold?")
    assert whole.text == text
    assert [c.release for c in whole.citations] == ["1.0", "2.0"]
    assert "[" not in whole.value


@pytest.mark.parametrize(
    ("sides", "begins"),
    [
        ({"1.0": "5 min", "2.0": "300 s"}, "Yes: it is 5 min in 1.0 [1] and 300 s"),
        ({"1.0": "5 s", "2.0": "7 s"}, "No: it is 5 s in 1.0"),
        ({"1.0": "6.0 N·m", "2.0": "6.0 N·m"}, "Yes: it is 6.0 N·m in 1.0 [1] and 2.0 [2]"),
        ({"1.0": "It waits 5 s.", "2.0": "It waits 5 s."}, "Yes: it waits 5 s in 1.0 [1] and 2.0"),
        ({"1.0": "It waits 5 s.", "2.0": "It waits 7 s."}, "No: it waits 5 s in 1.0 [1]"),
        ({"1.0": "It waits.", "2.0": "There is a wait."}, "In 1.0: It waits [1]."),
    ],
)
def test_whether_it_is_the_same_is_said_where_it_is_known(
    sides: dict[str, str], begins: str
) -> None:
    assert values_side_by_side(told(sides), "is it the same?").text.startswith(begins)


def test_values_that_several_releases_share_are_told_once() -> None:
    whole = values_side_by_side(told({"1.0": "5 s", "2.0": "5 s", "3.0": "7 s"}))
    assert whole.text == "It is 5 s in 1.0 [1] and 2.0 [2]; 7 s in 3.0 [3]."


def test_sentences_that_are_the_same_in_full_are_told_once() -> None:
    whole = values_side_by_side(
        told({"1.0": "It waits. It goes on.", "2.0": "It waits. It goes on."})
    )
    assert whole.text == "It is the same in 1.0 [1] and 2.0 [2]: It waits. It goes on."


def stepwise(release: str, first: str) -> Turn:
    text = f"{first} [1].\n\n```\nargs[0]\n```\n\n1. Open it [2].\n2. Close it [9]."
    own = (cited(release, "a"), cited(release, "b"))
    return side(release, Answer(text, False, own, f"{first}."))


def test_lists_and_code_stand_below_each_other_with_marks_numbered_through() -> None:
    whole = values_side_by_side([stepwise("1.0", "Set it"), stepwise("2.0", "Turn it")])
    code = "```\nargs[0]\n```"
    assert whole.text.startswith("The answer differs between 1.0 [1] and 2.0 [3].\n\n**1.0**\n\n")
    assert whole.text.endswith(
        f"**2.0**\n\nTurn it [3].\n\n{code}\n\n1. Open it [4].\n2. Close it."
    )
    assert whole.value == "In 1.0: Set it. In 2.0: Turn it."


def test_what_is_the_same_in_full_is_shown_once() -> None:
    whole = values_side_by_side([stepwise("1.0", "Set it"), stepwise("2.0", "Set it")])
    assert whole.text.startswith("It is the same in 1.0 [1] and 2.0 [3].\n\nSet it [3].\n\n```")


def test_what_is_not_written_out_is_named_by_document_with_a_mark() -> None:
    header = ("Rule", "Value")
    rows = (f"rule-{i} — {i}" for i in range(50))
    page = stored_page(
        *(Block(BlockKind.TABLE_ROW, row, ("Rules",), header=header) for row in rows)
    )
    added = tuple(records(page))
    answer = changes_in_words("rules", [Differences("1.0", "2.0", added=added)])
    assert len(answer.citations) == 41
    assert f"10 more differ, in {page.document.title} [41]." in answer.text


def test_a_table_keeps_bars_in_its_cells() -> None:
    assert table(("", "1.0"), [("a|b", "c")]) == "|  | 1.0 |\n| --- | --- |\n| a\\|b | c |"


def test_words_of_documents_and_askers_load_link_and_cite_nothing() -> None:
    hostile = "hold [1] ![x](https://evil.example/x)"
    assert in_short(hostile) == "hold `[1]` x"
    changes = changes_in_words(hostile, [Differences("1.0", "2.0")])
    assert changes.text.endswith("nothing that differs on hold `[1]` x was found.")
    found = presence_in_words("a` [9] `b", [Finding("1.0", Documented.NOT_FOUND)], "1.0")
    assert found.text == "I couldn't find `a' [9] 'b` in the 1.0 documentation."


def test_a_side_that_does_not_know_says_so_and_is_no_value() -> None:
    known = Answer("5 s [1]", False, (cited("1.0", "hold: 5 s"),), "5 s")
    unknown = Answer("I couldn't find this in the 2.0 documentation.", True)
    whole = values_side_by_side([side("1.0", known), side("2.0", unknown)])
    assert not whole.abstained
    assert whole.text == ("It is 5 s in 1.0 [1]. I couldn't find this in the 2.0 documentation.")
    first = Answer("I couldn't find this in the 1.0 documentation.", True)
    neither = values_side_by_side([side("1.0", first), side("2.0", unknown)])
    assert neither.abstained
    assert neither.text == "I couldn't find this in the documentation of 1.0 or 2.0."


def test_long_texts_fit_on_a_line() -> None:
    assert in_short("- one\n  two") == "one two"
    assert in_short("word " * 100, 20) == "word word word word …"

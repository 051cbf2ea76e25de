from __future__ import annotations

import pytest

from chatbot.comparison.changes import Changes
from chatbot.comparison.presence import Finding
from chatbot.comparison.wording import (
    changes_in_words,
    in_short,
    presence_in_words,
    values_side_by_side,
)
from chatbot.release_resolution import ReleaseStatus, Resolution
from chatbot.turn import Answer, Citation, Documented, Turn


def cited(release: str, quote: str) -> Citation:
    return Citation("Guide", "guide.md", release, 1, "Timers", None, quote, 7)


def side(release: str, answer: Answer) -> Turn:
    stated = Resolution(ReleaseStatus.STATED, "relay", (release,))
    return Turn("how long?", resolution=stated, answer=answer)


def test_sentences_keep_their_marks_numbered_through() -> None:
    text = "It waits 5 s [1]. Then it clears [2]. Always 5 s [1]."
    own = [Answer(text, False, (cited(r, "5 s"), cited(r, "clears")), text) for r in ("1.0", "2.0")]
    whole = values_side_by_side([side("1.0", own[0]), side("2.0", own[1])])
    first, second = whole.text.split("\n")[2:]
    assert first == "- **1.0**: It waits 5 s [1]. Then it clears [2]. Always 5 s [1]."
    assert second == "- **2.0**: It waits 5 s [3]. Then it clears [4]. Always 5 s [3]."
    assert [c.release for c in whole.citations] == ["1.0", "1.0", "2.0", "2.0"]


def test_a_mark_without_a_citation_is_dropped() -> None:
    answer = Answer("It waits 5 s [1]. So they say [9].", False, (cited("1.0", "5 s"),), "5 s")
    whole = values_side_by_side([side("1.0", answer), side("2.0", answer)])
    assert "It waits 5 s [1]. So they say." in whole.text


def test_an_index_in_code_is_no_mark() -> None:
    text = "It reads `args[0]` and `args[2]` [1]."
    answers = [Answer(text, False, (cited(r, "args"),), text) for r in ("1.0", "2.0")]
    whole = values_side_by_side([side("1.0", answers[0]), side("2.0", answers[1])])
    assert "- **1.0**: It reads `args[0]` and `args[2]` [1]." in whole.text
    assert "- **2.0**: It reads `args[0]` and `args[2]` [2]." in whole.text


@pytest.mark.parametrize(
    ("values", "lead"),
    [
        (("5 min", "300 s"), "The short answer is the same in 1.0 and 2.0:"),
        (("5 s", "7 s"), "It differs between the releases:"),
        (
            ("The relay waits for 5 s.", "The waiting time of the relay is 5 s."),
            "By release:",
        ),
        (("5 s", "It waits 5 s before it clears."), "By release:"),
    ],
)
def test_only_of_short_values_it_is_said_that_they_differ(
    values: tuple[str, str], lead: str
) -> None:
    sides = [
        side(release, Answer(value, False, (cited(release, value),), value))
        for release, value in zip(("1.0", "2.0"), values, strict=True)
    ]
    assert values_side_by_side(sides).text.startswith(f"{lead}\n")


def test_words_of_documents_and_askers_load_link_and_cite_nothing() -> None:
    hostile = "hold [1] ![x](https://evil.example/x)"
    assert in_short(hostile) == "hold `[1]` x"
    changes = changes_in_words(hostile, [Changes("1.0", "2.0")])
    assert changes.text.endswith("nothing that differs on “hold `[1]` x” was found.")
    found = presence_in_words("a` [9] `b", [Finding("1.0", Documented.NOT_FOUND)], "1.0")
    assert "none of 1.0 mentions `a' [9] 'b`." in found.text


def test_a_side_that_does_not_know_says_so_and_is_no_value() -> None:
    known = Answer("5 s\n\n> hold: 5 s [1]", False, (cited("1.0", "hold: 5 s"),), "5 s")
    unknown = Answer("I don't know: nothing.", True)
    whole = values_side_by_side([side("1.0", known), side("2.0", unknown)])
    assert not whole.abstained
    assert whole.value == "1.0: 5 s"
    assert "- **2.0**: I don't know: nothing." in whole.text
    assert values_side_by_side([side("1.0", unknown), side("2.0", unknown)]).abstained


def test_long_texts_fit_on_a_line() -> None:
    assert in_short("- one\n  two") == "one two"
    assert in_short("word " * 100, 20) == "word word word word …"

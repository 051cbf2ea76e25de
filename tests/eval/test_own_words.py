from __future__ import annotations

import pytest

from eval.own_words import bears, own_words, reads_as_answer, sentences, shares_anything

ANSWER = """The timer is `set timer`[1]. It takes 5 s. [2]

Do this: [1]

1. Stop.
2. Start [2].

```
row[1] = 2
```

> The timer is 5 s.
"""


def test_the_own_words_have_no_marks_and_no_quotations() -> None:
    words = own_words(ANSWER)

    assert "[2]" not in words
    assert ">" not in words
    assert "row[1] = 2" in words


def test_a_block_carries_the_mark_of_what_leads_in() -> None:
    assert [(s.text, s.cited) for s in sentences(ANSWER)] == [
        ("The timer is `set timer`.", (1,)),
        ("It takes 5 s.", (2,)),
        ("Do this:", (1,)),
        ("Stop.", (1,)),
        ("Start.", (2,)),
        ("row[1] = 2", (1,)),
    ]


@pytest.mark.parametrize(
    ("answer", "reads"),
    [
        ("The timer is 5 minutes by default [1].", True),
        ("`timer` is 5 min unless it is set.", True),
        ("No. The timer cannot be set.", True),
        ("To set the timer, do this:\n\n1. Stop.", True),
        ("5 minutes.", False),
        ("the timer is 5 minutes.", False),
        ("The timer is 5 minutes", False),
        ("The timer is set to 5.", False),
        ("A cat sat on the mat.", False),
        ("", False),
    ],
)
def test_an_answer_is_a_sentence_about_what_was_asked(answer: str, reads: bool) -> None:
    assert reads_as_answer(answer, "what does the timer say?", "5 minutes") is reads


@pytest.mark.parametrize(
    ("sentence", "borne"),
    [
        ("The default timeout of a line is 1,024 ms.", True),
        ("The line timeout is 1024 by default.", True),
        ("The default timeout of a line is 24 ms.", False),
        ("The default timeout of the LC100 is 1,024 ms.", False),
        ("Paint every door green.", False),
    ],
)
def test_a_source_bears_figures_names_and_most_words(sentence: str, borne: bool) -> None:
    assert bears("Lines\ntimeout: default 1,024 ms", sentence) is borne


def test_a_source_that_shares_nothing_is_idle() -> None:
    said = ["The timeout is 60 seconds."]

    assert shares_anything("60", said)
    assert shares_anything("A timeout counts seconds.", said)
    assert not shares_anything("The timeout of doors", said)

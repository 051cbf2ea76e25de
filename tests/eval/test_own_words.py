from __future__ import annotations

from eval.own_words import own_words, sentences

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

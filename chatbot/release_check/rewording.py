"""Whether a sentence or row that takes the place of another one says something else."""

from collections.abc import Collection
from difflib import SequenceMatcher

from chatbot.comparison.plain_words import stands_in
from chatbot.release_check.accepted_answer import AcceptedAnswer, own_values, part, signs
from chatbot.release_check.words import (
    likeness,
    negations,
    quotes,
    stems,
    topic,
    values,
    words,
)
from corpora.indexing.number_words import NUMBER_WORDS

KEPT = 0.75
"""The share of its words that a sentence must keep to be the same."""
ABOUT = 0.5
"""The share of a question's words that pages must have to be about it."""


def says_otherwise(
    answer: AcceptedAnswer, old: str, new: str, *, around: str, cited: str, code: Collection[str]
) -> bool:
    """Whether `new`, in its section `around`, says something else of the answer than `old` did.

    The words `cited` around the old one are known: a sentence that goes on with what stood behind
    it is cut otherwise, and says no more. `code` are the words of `new` that its file marks so.
    """
    return (
        negations(old) != negations(new)
        or _is_quoted_lost(answer, old, around)
        or _has_new_value(answer, old, new, cited)
        or _is_reworded(answer, old, new, cited, code)
    )


def _has_new_value(answer: AcceptedAnswer, old: str, new: str, cited: str) -> bool:
    """Whether a figure or name has come beside, or in place of, a word that answers.

    Words are beside each other that are next to each other in the new sentence.
    """
    before, after = words(old), words(new)
    known = {*words(cited), *words(answer.question), *words(answer.said)}
    come = values(new).keys() - known
    answering = set(words(answer.said)) - set(words(answer.question))
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return any(
        kind != "equal"
        and not come.isdisjoint(after[start:end])
        and not answering.isdisjoint(
            word
            for word in (
                *before[gone:left],
                *after[max(start - 1, 0) : start],
                *after[end : end + 1],
            )
            if topic(word)
        )
        for kind, gone, left, start, end in changes
    )


def _is_reworded(
    answer: AcceptedAnswer, old: str, new: str, cited: str, code: Collection[str]
) -> bool:
    """Whether a sentence has lost a word that the answer says, or says more than the answer.

    Plain words in place of others are another wording, in a sentence that is the same otherwise
    ("amount") or still has the figure or name that answers; a word of code is none.
    """
    before, after = stems(old), stems(new)
    wholly = stems(f"{answer.question} {answer.said}")
    gone, come = before.keys() - after.keys(), after.keys() - before.keys() - stems(cited).keys()
    named = values(old).keys() | values(new).keys() | NUMBER_WORDS.keys()
    is_plain = all(
        all(map(str.isalpha, word.split("-"))) and word not in named for word in gone | come
    )
    # A plain word of the question alone may go, a name that the answer repeats may not.
    if gone & stems(answer.said).keys() - (stems(answer.question).keys() - named):
        is_like = come and likeness(before, after) >= KEPT
        is_plain = is_plain and come.isdisjoint(code)
        return not (is_plain and (is_like or not own_values(answer).isdisjoint(words(new))))
    is_more = bool(come - wholly.keys()) and part(before, wholly) >= ABOUT
    return is_more and not (is_plain and gone)


def _is_quoted_lost(answer: AcceptedAnswer, old: str, new: str) -> bool:
    """Whether the answer repeats, sign for sign, what a sentence had in quotes, and it is gone."""
    said, there = signs(answer.said), signs(new)
    quoted = (signs(span) for span in quotes(old))
    return any(stands_in(span, said) and not stands_in(span, there) for span in quoted)

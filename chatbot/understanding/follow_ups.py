"""Follow-ups: which question depends on those before it, and what it takes over from them."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import dropwhile

from chatbot.text.words import filtered, listed, things_named, word_set, words_of
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import UNSPACED_RUN, tokens
from ingestion.page import CELL_DELIMITER, BlockKind

_JOINTS = word_set(
    "and or so ok but also in for on with of the et und y e en la le el dans pour der die das bei"
    " für na nella con per mit"
)
_WHAT_ABOUT = re.compile(r"\b(?:what|how)\s+about\b", re.I)
"""What joins a follow-up to the question before and says nothing of its own."""
_GOES_ON = word_set("and or so ok thanks about")
_POINTS_BACK = word_set("it that this they them then other")
_STANDS_FOR = re.compile(r"\b(?:that|those|the\s+one)\s+(?:of|for)\b", re.I)
"""Points back to what is asked, and names another thing: "and that of log_days?"."""
_ASKS = word_set("what how which is")
_LONGEST_TOPIC = 4_000
"""Letters, the nearest first: follow-ups to follow-ups would make it ever longer."""
_LONGEST_OWN = 200
"""Letters of a follow-up that may name another thing; a longer one says itself what it is about."""
_MOST_PLACES = 8
"""The most places of a topic where one thing takes another's place."""
_CHUNKS = 8
"""Chunks whose tables are looked at for the thing that a follow-up names, and for the other."""
_LONGEST_PARTICLE = 2
"""Letters of a word without a topic in a script that sets no blanks."""

_CIRCUMSTANCES = word_set(
    "via over with without on in using under by from through at to as into during when if while"
)
"""Words before something that is no answer to "of what?"."""
_WORD, _SIGNS = re.compile(r"[^\W_]+"), re.compile(r"[_`-]")

Rows = Mapping[tuple[str, ...], Sequence[str]]
"""What the rows of tables are called, by their first cells, under the header of the table."""


def is_follow_up(bare: str) -> bool:
    """Whether a question, given without its release, depends on the turn before it.

    It points back ("it", "that"), or says little and asks nothing whole.
    """
    words, topic = words_of(bare.lower()), filtered(bare).split()
    rest = list(dropwhile(_GOES_ON.__contains__, words))
    if not _POINTS_BACK.isdisjoint(rest[:3] if len(topic) > 3 else rest):
        return True
    is_whole = len(topic) > 1 or not all(map(str.islower, topic))
    return len(topic) <= 3 and not (is_whole and not _ASKS.isdisjoint(rest[:1]))


def adds_nothing(bare: str, topic: str) -> bool:
    """Whether a follow-up, without its release, says nothing but a name that its topic has."""
    own = set(words_of(_WHAT_ABOUT.sub("", bare))).difference(words_of(topic))
    rest = {word for word in own if word.lower() not in _JOINTS}
    return all(UNSPACED_RUN.fullmatch(w) and len(w) <= _LONGEST_PARTICLE for w in rest)


def context_of_follow_up(
    bare: str,
    history: Sequence[tuple[str, str]],
    without_release: Callable[[str], str],
    rows_about: Callable[[Sequence[str]], Rows],
) -> tuple[str, str]:
    """The context to add to a follow-up: (earlier questions, words of the last reply).

    Both are empty for a standalone question. A thing that the follow-up names takes the place of
    the one that it was asked of before (`_taken_over`); `rows_about` finds tables by words.
    """
    if not history or not is_follow_up(bare):
        return "", ""
    previous, reply = history[-1]
    previous_bare = without_release(previous)
    earlier, _ = context_of_follow_up(previous_bare, history[:-1], without_release, rows_about)
    topic = f"{previous_bare} {earlier}".strip()[:_LONGEST_TOPIC]
    if adds_nothing(previous_bare, earlier):
        topic = earlier[:_LONGEST_TOPIC] or topic
    if (taken_over := _taken_over(bare, topic, rows_about)) is not None:
        return taken_over, ""
    known = [w for w in filtered(without_release(reply)).split() if not w[0].isdigit()]
    return topic, " ".join(known)[:200]


def rows_with(corpus: Corpus, words: Sequence[str]) -> Rows:
    """What the rows of the tables in the chunks that fit some words best are called."""
    chunk_ids = [chunk_id for chunk_id, _ in corpus.lexical(list(words), _CHUNKS)]
    pages = dict.fromkeys(chunk.page_id for chunk in corpus.chunks(chunk_ids).values())
    called: dict[tuple[str, ...], list[str]] = {}
    for page in corpus.pages(list(pages)):
        for _, _, block in page.spans():
            if block.kind is BlockKind.TABLE_ROW:
                first = block.text.partition(CELL_DELIMITER)[0].strip(" `")
                called.setdefault(block.header, []).append(first)
    return called


def _taken_over(bare: str, topic: str, rows_about: Callable[[Sequence[str]], Rows]) -> str | None:
    """What is left of a topic where a follow-up names another thing; None where it names none.

    Things are called as in code, in capitals, or as rows of one table. A follow-up that says
    something else of its thing needs no topic; any other takes the old thing's place with it.
    """
    if len(bare) > _LONGEST_OWN:
        return None
    own = _STANDS_FOR.sub(" of ", _WHAT_ABOUT.sub(" ", bare))
    words, before = _words(own), _words(topic)
    new = words - before
    if not new or not _POINTS_BACK.isdisjoint(words_of(own.lower())):
        return None
    named, earlier = _only_in(words, before, things_named(own)), []
    is_shaped = bool(named)
    if is_shaped:
        earlier = _only_in(before, words, things_named(topic))
    if not earlier:
        # Of several tables the one that has both, then the one with the longer name.
        found = [
            (_only_in(words, before, names), _only_in(before, words, names))
            for names in rows_about(tokens(" ".join(new))).values()
        ]
        called, earlier = (
            max(
                found,
                key=lambda pair: (bool(pair[0] and pair[1]), max(map(len, pair[0]), default=0)),
            )
            if found
            else ([], [])
        )
        named = called or named
    things = [name for name in named if not _is_circumstance(name, own)]
    rest = words.difference(*map(_words, things))
    if not things or not (earlier or (is_shaped and rest)):
        return None
    if not earlier or rest - before:
        return ""
    left = topic
    for name in earlier:
        left = _written(name).sub(lambda _: listed(things), left, count=_MOST_PLACES)
    return left[:_LONGEST_TOPIC] if left != topic else None


def _only_in(words: set[str], others: set[str], names: Sequence[str]) -> list[str]:
    """The names that have all their words among some and not among others, without their parts."""
    found = {frozenset(_words(name)): name for name in names}
    sets = [of for of in found if of and of <= words and not of <= others]
    return [found[of] for of in sets if not any(of < other for other in sets)]


def _is_circumstance(name: str, text: str) -> bool:
    """Whether a text says with, by or through what something is asked, and not of what."""
    found = _written(name).search(text)
    before = words_of(text[: found.start()].lower()) if found else []
    before = before[:-1] if before[-1:] == ["the"] else before
    return not _CIRCUMSTANCES.isdisjoint(before[-1:])


def _written(name: str) -> re.Pattern[str]:
    """A name with whatever signs stand between its words: hold_time, "hold time"."""
    spelt = r"[\W_]{1,3}".join(_WORD.findall(name))
    return re.compile(rf"(?<!\w)`?{spelt}(?:\(\)|`)?(?!\w)", re.I)


def _words(text: str) -> set[str]:
    return set(tokens(filtered(_SIGNS.sub(" ", text))))

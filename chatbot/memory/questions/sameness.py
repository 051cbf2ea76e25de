"""Whether two questions that sound alike ask the same: the second guard before a reuse.

The first guard is the key of `chatbot.memory.questions.asking`. This one looks at the words that
only one of the questions has. How much such a word matters is measured by leaving it out: by how
much the vector of the words around it turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from chatbot.memory.questions.asking import Asking, Word
from chatbot.memory.questions.kinds import compatible
from chatbot.memory.questions.relations import of_order, of_quantity
from chatbot.memory.questions.wanted import compatible_wants, wanted
from chatbot.memory.questions.wordings import (
    DECISIVE,
    GENERIC,
    LIGHT,
    LIGHT_BESIDE,
    MEANING,
    NEAR,
    OPPOSITES,
    canonical,
)

Weigh = Callable[[Asking, Word], float]
"""How much a word matters to its question, 0 to 1: 1 - cosine without it."""

MOST_UNMATCHED = 6
"""Questions of which more words have no counterpart are not the same, whatever the words."""
LEAST_INSTEAD = 0.05
"""A light word matters from here on where the other question has another word in its place."""
LEAST_MORE = 0.085
"""And from here on where the other question has nothing in its place."""
LEAST_LIGHT = 0.27
"""The same for a word that may well be left out: the time, the number, the setting."""

_KINDS = {
    "": "what it is",
    "HOW": "how it works",
    "HOWTO": "how to do it",
    "KEYWORDS": "about it",
    "SINCE": "since when",
    "WHETHER": "whether",
    "WORKS": "how it works",
    "WHO": "who",
    "WHY": "why",
}
_STRICT_KINDS = ("WHETHER", "WHO")
_ACTS = frozenset(map(canonical, ("change", "configure", "restart", "reset", "delete", "add")))
"""Whether there is a thing, and who may use it, is not whether and who may do this with it."""
_WHERE_OR_WHEN = frozenset(("in", "on", "during", "behind", "after", "under", "for", "with"))
_FEW = 2
_NEGATIONS = ("un", "de", "dis", "non", "in", "im", "ir", "mis", "anti")


def difference(a: Asking, b: Asking, weigh: Weigh) -> str:
    """Say in one sentence what two questions do not have in common; empty where they ask the same.

    `weigh` is only asked for words that decide.
    """
    if a.key != b.key:
        return _of_keys(a, b)
    return (
        _of_names(a, b)
        or _of_kinds(a, b)
        or _of_wants(a, b)
        or _of_opposites(a, b)
        or _of_leads(a, b)
        or of_order(a, b)
        or of_quantity(a, b)
        or _of_words(a, b, weigh)
    )


def unmatched(a: Asking, b: Asking) -> list[Word]:
    """The words of content of `a` that have no counterpart in `b`."""
    return _without(a.words, (*b.words, *b.context))


def _without(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    there = {form for word in others for form in (word.stem, word.canonical)}
    # A compound may be written in one: queue pool, QueuePool.
    joined = {x.small + y.small for x, y in pairwise(others)}
    there |= {word.small for word in others}
    return [
        word
        for before, word, after in zip((None, *words), words, (*words[1:], None), strict=False)
        if word.canonical not in GENERIC
        and not there.intersection((word.stem, word.canonical))
        and word.small not in joined
        and not (before and before.small + word.small in there)
        and not (after and word.small + after.small in there)
    ]


def _of_keys(a: Asking, b: Asking) -> str:
    mine, theirs = a.key.split(), b.key.split()
    only_a = [part for part in mine if part not in theirs]
    only_b = [part for part in theirs if part not in mine]
    sides = [" ".join(side) or "nothing of it" for side in (only_a, only_b)]
    return f"one question asks for {sides[0]}, the other for {sides[1]}"


def _of_names(a: Asking, b: Asking) -> str:
    if a.code and b.code and a.code != b.code:
        sides = [" and ".join(sorted(side)) for side in (a.code, b.code)]
        return f"one question names {sides[0]}, the other {sides[1]}"
    # Names that differ in capitals alone: Comm.send and Comm.Send are two things.
    if not (a.careful and b.careful):
        return ""
    for name in a.names:
        for other in b.names:
            mine, theirs = (n.written.removesuffix("()") for n in (name, other))
            last, other_last = (n.rpartition(".")[2] for n in (mine, theirs))
            dotted = "." in mine and mine.lower() == theirs.lower()
            if dotted and last != other_last:
                return f"one question names {mine}, the other {theirs}"
    # Who begins with the word has not said which it is.
    apart = (a.capitalised - b.capitalised) & b.small | (b.capitalised - a.capitalised) & a.small
    both = {word.small for word in a.words} & {word.small for word in b.words}
    for word in sorted(apart & both):
        return f"one question says {word}, the other {word.capitalize()}"
    return ""


def _of_kinds(a: Asking, b: Asking) -> str:
    if compatible(a.kind, b.kind):
        return ""
    kinds = [_KINDS[q.kind] for q in (a, b)]
    return f"one question asks {kinds[0]}, the other {kinds[1]}"


def _of_wants(a: Asking, b: Asking) -> str:
    # Words without a sentence do not say it, and "how is it done" wants a way, too.
    if "KEYWORDS" in (a.kind, b.kind) or {a.kind, b.kind} == {"HOW", "HOWTO"}:
        return ""
    wants = wanted(a), wanted(b)
    # Which value it has is not which ones it can have; of a passage on that, it may be.
    if compatible_wants(*wants) and wants.count("RANGE") != 1:
        return ""
    return "the questions want to be told different things"


def _of_opposites(a: Asking, b: Asking) -> str:
    mine = {word.canonical: word for word in a.words}
    theirs = {word.canonical: word for word in b.words}
    for x in mine.keys() - theirs.keys():
        for y in theirs.keys() - mine.keys():
            if frozenset((x, y)) in OPPOSITES or _negates(x, y) or _negates(y, x):
                return f"one question says {mine[x].written}, the other {theirs[y].written}"
    return ""


def _negates(word: str, other: str) -> bool:
    return len(other) > _FEW and any(word == prefix + other for prefix in _NEGATIONS)


_LEADS = re.compile(r"(?<!\S)(?:WHERE|WHEN|HOWLONG|HOWOFTEN|HOWMANY|HOWMUCH|what|which)(?!\S)")
_SAME_LEADS = frozenset(
    frozenset(pair.split())
    for pair in ("WHEN HOWLONG", "WHEN HOWOFTEN", "HOWLONG HOWOFTEN", "HOWMANY HOWMUCH")
)


_OF_VALUES = ("", "HOW", "KEYWORDS", "WORKS")


def _of_leads(a: Asking, b: Asking) -> str:
    """Where, when, how long, how many: what a question that is no "how to" begins with."""
    if a.kind not in _OF_VALUES or b.kind not in _OF_VALUES:
        return ""
    leads = [_lead(q) for q in (a, b) if _LEADS.search(q.plain)]
    told = {lead.replace("which", "what") for lead in leads}
    if len(told) < 2 or told in _SAME_LEADS:
        return ""
    meant = [w for q, o in ((a, b), (b, a)) for w in unmatched(q, o) if w.canonical in MEANING]
    if "what" in told and not told & {"WHERE", "WHEN", "HOWMANY"} and not meant:
        return ""
    return f"one question asks {leads[0].lower()}, the other {leads[1].lower()}"


def _lead(asking: Asking) -> str:
    if wanted(asking) == "NAME":
        # What is it called that holds the number of …?
        return "what"
    leads: list[str] = _LEADS.findall(asking.plain)
    if "HOWMANY" in leads:
        return "HOWMANY"
    # A "when" may also say in which case: when the file is missing, which code is returned?
    asks = [lead for lead in leads if lead not in ("WHEN", "WHERE")]
    return (asks or leads)[0]


def _of_words(a: Asking, b: Asking, weigh: Weigh) -> str:
    mine, theirs = _apart(unmatched(a, b), unmatched(b, a))
    if len(mine) + len(theirs) > MOST_UNMATCHED:
        return "many words of one question have no counterpart in the other"
    instead = bool(mine) and bool(theirs)
    # A value is how often something is done only if both say what is done.
    for one, other, own_words in ((a, b, mine), (b, a, theirs)):
        if own_words and wanted(one) == "HOWOFTEN" and _wants_a_value(other):
            return f"only one question says “{own_words[0].written}”"
    if (
        instead
        and a.kind == b.kind == "HOWTO"
        and mine[0] == a.words[0]
        and theirs[0] == b.words[0]
    ):
        return f"one question says “{mine[0].written}”, the other “{theirs[0].written}”"
    if _without(a.context, (*b.words, *b.context)) and _without(b.context, (*a.words, *a.context)):
        return "the circumstances that the questions tell of differ"
    words = [(a, word) for word in mine] + [(b, word) for word in theirs]
    for asking, word in words:
        telling = word.canonical not in LIGHT | LIGHT_BESIDE
        if telling and (instead or _is_circumstance(word, asking)):
            return f"only one question says “{word.written}”"
    least = [(_least(asking, word, instead=instead), asking, word) for asking, word in words]
    # To weigh takes an embedding: those words come first that need little to decide, or none.
    for enough, asking, word in sorted(least, key=lambda of_word: of_word[0]):
        if enough <= 0 or weigh(asking, word) >= enough:
            return f"only one question says “{word.written}”"
    return ""


def _wants_a_value(asking: Asking) -> bool:
    want = wanted(asking)
    return not want or want.startswith("OF ")


def _apart(mine: Sequence[Word], theirs: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Leave out the words of which one may stand for the other."""
    left, right = list(mine), list(theirs)
    for word in mine:
        near = (o for o in right if frozenset((word.canonical, o.canonical)) in NEAR)
        other = next(near, None)
        if other is not None:
            left.remove(word)
            right.remove(other)
    return left, right


def _is_circumstance(word: Word, asking: Asking) -> bool:
    """Whether a word says where or when: in a ring, during an upgrade, behind a proxy."""
    before = asking.tokens[max(0, word.at - 2) : word.at]
    return not _WHERE_OR_WHEN.isdisjoint(before)


def _stands_beside(word: Word, asking: Asking) -> bool:
    """Whether another word of content, or a figure, stands right beside a word."""
    places = {other.at for other in asking.words}
    beside = [at for at in (word.at - 1, word.at + 1) if 0 <= at < len(asking.tokens)]
    return any(at in places or asking.tokens[at][:1].isdigit() for at in beside)


def _least(asking: Asking, word: Word, *, instead: bool) -> float:
    """From which weight on a word decides."""
    if instead:
        return LEAST_INSTEAD
    if word.canonical in DECISIVE:
        return 0.0
    if asking.kind in _STRICT_KINDS and word.canonical in _ACTS:
        return LEAST_INSTEAD
    if word.canonical in LIGHT or (word.canonical in LIGHT_BESIDE and _stands_beside(word, asking)):
        return LEAST_LIGHT
    # A member of a group is another thing than the group, a file's owner another than the file.
    heads = asking.tokens[word.at + 1 : word.at + 2] == ("of",)
    return LEAST_INSTEAD if heads else LEAST_MORE

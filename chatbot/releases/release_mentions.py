"""What a question says about releases: each mention, what it names, and how it is meant."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from chatbot.releases.accounting import JOINED, Claim, account, bounded, lead, preposition
from chatbot.releases.release_names import NOTHING, Reading, ReleaseNames
from chatbot.releases.release_numbers import Number, find_numbers
from chatbot.releases.release_phrases import Place, count_of, find_phrases
from chatbot.text.phrasing import word_set
from corpora.catalog.release import name_tokens


@dataclass(frozen=True)
class Found:
    """A mention in a masked question.

    It names releases (`reading`) or a `place` among them, and counts `steps` from there. `negated`
    says "not that one", `preposition` what stands before it ("to 18.00", "since 1.4"; "to" for an
    arrow), `doubtful` that it may as well be something else, `placed` that a word for a release, or
    one that says "there", stands with it.
    """

    start: int
    end: int
    said: str
    reading: Reading = NOTHING
    place: Place | None = None
    steps: int = 0
    negated: bool = False
    preposition: str = ""
    doubtful: bool = False
    placed: bool = False


_WORD = re.compile(r"[0-9]+|[^\W\d_]+")
_TAIL = re.compile(
    r"(?:['’]s\b)?[)\]\"'”’]*"
    r"(?:\s+(?P<word>(?:release(?!\s+notes)|version|doc|line)s?|series|documentation|branch|lts)\b[)\]\"'”’]*)?",
    re.I,
)
_UPWARD = re.compile(
    r"\+(?![\w.])|\s+(?:and|or)\s+(?:later|newer|above|up|higher)\b|\s+onwards?\b", re.I
)
"""Behind a release: that one and all after it, so the newest of them is meant."""
_BOUND = re.compile(r"(?:(?<![-=<>])<|(?<![-=<>])>=?)\s*[\"'^]?$")
_ORDINARY_WORDS = word_set("""
    stable current latest newest next previous old oldest new lts main master dev edge testing beta
    alpha preview head trunk first last one standard base long short term support
""")
"""Names of releases that are words of everyday use as well."""
_PLACED = word_set("in on under since")


def find_mentions(question: str, text: str, names: ReleaseNames) -> list[Found]:
    """Find what a question says about the releases of one product, in order.

    `text` is the question with the product's name masked by OWN and other products' by OTHER. The
    names of releases go before phrases that lie over them; words that two mentions claim are the
    first one's.
    """
    found = [*_numbers(question, text, names), *_worded(question, text, names)]
    for (start, end), place, steps in find_phrases(text):
        before = lead(text, start)
        if all(f.end <= before.start() or end <= f.start for f in found):
            mention = _found(question, text, start, end, before)
            said = question[before.start() : end]
            found.append(
                replace(mention, end=end, said=said, place=place, steps=steps + mention.steps)
            )
    apart: list[Found] = []
    for mention in sorted(found, key=lambda f: f.start):
        start = max(mention.start, apart[-1].end if apart else 0)
        if start < mention.end:
            apart.append(replace(mention, start=start))
    return apart


def _worded(question: str, text: str, names: ReleaseNames) -> Iterator[Found]:
    words = list(_WORD.finditer(text))
    after = 0
    for i, word in enumerate(words):
        for tokens in names.worded(word[0].casefold()) if word.start() >= after else ():
            start, end = word.start(), words[min(i + len(tokens), len(words)) - 1].end()
            if name_tokens(text[start:end]) != tokens:
                continue
            before = lead(text, start)
            told = before["product"] or before["word"] or _tail(text, end)["word"]
            told = told or (before["preposition"] and bounded(text, end))
            if told or not _ORDINARY_WORDS.issuperset(tokens):
                after = end
                found = _found(question, text, start, end, before)
                yield replace(found, reading=names.read(tokens, text[start:end]))
                break


def _numbers(question: str, text: str, names: ReleaseNames) -> list[Found]:
    numbers = find_numbers(text, names)
    found: list[Found] = []
    for number, claim in zip(numbers, account(text, numbers, names), strict=True):
        if claim is Claim.ELSE:
            continue
        mention = _number(question, text, number, names)
        if found and JOINED.fullmatch(text, found[-1].end, number.start):
            # It takes the words between it and the one before.
            mention = replace(mention, start=found[-1].end + text[found[-1].end].isspace())
        found.append(replace(mention, doubtful=claim is Claim.OPEN))
    return found


def _number(question: str, text: str, number: Number, names: ReleaseNames) -> Found:
    """Make a mention of a number, and of all after it where that is said: "1.4+", ">=2.3"."""
    mention = _found(question, text, number.start, number.end, lead(text, number.start))
    upward = _UPWARD.match(text, number.end)
    bound = _BOUND.search(text, max(0, number.start - 5), number.start)
    if not (upward or (bound and bound[0][0] == ">")):
        return replace(mention, reading=number.reading)
    reading = names.and_later(number.reading, text[number.start : number.end])
    end = max(mention.end, upward.end() if upward else 0)
    return replace(mention, reading=reading, end=end)


def _found(question: str, text: str, start: int, end: int, before: re.Match[str]) -> Found:
    """Make a mention by what is said before it and behind it."""
    steps = 0
    bound = _BOUND.search(text, max(0, start - 5), start)
    if before["before"] or before["after"] or before["pre"]:
        steps = count_of(before["count"] or "") * (1 if before["after"] else -1)
    elif bound and bound[0][0] == "<":
        steps = -1
    said = before.start() if steps else before.start("prefix") if before["prefix"] else start
    where, tail, head = preposition(before), _tail(text, end), text[: before.start()].rstrip()
    return Found(
        before.start(),
        tail.end(),
        question[said:end],
        steps=steps,
        negated=bool(before["negation"]),
        preposition="to" if head.endswith(("->", "=>", "→")) else where,
        placed=bool(
            before["product"] or before["word"] or before["prefix"] or steps or tail["word"]
        )
        or where in _PLACED
        or where == "as of",
    )


def _tail(text: str, end: int) -> re.Match[str]:
    match = _TAIL.match(text, end)
    assert match is not None, "every part of the pattern may be missing"
    return match

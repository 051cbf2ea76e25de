"""What a question says about releases: each mention, what it names, and how it is meant."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chatbot.releases.accounting import JOINED, Claim, account, bounded, lead, preposition
from chatbot.releases.product_names import Span, mask, product_spans
from chatbot.releases.release_names import NOTHING, Reading, ReleaseNames, release_names
from chatbot.releases.release_numbers import find_numbers
from chatbot.releases.release_phrases import Place, count_of, find_phrases
from chatbot.text.phrasing import word_set
from corpora.catalog.release import Product, name_tokens


@dataclass(frozen=True)
class Found:
    """A mention in a masked question.

    It names releases (`reading`) or a `place` among them, and counts `steps` from there. `negated`
    says "not that one", `preposition` what stands before it ("to 18.00", "since 1.4"; "to" for an
    arrow), `doubtful` that it may as well be something else, `placed` that a word for a release, or
    one that says "there", stands with it, `named` that the product's name does.
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
    named: bool = False


_TAIL = re.compile(
    r"(?:['’]s\b)?[)\]\"'”’]*"
    r"(?P<later>\+(?![\w.])|\s+(?:and|or)\s+(?:later|newer|above|up|higher)\b|\s+onwards?\b)?"
    r"(?:\s+(?P<word>(?:release(?!\s+notes)|version|doc|line)s?|series|documentation|branch|lts)\b[)\]\"'”’]*)?",
    re.I,
)
"""Behind a name: `later` says that one and all after it, so the newest of them is meant."""
_ORDINARY_WORDS = word_set("""
    stable current latest newest next previous old oldest new lts main master dev edge testing beta
    alpha preview head trunk first last one standard base long short term support
""")
"""Names of releases that are words of everyday use as well."""


def find_mentions(question: str, product: Product, spans: Sequence[Span] = ()) -> list[Found]:
    """Find what a question says about the releases of one product, in order.

    `spans` are the places where it names products, that product's alone if none are given. The
    names of releases go before phrases that lie over them; words that two mentions claim are the
    first one's.
    """
    names = release_names(product)
    text = mask(question, product, spans or product_spans(question, [product]))
    found = [*_numbers(question, text, names), *_worded(question, text, names)]
    for (start, end), place, steps in find_phrases(text):
        mention = _found(question, text, start, end)
        if all(f.end <= mention.start or end <= f.start for f in found):
            is_open = place is Place.OPEN
            steps += mention.steps
            found.append(replace(mention, end=end, place=place, steps=steps, doubtful=is_open))
    apart: list[Found] = []
    for mention in sorted(found, key=lambda f: f.start):
        start = max(mention.start, apart[-1].end if apart else 0)
        if start < mention.end:
            apart.append(replace(mention, start=start))
    return apart


def _worded(question: str, text: str, names: ReleaseNames) -> Iterator[Found]:
    for word in names.worded.finditer(text):
        start, end = word.span()
        before, tokens = lead(text, start), name_tokens(word[0])
        told = before["product"] or before["word"] or _tail(text, end)["word"]
        told = told or (before["preposition"] and bounded(text, end))
        if told or not _ORDINARY_WORDS.issuperset(tokens):
            yield _found(question, text, start, end, names.read(tokens, word[0]))


def _numbers(question: str, text: str, names: ReleaseNames) -> list[Found]:
    numbers = find_numbers(text, names)
    found: list[Found] = []
    for number, claim in zip(numbers, account(text, numbers, names), strict=True):
        if claim is Claim.ELSE:
            continue
        reading = number.reading
        later = _tail(text, number.end)["later"]
        if later or _sign(text, number.start).endswith((">", ">=")):
            reading = names.and_later(reading, text[number.start : number.end])
        mention = _found(question, text, number.start, number.end, reading)
        if found and JOINED.fullmatch(text, found[-1].end, number.start):
            # It takes the words between it and the one before.
            mention = replace(mention, start=found[-1].end + text[found[-1].end].isspace())
        found.append(replace(mention, doubtful=claim is Claim.OPEN))
    return found


def _found(question: str, text: str, start: int, end: int, reading: Reading = NOTHING) -> Found:
    """Make a mention by what is said before it and behind it."""
    before, tail = lead(text, start), _tail(text, end)
    steps = -1 if _sign(text, start).endswith("<") else 0
    if before["before"] or before["after"] or before["pre"]:
        steps = count_of(before["count"] or "") * (1 if before["after"] else -1)
    said = before.start() if steps else before.start("prefix") if before["prefix"] else start
    where, arrow = preposition(before), text[: before.start()].rstrip().endswith(("->", "=>", "→"))
    told = before["product"] or before["word"] or before["prefix"] or steps or tail["word"]
    return Found(
        before.start(),
        tail.end(),
        question[said:end],
        reading,
        steps=steps,
        negated=bool(before["negation"]),
        preposition="to" if arrow else where,
        named=bool(before["product"]),
        placed=bool(told) or where in ("in", "on", "under", "since", "as of"),
    )


def _sign(text: str, start: int) -> str:
    """The signs right before a name: "<", ">=", but no arrow."""
    signs = text[max(0, start - 5) : start].rstrip("\"'^ ")
    return "" if signs.endswith(("->", "=>")) else signs


def _tail(text: str, end: int) -> re.Match[str]:
    match = _TAIL.match(text, end)
    assert match is not None, "every part of the pattern may be missing"
    return match

"""What a question says about releases: each mention, what it names, and how it is meant."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chatbot.releases.number_claims import PLACED, Claim, judge
from chatbot.releases.release_names import NOTHING, Reading, ReleaseNames
from chatbot.releases.release_numbers import Number, find_numbers
from chatbot.releases.release_phrases import Place, find_phrases
from chatbot.releases.release_words import (
    BOUNDARY,
    CLOSE,
    CONTRASTS,
    JOINED,
    LEAD,
    MOVES,
    OWN,
    TAIL,
    count_of,
)
from chatbot.text.phrasing import word_set
from corpora.catalog.release import name_tokens


@dataclass(frozen=True)
class Found:
    """A mention in a masked question.

    It names releases (`reading`) or a `place` among them, and counts `steps` from there. `negated`
    says "not that one", `background` how things were before ("deprecated in 1.4"), `arrives` where
    a move ends ("to 18.00"), `against` what the answer is compared with ("changed since 1.4"),
    `sure` that nothing but a release can be meant, `doubtful` that it may as well be something
    else, `describes` which thing is spoken of ("the 2.0 warnings"), `placed` that a word for a
    release, or one that says "there", stands with it.
    """

    start: int
    end: int
    said: str
    reading: Reading = NOTHING
    place: Place | None = None
    steps: int = 0
    negated: bool = False
    background: bool = False
    arrives: bool = False
    against: bool = False
    sure: bool = True
    doubtful: bool = False
    describes: bool = False
    placed: bool = False


_WINDOW = 48
_BACKGROUND = re.compile(
    r"\b(?:deprecated|removed|added|introduced|changed|renamed|dropped|existed|worked|used|had|was)\s+"
    r"(?:(?:it|this|that|only|already|fine)\s+)?\0(?:in|since|as\s+of|with|on)\s"
    r"|\b(?:com(?:e|ing)|mov(?:ed?|ing)|migrat(?:ed?|ing)|upgrad(?:ed?|ing)|switch(?:ed|ing)?)\s+"
    r"\0(?:from|off)\s"
    r"|\b(?:used\s+to\s+(?:use|run|have)|previously|formerly)\s+(?:\w+\s+)?\0(?!from\s|off\s)",
    re.IGNORECASE,
)
"""Says how things were before; a zero byte stands where the mention begins."""
_IN_STYLE = re.compile(r"(?:-|\s+)(?:styles?|syntax|compatible|compatibility)\b", re.IGNORECASE)
_COUNTERPART = re.compile(
    r"(?:\b(?:compar(?:e|es|ed|ing|ison)|differ(?:s|ed|ences?)?)\s+(?:\w+\s+){0,2}|\bdifferent\s+)"
    r"\0(?:since|from|to|than|with|against|over)\s"
    r"|(?:\b(?:(?<!\bwe\s)(?<!\bi\s)(?<!\bthey\s)chang(?:e|es|ed)|different)\s+(?:\w+\s+){0,2}|\bnew\s+)"
    r"\0(?:since|from|than|against|over)\s"
    r"|\bnew\s+(?:\w+\s+){1,2}\0(?:since|than|against|over)\s|\0(?:vs\.?|versus)\s",
    re.IGNORECASE,
)
"""What an answer is compared with, marked in the same way."""
_ARROW = re.compile(r"(?:->|→|=>)\s*$")
_BOUND = re.compile(r"(?:(?<![-=<>])<|(?<![-=<>])>=?)\s*$")
_UPWARD = re.compile(
    r"\+(?![\w.])|\s+(?:(?:and|or)\s+(?:later|newer|above|up|onwards?|higher|greater)"
    r"|on(?:wards?)?(?=\s*(?:[,?.]|$)))\b",
    re.IGNORECASE,
)
"""Behind a release: that one and all after it, so the newest of them is meant."""
_ONWARD_FROM = ("from", "since", "as of")
_ENDS_BELOW = re.compile(r"[\w.]*\s*,?\s*<")
_ARTICLE = re.compile(r"\b(?:the|an?)\s+$", re.IGNORECASE)
_NOUN = re.compile(r"\s+[a-z]{3,}")
_WORD = re.compile(r"[0-9]+|[^\W\d_]+")
_TOGETHER = re.compile(r"\b(?:between|both|since)\b", re.IGNORECASE)
_OPPOSED = frozenset(("vs", "vs.", "versus", "->", "=>", "→"))
_TAIL_WORD = re.compile(r"\s+(?:release|version|docs|documentation|branch|train|series)\b", re.I)
_ORDINARY_WORDS = word_set("""
    stable current latest newest next previous old oldest new lts main master dev edge testing beta
    alpha preview head trunk first last one standard base long short term support
""")
"""Names of releases that are words of everyday use as well."""


def find_mentions(question: str, text: str, names: ReleaseNames) -> list[Found]:
    """Find what a question says about the releases of one product, in order.

    `text` is the question with the product's name masked by OWN and other products' by OTHER. The
    names of releases go before phrases that lie over them; words that two mentions claim are the
    first one's.
    """
    found = [*_numbers(question, text, names), *_worded(question, text, names)]
    for span, place, steps in find_phrases(text):
        mention = _found(question, text, span, place=place, steps=steps)
        if all(f.end <= mention.start or mention.end <= f.start for f in found):
            found.append(mention)
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
        if word.start() < after:
            continue
        for tokens in names.worded(word[0].casefold()):
            if i + len(tokens) > len(words):
                continue
            start, end = word.start(), words[i + len(tokens) - 1].end()
            if name_tokens(text[start:end]) != tokens:
                continue
            lead = _lead(text, start)
            told = lead["product"] or lead["word"] or _TAIL_WORD.match(text, end)
            told = told or (lead["preposition"] and BOUNDARY.match(text, end))
            if told or not _ORDINARY_WORDS.issuperset(tokens):
                reading = names.read(tokens, text[start:end])
                yield _found(question, text, (start, end), reading)
                after = end
                break


def _numbers(question: str, text: str, names: ReleaseNames) -> list[Found]:
    numbers = find_numbers(text, names)
    leads = [_lead(text, number.start) for number in numbers]
    claims = [judge(text, *pair) for pair in zip(numbers, leads, strict=True)]
    together = any(p.search(text) for p in (CONTRASTS, MOVES, _TOGETHER))
    joins: list[str | None] = [None]
    for i, (left, right) in enumerate(pairwise(numbers)):
        joins.append(_join(text, left, right))
        if join := joins[-1]:
            pair = slice(i, i + 2)
            opposed = together or join in _OPPOSED
            claims[pair] = _side_by_side(text, left, right, claims[pair], join, together=opposed)
    found: list[Found] = []
    beside = False
    for number, lead, claim, join in zip(numbers, leads, claims, joins, strict=False):
        taken = claim in (Claim.RELEASE, Claim.DOUBTFUL)
        if taken:
            mention = _number(question, text, number, lead, names)
            if join and beside:
                # It shares what was said before its neighbour, and takes the word between them.
                neighbour = found[-1] = replace(found[-1], sure=True)
                start = neighbour.end + text[neighbour.end].isspace()
                start = start if neighbour.end < mention.start else mention.start
                mention = replace(mention, start=start, sure=True, background=neighbour.background)
            found.append(replace(mention, doubtful=claim is Claim.DOUBTFUL))
        beside = taken
    return found


def _number(
    question: str, text: str, number: Number, lead: re.Match[str], names: ReleaseNames
) -> Found:
    """Make a mention of a number, and of all after it where that is said: "1.4+", ">=2.3"."""
    upward = _UPWARD.match(text, number.end)
    bound = _BOUND.search(text, max(0, number.start - 4), number.start)
    if not upward and bound and bound[0][0] == ">" and not _ENDS_BELOW.match(text, number.end):
        upward = bound
    if upward and upward[0].strip() == "on" and lead["preposition"] not in _ONWARD_FROM:
        # "What can I install it on?" asks for no later one, "from 1.4 on" does.
        upward = None
    written = text[number.start : number.end]
    reading = names.and_later(number.reading, written) if upward else number.reading
    mention = _found(question, text, (number.start, number.end), reading)
    if not (upward and reading.covers):
        return mention
    start = min(upward.start(), number.start)
    said = question[start : max(number.end, upward.end())]
    return replace(mention, said=said, background=False)


def _side_by_side(
    text: str,
    left: Number,
    right: Number,
    claims: Sequence[Claim],
    join: str,
    *,
    together: bool,
) -> Sequence[Claim]:
    """Judge two numbers together: what the one is known to be, the other is as well."""
    between = text[left.end : right.start]
    if claims[0] is Claim.OTHER_THING and OWN not in between:
        # "Python 3.8 and 1.4" names a release, "Python 3.8 and 3.9" none.
        alone = right.reading.covers and not left.reading.covers
        return (claims[0], claims[1] if alone else claims[0])
    if claims[1] is Claim.OTHER_THING and not left.reading.covers:
        # "From 1.5 to 2.5 s" names none.
        return claims[1], claims[1]
    if Claim.OTHER_THING in claims or (OWN in between and claims[0] is not Claim.RELEASE):
        return claims
    alike = (left.whole and right.whole) or (left.dotted and right.dotted)
    if alike and together and (right.dotted or right.high or BOUNDARY.match(text, right.end)):
        return Claim.RELEASE, Claim.RELEASE
    if claims[0] is Claim.DOUBTFUL and OWN not in between:
        return claims[0], claims[0]
    other = right if claims[0] is Claim.RELEASE else left
    if Claim.RELEASE in claims and (other.reading.covers or (other.dotted and join != ",")):
        return Claim.RELEASE, Claim.RELEASE
    return claims


def _lead(text: str, start: int) -> re.Match[str]:
    match = LEAD.search(text, max(0, start - _WINDOW), start)
    assert match is not None, "every part of the pattern may be missing"
    return match


def _join(text: str, left: Number, right: Number) -> str | None:
    between = text[left.end : right.start]
    match = JOINED.fullmatch(between) if len(between) < 40 else None
    return match and (match["join"] or match["comma"])


def _found(
    question: str,
    text: str,
    span: tuple[int, int],
    reading: Reading = NOTHING,
    *,
    place: Place | None = None,
    steps: int = 0,
) -> Found:
    """Make a mention of a name, or of a phrase for a place, by what is said before it."""
    (start, end), lead = span, _lead(text, span[0])
    before = text[max(0, lead.start() - _WINDOW) : lead.start()]
    around = f"{before}\0{text[lead.start() : start]}"
    last = end if place else _last(text, end, bracketed=bool(lead["open"]))
    bound = _BOUND.search(text, max(0, start - 4), start)
    at_least = bound and bound[0][0] == ">"
    further = 0
    follows_docs = lead["after"] == "following" and _TAIL_WORD.search(text, end, last)
    if not follows_docs and (lead["before"] or lead["after"] or lead["pre"]):
        further = count_of(lead["count"] or "") * (1 if lead["after"] else -1)
    elif bound and not at_least:
        further = -1
    said = lead.start() if further or place else start
    if lead["prefix"] and not further:
        said = lead.start("prefix")
    mention = Found(
        lead.start(),
        last,
        question[said:end],
        reading,
        place,
        steps + further,
        negated=bool(lead["negation"]),
        against=bool(_COUNTERPART.search(around)),
        arrives=(lead["preposition"] or "").casefold() in {"to", "into", "onto"}
        or bool(_ARROW.search(before)),
    )
    if place:
        return mention
    named = _ARTICLE.search(lead[0]) and _NOUN.match(text, end) and not BOUNDARY.match(text, end)
    marked = lead["product"] or lead["word"] or lead["prefix"] or lead["before"] or lead["after"]
    preposition = " ".join((lead["preposition"] or "").casefold().split())
    return replace(
        mention,
        background=bool(at_least or _BACKGROUND.search(around) or _IN_STYLE.match(text, end)),
        sure=bool(lead["product"] or (lead["word"] or "").casefold().startswith("rel")),
        describes=bool(named),
        placed=bool(marked or preposition in PLACED or _TAIL_WORD.match(text, end)),
    )


def _last(text: str, end: int, *, bracketed: bool) -> int:
    for pattern in (CLOSE, TAIL, CLOSE) if bracketed else (TAIL,):
        if match := pattern.match(text, end):
            end = match.end()
    return end

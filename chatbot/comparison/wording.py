"""What each of several releases answers, in one sentence where they can be put together.

Also what all answers to comparisons are written with: citations, short passages, yes and no.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import Prefix

from chatbot.comparison.question import verdict
from chatbot.retrieval.provenance import cite, plain, quantities, same_value
from chatbot.text.citation_markers import marks, renumbered, with_marks_as_code, without_marks
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import harmless
from chatbot.turn import Answer, Citation, Record, Turn
from prompts.fencing import visible

_VALUE_WORDS = 6
"""Words up to which an answer is a value and no sentence."""
_AT_THE_END = 8
"""Words in which two sentences may differ at their ends to be told as one."""
_LONGEST = 220
_FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_BODY = re.compile(r"\n\s*(?:\n|```|[-*|] |\d+\. )")
_ASKED_FOR = re.compile(
    r"(?<![\w-])(default|minimum|maximum|severity|range|unit|type|name|size)(?![\w-])", re.I
)
_LEAD_IN = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass
class Quotes:
    """The citations of an answer while it is written; each passage has one number."""

    citations: list[Citation] = field(default_factory=list)

    def mark(self, record: Record, release: str) -> str:
        """Cite a passage of a release: "[3]"."""
        return self.number(cite(record, release))

    def number(self, citation: Citation) -> str:
        """Number a citation, the same one always alike."""
        if citation not in self.citations:
            self.citations.append(citation)
        return f"[{self.citations.index(citation) + 1}]"


def in_short(text: str, longest: int = _LONGEST) -> str:
    """A passage on one line, cut at a word; it loads, links and cites nothing."""
    text = " ".join(_LEAD_IN.sub("", visible(text)).split())
    cut = text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"
    return with_marks_as_code(harmless(cut, evidence=cut))


def in_bare_words(sentence: str) -> str:
    """A sentence without its marks: what an answer's value is."""
    return re.sub(r"\s+([.;:,])", r"\1", without_marks(sentence)).strip()


def merged(told: Sequence[tuple[str, str, str]]) -> str:
    """What releases say, (release, sentence, marks) each; in one sentence if only ends differ."""
    split = [words.rstrip(".:").split() for _, words, _ in told]
    head = min(Prefix.similarity(split[0], words) for words in split)
    ends: dict[str, list[str]] = {}
    for (release, _, mark), words in zip(told, split, strict=True):
        ends.setdefault(" ".join(words[head:]), []).append(f"{release} {mark}".strip())
    apart = any(release in words or ". " in words for release, words, _ in told)
    one_has_no_end = "" in ends and len(ends) > 1
    if len(ends) == 1 < len(told) and (apart or len(split[0]) > 2 * _AT_THE_END):
        (everywhere,) = ends.values()
        return f"It is the same in {listed(everywhere)}: {told[0][1].rstrip('.')}."
    if apart or one_has_no_end or head < 2 or max(map(len, split)) > head + _AT_THE_END:
        return " ".join(
            _cited(words if release in words else f"In {release}: {words}", mark)
            for release, words, mark in told
        )
    parts = [f"{rest} in {listed(where)}".strip() for rest, where in ends.items()]
    told_apart = listed(parts) if len(parts) == len(told) else "; ".join(parts)
    return f"{' '.join(split[0][:head])} {told_apart}."


def _cited(words: str, mark: str) -> str:
    return f"{words.rstrip('.:')}{f' {mark}' if mark else ''}."


def after(said: str, sentence: str) -> str:
    """A sentence behind a yes or no, if there is one."""
    first, rest = sentence[:1], sentence[1:]
    first = first.lower() if rest[:1].islower() or rest[:1] in " ." else first
    return f"{said}: {first}{rest}" if said else sentence


@dataclass(frozen=True)
class _Told:
    """One side: its value or lead without marks, the marks, and the whole where there is more."""

    release: str
    value: str
    words: str
    marks: str
    whole: str
    known: bool

    @property
    def bare(self) -> str:
        """The lead without the name of the release, which is no difference."""
        return plain(self.words.replace(self.release, ""))


def values_side_by_side(sides: Sequence[Turn], question: str = "") -> Answer:
    """What each release says, in one sentence where possible; below it whatever they list."""
    quotes = Quotes()
    told = [_told(side, quotes, question) for side in sides]
    known = [t for t in told if t.known]
    unknown = [_cited(t.words, t.marks) for t in told if not t.known]
    lead = merged([(t.release, t.words, t.marks) for t in known]) if known else ""
    # A passage in place of an answer decides nothing.
    answered = all(side.answer and not side.answer.unwritten for side in sides)
    if answered and known and not unknown and (same := _same(known)) is not None:
        lead = after(verdict(question, same=same), lead)
    lead = text = " ".join(filter(None, (lead, *unknown)))
    if any(t.whole for t in known):
        text = _below_each_other(told)
    elif not known and len({t.bare for t in told}) == 1:
        releases = listed((t.release for t in told), "or")
        text = f"I couldn't find this in the documentation of {releases}."
    return Answer(
        text=text,
        abstained=not known,
        citations=tuple(quotes.citations),
        value=in_bare_words(lead) if known else "",
        warnings=tuple(w for side in sides if side.answer for w in side.answer.warnings),
    )


def _below_each_other(told: Sequence[_Told]) -> str:
    releases = listed(f"{t.release} {t.marks}".strip() for t in told)
    if len({without_marks(t.whole.replace(t.release, "")) for t in told}) == 1:
        return f"It is the same in {releases}.\n\n{told[-1].whole}"
    sides = (f"**{t.release}**\n\n{t.whole or _cited(t.words, t.marks)}" for t in told)
    return "\n\n".join((f"The answer differs between {releases}.", *sides))


def _told(side: Turn, quotes: Quotes, question: str) -> _Told:
    answer = side.answer
    assert answer is not None
    end = _BODY.search(answer.text)
    head = answer.text[: end.start()] if end else answer.text
    body = answer.text[end.start() :].strip() if end else ""
    own = dict(enumerate(answer.citations, 1))
    # A block shows all of its citations, a lead only its own.
    numbers = marks(head) or ([] if body else sorted(own)[:1])
    mark = " ".join(dict.fromkeys(quotes.number(own[n]) for n in numbers if n in own))
    words = value = in_short(answer.value or without_marks(head), 600)
    if not answer.abstained and len(words.split()) <= _VALUE_WORDS and not words.endswith("."):
        named = _ASKED_FOR.search(question)
        words = f"The {named[1].lower()} is {value}" if named else f"It is {value}"
    whole = ""
    if body and not answer.abstained:
        # The marks count the citations of the whole answer; code stays as it is.
        whole = "".join(
            part if i % 2 else renumbered(part, lambda n: quotes.number(own[n]) if n in own else "")
            for i, part in enumerate(_FENCE.split(answer.text))
        )
    return _Told(side.asked[1], value, words, mark, whole, not answer.abstained)


def _same(told: Sequence[_Told]) -> bool | None:
    """Whether all say the same; None where only a reader can tell."""
    if len({t.bare for t in told}) == 1 or same_value([t.value for t in told]):
        return True
    values = [t.value != t.words for t in told]
    if any(values):
        return False if all(values) else None
    figures = {tuple(sorted(quantities(t.bare))) for t in told}
    return False if len(figures) > 1 else None

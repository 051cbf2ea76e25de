"""What each of several releases answers, in one sentence where they can be put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.comparison.quantities import same_value
from chatbot.comparison.wording import Quotes, after, in_bare_words, in_short, merged, verdict
from chatbot.retrieval.provenance import plain, quantities
from chatbot.text.citation_markers import marks, renumbered, without_marks
from chatbot.text.phrasing import listed
from chatbot.turn import Answer, Citation, Turn

_VALUE_WORDS = 6
"""Words up to which an answer is a value and no sentence."""
_FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_BODY = re.compile(r"\n\s*(?:\n|```|[-*|>] |\d+\. )")
_ASKED_FOR = re.compile(
    r"(?<![\w-])(default|minimum|maximum|severity|range|unit|type|name|size)(?![\w-])", re.I
)


@dataclass(frozen=True)
class _Told:
    """One side: its lead without marks, the marks, the whole in the answer's marks."""

    release: str
    words: str
    marks: str
    whole: str
    has_body: bool
    known: bool

    @property
    def cited(self) -> str:
        """The lead as a sentence with its marks."""
        end = "" if self.marks else "."
        return f"{self.words.rstrip('.:')}{f' {self.marks}.' if self.marks else end}"

    @property
    def is_value(self) -> bool:
        """Whether the lead is a bare value, to be put into a sentence."""
        return len(self.words.split()) <= _VALUE_WORDS and not self.words.endswith(".")


def values_side_by_side(sides: Sequence[Turn], question: str = "", also: str = "") -> Answer:
    """What each release says, in one sentence where possible; below it whatever they list.

    `also` is the release that a question asks after on top of the one that was spoken of.
    """
    quotes = Quotes()
    told = [_told(side, quotes) for side in sides]
    known = [t for t in told if t.known]
    same = _same(known) if len(known) == len(told) else None
    sentence = _sentence(known, question, also if same else "", same=bool(same)) if known else ""
    if same and also:
        sentence = f"Yes, {sentence}"
    elif known and same is not None:
        sentence = after(verdict(question, same=same), sentence)
    lead = " ".join(filter(None, (sentence, *(t.cited for t in told if not t.known))))
    text = lead
    if any(t.has_body for t in known):
        text = _below_each_other(told)
    elif not known and len({t.words.replace(t.release, "") for t in told}) == 1:
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
    """The sides in full where they hold steps, lists or code; once where they are the same."""
    releases = listed(f"{t.release} {t.marks}".strip() for t in told)
    if len({without_marks(t.whole.replace(t.release, "")) for t in told}) == 1:
        return f"It is the same in {releases}.\n\n{told[-1].whole}"
    sides = (f"**{t.release}**\n\n{t.whole or t.cited}" for t in told)
    return "\n\n".join((f"The answer differs between {releases}.", *sides))


def _told(side: Turn, quotes: Quotes) -> _Told:
    answer, release = side.answer, side.asked[1]
    assert answer is not None
    end = _BODY.search(answer.text)
    head = answer.text[: end.start()] if end else answer.text
    body = answer.text[end.start() :].strip() if end else ""
    quoted = body.startswith(">")
    own = dict(enumerate(answer.citations, 1))
    # A block shows all of its citations, a lead only its own.
    numbers = marks(head) or ([] if body and not quoted else sorted(own)[:1])
    cited = " ".join(dict.fromkeys(quotes.number(own[n]) for n in numbers if n in own))
    words = in_short(answer.value or without_marks(head), 600)
    has_body = bool(body) and not quoted and not answer.abstained
    whole = _in_the_whole(answer.text, answer.citations, quotes) if has_body else ""
    return _Told(release, words, cited, whole, has_body, not answer.abstained)


def _in_the_whole(text: str, citations: Sequence[Citation], quotes: Quotes) -> str:
    """A side's text with marks that count the whole's citations; code stays as it is."""
    own = dict(enumerate(citations, 1))
    return "".join(
        part if i % 2 else renumbered(part, lambda n: quotes.number(own[n]) if n in own else "")
        for i, part in enumerate(_FENCE.split(text))
    )


def _same(told: Sequence[_Told]) -> bool | None:
    """Whether all say the same; None where only a reader can tell."""
    bare = [plain(t.words.replace(t.release, "")) for t in told]
    if len(set(bare)) == 1 or same_value([t.words for t in told]):
        return True
    if any(t.is_value for t in told):
        return False if all(t.is_value for t in told) else None
    figures = [sorted(quantities(t.words.replace(t.release, ""))) for t in told]
    if any(f != figures[0] for f in figures):
        return False
    return None


def _sentence(told: Sequence[_Told], question: str, also: str, *, same: bool) -> str:
    if all(t.is_value for t in told):
        return _of_values(told, question, also, same=same)
    if same:
        first = next((t for t in told if t.release == also), told[-1])
        cited = " ".join(t.marks for t in told)
        releases = (also and f"also in {also}") or f"the same in {listed(t.release for t in told)}"
        lead = releases if also else f"It is {releases}"
        return f"{lead}: {first.words.rstrip('.')} {cited}."
    return merged([(t.release, t.words, t.marks) for t in told]) or " ".join(
        t.cited if t.release in t.words else f"In {t.release}: {t.cited}" for t in told
    )


def _of_values(told: Sequence[_Told], question: str, also: str, *, same: bool) -> str:
    if also:
        own = next(t for t in told if t.release == also)
        others = listed(f"{t.release} {t.marks}".strip() for t in told if t is not own)
        return f"also {own.words} in {also} {own.marks}, as in {others}."
    named = _ASKED_FOR.search(question)
    thing = f"the {named[1].lower()}" if named else "it"
    if same and len({t.words for t in told}) == 1:
        where = listed(f"{t.release} {t.marks}".strip() for t in told)
        return f"{thing[0].upper()}{thing[1:]} is {told[0].words} in {where}."
    clauses = [
        f"in {t.release} {thing if i == 0 else 'it'} is {t.words} {t.marks}".strip()
        for i, t in enumerate(told)
    ]
    return f"I{'; '.join(clauses)[1:]}."

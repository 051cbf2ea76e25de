"""What each of several releases answers, in one sentence where they can be put together.

Also what all answers to comparisons are written with: citations, short passages, yes and no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from chatbot.retrieval.provenance import cite, plain, quantities, same_value
from chatbot.text.citation_markers import marks, renumbered, with_marks_as_code, without_marks
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import harmless
from chatbot.turn import Answer, Citation, Record, Turn
from prompts.fencing import visible

_VALUE_WORDS = 6
"""Words up to which an answer is a value and no sentence."""
_FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_BODY = re.compile(r"\n\s*(?:\n|```|[-*|] |\d+\. )")
_ASKED_FOR = re.compile(
    r"(?<![\w-])(default|minimum|maximum|severity|range|unit|type|name|size)(?![\w-])", re.I
)
_LONGEST = 220
_AT_THE_END = 8
_LEAD_IN = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_YES_NO = re.compile(
    r"\W*(?:(?:and|but|so)\s+)?(?:is|are|was|were|do|does|did|has|have|can)\b", re.I
)
_SAME = re.compile(r"\b(?:same|identical|alike|unchanged|equal)\b", re.I)
_DIFFERENT = re.compile(r"\b(?:differ\w*|chang\w*)\b", re.I)


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
    """One sentence of several that differ at their ends: "It is 5 s in 1.0 [1] and 7 s in 2.0 [2]."

    Each is (release, sentence, marks); empty where they differ too much.
    """
    split = [words.rstrip(".").split() for _, words, _ in told]
    if any(release in words or ". " in words for release, words, _ in told):
        return ""
    head = len(list(takewhile(lambda words: len(set(words)) == 1, zip(*split, strict=False))))
    rests = [words[head:] for words in split]
    if head < 2 or any(not 0 < len(rest) <= _AT_THE_END for rest in rests):
        return ""
    ends = (
        f"{' '.join(rest)} in {release} {marks}".strip()
        for (release, _, marks), rest in zip(told, rests, strict=True)
    )
    return f"{' '.join(split[0][:head])} {listed(ends)}."


def asks_yes_or_no(question: str) -> bool:
    """Whether a question is one to say yes or no to."""
    return bool(_YES_NO.match(question))


def verdict(question: str, *, same: bool) -> str:
    """What a question whether releases are the same, or differ, is answered: "Yes" or "No"."""
    if not asks_yes_or_no(question):
        return ""
    if _SAME.search(question):
        return "Yes" if same else "No"
    return ("No" if same else "Yes") if _DIFFERENT.search(question) else ""


def after(said: str, sentence: str) -> str:
    """A sentence behind a yes or no, if there is one."""
    if not said:
        return sentence
    first, rest = sentence[:1], sentence[1:]
    small = rest[:1].islower() or rest[:1] in " ."
    return f"{said}: {first.lower() if small else first}{rest}"


@dataclass(frozen=True)
class _Told:
    """One side: its lead without marks, the marks, and the whole where there is more to it."""

    release: str
    words: str
    marks: str
    whole: str
    known: bool

    @property
    def named(self) -> str:
        """The release with its marks."""
        return f"{self.release} {self.marks}".strip()

    @property
    def bare(self) -> str:
        """The lead without the name of the release, which is no difference."""
        return self.words.replace(self.release, "")

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
    """The sides in full where they hold steps, lists or code; once where they are the same."""
    releases = listed(t.named for t in told)
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
    own = dict(enumerate(answer.citations, 1))
    # A block shows all of its citations, a lead only its own.
    numbers = marks(head) or ([] if body else sorted(own)[:1])
    cited = " ".join(dict.fromkeys(quotes.number(own[n]) for n in numbers if n in own))
    words = in_short(answer.value or without_marks(head), 600)
    whole = ""
    if body and not answer.abstained:
        # The marks count the citations of the whole answer; code stays as it is.
        whole = "".join(
            part if i % 2 else renumbered(part, lambda n: quotes.number(own[n]) if n in own else "")
            for i, part in enumerate(_FENCE.split(answer.text))
        )
    return _Told(release, words, cited, whole, not answer.abstained)


def _same(told: Sequence[_Told]) -> bool | None:
    """Whether all say the same; None where only a reader can tell."""
    if len({plain(t.bare) for t in told}) == 1 or same_value([t.words for t in told]):
        return True
    if any(t.is_value for t in told):
        return False if all(t.is_value for t in told) else None
    figures = {tuple(sorted(quantities(t.bare))) for t in told}
    return False if len(figures) > 1 else None


def _sentence(told: Sequence[_Told], question: str, also: str, *, same: bool) -> str:
    if all(t.is_value for t in told):
        return _of_values(told, question, also, same=same)
    if same:
        first = next((t for t in told if t.release == also), told[-1])
        cited = " ".join(t.marks for t in told)
        lead = f"also in {also}" if also else f"It is the same in {listed(t.release for t in told)}"
        return f"{lead}: {first.words.rstrip('.')} {cited}."
    return merged([(t.release, t.words, t.marks) for t in told]) or " ".join(
        t.cited if t.release in t.words else f"In {t.release}: {t.cited}" for t in told
    )


def _of_values(told: Sequence[_Told], question: str, also: str, *, same: bool) -> str:
    if also:
        own = next(t for t in told if t.release == also)
        others = listed(t.named for t in told if t is not own)
        return f"also {own.words} in {also} {own.marks}, as in {others}."
    named = _ASKED_FOR.search(question)
    thing = f"the {named[1].lower()}" if named else "it"
    if same and len({t.words for t in told}) == 1:
        where = listed(t.named for t in told)
        return f"{thing[0].upper()}{thing[1:]} is {told[0].words} in {where}."
    clauses = [
        f"in {t.release} {thing if i == 0 else 'it'} is {t.words} {t.marks}".strip()
        for i, t in enumerate(told)
    ]
    return f"I{'; '.join(clauses)[1:]}."

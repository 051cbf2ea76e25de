"""What the answers to comparisons are written with: citations, short passages, tables, yes, no."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from chatbot.retrieval.provenance import cite
from chatbot.text.citation_markers import with_marks_as_code, without_marks
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import harmless
from chatbot.turn import Answer, Citation, Record
from prompts.fencing import visible

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


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


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


def of_release(answer: Answer, release: str) -> tuple[Citation, ...]:
    """The citations of one side of an answer."""
    return tuple(c for c in answer.citations if c.release == release)


def quotes_of(citations: Iterable[Citation]) -> str:
    """The words of a side, for a reader who wants that side alone."""
    return "\n\n".join(citation.quote for citation in citations)

"""What became of an accepted answer in another generation, told by the words that it rests on.

What a model writes anew is shown beside it and never compared: two answers of one meaning have
different words, and the words that are cited are those of the documentation.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from chatbot.release_check.words import Pages, Place, negations, topic, units, values, words
from chatbot.retrieval.support import LONGEST_QUOTE, cite_words
from chatbot.turn import Citation

KEPT = 0.75
"""The share of an answer's words that its new pages must have for it to be the same."""
ABOUT = 0.5
"""The share of a question's words that pages must have to be about it."""
_RELEVANT = 0.6
"""Of the words that an answer rests on, the units that bear at least so much of what the best does."""
_MOST_VALUES = 6


class Verdict(StrEnum):
    """What became of an answer: its words stand as they were; or else, asked again, it is the same,
    has changed, or is documented no longer. A failed one could not be asked.
    """

    HOLDS = "holds"
    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    FAILED = "failed"


ASKED = (Verdict.SAME, Verdict.CHANGED, Verdict.GONE, Verdict.FAILED)


@dataclass(frozen=True)
class AcceptedAnswer:
    """An accepted question with its answer and what that cites in the release `of`."""

    question: str
    text: str
    value: str
    citations: tuple[Citation, ...]
    of: str

    @classmethod
    def of_pair(cls, question: str, answer: Mapping[str, Any], release: str) -> "AcceptedAnswer":
        """The answer of a saved pair."""
        citations = tuple(Citation(**cited) for cited in answer.get("citations", ()))
        return cls(question, answer["text"], answer.get("value", ""), citations, release)

    @property
    def said(self) -> str:
        """Its own words: the short answer, else the text."""
        return self.value or self.text


@dataclass(frozen=True)
class Compared:
    """A verdict, the values of the old answer that are no more, the new ones, and their pages."""

    verdict: Verdict
    old_values: tuple[str, ...] = ()
    new_values: tuple[str, ...] = ()
    cited: tuple[Citation, ...] = ()


@dataclass
class _Found:
    """The new words in place of the old ones, and what was lost and added on the way."""

    places: list[Place] = field(default_factory=list)
    missing: int = 0
    lost: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)
    turned: bool = False
    grown: bool = False


def holds(answer: AcceptedAnswer, pages: Sequence[Pages]) -> bool:
    """Whether all the cited words stand as they were; an answer that cites nothing never does."""
    return bool(pages) and all(of.holding() for of in pages)


def compare(
    answer: AcceptedAnswer,
    pages: Sequence[Pages],
    new: Sequence[Citation],
    *,
    abstained: bool,
    release: str,
) -> Compared:
    """Say what became of an answer whose cited words changed, by them and by those cited anew."""
    found = _find(answer, pages)
    cited = tuple(dict.fromkeys(_cite(place, release) for place in found.places))
    there = [citation.quote for citation in (*cited, *new)]
    own = _own_words(answer)
    lost = _lost_values(answer, there)
    if not found.places:
        if abstained or not new:
            return Compared(Verdict.GONE, tuple(lost.values())[:_MOST_VALUES])
        if lost or _share(own, there) < KEPT:
            about = topic(answer.question)
            is_about = _share(about, there) >= ABOUT
            verdict = Verdict.CHANGED if is_about else Verdict.GONE
            return Compared(verdict, tuple(lost.values())[:_MOST_VALUES], (), tuple(new))
        return Compared(Verdict.SAME, cited=tuple(new))
    lost |= {key: word for key, word in found.lost.items() if key in values(answer.said)}
    added = {key: word for key, word in found.added.items() if key not in words(answer.said)}
    changed = bool(lost) or found.turned or found.grown or _share(own, there) < KEPT
    verdict = Verdict.CHANGED if changed else Verdict.SAME
    shown = tuple(added.values())[:_MOST_VALUES] if changed else ()
    return Compared(verdict, tuple(lost.values())[:_MOST_VALUES], shown, cited)


def _find(answer: AcceptedAnswer, pages: Sequence[Pages]) -> _Found:
    """Look for what takes the place of the units that the answer rests on."""
    found = _Found()
    for unit, of in _relevant(answer, pages):
        place = of.like(unit)
        if place is None:
            found.missing += 1
            continue
        found.places.append(place)
        before, after = values(unit), values(place.unit.text)
        found.lost |= {key: word for key, word in before.items() if key not in after}
        found.added |= {key: word for key, word in after.items() if key not in before}
        # Where the answer is all that the unit says, more there is another answer.
        said = values(answer.said)
        if before and before.keys() <= said.keys() and after.keys() - before.keys():
            found.grown = True
        if negations(unit) != negations(place.unit.text):
            found.turned = True
    return found


def _relevant(answer: AcceptedAnswer, pages: Sequence[Pages]) -> list[tuple[str, Pages]]:
    """The units of the cited words that bear most of the answer."""
    own, about = _own_words(answer), topic(answer.question)
    told = values(answer.said)
    scored: list[tuple[float, str, Pages]] = []
    for of in pages:
        for unit in units(of.citation.quote):
            of_unit = topic(unit)
            score = 2 * _part(own, of_unit) + _part(about, of_unit)
            score += 2 * bool(told.keys() & set(words(unit)))
            scored.append((score, unit, of))
    best = max((score for score, _, _ in scored), default=0.0)
    return [(unit, of) for score, unit, of in scored if best and score >= _RELEVANT * best]


def _own_words(answer: AcceptedAnswer) -> Counter[str]:
    """What the answer says beyond its question, as far as its citations say it."""
    said = topic(answer.said)
    beyond = Counter({word: n for word, n in said.items() if word not in topic(answer.question)})
    cited = sum((topic(citation.quote) for citation in answer.citations), Counter[str]())
    borne = Counter({word: n for word, n in (beyond or said).items() if word in cited})
    return borne or beyond or said


def _lost_values(answer: AcceptedAnswer, there: Iterable[str]) -> dict[str, str]:
    """The values of the answer that its old words bear and the new ones do not."""
    new = {word for text in there for word in words(text)}
    old = {word for citation in answer.citations for word in words(citation.quote)}
    told = values(answer.said)
    return {key: word for key, word in told.items() if key in old and key not in new}


def _share(wanted: Counter[str], texts: Iterable[str]) -> float:
    held: set[str] = set()
    for text in texts:
        held |= topic(text).keys()
    return _part(wanted, Counter(dict.fromkeys(held, 1)))


def _part(wanted: Counter[str], of: Counter[str]) -> float:
    return sum(word in of for word in wanted) / len(wanted) if wanted else 0.0


def _cite(place: Place, release: str) -> Citation:
    unit = place.unit
    return cite_words(unit.page, unit.text, unit.path, unit.anchor, release, longest=LONGEST_QUOTE)

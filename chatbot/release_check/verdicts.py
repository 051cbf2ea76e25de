"""What became of an accepted answer in another generation, told by the words that it rests on.

What a model writes anew is shown beside it and never compared: two answers of one meaning have
different words, and the words that are cited are those of the documentation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from chatbot.release_check.accepted_answer import (
    AcceptedAnswer,
    is_literal_lost,
    lost_values,
    own_words,
    part,
    relevant,
)
from chatbot.release_check.rewording import ABOUT, KEPT, says_otherwise
from chatbot.release_check.words import Pages, Place, literals, topic, units, values, words
from chatbot.retrieval.support import LONGEST_QUOTE, cite_words
from chatbot.turn import Citation

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


@dataclass(frozen=True)
class Compared:
    """A verdict, the values of the old answer that are no more, the new ones, and their pages."""

    verdict: Verdict
    old_values: tuple[str, ...] = ()
    new_values: tuple[str, ...] = ()
    cited: tuple[Citation, ...] = ()


@dataclass
class _Found:
    """The new words in place of the old ones; what was lost and added on the way.

    `unplaced` are words of the answer that only units without a place bore; `turned` says that one
    says something else now.
    """

    places: list[Place] = field(default_factory=list)
    unplaced: set[str] = field(default_factory=set)
    lost: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)
    turned: bool = False


def holds(answer: AcceptedAnswer, pages: Sequence[Pages]) -> bool:
    """Whether all the cited words stand as they were; an answer that cites nothing never does."""
    texts = (page.text for of in pages for page in of.candidates)
    return bool(pages) and all(of.holds() for of in pages) and not is_literal_lost(answer, texts)


def compare(
    answer: AcceptedAnswer,
    pages: Sequence[Pages],
    new: Sequence[Citation],
    *,
    abstained: bool,
    release: str,
) -> Compared:
    """Say what became of an answer whose cited words changed, by them and by those cited anew."""
    if pages:
        # The product's name says nothing that answers.
        answer = replace(answer, question=f"{answer.question} {pages[0].corpus.product}")
    found = _find(answer, pages)
    if not found.places:
        return _elsewhere(answer, pages, new, abstained=abstained, release=release)
    cited = tuple(dict.fromkeys(_cite(place, release) for place in found.places))
    around = (of.around(place) for of in pages for place in found.places)
    changed = found.lost or found.turned or found.unplaced or is_literal_lost(answer, around)
    if not changed:
        return Compared(Verdict.SAME, cited=cited)
    said = words(answer.said)
    added = [word for key, word in found.added.items() if key not in said]
    shown = tuple(found.lost.values())[:_MOST_VALUES], tuple(added)[:_MOST_VALUES]
    return Compared(Verdict.CHANGED, *shown, cited)


def _elsewhere(
    answer: AcceptedAnswer,
    pages: Sequence[Pages],
    new: Sequence[Citation],
    *,
    abstained: bool,
    release: str,
) -> Compared:
    """What became of an answer for whose words nothing stands: by what is cited anew alone.

    Unless its section says it still, in a sentence of its own.
    """

    def says(texts: Sequence[str]) -> bool:
        is_lost = lost_values(answer, texts) or is_literal_lost(answer, texts)
        return not is_lost and _is_said(answer, texts)

    for unit in (unit for of in pages for unit in of.below):
        if says([unit.text]):
            return Compared(Verdict.SAME, cited=(_cite(Place(unit, 1.0), release),))
    there = [citation.quote for citation in new]
    lost = lost_values(answer, there)
    if new and not abstained and says(there):
        return Compared(Verdict.SAME, cited=tuple(new))
    is_about = not abstained and part(topic(answer.question), topic("\n".join(there))) >= ABOUT
    verdict = Verdict.CHANGED if is_about else Verdict.GONE
    return Compared(verdict, tuple(lost.values())[:_MOST_VALUES], (), tuple(new))


def _is_said(answer: AcceptedAnswer, there: Sequence[str]) -> bool:
    """Whether each sentence of the answer has one like it."""
    told = [topic(unit) for text in there for unit in units(text)]
    said = [topic(unit) for unit in units(answer.said)]
    return bool(said) and all(any(part(one, other) >= KEPT for other in told) for one in said)


def _find(answer: AcceptedAnswer, pages: Sequence[Pages]) -> _Found:
    """Look for what takes the place of the units that the answer rests on."""
    found = _Found(turned=any(of.is_entry_gone for of in pages))
    told = values(answer.said) | literals(answer.said)
    unplaced: list[set[str]] = []
    for unit, of in relevant(answer, pages):
        place = of.like(unit)
        own = own_words(answer).keys() & topic(unit).keys()
        if place is None:
            unplaced.append(own)
            continue
        found.places.append(place)
        text = place.unit.text
        if "".join(words(unit)) == "".join(words(text)):
            continue
        around = of.around(place)
        here, there = set(words(unit)), set(words(around))
        found.lost |= {k: w for k, w in told.items() if k in here and k not in there}
        found.added |= {k: word for k, word in values(text).items() if k not in here}
        code = of.code_in(place.unit)
        found.turned |= says_otherwise(
            answer, unit, text, around=around, cited=of.citation.quote, code=code
        )
    # What a unit without a place bore stands together in another one, or is lost.
    sections = {of.around(place) for of in pages for place in found.places}
    others = [topic(unit).keys() for text in sections for unit in units(text)]
    found.unplaced = set().union(*(own for own in unplaced if not any(own <= o for o in others)))
    return found


def _cite(place: Place, release: str) -> Citation:
    unit = place.unit
    return cite_words(
        unit.page,
        unit.text,
        unit.path,
        unit.block.anchor or unit.page.anchor,
        release,
        longest=LONGEST_QUOTE,
    )

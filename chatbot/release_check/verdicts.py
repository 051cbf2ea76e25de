"""What became of an accepted answer in another generation, told by the words that it rests on.

What a model writes anew is shown beside it and never compared: two answers of one meaning have
different words, and the words that are cited are those of the documentation.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from chatbot.comparison.plain_words import stands_in
from chatbot.release_check.words import (
    Pages,
    Place,
    likeness,
    literals,
    negations,
    quotes,
    stems,
    topic,
    units,
    values,
    words,
)
from chatbot.retrieval.support import LONGEST_QUOTE, cite_words
from chatbot.text.markdown import without_marks
from chatbot.turn import Citation
from corpora.indexing.number_words import NUMBER_WORDS

KEPT = 0.75
"""The share of its words that a sentence must keep to be the same."""
ABOUT = 0.5
"""The share of a question's words that pages must have to be about it."""
_RELEVANT = 0.6
"""The units of cited words that bear at least so much of an answer as the best one does."""
_MOST_VALUES = 6
_SIGNS = re.compile(r"\w+|[^\w\s]")
_ENDS = frozenset(".!?:")


class Verdict(StrEnum):
    """What became of an answer: its words stand as they were; or else, asked again, it is the same,
    has changed, or is documented no longer. A failed one could not be asked.
    """

    HOLDS = "holds"
    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    FAILED = "failed"


_CITATIONS = TypeAdapter(tuple[Citation, ...])


def citations_of(kept: object) -> tuple[Citation, ...]:
    """Citations as the database keeps them."""
    return _CITATIONS.validate_python(kept)


@dataclass(frozen=True)
class AcceptedAnswer:
    """An accepted question with its answer and what that cites."""

    question: str
    text: str
    value: str
    citations: tuple[Citation, ...]

    @classmethod
    def of_pair(cls, question: str, answer: Mapping[str, Any]) -> "AcceptedAnswer":
        """The answer of a saved pair."""
        citations = citations_of(answer.get("citations", ()))
        return cls(question, answer["text"], answer.get("value", ""), citations)

    @property
    def said(self) -> str:
        """Its own words: the short answer, else the text."""
        return without_marks(self.value or self.text)


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
    return bool(pages) and all(of.holds() for of in pages) and not _is_literal_lost(answer, texts)


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
    texts = (page.text for of in pages for page in of.candidates)
    is_there = all(any(of.says(unit) for of in pages) for unit in units(answer.said))
    if is_there and not _is_literal_lost(answer, texts):
        cited = tuple(_cite(place, release) for place in found.places)
        return Compared(Verdict.SAME, cited=tuple(dict.fromkeys(cited or new)))
    if not found.places:
        return _elsewhere(answer, pages, new, abstained=abstained, release=release)
    cited = tuple(dict.fromkeys(_cite(place, release) for place in found.places))
    around = (of.around(place) for of in pages for place in found.places)
    changed = found.lost or found.turned or found.unplaced or _is_literal_lost(answer, around)
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
        is_lost = _lost_values(answer, texts) or _is_literal_lost(answer, texts)
        return not is_lost and _is_said(answer, texts)

    for unit in (unit for of in pages for unit in of.below):
        if says([unit.text]):
            return Compared(Verdict.SAME, cited=(_cite(Place(unit, 1.0), release),))
    there = [citation.quote for citation in new]
    lost = _lost_values(answer, there)
    if new and not abstained and says(there):
        return Compared(Verdict.SAME, cited=tuple(new))
    is_about = not abstained and _share(topic(answer.question), there) >= ABOUT
    verdict = Verdict.CHANGED if is_about else Verdict.GONE
    return Compared(verdict, tuple(lost.values())[:_MOST_VALUES], (), tuple(new))


def _is_said(answer: AcceptedAnswer, there: Sequence[str]) -> bool:
    """Whether each sentence of the answer has one like it."""
    told = [topic(unit) for text in there for unit in units(text)]
    said = [topic(unit) for unit in units(answer.said)]
    return bool(said) and all(any(_part(one, other) >= KEPT for other in told) for one in said)


def _find(answer: AcceptedAnswer, pages: Sequence[Pages]) -> _Found:
    """Look for what takes the place of the units that the answer rests on."""
    found = _Found(turned=any(of.is_entry_gone for of in pages))
    told = values(answer.said) | literals(answer.said)
    borne: set[str] = set()
    unplaced: list[set[str]] = []
    for unit, of in _relevant(answer, pages):
        place = of.like(unit)
        own = _own_words(answer).keys() & topic(unit).keys()
        if place is None:
            unplaced.append(own)
            continue
        borne |= own
        found.places.append(place)
        text = place.unit.text
        if _letters(unit) == _letters(text):
            continue
        here, there = set(words(unit)), set(words(of.around(place)))
        found.lost |= {k: w for k, w in told.items() if k in here and k not in there}
        found.added |= {k: word for k, word in values(text).items() if k not in here}
        found.turned |= negations(unit) != negations(text)
        found.turned |= _is_quoted_lost(answer, unit, of.around(place))
        found.turned |= _has_new_value(answer, unit, text, of.citation.quote)
        # A sentence that goes on with what stood behind it is cut otherwise, and says no more.
        beyond = f"{unit}\n{of.citation.quote}"
        found.turned |= _says_otherwise(answer, unit, text, beyond)
    # What a unit without a place bore stands together in another one, or is lost.
    sections = {of.around(place) for of in pages for place in found.places}
    others = [topic(unit).keys() for text in sections for unit in units(text)]
    found.unplaced = set().union(*(own for own in unplaced if not any(own <= o for o in others)))
    return found


def _has_new_value(answer: AcceptedAnswer, old: str, new: str, quote: str) -> bool:
    """Whether a figure or name has come beside, or in place of, a word that answers.

    Words are beside each other that are next to each other in the new sentence.
    """
    before, after = words(old), words(new)
    known = {*words(quote), *words(answer.question), *words(answer.said)}
    come = values(new).keys() - known
    answering = set(words(answer.said)) - set(words(answer.question))
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return any(
        kind != "equal"
        and not come.isdisjoint(after[start:end])
        and not answering.isdisjoint(
            word
            for word in (
                *before[gone:left],
                *after[max(start - 1, 0) : start],
                *after[end : end + 1],
            )
            if topic(word)
        )
        for kind, gone, left, start, end in changes
    )


def _letters(text: str) -> str:
    """The letters of a text alone: "user name" and "username" are the same."""
    return "".join(words(text))


def _says_otherwise(answer: AcceptedAnswer, old: str, new: str, beyond: str) -> bool:
    """Whether a sentence has lost a word that the answer says, or says more than the answer.

    Plain words in place of others are another wording, in a sentence that is the same otherwise
    ("amount") or still has the figure or name that answers.
    `beyond` was cited around the old one.
    """
    before, after = stems(old), stems(new)
    wholly = stems(f"{answer.question} {answer.said}")
    gone, come = before.keys() - after.keys(), after.keys() - before.keys() - stems(beyond).keys()
    named = values(old).keys() | values(new).keys() | NUMBER_WORDS.keys()
    is_plain = all(
        all(map(str.isalpha, word.split("-"))) and word not in named for word in gone | come
    )
    if gone & (stems(answer.said).keys() - stems(answer.question).keys()):
        is_like = come and likeness(before, after) >= KEPT
        return not (is_plain and (is_like or not _own_values(answer).isdisjoint(words(new))))
    is_more = bool(come - wholly.keys()) and _part(before, wholly) >= ABOUT
    return is_more and not (is_plain and gone)


def _own_values(answer: AcceptedAnswer) -> set[str]:
    """The figures and names that an answer says beyond its question."""
    return {*values(answer.said), *literals(answer.said)} - {*words(answer.question)}


def _is_literal_lost(answer: AcceptedAnswer, new: Iterable[str]) -> bool:
    """Whether the answer is a command or setting that was cited, sign for sign, and is no more."""
    said = _signs(answer.said.replace("`", ""))
    if not said or said[-1] in _ENDS or all(map(str.isalnum, said)):
        return False
    old = [citation.quote for citation in answer.citations]

    def stands(texts: Iterable[str]) -> bool:
        return any(stands_in(said, _signs(text)) for text in texts)

    return stands(old) and not stands(new)


def _is_quoted_lost(answer: AcceptedAnswer, old: str, new: str) -> bool:
    """Whether the answer repeats, sign for sign, what a sentence had in quotes, and it is gone."""
    said, there = _signs(answer.said), _signs(new)
    quoted = (_signs(span) for span in quotes(old))
    return any(stands_in(span, said) and not stands_in(span, there) for span in quoted)


def _signs(text: str) -> list[str]:
    """The words and signs of a text; brackets of either kind are the same."""
    return _SIGNS.findall(text.replace("[", "(").replace("]", ")"))


def _relevant(answer: AcceptedAnswer, pages: Sequence[Pages]) -> list[tuple[str, Pages]]:
    """The units of the cited words that bear most of the answer, and those that bear its rest."""
    own, about = _own_words(answer), topic(answer.question)
    told = values(answer.said) | literals(answer.said)
    scored: list[tuple[float, str, Pages]] = []
    for of in pages:
        for unit in units(of.citation.quote):
            of_unit = topic(unit)
            score = 2 * _part(own, of_unit) + _part(about, of_unit)
            score += 2 * bool(told.keys() & set(words(unit)))
            scored.append((score, unit, of))
    scored.sort(key=lambda one: -one[0])
    best = scored[0][0] if scored else 0.0
    chosen: list[tuple[str, Pages]] = []
    covered: set[str] = set()
    for score, unit, of in scored:
        bears = own.keys() & topic(unit).keys()
        if bears and (score >= _RELEVANT * best or bears - covered):
            chosen.append((unit, of))
            covered |= bears
    return chosen


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
    return cite_words(
        unit.page,
        unit.text,
        unit.path,
        unit.block.anchor or unit.page.anchor,
        release,
        longest=LONGEST_QUOTE,
    )

"""An accepted answer, and the sentences and rows of its citations that bear it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from chatbot.comparison.plain_words import stands_in
from chatbot.release_check.words import Pages, literals, topic, units, values, words
from chatbot.text.markdown import without_marks
from chatbot.turn import Citation

_RELEVANT = 0.6
"""The units of cited words that bear at least so much of an answer as the best one does."""
_SIGNS = re.compile(r"\w+|[^\w\s]")
_ENDS = frozenset(".!?:")
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


def relevant(answer: AcceptedAnswer, pages: Sequence[Pages]) -> list[tuple[str, Pages]]:
    """The units of the cited words that bear most of the answer, and those that bear its rest."""
    own, about = own_words(answer), topic(answer.question)
    told = values(answer.said) | literals(answer.said)
    scored: list[tuple[float, str, Pages]] = []
    for of in pages:
        for unit in units(of.citation.quote):
            of_unit = topic(unit)
            score = 2 * part(own, of_unit) + part(about, of_unit)
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


def own_words(answer: AcceptedAnswer) -> Counter[str]:
    """What the answer says beyond its question, as far as its citations say it."""
    said = topic(answer.said)
    beyond = Counter({word: n for word, n in said.items() if word not in topic(answer.question)})
    cited = sum((topic(citation.quote) for citation in answer.citations), Counter[str]())
    borne = Counter({word: n for word, n in (beyond or said).items() if word in cited})
    return borne or beyond or said


def own_values(answer: AcceptedAnswer) -> set[str]:
    """The figures and names that an answer says beyond its question."""
    return {*values(answer.said), *literals(answer.said)} - {*words(answer.question)}


def lost_values(answer: AcceptedAnswer, there: Iterable[str]) -> dict[str, str]:
    """The values of the answer that its old words bear and the new ones do not."""
    new = {word for text in there for word in words(text)}
    old = {word for citation in answer.citations for word in words(citation.quote)}
    told = values(answer.said)
    return {key: word for key, word in told.items() if key in old and key not in new}


def is_literal_lost(answer: AcceptedAnswer, new: Iterable[str]) -> bool:
    """Whether the answer is a command or setting that was cited, sign for sign, and is no more."""
    said = signs(answer.said.replace("`", ""))
    if not said or said[-1] in _ENDS or all(map(str.isalnum, said)):
        return False
    old = [citation.quote for citation in answer.citations]

    def stands(texts: Iterable[str]) -> bool:
        return any(stands_in(said, signs(text)) for text in texts)

    return stands(old) and not stands(new)


def signs(text: str) -> list[str]:
    """The words and signs of a text; brackets of either kind are the same."""
    return _SIGNS.findall(text.replace("[", "(").replace("]", ")"))


def part(wanted: Counter[str], of: Counter[str]) -> float:
    """The share of the wanted words, 0 to 1, that are there."""
    return sum(word in of for word in wanted) / len(wanted) if wanted else 0.0

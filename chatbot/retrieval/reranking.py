"""How well whole passages answer: what their records gain beside their own scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chatbot.retrieval.kinds import FORMS, Kind, asked_for
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.text.query_terms import filtered
from chatbot.turn import Record
from corpora.indexing.lexical import identifiers, tokens

_KINDS = "settings?|options?|parameters?|arguments?|directives?|commands?|flags?|fields?|methods?"
_SAID = re.compile(rf"\b([\w-]+) (?:{_KINDS})\b|\b(?:{_KINDS}) ([\w-]+)", re.I)
"""A name that is an everyday word, told by what it is the name of: "the language setting"."""
_READ = 900
"""Characters of a passage that are embedded."""
_LONG = 1500
"""A longer passage holds more of any question's words by its length alone."""


@dataclass(frozen=True)
class PassageWeights:
    """What a passage gives its records, where the share of the question's words is about 1.

    `coverage`: the share of the question's words that the passage and its headings hold; `form`:
    blocks of the form that is asked for; `name`: its heading or signature is a name that the
    question asks about, and not a longer one; `definition`: it says what the thing is whose
    definition is asked for; `cosine`: of the question and the passage, computed for the best
    `cosine_candidates`.
    """

    coverage: float = 0.5
    form: float = 0.4
    name: float = 0.5
    definition: float = 0.5
    cosine: float = 1.0
    cosine_candidates: int = 20


def lift_by_passage(
    question: str,
    importance: Mapping[str, float],
    scored: Sequence[Record],
    similarity: Callable[[str, Sequence[str]], Sequence[float]],
    weights: PassageWeights,
) -> list[Record]:
    """Add to the records' scores what their passages are worth; best first.

    `importance` weighs the question's tokens (`chatbot.retrieval.relevance`).
    """
    kind = asked_for(question)
    form = FORMS.get(kind, ())
    names = set(
        map(_name, (*identifiers(question), *(m[1] or m[2] for m in _SAID.finditer(question))))
    )
    defines = _defining(question) if kind is Kind.DEFINITION else None
    passages = best_passages(scored)
    head = passages[: weights.cosine_candidates]
    cosines = similarity(question, [_embedded(p) for p in head]) if weights.cosine and head else []
    gains: dict[tuple[int, int], float] = {}
    for i, passage in enumerate(passages):
        formed = passage.has(*form) or (kind is Kind.STEPS and bool(passage.step))
        gain = weights.coverage * _coverage(passage, importance) + weights.form * formed
        gain += weights.name * (_name(passage.heading) in names)
        gain += weights.definition * (defines is not None and defines(passage))
        gain += weights.cosine * float(cosines[i]) if i < len(cosines) else 0.0
        gains.update((place, gain) for place in _places(passage))
    lifted = [replace(r, score=r.score + gains.get((r.page.id, r.start), 0.0)) for r in scored]
    return sorted(lifted, key=lambda record: -record.score)


def _defining(question: str) -> Callable[[Passage], bool] | None:
    """Whether a passage says what the thing of a question is: in a sentence, or in its row."""
    thing = filtered(question).split()
    if not thing:
        return None
    told = r"[\s-]+".join(map(re.escape, thing))
    sentence = re.compile(
        rf"(?:^|[.:]\s+|\n)\W*(?:an?\s+|the\s+)?`*{told}`*(?:e?s)?(?:\s+\([^()]*\))?\s+"
        r"(?:is|are|means?|refers?|describes?|defines?|represents?|allows?|lets?|can)\b",
        re.I,
    )
    named = {token for word in thing for token in tokens(word)[:1]}

    def defines(passage: Passage) -> bool:
        rows = (r.cells[0][1] for r in passage.records if r.cells)
        return bool(sentence.search(passage.text)) or any(
            {t for w in row.split() for t in tokens(w)[:1]} == named for row in rows
        )

    return defines


def _places(passage: Passage) -> Iterator[tuple[int, int]]:
    return ((passage.page.id, record.start) for record in passage.records)


def _name(heading: str) -> str:
    return heading.strip("` ").removesuffix("()").lower()


def _embedded(passage: Passage) -> str:
    return f"{' > '.join(passage.path)}\n{passage.text[:_READ]}"


def _coverage(passage: Passage, importance: Mapping[str, float]) -> float:
    """The share of the question, 0 to 1, that a passage and its headings hold; less if long."""
    text = set(tokens(" ".join((passage.text, *passage.path, passage.page.document.title))))
    held = sum(weight for token, weight in importance.items() if token in text)
    return min(held, 1.0) * min(1.0, _LONG / len(passage.text))

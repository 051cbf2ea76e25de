"""Entities and facts that an answer shares with a gold answer (GraphContextGen, section 6).

The paper finds them with UniversalNER and with the models of FactSumm. Here both are found by
rule, the same each time and without a model: an entity is what the product takes for a name or a
figure, and a fact are two entities of one sentence with the words that relate them. Of plain words
("Major") no entity is made, and a sentence that turns its meaning round has the same facts.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import permutations

from chatbot.retrieval.provenance import claims, plain, quantities
from chatbot.text.query_terms import filtered
from corpora.indexing.lexical import identifiers, tokens
from eval.own_words import sentences

_HYPHENATED = re.compile(r"(?<![\w-])(?=[\w-]*(?:\d|[A-Z]{2}))[^\W\d]\w*(?:-\w+)+")
_ABBREVIATION = re.compile(r"(?:[^\W\d]\.)+[^\W\d]")


@dataclass(frozen=True, slots=True)
class Fact:
    """Two entities, and the stems of the words of their sentence; none says that they are equal."""

    head: str
    relation: frozenset[str]
    tail: str


def entities(text: str) -> frozenset[str]:
    """The names and the figures with their units in a text, spelt alike: "hold_time", "300s"."""
    return frozenset(filter(None, map(_spelt, _as_written(text))))


def entity_jaccard(answer: str, gold: str) -> float | None:
    """|A ∩ G| / |A ∪ G| of the entities of answer and gold, 0 to 1; None if the gold has none."""
    said, wanted = entities(answer), entities(gold)
    return len(said & wanted) / len(said | wanted) if wanted else None


def facts(text: str) -> frozenset[Fact]:
    """A fact for each two entities of a sentence, in both orders, as FactSumm makes its pairs."""
    found: set[Fact] = set()
    for sentence in sentences(text):
        named = set(tokens(" ".join(_as_written(sentence.text))))
        relation = frozenset(tokens(filtered(sentence.text))) - named
        ends = entities(sentence.text)
        found.update(Fact(head, relation, tail) for head, tail in permutations(ends, 2))
    return frozenset(found)


def fact_overlap(answer: str, gold: str) -> float | None:
    """The share of the answer's facts that the gold states, 0 to 1 (FactSumm: Heo, 2021).

    As there only facts count whose head and relation the gold has too, so that the answer may say
    more; 0 where there is none. Two relations are alike if they share a word or one has none.
    None if the gold states no fact.
    """
    wanted = facts(gold)
    if not wanted:
        return None
    of_head: dict[str, list[Fact]] = defaultdict(list)
    for fact in wanted:
        of_head[fact.head].append(fact)
    stated = comparable = 0
    for fact in facts(answer):
        alike = [w for w in of_head.get(fact.head, ()) if _alike(fact.relation, w.relation)]
        comparable += bool(alike)
        stated += any(fact.tail == w.tail for w in alike)
    return stated / comparable if comparable else 0.0


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return not (one and other) or not one.isdisjoint(other)


def _as_written(text: str) -> list[str]:
    whole = (*quantities(text), *_HYPHENATED.findall(text))
    rest = text
    for name in whole:
        # Its parts are no entities.
        rest = rest.replace(name, " ")
    named = (*whole, *claims(rest), *identifiers(rest))
    return [name for name in named if not _ABBREVIATION.fullmatch(name)]


def _spelt(entity: str) -> str:
    bare = re.sub(r",(?=\d{3})", "", plain(entity)).removesuffix("()")
    return "".join(bare.split())

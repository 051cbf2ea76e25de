"""How alike answer and gold answer are: the measures of GraphContextGen (5, 6), ComRAG (5.1).

BERTScore (Zhang et al., 2020) takes the last hidden states of the model that searches and is not
rescaled, so its figures compare answers with each other here and not with published ones. ROUGE
(Lin, 2004) is over runs of letters and digits in any case, without stemming. Entities, for which
the paper has UniversalNER, are found by rule: what the product takes for a name or a figure; of
plain words ("Major") none is made. BLEU (Papineni et al., 2002) is sacrebleu's of a sentence. SIM
is the cosine of the vectors of the model that searches; ComRAG does not name its own.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from chatbot.retrieval.support import claims, plain, quantities
from corpora.indexing.embedding import TokenVectors, Vectors
from corpora.indexing.lexical import identifiers

_WORD = re.compile(r"[^\W_]+")
_HYPHENATED = re.compile(r"(?<![\w-])(?=[\w-]*(?:\d|[A-Z]{2}))[^\W\d]\w*(?:-\w+)+")
_ABBREVIATION = re.compile(r"(?:[^\W\d]\.)+[^\W\d]")

TokenEmbedding = Callable[[Sequence[str]], Sequence[TokenVectors]]
"""Texts become token vectors: `MiniLM.token_vectors`."""
TextEmbedding = Callable[[Sequence[str]], Vectors]
"""Texts become vectors of length one: `MiniLM.embed`."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Each 0 to 1, None where the gold answer has no entity; none decides anything.

    BERTScore and ROUGE are F1. What an answer says beyond the gold answer lowers them.
    """

    bert_score: float
    rouge_1: float
    rouge_l: float
    entity_jaccard: float | None
    bleu: float
    sim: float


LIKENESS = {
    "bert_score": "BERTScore F1 by MiniLM",
    "rouge_1": "ROUGE-1 F1",
    "rouge_l": "ROUGE-L F1",
    "entity_jaccard": "entity overlap (Jaccard)",
    "bleu": "BLEU",
    "sim": "SIM, cosine by MiniLM",
}
"""What is told of likeness: the field, and how the report calls it."""

Alike = Callable[[str, str], Likeness]
"""Measures an answer's own words, empty where it says nothing, against a gold answer."""


def alike_by(token_vectors: TokenEmbedding, embed: TextEmbedding) -> Alike:
    """Make the function that measures an answer with the vectors of its tokens and of its text."""

    def alike(candidate: str, gold: str) -> Likeness:
        return Likeness(
            bert_score=bert_score(candidate, gold, token_vectors).f1,
            rouge_1=rouge_1(candidate, gold),
            rouge_l=rouge_l(candidate, gold),
            entity_jaccard=entity_jaccard(candidate, gold),
            bleu=bleu(candidate, gold),
            sim=sim(candidate, gold, embed),
        )

    return alike


class BertScore(NamedTuple):
    """Precision, recall and F1, each -1 to 1 and in practice 0 to 1."""

    precision: float
    recall: float
    f1: float


def bert_score(candidate: str, reference: str, token_vectors: TokenEmbedding) -> BertScore:
    """Score a candidate against a reference (Zhang et al., section 3).

    Greedy matching: every token goes with the one of the other text that is most like it.
    R = mean over the reference of max_x̂ xᵀx̂, P the same over the candidate, F1 = 2·P·R / (P + R).
    """
    vector, gold = token_vectors([candidate, reference])
    if not vector.tokens or not gold.tokens:
        alike = float(vector.tokens == gold.tokens)
        return BertScore(alike, alike, alike)
    cosines = vector.vectors @ gold.vectors.T
    precision = float(cosines.max(axis=1).mean())
    recall = float(cosines.max(axis=0).mean())
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)


def rouge_1(candidate: str, reference: str) -> float:
    """F1 of the single words, 0 to 1, each counted as often as both have it (section 2)."""
    words, gold = _words(candidate), _words(reference)
    return _f1((Counter(words) & Counter(gold)).total(), words, gold)


def rouge_l(candidate: str, reference: str) -> float:
    """F1 of the longest common subsequence of words, 0 to 1 (section 3.1, with β = 1)."""
    words, gold = _words(candidate), _words(reference)
    return _f1(LCSseq.similarity(words, gold), words, gold)


def bleu(candidate: str, reference: str) -> float:
    """Precision of the runs of up to four words, 0 to 1, lowered for what is too short.

    Of a text of fewer words the longest runs that it can have (sacrebleu's effective order).
    """
    from sacrebleu.metrics.bleu import BLEU

    return float(BLEU(effective_order=True).sentence_score(candidate, [reference]).score / 100)


def sim(candidate: str, reference: str, embed: TextEmbedding) -> float:
    """The cosine of two texts, -1 to 1; 0 of one that says nothing."""
    if not candidate.strip() or not reference.strip():
        return 0.0
    one, other = embed([candidate, reference])
    return float(one @ other)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _f1(common: int, candidate: list[str], gold: list[str]) -> float:
    return 2 * common / (len(candidate) + len(gold)) if candidate or gold else 1.0


def entities(text: str) -> frozenset[str]:
    """The names and the figures with their units in a text, spelt alike: "hold_time", "300s"."""
    return frozenset(filter(None, map(_spelt, _as_written(text))))


def entity_jaccard(answer: str, gold: str) -> float | None:
    """|A ∩ G| / |A ∪ G| of the entities of answer and gold, 0 to 1; None if the gold has none."""
    named, wanted = entities(answer), entities(gold)
    return len(named & wanted) / len(named | wanted) if wanted else None


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

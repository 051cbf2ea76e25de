"""How alike an answer and a gold answer are: the measures of GraphContextGen (section 5)."""

from collections.abc import Callable
from dataclasses import dataclass

from eval.bert_score import TokenEmbedding, bert_score
from eval.entity_overlap import entity_jaccard, fact_overlap
from eval.rouge import rouge_1, rouge_l


@dataclass(frozen=True, slots=True)
class Likeness:
    """Each 0 to 1, None where the gold answer has no entity or no fact; none decides anything.

    BERTScore and ROUGE are F1. What an answer says beyond the gold answer lowers them.
    """

    bert_score: float
    rouge_1: float
    rouge_l: float
    entity_jaccard: float | None
    fact_overlap: float | None


LIKENESS = {
    "bert_score": "BERTScore F1",
    "rouge_1": "ROUGE-1 F1",
    "rouge_l": "ROUGE-L F1",
    "entity_jaccard": "entity overlap (Jaccard)",
    "fact_overlap": "fact overlap, by rule",
}
"""What is told of likeness: the field, and how the report calls it."""

Alike = Callable[[str, str], Likeness]
"""Measures an answer's own words, empty where it says nothing, against a gold answer."""


def alike_by(token_vectors: TokenEmbedding) -> Alike:
    """Make the function that measures an answer with the vectors of its tokens."""

    def alike(said: str, gold: str) -> Likeness:
        return Likeness(
            bert_score=bert_score(said, gold, token_vectors).f1,
            rouge_1=rouge_1(said, gold),
            rouge_l=rouge_l(said, gold),
            entity_jaccard=entity_jaccard(said, gold),
            fact_overlap=fact_overlap(said, gold),
        )

    return alike

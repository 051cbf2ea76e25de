"""The names of all measures of a run: what reports call them, their unit, and which way is good."""

from dataclasses import dataclass
from typing import Literal

from eval.judging.metrics import JUDGE_METRICS
from eval.retrieval import CUTOFFS

Unit = Literal["share", "score", "seconds", "count"]
"""`share` and `score` are 0 to 1; a share counts something, a score is a degree."""
MeasureGroup = Literal["answer", "judge", "retrieval", "likeness", "cost"]


@dataclass(frozen=True, slots=True)
class Measure:
    """What a measure is: `better` is None where neither way is; `source` is paper and section."""

    label: str
    unit: Unit
    better: Literal["higher", "lower"] | None
    group: MeasureGroup
    source: str = ""


_JUDGED = {
    name: Measure(metric.label, "score", "higher", "judge", metric.source)
    for name, metric in JUDGE_METRICS.items()
}
_RANKING = {
    **{
        f"recall@{k}": Measure(
            f"gold pages among the first {k}", "share", "higher", "retrieval", "Manning et al. 8.4"
        )
        for k in CUTOFFS
    },
    "mrr": Measure("reciprocal rank of the first gold page", "score", "higher", "retrieval"),
    **{
        f"ndcg@{k}": Measure(
            f"nDCG of the first {k}", "score", "higher", "retrieval", "Järvelin, Kekäläinen 2002"
        )
        for k in CUTOFFS
    },
}

MEASURES: dict[str, Measure] = {
    "correct": Measure("right, own words", "share", "higher", "answer"),
    "wrong_release": Measure("answered from a wrong release", "share", "lower", "answer"),
    "right_older": Measure("right, a named older release", "share", "higher", "answer", "lockdocs"),
    "right_newest": Measure("right, the newest release", "share", "higher", "answer", "lockdocs"),
    "right_held_out": Measure(
        "right, not documented there", "share", "higher", "answer", "lockdocs"
    ),
    "rightly_refused": Measure("refused, rightly", "share", "higher", "answer"),
    "wrongly_refused": Measure("refused, wrongly", "share", "lower", "answer"),
    "release_right": Measure("release right", "share", "higher", "answer"),
    "silently_wrong_release": Measure("silently wrong release", "share", "lower", "answer"),
    "cited_wrong_release": Measure("cites a wrong release", "share", "lower", "answer"),
    "gold_page": Measure("cites the gold page", "share", "higher", "answer"),
    "facts": Measure("facts stated", "share", "higher", "answer"),
    "figures": Measure("gold figures with their units stated", "share", "higher", "answer"),
    "steps_complete": Measure("how-to complete and in order", "share", "higher", "answer"),
    "sentences_unsupported": Measure(
        "sentences their sources do not support", "share", "lower", "answer"
    ),
    "sentences_unmarked": Measure("sentences without a mark", "share", "lower", "answer"),
    "failed": Measure("failed", "share", "lower", "answer"),
    **_JUDGED,
    **_RANKING,
    "context_other_release": Measure(
        "given texts of other releases", "share", "lower", "retrieval"
    ),
    "bert_score": Measure(
        "BERTScore F1 by MiniLM", "score", "higher", "likeness", "GraphContextGen 5"
    ),
    "rouge_1": Measure("ROUGE-1 F1", "score", "higher", "likeness", "GraphContextGen 5"),
    "rouge_l": Measure("ROUGE-L F1", "score", "higher", "likeness", "GraphContextGen 5"),
    "entity_jaccard": Measure(
        "entity overlap (Jaccard)", "score", "higher", "likeness", "GraphContextGen 6"
    ),
    "bleu": Measure("BLEU", "score", "higher", "likeness", "ComRAG 5.1"),
    "sim": Measure("SIM, cosine by MiniLM", "score", "higher", "likeness", "ComRAG 5.1"),
    "seconds": Measure("seconds an answer", "seconds", "lower", "cost", "QAMR IV-F"),
    "model_calls": Measure("model calls an answer", "count", "lower", "cost"),
    "prompt_tokens": Measure("prompt tokens an answer", "count", "lower", "cost"),
    "completion_tokens": Measure("completion tokens an answer", "count", "lower", "cost"),
}
"""Every measure by its name in `scores.jsonl`; reports show them in this order."""

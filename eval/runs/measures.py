"""The names of all measures of a run: what reports call them, their unit, and which way is good."""

from dataclasses import dataclass
from typing import Literal

from eval.judging.metrics import JUDGE_METRICS
from eval.retrieval import CUTOFFS
from ingestion.messages import message

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
    name: Measure(message(metric.label), "score", "higher", "judge", metric.source)
    for name, metric in JUDGE_METRICS.items()
}
_RANKING = {
    **{
        f"recall@{k}": Measure(
            message("gold pages among the first {k}", k=k),
            "share",
            "higher",
            "retrieval",
            "Manning et al. 8.4",
        )
        for k in CUTOFFS
    },
    "mrr": Measure(
        message("reciprocal rank of the first gold page"), "score", "higher", "retrieval"
    ),
    **{
        f"ndcg@{k}": Measure(
            message("nDCG of the first {k}", k=k),
            "score",
            "higher",
            "retrieval",
            "Järvelin, Kekäläinen 2002",
        )
        for k in CUTOFFS
    },
}

MEASURES: dict[str, Measure] = {
    "correct": Measure(message("right, own words"), "share", "higher", "answer"),
    "wrong_release": Measure(message("answered from a wrong release"), "share", "lower", "answer"),
    "right_older": Measure(
        message("right, a named older release"), "share", "higher", "answer", "lockdocs"
    ),
    "right_newest": Measure(
        message("right, the newest release"), "share", "higher", "answer", "lockdocs"
    ),
    "right_held_out": Measure(
        message("right, not documented there"), "share", "higher", "answer", "lockdocs"
    ),
    "rightly_refused": Measure(message("refused, rightly"), "share", "higher", "answer"),
    "wrongly_refused": Measure(message("refused, wrongly"), "share", "lower", "answer"),
    "release_right": Measure(message("release right"), "share", "higher", "answer"),
    "silently_wrong_release": Measure(
        message("silently wrong release"), "share", "lower", "answer"
    ),
    "cited_wrong_release": Measure(message("cites a wrong release"), "share", "lower", "answer"),
    "gold_page": Measure(message("cites the gold page"), "share", "higher", "answer"),
    "facts": Measure(message("facts stated"), "share", "higher", "answer"),
    "figures": Measure(
        message("gold figures with their units stated"), "share", "higher", "answer"
    ),
    "steps_complete": Measure(message("how-to complete and in order"), "share", "higher", "answer"),
    "sentences_unsupported": Measure(
        message("sentences their sources do not support"), "share", "lower", "answer"
    ),
    "sentences_unmarked": Measure(message("sentences without a mark"), "share", "lower", "answer"),
    "failed": Measure(message("failed"), "share", "lower", "answer"),
    **_JUDGED,
    **_RANKING,
    "context_other_release": Measure(
        message("given texts of other releases"), "share", "lower", "retrieval"
    ),
    "bert_score": Measure(
        message("BERTScore F1 by MiniLM"), "score", "higher", "likeness", "GraphContextGen 5"
    ),
    "rouge_1": Measure(message("ROUGE-1 F1"), "score", "higher", "likeness", "GraphContextGen 5"),
    "rouge_l": Measure(message("ROUGE-L F1"), "score", "higher", "likeness", "GraphContextGen 5"),
    "entity_jaccard": Measure(
        message("entity overlap (Jaccard)"), "score", "higher", "likeness", "GraphContextGen 6"
    ),
    "bleu": Measure(message("BLEU"), "score", "higher", "likeness", "ComRAG 5.1"),
    "sim": Measure(message("SIM, cosine by MiniLM"), "score", "higher", "likeness", "ComRAG 5.1"),
    "seconds": Measure(message("seconds an answer"), "seconds", "lower", "cost", "QAMR IV-F"),
    "model_calls": Measure(message("model calls an answer"), "count", "lower", "cost"),
    "prompt_tokens": Measure(message("prompt tokens an answer"), "count", "lower", "cost"),
    "completion_tokens": Measure(message("completion tokens an answer"), "count", "lower", "cost"),
}
"""Every measure by its name in `scores.jsonl`; reports show them in this order."""

"""The questions of the benchmark, the phrasings of releases, and the documentation they are about.

`questions/PRODUCT.jsonl` are questions with checked answers, `questions/PRODUCT.releases.jsonl`
phrasings of releases.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from eval.benchmark.documents import FOLDER, Product, read_documents
from eval.gold import GoldQuestion, read_gold, read_lines
from eval.releases import ReleaseQuestion

QUESTIONS = FOLDER / "questions"
"""The files of all products."""


@dataclass(frozen=True)
class Benchmark:
    """A version of the data set, or some products of it."""

    version: str
    products: Mapping[str, Product]
    questions: tuple[GoldQuestion, ...]
    phrasings: tuple[ReleaseQuestion, ...]


def load(*products: str) -> Benchmark:
    """Read the benchmark, or what of it is about some products. Raises GoldError."""
    documents = read_documents()
    chosen = documents.of(products)
    phrased = [path for name in chosen if (path := QUESTIONS / f"{name}.releases.jsonl").exists()]
    return Benchmark(
        version=documents.version,
        products=chosen,
        questions=tuple(q for name in chosen for q in read_gold(QUESTIONS / f"{name}.jsonl")),
        phrasings=tuple(q for path in phrased for q in read_lines(path, ReleaseQuestion)),
    )

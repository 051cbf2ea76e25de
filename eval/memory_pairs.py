"""Pairs of questions: is an answer given to one reused for the other, and should it be?

`python -m eval.memory_pairs FILE...` reads lines {a, b, same, kind, product?} and prints, over δ,
wrong reuses of the pairs that do not ask the same and the share reused of those that do. A reuse
takes a cosine of at least δ in the memory's embedding and the guard's word (`chatbot.memory`).
`apart` counts the pairs that ask something else and yet are as near as δ: in a store the better
scored one of them would stay, and the other be answered afresh each time.

A line {kind, forms} holds wordings of one question about an {aspect} of a {thing}. They are asked
about made-up ones: two wordings of one line ask the same, of two lines of a file they do not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from chatbot.assembly import open_embedder
from chatbot.memory.questions.question import ProductQuestions, QuestionReader
from chatbot.settings import read_settings
from corpora.glossary import Entry
from corpora.glossary_file import read_glossary
from eval.benchmarks.made_up_questions import ASPECTS, THINGS

DELTAS = (0.62, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
GLOSSARIES = {"tessaline": Path("examples/glossary.csv")}


class Pair(BaseModel):
    """Two questions, whether they ask the same, and what kind of pair they are."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    a: str
    b: str
    same: bool
    kind: str
    product: str = ""


class Forms(BaseModel):
    """Wordings of one question about an {aspect} of a {thing}."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """A pair with its cosine and why it is no reuse, empty where the guard lets it pass."""

    pair: Pair
    cosine: float
    differs: str
    seconds: float


@dataclass(frozen=True)
class Figures:
    """What happens at one δ: pairs reused rightly and wrongly, and traps that are as near."""

    delta: float
    reused: int
    wrong: int
    near: int


class BadPairs(ValueError):
    """A file of pairs cannot be read; the message names the line."""


def read_pairs(path: Path) -> list[Pair]:
    """Read a file of pairs or forms; raises BadPairs."""
    pairs: list[Pair] = []
    forms: list[Forms] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            if '"forms"' in line:
                forms.append(Forms.model_validate_json(line))
            else:
                pairs.append(Pair.model_validate_json(line))
        except ValidationError as error:
            raise BadPairs(f"{path}, line {number}: {error.errors()[0]['msg']}") from error
    return pairs + list(_formed(forms))


def _formed(forms: Sequence[Forms]) -> Iterator[Pair]:
    """Each two wordings, about each of some aspects of things."""
    worded = [(each.kind, form) for each in forms for form in each.forms]
    for aspect, thing in zip(ASPECTS[:6], THINGS[::10], strict=True):
        for (kind, a), (other, b) in combinations(worded, 2):
            a_asked, b_asked = (form.format(aspect=aspect, thing=thing) for form in (a, b))
            kinds = kind if kind == other else f"{kind} / {other}"
            yield Pair(a=a_asked, b=b_asked, same=kind == other, kind=kinds)


def judge(pairs: Iterable[Pair], reader: QuestionReader) -> list[Judged]:
    """Compare the questions of each pair, as the memory does."""
    judged = []
    products: dict[str, ProductQuestions] = {}
    read = lru_cache(maxsize=None)(lambda product, text: products[product].read(text))
    for pair in pairs:
        questions = products.setdefault(pair.product, reader.of(pair.product))
        a, b = (read(pair.product, text) for text in (pair.a, pair.b))
        started = time.perf_counter()
        differs = questions.difference(pair.a, pair.b)
        seconds = time.perf_counter() - started
        judged.append(Judged(pair, float(a.vector @ b.vector), differs, seconds))
    return judged


def figures(judged: Sequence[Judged], delta: float) -> Figures:
    """Count reuses at one δ."""
    near = [j for j in judged if j.cosine >= delta]
    passed = [j.pair.same for j in near if not j.differs]
    return Figures(
        delta, passed.count(True), passed.count(False), sum(not j.pair.same for j in near)
    )


def report(judged: Sequence[Judged], delta: float, *, listed: bool) -> str:
    """The table over δ, what happens at `delta` by kind, and with `listed` what goes wrong."""
    same = sum(j.pair.same for j in judged)
    lines = [
        f"{len(judged) - same} traps, {same} paraphrases",
        "   δ    wrong  reused        apart",
    ]
    for each in (figures(judged, d) for d in DELTAS):
        share = each.reused / max(1, same)
        lines.append(
            f"  {each.delta:.2f}  {each.wrong:5}  {each.reused:4} {share:6.1%}  {each.near:6}"
        )
    right = [j for j in judged if j.pair.same == (not j.differs and j.cosine >= delta)]
    all_of, right_of = (Counter((j.pair.same, j.pair.kind) for j in js) for js in (judged, right))
    lines.append(f"right at δ {delta} by kind:")
    for (is_same, kind), count in sorted(all_of.items()):
        what = "paraphrases" if is_same else "traps"
        lines.append(f"  {what:11}  {kind:24} {right_of[is_same, kind]:4} of {count}")
    guard = sorted(j.seconds for j in judged)
    lines.append(
        f"guard: median {guard[len(guard) // 2] * 1e3:.1f} ms, longest {guard[-1] * 1e3:.0f} ms"
    )
    if listed:
        lines += [
            f"{'not reused' if j.pair.same else 'WRONG'} {j.cosine:.2f} {j.pair.a} | {j.pair.b}"
            f"{f' ({j.differs})' if j.differs else ''}"
            for j in judged
            if j.pair.same != (not j.differs and j.cosine >= delta)
        ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the pairs of some files and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="show what goes wrong")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(arguments)
    settings = read_settings()
    embedder = open_embedder(settings)
    glossaries = {name: read_glossary(path) for name, path in GLOSSARIES.items()}

    def glossary(product: str) -> tuple[Entry, ...]:
        return glossaries.get(product, ())

    reader = QuestionReader(embedder, glossary, embedder.knows_word)
    for path in options.files:
        judged = judge(read_pairs(path), reader)
        if options.json:
            rows = [vars(figures(judged, delta)) for delta in DELTAS]
            text = json.dumps({"file": path.name, "pairs": len(judged), "over_delta": rows})
        else:
            text = f"{path.name}: {report(judged, settings.memory_delta, listed=options.list)}"
        sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()

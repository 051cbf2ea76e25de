"""Passages of one release in the next, against labels: `python -m eval.standings LABELS FOLDER`.

FOLDER holds the documentation as PRODUCT/RELEASE/…. A line of the labels names a passage of the
older release by the beginning of the SHA-256 of its text, and says whether the newer one has it in
the same words, in others, or not at all. People decided that by reading both releases.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, groupby
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from chatbot.comparison.pages import passages
from chatbot.comparison.passage_index import Passage, PassageIndex
from chatbot.comparison.standing import Standing, Verdict, cited_passage, standing
from chatbot.turn import Record
from corpora.indexing.pages import StoredDocument, StoredPage
from eval.gold import read_lines
from ingestion.listing import list_files
from ingestion.page import Document, Rejected, collapse
from ingestion.reading import read_files

_DIGITS = 12


class Label(BaseModel):
    """What became of a passage of `older` in `newer`; `basis` says how that was decided."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    product: str
    older: str
    newer: str
    file: str
    passage: str
    label: Verdict
    basis: str = ""


@dataclass(frozen=True)
class Score:
    """How well "changed or gone" is found, and how often the verdict is the very one."""

    found: int
    missed: int
    false_alarms: int
    total: int
    exact: int

    @property
    def precision(self) -> float:
        """The share of alarms that are right."""
        return self.found / max(self.found + self.false_alarms, 1)

    @property
    def recall(self) -> float:
        """The share of changes that are found."""
        return self.found / max(self.found + self.missed, 1)


def scored(pairs: Iterable[tuple[Verdict, Verdict]]) -> Score:
    """The score of pairs of label and verdict."""
    counts = Counter(pairs)
    same = Verdict.SAME

    def number(*, labelled: bool, told: bool) -> int:
        return sum(n for (a, b), n in counts.items() if (a != same, b != same) == (labelled, told))

    return Score(
        found=number(labelled=True, told=True),
        missed=number(labelled=True, told=False),
        false_alarms=number(labelled=False, told=True),
        total=counts.total(),
        exact=sum(n for (a, b), n in counts.items() if a is b),
    )


def passage_id(quote: str) -> str:
    """The name of a passage in the labels."""
    return sha256(collapse(quote).encode()).hexdigest()[:_DIGITS]


def read_release(folder: Path, product: str, release: str) -> PassageIndex:
    """The passages of the documentation in a folder, without a database."""
    read = read_files(list_files([folder]), release=release)
    return index_of(product, release, (d for d in read if not isinstance(d, Rejected)))


def index_of(product: str, release: str, documents: Iterable[Document]) -> PassageIndex:
    """The passages of documents as they were read."""
    return PassageIndex(product, release, _stored(documents))


def _stored(
    documents: Iterable[Document],
) -> Iterator[tuple[StoredDocument, Sequence[Record], Sequence[tuple[int, int]]]]:
    page_ids = count(1)
    for number, of in enumerate(documents, 1):
        document = StoredDocument(number, of.file, of.title, of.kind, of.content_hash)
        pages = [StoredPage(p.number, p.blocks, next(page_ids), document) for p in of.pages]
        yield document, passages(pages), [(page.id, page.number) for page in pages]


def every_passage(index: PassageIndex) -> Iterator[Passage]:
    """The passages of a release in their order."""
    return map(index.passage, range(len(index)))


def stands(passage: Passage, older: PassageIndex, newer: PassageIndex) -> Standing:
    """How a passage of one release stands in another."""
    return standing(cited_passage(passage, older.release), older, newer)


def main(
    labels: Annotated[Path, typer.Argument(exists=True, dir_okay=False)],
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False)],
    wrong: Annotated[bool, typer.Option(help="Name every passage that is judged wrong.")] = False,
) -> None:
    """Print precision and recall of "changed or gone" for each pair of releases, and of all.

    A passage that is read in other parts now is named.
    """
    told: list[tuple[Verdict, Verdict]] = []
    table = Table("releases", "passages", "changed or gone", "precision", "recall", "verdict exact")
    rows = read_lines(labels, Label)
    for pair, of_pair in groupby(rows, lambda row: (row.product, row.older, row.newer)):
        product, *names = pair
        older, newer = (read_release(folder / product / name, product, name) for name in names)
        there = {(p.document.file, passage_id(p.quote)): p for p in every_passage(older)}
        judged = []
        for row in of_pair:
            passage = there.get((row.file, row.passage))
            if passage is None:
                typer.echo(f"{product} {row.file} {row.passage}: no passage any more, not counted")
                continue
            verdict = stands(passage, older, newer).verdict
            judged.append((row.label, verdict))
            if wrong and (row.label is Verdict.SAME) != (verdict is Verdict.SAME):
                typer.echo(f"{product} {row.file} {row.passage}: {row.label}, told {verdict}")
        table.add_row(f"{product} {names[0]} – {names[1]}", *_figures(scored(judged)))
        told += judged
    table.add_row("all", *_figures(scored(told)))
    Console().print(table)


def _figures(score: Score) -> tuple[str, ...]:
    shares = f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.exact / score.total:.3f}"
    return str(score.total), str(score.found + score.missed), *shares


if __name__ == "__main__":
    typer.run(main)

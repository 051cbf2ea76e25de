"""Which chunks and which ranking find the gold page: `python -m eval.benchmarks.retrieval --help`.

Every cut of the documents is ingested into a data folder of its own, which is thrown away, and
every ranking is scored on it; all ask the same questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.settings import Settings
from corpora.building.building import ingest
from corpora.building.gathering import ChunkingSettings
from corpora.indexing.retrieval import RetrievalSettings
from eval.asking import rank_pages
from eval.figures import Share, texts_table
from eval.gold import GoldQuestion, read_gold
from eval.retrieval import CUTOFFS, retrieval_items, score_retrieval

CHUNKINGS = {
    "2 a page": ChunkingSettings(per_page=2),
    **{f"{n} characters": ChunkingSettings(target=n) for n in (250, 500, 1000, 3000)},
}

RANKINGS = {
    "fusion": RetrievalSettings(),
    "fusion, 1/4 dense": RetrievalSettings(dense_share=0.25),
    "fusion, 3/4 dense": RetrievalSettings(dense_share=0.75),
    # With more of the nearest chunks, so that there are ten pages to look at.
    "dense alone": RetrievalSettings(
        dense_share=1, lexical_candidates=0, cosine_per_query=60, mmr_candidates=60
    ),
    "lexical alone": RetrievalSettings(dense_share=0, cosine_per_query=0, mmr_per_query=0),
    "fusion, kinds alike": RetrievalSettings(kind_weights={}, other_release_weight=1),
    "fusion, releases alike": RetrievalSettings(other_release_weight=1),
}
"""The first is the product's."""


def main(
    folder: Annotated[Path, typer.Argument(help="Documents, as PRODUCT/RELEASE/files.")],
    gold: Annotated[list[Path], typer.Argument(help="Files of gold questions.")],
    product: Annotated[str | None, typer.Option(help="Only the questions about this one.")] = None,
    ingested: Annotated[
        bool, typer.Option("--ingested", help="FOLDER is a data folder: compare rankings on it.")
    ] = False,
) -> None:
    """Print how many questions have their gold page among the first 1, 3, 5 and 10 found."""
    questions = [
        question
        for file in gold
        for question in read_gold(file)
        if question.sources and product in (None, question.product)
    ]
    if not questions:
        raise typer.BadParameter("no question with a source; check GOLD and --product")
    console = Console()
    table = texts_table("Gold page among the first", "chunks", "ranking", *map(str, CUTOFFS))
    if ingested:
        with opened(folder) as chatbot:
            add_rows(table, "as ingested", compare_rankings(chatbot, questions))
    else:
        for name, chunking in CHUNKINGS.items():
            with console.status(name), ingested_anew(folder, questions, chunking) as (chatbot, n):
                add_rows(table, f"{name}: {n:,}", compare_rankings(chatbot, questions))
    console.print(table)


@contextmanager
def opened(data_dir: Path) -> Iterator[Chatbot]:
    """Open a chatbot without a generator on a data folder, and close it."""
    chatbot = open_chatbot(Settings(data_dir=data_dir, generator="none"))
    try:
        yield chatbot
    finally:
        chatbot.corpora.close()
        chatbot.database.close()


@contextmanager
def ingested_anew(
    docs: Path, questions: Sequence[GoldQuestion], chunking: ChunkingSettings
) -> Iterator[tuple[Chatbot, int]]:
    """Ingest the releases that hold the answers; yield a chatbot on them and their chunk count."""
    sources = dict.fromkeys(docs / q.product / s.release for q in questions for s in q.sources)
    for source in sources:
        if not source.is_dir():
            raise typer.BadParameter(f"the questions need {source}, and it is not there")
    with TemporaryDirectory() as data, opened(Path(data)) as chatbot:
        reports = [
            ingest(
                [source],
                product=source.parent.name,
                release=source.name,
                database=chatbot.database,
                data_dir=Path(data),
                embedder=chatbot.embedder,
                settings=chunking,
            )
            for source in sources
        ]
        yield chatbot, sum(report.chunks for report in reports)


def compare_rankings(
    chatbot: Chatbot, questions: Sequence[GoldQuestion]
) -> dict[str, Mapping[int, Share]]:
    """Score every ranking; each side of a comparison is a search of its own."""
    items = retrieval_items(questions)
    return {
        name: score_retrieval(items, rank_pages(chatbot, questions, settings)).within["all"]
        for name, settings in RANKINGS.items()
    }


def add_rows(table: Table, chunks: str, groups: Mapping[str, Mapping[int, Share]]) -> None:
    """Add a section to the table: a row for each ranking, as n/N and share."""
    table.add_section()
    for ranking, group in groups.items():
        shares = (group[cutoff] for cutoff in CUTOFFS)
        table.add_row(chunks, ranking, *(f"{s} {s.ratio:.2f}" for s in shares))
        chunks = ""


if __name__ == "__main__":
    typer.run(main)

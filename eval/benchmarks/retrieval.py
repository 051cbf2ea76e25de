"""Which ranking finds the gold page: `python -m eval.benchmarks.retrieval DATA GOLD...`.

Every ranking is scored on a data folder as it was ingested; all ask the same questions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from corpora.indexing.retrieval import RetrievalSettings
from eval.asking import rank_pages
from eval.figures import figures_table
from eval.gold import read_gold
from eval.retrieval import CUTOFFS, among_first

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
    data: Annotated[Path, typer.Argument(help="A data folder with the documents.")],
    gold: Annotated[list[Path], typer.Argument(help="Files of gold questions.")],
) -> None:
    """Print how many questions have their gold page among the first 1, 3, 5 and 10 found.

    Questions about a release that is not in the folder are left out.
    """
    questions = [question for file in gold for question in read_gold(file)]
    chatbot = open_chatbot(Settings(data_dir=data, generator="none"))
    table = figures_table("Gold page among the first", "ranking", *map(str, CUTOFFS))
    for name, settings in RANKINGS.items():
        scores = rank_pages(chatbot, questions, settings)
        if not scores:
            raise typer.BadParameter(f"no question has a source that is ingested in {data}")
        table.add_row(name, *(found.percent for found in among_first(scores)["all"].values()))
    chatbot.corpora.close()
    chatbot.database.close()
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)

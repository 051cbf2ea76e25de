"""What the embedder of the settings finds, and what it costs: `python -m eval.speed.embedders`.

    STRATA_EMBEDDER=… python -m eval.speed.embedders GOLD.jsonl --product P 1.0=FOLDER 2.0=FOLDER

The releases are ingested into a new folder; then each question of the gold file is searched in the
release that its page is of: as the chat does (words and vectors), and by vectors alone.
"""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from chatbot.assembly import open_chatbot
from chatbot.settings import read_settings
from corpora.building.building import Builder
from corpora.indexing.retrieval import RetrievalSettings
from eval.gold import read_gold
from eval.retrieval import CUTOFFS, among_first, rank_pages

app = typer.Typer(add_completion=False)


@app.command()
def measure(
    gold: Annotated[list[Path], typer.Argument(help="Questions; RELEASE=FOLDER.")],
    product: Annotated[str, typer.Option(help="The product of the questions.")],
) -> None:
    """Print the pages found among the first 1, 3, 5 and 10, and time and size of the vectors."""
    releases = dict(str(given).split("=", 1) for given in gold if "=" in str(given))
    questions = [q for f in gold if "=" not in str(f) for q in read_gold(f) if q.product == product]
    with tempfile.TemporaryDirectory() as folder:
        chatbot = open_chatbot(read_settings(data_dir=Path(folder), generator="none"))
        seconds, texts = 0.0, 0
        for release, files in releases.items():
            builder = Builder(chatbot.database, Path(folder), chatbot.embedder)
            report = builder.ingest([Path(files)], product=product, release=release)
            seconds += report.seconds["embedding"]
            texts += report.embedded
        started = time.perf_counter()
        for question in questions:
            chatbot.embedder.embed_queries([question.question])
        query = (time.perf_counter() - started) / len(questions)
        index = sum(f.stat().st_size for f in Path(folder).rglob("vectors-*/**/*") if f.is_file())
        table = Table("search", "questions", *(f"among {n}" for n in CUTOFFS), box=None)
        for name, settings in {
            "words and vectors": RetrievalSettings(),
            "vectors alone": RetrievalSettings.of_the_paper(),
        }.items():
            found = among_first(rank_pages(chatbot, questions, settings))["all"]
            counts = [f"{found[n].hits}" for n in CUTOFFS]
            table.add_row(name, f"{found[1].of}", *counts)
        console = Console()
        console.print(f"{chatbot.embedder.name}, {chatbot.embedder.dimension} dimensions", table)
        console.print(
            f"{texts:,} texts in {seconds:.1f} s after reading; {1000 * query:.1f} ms a query; "
            f"vectors on the disk {index / 1e6:.1f} MB"
        )
        chatbot.corpora.close()
        chatbot.database.close()


if __name__ == "__main__":
    app()

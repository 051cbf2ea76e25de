"""An ingest beside embedding alone: `python -m eval.speed.ingest FOLDER`.

The documents are ingested into an empty data folder, then the same texts are embedded again by the
same model with nothing else to do, then one file is changed and everything is ingested once more.
Both the ingest and the embedding have a process of their own, whose highest memory is told with
that of the processes that read files.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from corpora.database.engine import Database
from corpora.database.tables import DocumentRow, SearchChunkRow
from corpora.indexing.pages import chunk_text, indexed_text, select_chunks

WORK = """
import json, resource, sys
from pathlib import Path
from time import perf_counter
from chatbot.models.embedders import open_embedder
from chatbot.settings import prepare_process, read_settings
from corpora.building.building import Builder
from chatbot.memory.suspending import open_database
from eval.speed.ingest import texts_of
work, docs, data = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
prepare_process()
settings = read_settings(data_dir=data)
database, embedder = open_database(settings), open_embedder(settings)
embedder.embed(["loads the model"])
texts = texts_of(database) if work == "embed" else []
began, told = perf_counter(), {}
if work == "embed":
    for first in range(0, len(texts), 64):
        embedder.embed(texts[first : first + 64])
else:
    report = Builder(database, data, embedder).ingest([docs], product="bench", release="1.0")
    told = {"chunks": report.chunks, "stages": dict(report.seconds)}
seconds = perf_counter() - began
own, child = (resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF,
                                                                      resource.RUSAGE_CHILDREN))
print(json.dumps({"seconds": seconds, "peak": f"{own} + {child}", **told}))
"""


def texts_of(database: Database) -> list[str]:
    """Return what was embedded of a data folder, texts of similar length side by side."""
    first_of_each = select(func.min(SearchChunkRow.id)).group_by(SearchChunkRow.text_hash)
    with database.reading() as session:
        rows = session.execute(
            select_chunks(DocumentRow.title, SearchChunkRow.heading, chunk_text()).where(
                SearchChunkRow.id.in_(first_of_each)
            )
        )
        return sorted((indexed_text(*row) for row in rows), key=len)


def main(
    docs: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="Documentation.")],
    rounds: Annotated[int, typer.Option(min=1, help="Turns; the fastest of each counts.")] = 2,
) -> None:
    """Print seconds, the ratio to embedding alone, and the highest memory in MB."""
    found: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        with TemporaryDirectory(prefix="strata-bench-") as folder:
            copy, data = Path(folder) / "docs", Path(folder) / "data"
            shutil.copytree(docs, copy)
            steps = {"ingest": "ingest", "embedding alone": "embed", "one file changed": "ingest"}
            for name, work in steps.items():
                if name == "one file changed":
                    _change_one(copy)
                command = [sys.executable, "-c", WORK, work, str(copy), str(data)]
                report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                if name not in found or report["seconds"] < found[name]["seconds"]:
                    found[name] = report
    alone = found["embedding alone"]["seconds"]
    table = Table("", "seconds", "of embedding alone", "peak, MB", "by stage")
    for name, report in found.items():
        stages = ", ".join(f"{stage} {s:.1f}" for stage, s in report.get("stages", {}).items())
        figures = f"{report['seconds']:.1f}", f"{report['seconds'] / alone:.2f}", report["peak"]
        table.add_row(name, *figures, stages)
    console = Console()
    console.print(f"{found['ingest']['chunks']:,} chunks")
    console.print(table)


def _change_one(folder: Path) -> None:
    """Add a sentence to the largest text."""
    texts = [path for path in folder.rglob("*") if path.suffix in (".rst", ".md", ".txt", ".html")]
    largest = max(texts, key=lambda path: path.stat().st_size)
    with largest.open("a", encoding="utf-8") as file:
        file.write("\n\nThis sentence was added by a benchmark.\n")


if __name__ == "__main__":
    typer.run(main)

"""How fast MiniLM embeds, by runtime, threads and batch: `python -m eval.speed.embedding`.

All variants take turns in one process, so that what else the machine does meets them alike;
believe the ratios, and the figures only of an idle machine.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from pydoc_data.topics import topics
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.settings import Settings
from corpora.indexing.dual_chunking import search_chunks
from corpora.indexing.embedding import MiniLM
from corpora.indexing.onnx_session import Runtime
from ingestion.page import Block, BlockKind, Page

QUERY = "How many connections does a pool keep open by default?"
BATCHES = (1, 4, 8, 16, 32)
THREADS = (1, 2)


def sample_texts(count: int) -> list[str]:
    """Return search chunks of Python's own reference, the same on every machine."""
    text = "\n\n".join(topics[name] for name in sorted(topics))
    page = Page(1, (Block(BlockKind.PARAGRAPH, text),))
    chunks = [chunk.text for chunk in search_chunks(page)]
    return chunks[:: max(1, len(chunks) // count)][:count]


def main(
    models: Annotated[Path | None, typer.Option(help="The folder of the model files.")] = None,
    chunks: Annotated[int, typer.Option(help="Texts of 500 characters to embed.")] = 64,
    rounds: Annotated[int, typer.Option(help="Turns of each variant; the best one counts.")] = 3,
) -> None:
    """Print chunks per second, the ratio to one thread and batch 1, and the time of a query."""
    folder = models or Settings().models_dir
    runtimes: list[Runtime] = ["onnxruntime"]
    if find_spec("openvino"):
        runtimes.append("openvino")
    files = EMBEDDING.path_in(folder), TOKENIZER.path_in(folder)
    variants = {
        (runtime, threads, batch): MiniLM(*files, threads, batch=batch, runtime=runtime)
        for runtime in runtimes
        for threads in THREADS
        for batch in BATCHES
    }
    texts = sample_texts(chunks)
    seconds = dict.fromkeys(variants, float("inf"))
    for embedder in variants.values():
        embedder.embed(texts[:1])  # loads the model
    for _ in range(rounds):
        for key, embedder in variants.items():
            seconds[key] = min(seconds[key], _seconds(embedder, texts))

    console = Console()
    table = Table("runtime", "threads", "batch", "chunks/s", "ratio", "query, ms")
    slowest = seconds["onnxruntime", 1, 1]
    for key, embedder in variants.items():
        query = min(_seconds(embedder, [QUERY]) for _ in range(20))
        speed, ratio = len(texts) / seconds[key], slowest / seconds[key]
        table.add_row(*map(str, key), f"{speed:.1f}", f"{ratio:.2f}", f"{query * 1000:.1f}")
    console.print(table)


def _seconds(embedder: MiniLM, texts: Sequence[str]) -> float:
    start = perf_counter()
    embedder.embed(texts)
    return perf_counter() - start


if __name__ == "__main__":
    typer.run(main)

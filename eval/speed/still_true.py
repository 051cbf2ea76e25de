"""How long an answer is held against all releases: `python -m eval.speed.still_true DATA`.

DATA is a data folder; each of its products is measured. With `--docs FOLDER` instead, a product
with ten releases is made of that documentation, in which one passage in thirty changes from one
release to the next. The answers are drawn: each cites one to eight passages of one release. No two
are alike, so nothing is given from what is remembered.
"""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import psutil
import typer
from rich.console import Console
from rich.table import Table

from chatbot.comparison.passage_index import PassageIndex
from chatbot.comparison.still_true import StillTrueCheck
from chatbot.memory.suspending import open_database
from chatbot.reply import Reply
from chatbot.settings import Settings
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.originals import Originals, without_bytes
from corpora.database.tables import EmbeddingModelRow, MemberRow
from corpora.generations.generations import claim, publish
from corpora.indexing.pages import insert_document
from eval.standings import every_passage
from ingestion.listing import list_files
from ingestion.page import Document
from ingestion.reading import read_files

_RELEASES = 10
_FIGURE = re.compile(r"\b\d\b")
_PATIENCE = 600.0


def main(
    data: Annotated[Path | None, typer.Argument(exists=True, file_okay=False)] = None,
    docs: Annotated[
        Path | None, typer.Option(exists=True, help="Documentation to make ten releases of.")
    ] = None,
    answers: Annotated[int, typer.Option(min=1)] = 200,
    seed: int = 1,
) -> None:
    """Print milliseconds for an answer: the median, of 19 of 20 no more, and the longest.

    Those of the processor alone stand behind them: what the answer takes where nothing else runs.
    """
    if (data is None) == (docs is None):
        raise typer.BadParameter("give a data folder, or --docs")
    table = Table(
        "product",
        "releases",
        "passages",
        "read s",
        "MB",
        "median ms",
        "95 % ms",
        "longest ms",
        "processor",
        "95 %",
        "longest",
    )
    with _opened(data, docs) as database:
        check = StillTrueCheck(database, Catalog(database))
        for product in Catalog(database).products():
            names = [release.name for release in product.releases]
            if len(names) > 1:
                table.add_row(
                    product.name, str(len(names)), *_measured(check, product.name, answers, seed)
                )
    Console().print(table)


def _measured(check: StillTrueCheck, product: str, answers: int, seed: int) -> tuple[str, ...]:
    process, began = psutil.Process(), time.perf_counter()
    before = process.memory_info().rss
    check.prepare(product)
    if not check.indexes.wait(_PATIENCE):
        raise TimeoutError(f"{product} is not read after {_PATIENCE:.0f} s")
    read = time.perf_counter() - began
    size = (process.memory_info().rss - before) / 1_000_000
    serving = Catalog(check.database).all_serving(product)
    indexes = [index for s in serving if (index := check.indexes.get(s)) is not None]
    passages = sum(map(len, indexes))
    times, own_times = [], []
    rng = random.Random(seed)  # noqa: S311 - answers are drawn, not secrets
    for _ in range(answers):
        reply = _drawn(rng, rng.choice(indexes))
        began, own_began = time.perf_counter(), time.thread_time()
        found = check.of(reply)
        times.append(1000 * (time.perf_counter() - began))
        own_times.append(1000 * (time.thread_time() - own_began))
        if found is None or found.pending:
            raise LookupError(f"{product} has no verdict on an answer of {reply.release}")
    figures = (f"{ms:.1f}" for some in (times, own_times) for ms in _figures(some))
    return f"{passages:,}", f"{read:.1f}", f"{size:.0f}", *figures


def _figures(times: list[float]) -> tuple[float, float, float]:
    ordered = sorted(times)
    return ordered[len(times) // 2], ordered[int(0.95 * (len(times) - 1))], ordered[-1]


def _drawn(rng: random.Random, index: PassageIndex) -> Reply:
    """An answer that cites some passages of a release."""
    every = list(every_passage(index)) if len(index) < 50 else None
    chosen = [
        rng.choice(every) if every else index.passage(rng.randrange(len(index)))
        for _ in range(rng.randint(1, 8))
    ]
    citations = tuple(index.cite(passage) for passage in chosen)
    return Reply(
        answer=f"Drawn {rng.random()}",
        product=index.product,
        release=index.release,
        citations=citations,
    )


@contextmanager
def _opened(data: Path | None, docs: Path | None) -> Iterator[Database]:
    with TemporaryDirectory(prefix="strata-bench-") as folder:
        database = open_database(Settings(data_dir=data or Path(folder)))
        if docs is not None:
            read = read_files(list_files([docs]))
            _make(database, [replace(d, pictures={}) for d in read if isinstance(d, Document)])
        yield database
        database.close()


def _make(database: Database, documents: list[Document]) -> None:
    """Publish releases of some documents, each with some changes to the one before it."""
    rng = random.Random(1)  # noqa: S311 - changes are drawn, not secrets
    with database.writing() as session:
        model = EmbeddingModelRow(name="none", dimension=1)
        session.add(model)
        session.flush()
        model_id = model.id
    for number in range(_RELEASES):
        release_id = Catalog(database).add_release("product", f"{number + 1}.0")
        generation = claim(database, release_id, model_id, "none")
        for document in documents:
            with database.writing() as session:
                Originals(database).store(session, without_bytes(document.content_hash))
                columns = {"release_id": release_id, "reading": "none", "chunking": "none"}
                chunks = [() for _ in document.pages]
                document_id = insert_document(session, document, chunks, **columns)
                session.add(MemberRow(generation_id=generation, document_id=document_id, source=""))
        publish(database, generation)
        documents = [_changed(document, rng) for document in documents]


def _changed(document: Document, rng: random.Random) -> Document:
    def anew(text: str) -> str:
        if rng.random() > 1 / 30:
            return text
        figured = _FIGURE.sub(lambda m: str((int(m[0]) + 1) % 10), text, count=1)
        return figured if figured != text else f"{text} This is new."

    pages = tuple(
        replace(page, blocks=tuple(replace(b, text=anew(b.text)) for b in page.blocks))
        for page in document.pages
    )
    return replace(document, pages=pages)


if __name__ == "__main__":
    typer.run(main)

"""Whether the question graph finds better related questions than their cosine alone.

`python -m eval.benchmarks.related_questions --data DIR` takes the pairs of a memory one after the
other out of a copy of it and asks for the k = 2 related ones: by cosine, and by personalized
PageRank at each threshold (GraphContextGen 4.2). A hit is a pair whose answer stands in the section
that the answer of the held-back one stands in; pairs without a citation are not asked.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import delete, insert, select

from chatbot.graph.question_graph import QuestionGraph
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database, open_database, sqlite_url
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow

K = 2
THRESHOLDS = (0.5, 0.55, 0.6, 0.7, 0.8)
Row = dict[str, Any]
Related = Mapping[str, Sequence[NearPair]]
"""What is related to a question by each of the ways."""


def main(
    data: Annotated[Path, typer.Option(help="The data folder whose memory is read.")],
    examples: Annotated[int, typer.Option(help="How many questions to print with both.")] = 0,
) -> None:
    """Print for each product how often one of the related questions is a hit."""
    console = Console(width=120)
    ways = ("cosine", *(f"graph {threshold}" for threshold in THRESHOLDS))
    table = Table("product", "asked", *ways)
    shown = 0
    for product, releases in _memory(data).items():
        hits: Counter[str] = Counter()
        asked = 0
        for rows in releases:
            for held, related in _related(rows):
                asked += 1
                hits.update(way for way, near in related.items() if _is_hit(held, near))
                if shown < examples and _asked(related[ways[0]]) != _asked(related[ways[1]]):
                    shown += 1
                    _show(console, held, related)
        table.add_row(
            product, str(asked), *(f"{hits[w]} ({hits[w] / max(asked, 1):.0%})" for w in ways)
        )
    console.print(table)


def _memory(data: Path) -> dict[str, list[list[Row]]]:
    """The rows of the good pairs of each release, by product."""
    database = open_database(sqlite_url(data))
    columns = [c for c in MemoryPairRow.__table__.columns if c.name != "id"]
    found: dict[str, dict[int, list[Row]]] = {}
    with database.reading() as session:
        rows = session.execute(
            select(ProductRow.name, *columns)
            .join(ReleaseRow, ReleaseRow.product_id == ProductRow.id)
            .join(MemoryPairRow, MemoryPairRow.release_id == ReleaseRow.id)
            .where(MemoryPairRow.store == Store.HIGH, MemoryPairRow.suspended == "")
            .order_by(MemoryPairRow.id)
        )
        for name, *values in rows:
            row = dict(zip((column.name for column in columns), values, strict=True))
            found.setdefault(name, {}).setdefault(row["release_id"], []).append(row)
    database.close()
    return {name: list(releases.values()) for name, releases in found.items()}


def _related(rows: Sequence[Row]) -> Iterator[tuple[Row, Related]]:
    """Each pair of a release that has a citation, with what is related to it in the others."""
    with TemporaryDirectory() as folder:
        database = open_database(sqlite_url(Path(folder)))
        release = Catalog(database).add_release("copied", "1.0")
        copied = [{**row, "release_id": release, "cluster": 0} for row in rows]
        for row in copied:
            _put(database, row)
        search = Neighbours(database)
        graphs = {t: QuestionGraph(database, search, t) for t in THRESHOLDS}
        for row in filter(_place, copied):
            with database.writing() as session:
                session.execute(
                    delete(MemoryPairRow).where(MemoryPairRow.question == row["question"])
                )
            vector = np.frombuffer(row["vector"], "<f4")
            question = MemoryQuestion(row["question"], row["asks"], vector, row["embedding"])
            near = search.nearest(release, Store.HIGH, question, cosine=-1.0, limit=K)
            by_graph = {f"graph {t}": g.related(release, question, K) for t, g in graphs.items()}
            yield row, {"cosine": near, **by_graph}
            _put(database, row)
        database.close()


def _put(database: Database, row: Row) -> None:
    with database.writing() as session:
        session.execute(insert(MemoryPairRow), [row])


def _place(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """The file and the section that an answer stands in, by its first citation."""
    citations = row["answer"]["citations"]
    return (citations[0]["file"], citations[0]["section"]) if citations else None


def _is_hit(held: Row, near: Sequence[NearPair]) -> bool:
    return any(_place({"answer": pair.row.answer}) == _place(held) for pair in near)


def _asked(near: Sequence[NearPair]) -> list[str]:
    return [pair.row.question for pair in near]


def _show(console: Console, held: Row, related: Related) -> None:
    console.print(f"\n[bold]{held['question']}[/bold] {held['answer']['value']}", highlight=False)
    for way, near in related.items():
        for pair in near:
            mark = "✓" if _is_hit(held, [pair]) else " "
            console.print(f"  {mark} {way}: {pair.row.question} ({pair.similarity:.2f})")


if __name__ == "__main__":
    typer.run(main)

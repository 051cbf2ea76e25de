"""Which selection keeps the chunk that answers: `python -m eval.benchmarks.selection --help`.

The same reduced chunks, found and reduced without a model, are ordered by score, by the model in
one list, and by the model's P("True") for each (RankRAG). Counted is where the gold page comes.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from chatbot.assembly import open_chatbot
from chatbot.queries.query_rewriting import rewrite_query
from chatbot.retrieval.context_reduction import reduce_context
from chatbot.retrieval.context_retrieval import retrieve_context
from chatbot.retrieval.context_selection import (
    select_context,
    select_context_listwise,
    select_context_pointwise,
)
from chatbot.settings import read_settings
from chatbot.turn import ModelStep, ReducedChunk, RuleStep, Step, Turn
from corpora.indexing.retrieval import RetrievalSettings
from eval.asking import turn_in_release
from eval.gold import read_gold
from eval.retrieval import RankedPage, retrieval_items, score_retrieval

KEPT = 3


def main(
    gold: Annotated[Path, typer.Argument(help="Questions with checked answers (JSONL).")],
    every: Annotated[int, typer.Option(help="Take every n-th question.")] = 1,
) -> None:
    """Print how often each selection has the gold page first and among the first three."""
    settings = read_settings()
    chatbot = open_chatbot(settings)
    if chatbot.model is None:
        raise typer.BadParameter("there is no language model: run `strata models pull`")
    questions = read_gold(gold)[::every]
    by_id = {q.id: q for q in questions}
    items = retrieval_items(questions)
    before: tuple[RuleStep, ...] = (
        rewrite_query(chatbot.products),
        retrieve_context(
            chatbot.corpora.corpus,
            chatbot.embedder,
            pages=settings.retrieved_pages,
            padding=settings.context_padding,
            settings=RetrievalSettings(),
        ),
        reduce_context(
            chatbot.corpora.corpus,
            chatbot.embedder,
            budget=settings.reduction_budget,
        ),
    )
    turns = []
    for item in items:
        turn = turn_in_release(chatbot, by_id[item.id], item)
        for step in before:
            turn = step(turn)
        turns.append(turn)
    by_score = select_context(chunks=KEPT)
    ways: dict[str, Step] = {
        "by score": by_score,
        "listwise": select_context_listwise(chatbot.model, by_score, chunks=KEPT),
        "pointwise": select_context_pointwise(chatbot.model, by_score, chunks=KEPT),
    }
    columns = ("selection", "first", f"first {KEPT}", "calls", "fallbacks", "seconds a question")
    table = Table(*columns, box=box.SIMPLE_HEAD)
    everything = {i.key: _pages(t.reduced) for i, t in zip(items, turns, strict=True)}
    within = score_retrieval(items, everything).overall.within
    table.add_row("of the reduced chunks", str(within[1]), f"{within[10]} among all")
    for name, way in ways.items():
        with Console(stderr=True).status(name):
            started = time.perf_counter()
            done = asyncio.run(_select(way, turns))
            seconds = (time.perf_counter() - started) / len(done)
        ranked = {i.key: _pages(t.selected) for i, t in zip(items, done, strict=True)}
        within = score_retrieval(items, ranked).overall.within
        table.add_row(
            name,
            str(within[1]),
            str(within[KEPT]),
            str(sum(len(turn.calls) for turn in done)),
            str(sum(len(turn.fallbacks) for turn in done)),
            f"{seconds:.1f}",
        )
    Console().print(table)


async def _select(way: Step, turns: Sequence[Turn]) -> list[Turn]:
    if inspect.iscoroutinefunction(way):
        return [await cast("ModelStep", way)(turn) for turn in turns]
    return [cast("RuleStep", way)(turn) for turn in turns]


def _pages(chunks: Sequence[ReducedChunk]) -> list[RankedPage]:
    return [RankedPage(c.page.document.file, c.page.number, c.page.page.anchors) for c in chunks]


if __name__ == "__main__":
    typer.run(main)

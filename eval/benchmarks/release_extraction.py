"""Rules, a model, or both find the release: `python -m eval.benchmarks.release_extraction`.

"Model" is the paper's way (QAMR III-B): the numbered list of releases and "none". "Both" is the
product's: rules, and the model for what they leave open. The model alone is measured where one
release or none is meant; a comparison and a choice of the caller are not its matter.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from langchain_core.language_models import BaseChatModel
from rich import box
from rich.console import Console
from rich.table import Table

from chatbot.assembly import open_chatbot, open_model
from chatbot.queries.release_extraction import (
    extract_release,
    extract_release_with_model,
    named_release,
)
from chatbot.releases.resolution import ReleaseStatus
from chatbot.settings import prepare_process, read_settings
from chatbot.turn import ModelCall, Turn
from corpora.catalog.release import Product
from eval.gold import GoldQuestion, read_gold
from eval.release_cases import Outcome, ReleaseCase, outcome, read_cases, read_catalogs

Way = Callable[[BaseChatModel, ReleaseCase], Awaitable[tuple[Outcome, Turn]]]
"""Resolves a case: how it came out, and the turn with its calls."""


async def by_rules(model: BaseChatModel, case: ReleaseCase) -> tuple[Outcome, Turn]:
    """Rules alone."""
    return _judged(case, extract_release(lambda: case.products)(case.turn))


async def by_model(model: BaseChatModel, case: ReleaseCase) -> tuple[Outcome, Turn]:
    """The model alone."""
    found, turn = await named_release(model, case.turn, case.products[0])
    named = case.releases if case.status is ReleaseStatus.STATED else ()
    right = (found.releases if found else ()) == named
    return Outcome.RIGHT if right else Outcome.WRONG, turn


async def by_both(model: BaseChatModel, case: ReleaseCase) -> tuple[Outcome, Turn]:
    """Rules, then the model for what they leave open."""
    rules = extract_release(lambda: case.products)
    step = extract_release_with_model(model, lambda: case.products, rules)
    return _judged(case, await step(case.turn))


def _judged(case: ReleaseCase, turn: Turn) -> tuple[Outcome, Turn]:
    assert turn.resolution is not None
    return outcome(case, turn.resolution), turn


WAYS: dict[str, Way] = {"rules": by_rules, "model": by_model, "both": by_both}


def main(
    cases: Annotated[Path, typer.Argument(help="Cases (JSONL) or gold questions (JSONL).")],
    catalogs: Annotated[
        Path | None, typer.Option(help="The catalogs of the cases (JSON); none for gold questions.")
    ] = None,
    every: Annotated[int, typer.Option(help="Take every n-th case.")] = 1,
    ways: Annotated[
        list[str] | None, typer.Option("--way", help="Only these: rules, model, both.")
    ] = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Print what came out wrong.")
    ] = False,
) -> None:
    """Print how many cases come out right, by what they should come to."""
    prepare_process()
    settings = read_settings()
    model = open_model(settings)
    if model is None:
        raise typer.BadParameter("there is no language model: run `strata models pull`")
    if catalogs:
        read = read_cases(cases, read_catalogs(catalogs))
    else:
        products = open_chatbot(settings).products()
        read = [_of_gold(question, products) for question in read_gold(cases)]
    chosen = {name: way for name, way in WAYS.items() if name in (ways or WAYS)}
    asyncio.run(_measure(model, read[::every], chosen, failures))


async def _measure(
    model: BaseChatModel,
    cases: Sequence[ReleaseCase],
    ways: Mapping[str, Way],
    failures: bool,
) -> None:
    console = Console()
    table = Table("", box=box.SIMPLE_HEAD)
    statuses = sorted({case.status for case in cases})
    for column in (
        *statuses,
        "all",
        Outcome.ASKED,
        Outcome.WRONG,
        "calls",
        "fallbacks",
        "seconds a call",
    ):
        table.add_column(column, justify="right")
    for name, way in ways.items():
        right: Counter[str] = Counter()
        outcomes: Counter[Outcome] = Counter()
        asked: Counter[str] = Counter()
        calls: list[ModelCall] = []
        fallbacks = 0
        with console.status(name) as status:
            for i, case in enumerate(cases):
                if name == "model" and not _for_the_model(case):
                    continue
                status.update(f"{name}: {i} of {len(cases)}")
                came_out, turn = await way(model, case)
                good = came_out is Outcome.RIGHT
                asked[case.status] += 1
                right[case.status] += good
                outcomes[came_out] += 1
                calls += turn.calls
                fallbacks += len(turn.fallbacks)
                if failures and not good:
                    reply = turn.calls[-1].reply if turn.calls else ""
                    console.print(
                        f"{name}: {case.turn.question} → {case.releases}: {reply}", markup=False
                    )
        table.add_row(
            name,
            *(f"{right[s]}/{asked[s]}" for s in statuses),
            f"{right.total()}/{asked.total()}",
            *(str(outcomes[o]) for o in (Outcome.ASKED, Outcome.WRONG)),
            str(len(calls)),
            str(fallbacks),
            f"{sum(c.seconds for c in calls) / len(calls):.1f}" if calls else "",
        )
    console.print(table)


def _for_the_model(case: ReleaseCase) -> bool:
    return (
        len(case.products) == 1
        and bool(case.products[0].releases)
        and case.status in (ReleaseStatus.STATED, ReleaseStatus.LATEST, ReleaseStatus.UNKNOWN)
        and not (case.turn.release or case.turn.history or case.turn.conversation_release)
    )


def _of_gold(question: GoldQuestion, products: Sequence[Product]) -> ReleaseCase:
    own = tuple(p for p in products if p.name == question.product)
    turn = Turn(question.question, product=question.product, history=tuple(question.history))
    releases = question.gold_releases
    if question.release_not_in_corpora:
        status, releases = ReleaseStatus.UNKNOWN, ()
    elif len(releases) > 1:
        status = ReleaseStatus.COMPARED
    else:
        status = ReleaseStatus.STATED if question.release_mention else ReleaseStatus.LATEST
    return ReleaseCase(turn, own, status, releases)


if __name__ == "__main__":
    typer.run(main)

"""Pairs of questions: is an answer given to one reused for the other, and should it be?

`python -m eval.memory_pairs FILE --data DIR` reads lines {a, b, same, kind, product, release} about
products that DIR holds. The release of both questions is resolved as in the chat; then the memory
decides by their words (`chatbot.memory.questions.difference`). With `--judge` the configured model
is asked about the pairs that it would judge in the chat: those with other words, at least δ near,
without an evident difference.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from langchain_core.language_models import BaseChatModel

from chatbot.assembly import open_chatbot, open_model
from chatbot.chain.recall_step import judged_same
from chatbot.chatbot import Chatbot
from chatbot.memory.questions import asked_text, difference, evident_difference
from chatbot.settings import read_settings
from chatbot.turn import Turn
from eval.gold import Line, read_lines


class Pair(Line):
    """Two questions, whether they ask the same, and what kind of pair they are."""

    a: str
    b: str
    same: bool
    kind: str
    product: str
    release: str


@dataclass(frozen=True)
class Judged:
    """A pair with its cosine, and why the memory takes the questions for different ones.

    `seconds` is what a model took to judge it, if it was asked.
    """

    pair: Pair
    cosine: float
    difference: str
    seconds: float | None = None


def judge(
    pairs: Sequence[Pair], chatbot: Chatbot, model: BaseChatModel | None = None
) -> list[Judged]:
    """Compare the questions of each pair as the memory does, with a model to judge if given."""
    delta = chatbot.memory.recall.thresholds.delta

    @cache
    def asked(text: str, product: str, release: str) -> Turn:
        return chatbot.ask(text, product=product, release=release, afresh=True).turn

    judged = []
    for pair in pairs:
        one, other = (asked(text, pair.product, pair.release) for text in (pair.a, pair.b))
        a, b = chatbot.memory.reader.read_all([asked_text(one), asked_text(other)], pair.product)
        apart = _releases(one) != _releases(other)
        reason = "two releases" if apart else difference(a.asks, b.asks)
        cosine, seconds = float(a.vector @ b.vector), None
        if model is not None and reason and not apart and cosine >= delta:
            reason = evident_difference(a.text, b.text, pair.product, chatbot.embedder.knows_word)
            if not reason:
                same, calls = asyncio.run(judged_same(model, a.text, b.text))
                reason = "" if same else "the model says so"
                seconds = sum(made.seconds for made in calls)
        judged.append(Judged(pair, cosine, reason, seconds))
    return judged


def report(judged: Sequence[Judged], delta: float, *, listed: bool) -> str:
    """What is reused by kind, what the model judged, and with `listed` what goes wrong."""
    all_of = Counter((j.pair.same, j.pair.kind) for j in judged)
    reused_of = Counter((j.pair.same, j.pair.kind) for j in judged if not j.difference)
    lines = []
    for same, what in ((True, "paraphrases"), (False, "traps")):
        of = [j for j in judged if j.pair.same is same]
        reused = sum(not j.difference for j in of)
        near = sum(j.cosine >= delta for j in of)
        asked = [j.seconds for j in of if j.seconds is not None]
        lines.append(
            f"{what}: {reused} of {len(of)} reused, {near} with a cosine of {delta}, of which the "
            f"model judged {len(asked)}, in {median(asked or [0]):.1f} s (median)"
        )
        for (is_same, kind), count in sorted(all_of.items()):
            if is_same is same:
                lines.append(f"  {kind:30} {reused_of[is_same, kind]:4} of {count}")
    if listed:
        lines += [
            f"{'not reused' if j.pair.same else 'WRONG'} {j.cosine:.2f} {j.pair.a} | {j.pair.b}"
            f" ({j.difference})"
            for j in judged
            if j.pair.same == bool(j.difference)
        ]
    return "\n".join(lines)


def _releases(turn: Turn) -> tuple[str, ...]:
    return turn.resolution.releases if turn.resolution else ()


def main(
    file: Annotated[Path, typer.Argument(help="Pairs of questions (JSONL).")],
    data: Annotated[Path | None, typer.Option(help="A data folder with what they ask.")] = None,
    judging: Annotated[bool, typer.Option("--judge", help="Let the model judge, too.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show what goes wrong.")] = False,
) -> None:
    """Print how often answers are reused, rightly and wrongly."""
    settings = read_settings(generator="none", data_dir=data)
    model = open_model(read_settings(data_dir=data)) if judging else None
    judged = judge(read_lines(file, Pair), open_chatbot(settings), model)
    typer.echo(report(judged, settings.memory_delta, listed=listed))


if __name__ == "__main__":
    typer.run(main)

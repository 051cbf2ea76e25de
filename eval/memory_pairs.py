"""Pairs of questions: is an answer given to one reused for the other, and should it be?

`python -m eval.memory_pairs FILE --data DIR` reads lines {a, b, same, kind, product, release} about
products that DIR holds. The release of both questions is resolved as in the chat; then the memory
decides by their words (`chatbot.memory.questions.difference`). Where a model is configured to
judge, it is asked about pairs with a cosine of at least δ, which are counted apart.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.memory.questions import asked_text, difference
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
    """A pair with its cosine, and why the memory takes the questions for different ones."""

    pair: Pair
    cosine: float
    difference: str


def judge(pairs: Sequence[Pair], chatbot: Chatbot) -> list[Judged]:
    """Compare the questions of each pair, as the memory of a chatbot without a model does."""

    @cache
    def asked(text: str, product: str, release: str) -> Turn:
        return chatbot.ask(text, product=product, release=release, afresh=True).turn

    judged = []
    for pair in pairs:
        one, other = (asked(text, pair.product, pair.release) for text in (pair.a, pair.b))
        a, b = chatbot.memory.reader.read_all([asked_text(one), asked_text(other)], pair.product)
        apart = _releases(one) != _releases(other)
        reason = "two releases" if apart else difference(a.asks, b.asks)
        judged.append(Judged(pair, float(a.vector @ b.vector), reason))
    return judged


def report(judged: Sequence[Judged], delta: float, *, listed: bool) -> str:
    """What is reused by kind, what a judge would see, and with `listed` what goes wrong."""
    all_of = Counter((j.pair.same, j.pair.kind) for j in judged)
    reused_of = Counter((j.pair.same, j.pair.kind) for j in judged if not j.difference)
    lines = []
    for same, what in ((True, "paraphrases"), (False, "traps")):
        of = [j for j in judged if j.pair.same is same]
        reused = sum(not j.difference for j in of)
        near = sum(j.cosine >= delta for j in of)
        lines.append(f"{what}: {reused} of {len(of)} reused, {near} with a cosine of {delta}")
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
    listed: Annotated[bool, typer.Option("--list", help="Show what goes wrong.")] = False,
) -> None:
    """Print how often answers are reused, rightly and wrongly."""
    settings = read_settings(generator="none", data_dir=data)
    judged = judge(read_lines(file, Pair), open_chatbot(settings))
    typer.echo(report(judged, settings.memory_delta, listed=listed))


if __name__ == "__main__":
    typer.run(main)

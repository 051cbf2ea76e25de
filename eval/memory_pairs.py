"""Pairs of questions: is an answer given to one reused for the other, and should it be?

`python -m eval.memory_pairs FILE --data DIR` reads lines {a, b, same, kind, product, release} about
documentation that DIR holds. Both questions are asked without a language model, so that their
words are read and their passages found as in the chat; then the two rules of the memory decide:
the same words (`chatbot.memory.questions.difference`), or the same best passage and a cosine of
at least δ (`difference_on`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.memory.questions import asked_text, difference, difference_on
from chatbot.memory.recall import same_passage, words_of
from chatbot.settings import read_settings
from chatbot.turn import Turn
from eval.gold import Line, read_lines

DELTAS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


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
    """A pair with its cosine, and why each rule takes the questions for different ones.

    `by_passage` is "another passage" where the documents answer them in two places.
    """

    pair: Pair
    cosine: float
    by_words: str
    by_passage: str

    def is_reused(self, delta: float) -> bool:
        """Whether the answer to the one would be given to the other."""
        return not self.by_words or (not self.by_passage and self.cosine >= delta)


def judge(pairs: Sequence[Pair], chatbot: Chatbot) -> list[Judged]:
    """Compare the questions of each pair, as the memory of a chatbot without a model does."""

    @cache
    def asked(text: str, product: str, release: str) -> Turn:
        return chatbot.ask(text, product=product, release=release, afresh=True).turn

    judged = []
    for pair in pairs:
        one, other = (asked(text, pair.product, pair.release) for text in (pair.a, pair.b))
        a, b = chatbot.memory.reader.read_all([asked_text(one), asked_text(other)], pair.product)
        by_words, by_passage = difference(a.asks, b.asks), "two passages"
        if _releases(one) != _releases(other):
            by_words = by_passage = "two releases"
        elif passage := same_passage(one.ranked, other.ranked):
            by_passage = difference_on(words_of(passage), a.text, b.text, pair.product)
        judged.append(Judged(pair, float(a.vector @ b.vector), by_words, by_passage))
    return judged


def report(judged: Sequence[Judged], delta: float, *, listed: bool) -> str:
    """The table over δ, what happens at `delta` by kind, and with `listed` what goes wrong."""
    same = [j for j in judged if j.pair.same]
    traps = [j for j in judged if not j.pair.same]
    alike = [sum(not j.by_words for j in of) for of in (same, traps)]
    lines = [
        f"{len(same)} paraphrases, {len(traps)} traps; in the same words {alike[0]} and {alike[1]}",
        "   δ    reused   wrong",
    ]
    for each in DELTAS:
        reused, wrong = (sum(j.is_reused(each) for j in of) for of in (same, traps))
        lines.append(f"  {each:.2f}  {reused:4} {reused / max(1, len(same)):6.1%}  {wrong:4}")
    all_of = Counter((j.pair.same, j.pair.kind) for j in judged)
    reused_of = Counter((j.pair.same, j.pair.kind) for j in judged if j.is_reused(delta))
    lines.append(f"reused at δ {delta} by kind:")
    for (is_same, kind), count in sorted(all_of.items()):
        what = "paraphrases" if is_same else "traps"
        lines.append(f"  {what:11}  {kind:30} {reused_of[is_same, kind]:4} of {count}")
    if listed:
        lines += [
            f"{'not reused' if j.pair.same else 'WRONG'} {j.cosine:.2f} {j.pair.a} | {j.pair.b}"
            f" ({j.by_words}; {j.by_passage})"
            for j in judged
            if j.pair.same != j.is_reused(delta)
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

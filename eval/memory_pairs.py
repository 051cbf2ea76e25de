"""Pairs of questions: is an answer given to one reused for the other, and should it be?

`python -m eval.memory_pairs FILE --data DIR` reads lines {a, b, same, kind, product, release} about
products that DIR holds. The release of both questions is resolved as in the chat; then the memory
decides by their words. With `--judge` the configured model reads the second question beside the
first one, as in the chat, for the pairs that it would judge there: those with other words, at least
δ near, without an evident difference. What is left for a model is offered to the asker where the
model is small.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from langchain_core.language_models import BaseChatModel
from rich.console import Console

from chatbot.assembly import open_chatbot, open_model
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import ScoreOrigin
from chatbot.memory.questions import evident_difference, standalone_text
from chatbot.settings import read_settings
from chatbot.turn import Remembered, Turn
from chatbot.understanding.question_reading import read_question
from eval.figures import Share, report_tables, share
from eval.gold import Line, read_lines


class QuestionPair(Line):
    """Two questions, whether they ask the same, and what kind of pair they are."""

    a: str
    b: str
    same: bool
    kind: str
    product: str
    release: str


@dataclass(frozen=True)
class Judged:
    """A pair with its cosine, and why the memory takes the questions for different ones, if so."""

    pair: QuestionPair
    cosine: float
    difference: str

    @property
    def reused(self) -> bool:
        """Whether the answer to one is given to the other."""
        return not self.difference


def judge(
    pairs: Sequence[QuestionPair], chatbot: Chatbot, model: BaseChatModel | None = None
) -> list[Judged]:
    """Compare the questions of each pair as the memory does, with a model to judge if given."""
    delta = chatbot.memory.recall.settings.memory_delta

    @cache
    def asked(text: str, product: str, release: str) -> Turn:
        return chatbot.ask(text, product=product, release=release, afresh=True).turn

    judged = []
    for pair in pairs:
        one, other = (asked(text, pair.product, pair.release) for text in (pair.a, pair.b))
        a, b = chatbot.memory.recall.reader.read_all(
            [standalone_text(one), standalone_text(other)], pair.product
        )
        apart = _releases(one) != _releases(other)
        reason = "two releases" if apart else "" if a.asks == b.asks else "other words"
        cosine = float(a.vector @ b.vector)
        if model is not None and reason and not apart and cosine >= delta:
            reason = "a figure or a name"
            if not evident_difference(a.text, b.text, pair.product):
                reason = "" if judged_same(chatbot, model, pair) else "the model says so"
        judged.append(Judged(pair, cosine, reason))
    return judged


def judged_same(chatbot: Chatbot, model: BaseChatModel, pair: QuestionPair) -> bool:
    """Whether a model that reads the second question takes it for the first one."""
    now = datetime.now(UTC)
    saved = Remembered(1, pair.a, "", "", (), 1.0, ScoreOrigin.RATING, "", now, 1.0)

    async def unread(turn: Turn) -> Turn:
        return turn

    products, corpus = chatbot.products, chatbot.corpora.corpus
    read = read_question(model, products, corpus, unread, lambda *_: [(pair.release, saved)])
    asked = Turn(pair.b, product=pair.product, release=pair.release)

    async def same_as() -> int | None:
        return (await read(asked)).same_as

    return asyncio.run(same_as()) == saved.id


def figures(judged: Sequence[Judged]) -> dict[str, Share]:
    """How many paraphrases are reused, and how many traps wrongly; in all and by kind."""
    found = {}
    for same, what in ((True, "paraphrases reused"), (False, "traps reused, wrongly")):
        of = [j for j in judged if j.pair.same is same]
        found[what] = share(j.reused for j in of)
        for kind in sorted({j.pair.kind for j in of}):
            found[f"{what}: {kind}"] = share(j.reused for j in of if j.pair.kind == kind)
    return found


def wrong(judged: Sequence[Judged]) -> list[tuple[str, ...]]:
    """A row for each wrong reuse, with the cosine of the two questions."""
    reused = (j for j in judged if j.reused and not j.pair.same)
    return [(f"{j.cosine:.2f}", j.pair.a, j.pair.b) for j in reused]


def _releases(turn: Turn) -> tuple[str, ...]:
    return turn.resolved.releases if turn.resolved else ()


def main(
    file: Annotated[Path, typer.Argument(help="Pairs of questions (JSONL).")],
    data: Annotated[Path | None, typer.Option(help="A data folder with what they ask.")] = None,
    judging: Annotated[bool, typer.Option("--judge", help="Let the model judge, too.")] = False,
) -> None:
    """Print how often answers are reused, rightly and wrongly."""
    settings = read_settings(generator="none", data_dir=data)
    model = open_model(read_settings(data_dir=data)) if judging else None
    judged = judge(read_lines(file, QuestionPair), open_chatbot(settings), model)
    columns = ("cosine", "question", "other question")
    tables = report_tables("Pairs of questions", figures(judged), columns, wrong(judged))
    Console().print(tables)


if __name__ == "__main__":
    typer.run(main)

"""What was answered before the stream begins: the pairs of a training set (ComRAG 5.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from chatbot.accounts.people import LOCAL
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.assembly import Chatbot
from eval.gold import GoldQuestion, read_gold
from eval.stream_questions import Arrival


def read_history(gold: Iterable[Path], arrivals: Iterable[Arrival]) -> FaqFile:
    """The questions of the gold files that one release answers and that do not arrive later.

    Raises GoldError for a line that is no question.
    """
    arriving = {arrival.gold.id for arrival in arrivals}
    rows = tuple(_rows((q for path in gold for q in read_gold(path)), arriving))
    return FaqFile("history", rows)


def remember(chatbot: Chatbot, history: FaqFile) -> int:
    """Import them as an admin would; how many pairs that made."""
    return Exchange(chatbot, LOCAL).bring_in(history).added


def _rows(questions: Iterable[GoldQuestion], arriving: Collection[str]) -> Iterator[FaqRow]:
    for line, question in enumerate(questions, 1):
        releases = question.gold_releases
        stands_alone = question.answerable and not question.history and len(releases) == 1
        if stands_alone and question.id not in arriving:
            yield FaqRow(
                line, question.product, releases[0], question.question, question.gold_answer
            )

"""What an ablation asks again and again: the scenario table, or a folder of spent questions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from chatbot.chatbot import Chatbot
from corpora.catalog.release import Product
from eval.answers import score_answer
from eval.gold import GoldQuestion, read_gold, read_lines
from eval.recording import RecordedChatModel, recorded
from eval.releases import Outcome, ReleaseQuestion, measure_releases
from eval.scenarios import Row, Scenarios, faults


class Result(StrEnum):
    """What became of a case; CHANGED: the model's reply to its prompt is not recorded."""

    RIGHT = "right"
    WRONG = "wrong"
    CHANGED = "changed"


@dataclass(frozen=True, eq=False)
class Case:
    """A question about a product, and how to ask it and judge the reply."""

    id: str
    product: str
    is_right: Callable[[], bool]
    model: RecordedChatModel | None = None

    def ask(self) -> Result:
        """Ask, and say what becomes of it."""
        before = self.model.changed if self.model else 0
        try:
            right = self.is_right()
        except Exception:  # noqa: BLE001
            # The edge of an ablation: a rule without which nothing is answered is needed.
            right = False
        if self.model and self.model.changed > before:
            return Result.CHANGED
        return Result.RIGHT if right else Result.WRONG


def scenario_cases(scenarios: Scenarios, rows: Sequence[Row]) -> list[Case]:
    """The rows of the scenario table."""
    return [Case(row.id, row.product or "", partial(_holds, scenarios, row)) for row in rows]


def _holds(scenarios: Scenarios, row: Row) -> bool:
    return not any(faults(row, scenarios.reply_to(row)))


def spent_cases(folder: Path, chatbot: Chatbot) -> Iterator[Case]:
    """The questions of a folder about products that are ingested.

    `NAME.jsonl` holds questions with checked answers, `NAME.replies.jsonl` what a model replied
    when they were asked (`strata eval answers NAME.jsonl --recording NAME.replies.jsonl`; without
    it no model answers), `NAME.releases.jsonl` phrasings of releases. Raises GoldError for a file
    that cannot be read.
    """
    products = chatbot.products()
    known = {product.name for product in products}
    for path in sorted(folder.glob("*.jsonl")):
        name, _, what = path.stem.partition(".")
        if what == "releases":
            for asked in read_lines(path, ReleaseQuestion, unique="id"):
                if asked.product in known:
                    taken = partial(_taken_rightly, asked, products)
                    yield Case(f"{name}/{asked.id}", asked.product, taken)
        elif not what:
            replies = path.with_name(f"{name}.replies.jsonl")
            model = recorded(replies) if replies.exists() else None
            answering = replace(chatbot, model=model)
            for question in read_gold(path):
                if question.product in known:
                    right = partial(_answered_rightly, question, answering)
                    yield Case(f"{name}/{question.id}", question.product, right, model)


def _answered_rightly(question: GoldQuestion, chatbot: Chatbot) -> bool:
    reply = chatbot.ask(
        question.question, product=question.product, history=question.history, afresh=True
    )
    score = score_answer(question, reply.content)
    return bool(score.correct) and not score.silently_wrong_release


def _taken_rightly(question: ReleaseQuestion, products: Sequence[Product]) -> bool:
    (score,) = measure_releases([question], products)
    return score.outcome in (Outcome.RIGHT, Outcome.ASKED_BACK)

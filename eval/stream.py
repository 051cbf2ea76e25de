"""The paper's experiment: questions arrive in iterations, and the memory grows (ComRAG 5.1, 6.3).

Every question is asked in a conversation of its own. After each one the memory has taken in the
answer before the next arrives, as it has between two people.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rich.console import Group as Rows
from rich.table import Table
from sqlalchemy import func, select

from chatbot.accounts.people import LOCAL
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.chatbot import AnsweredTurn, Chatbot
from chatbot.conversations.feedback import DOWN, UP
from chatbot.memory.pairs import Store
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, Offered
from chatbot.text.markdown import without_marks
from chatbot.turn import Route
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from eval.answers import score_answer
from eval.figures import Share, figures_table, share
from eval.gold import GoldError, GoldQuestion, Line, read_gold, read_lines


class Paraphrases(Line):
    """Other wordings of a gold question."""

    id: str
    paraphrases: tuple[str, ...]


Alike = Callable[[str, str], float]
"""How alike an answer and the gold answer are."""


class Arrival(NamedTuple):
    """A question as somebody asks it: in the words of its gold question, or in others."""

    gold: GoldQuestion
    text: str


def read_arrivals(gold: Iterable[Path], paraphrases: Path) -> tuple[Arrival, ...]:
    """Every question of the gold files that has paraphrases, followed by these.

    The file of paraphrases has a line {id, paraphrases} for each. Raises GoldError for a line
    that is none, or whose id no question has.
    """
    by_id = {question.id: question for path in gold for question in read_gold(path)}
    arrivals: list[Arrival] = []
    for row in read_lines(paraphrases, Paraphrases):
        if row.id not in by_id:
            raise GoldError(f"{paraphrases}: there is no question {row.id!r}")
        asked = by_id[row.id]
        arrivals += (Arrival(asked, text) for text in (asked.question, *row.paraphrases))
    return tuple(arrivals)


def shuffled(
    arrivals: Sequence[Arrival], iterations: int, seed: int
) -> tuple[tuple[Arrival, ...], ...]:
    """The arrivals in a random order, parted into so many iterations of nearly the same length."""
    order = np.random.default_rng(seed).permutation(len(arrivals))
    return tuple(tuple(arrivals[n] for n in order[i::iterations]) for i in range(iterations))


def read_history(gold: Iterable[Path], arrivals: Iterable[Arrival]) -> FaqFile:
    """The questions of the gold files that one release answers and that do not arrive later.

    Raises GoldError for a line that is no question.
    """
    arriving = {arrival.gold.id for arrival in arrivals}
    rows = tuple(
        FaqRow(line, q.product, q.gold_releases[0], q.question, q.gold_answer)
        for line, q in enumerate((q for path in gold for q in read_gold(path)), 1)
        if q.answerable and not q.history and len(q.gold_releases) == 1 and q.id not in arriving
    )
    return FaqFile("history", rows)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an arrival.

    `bert_score` is the F1 of `said`, the answer's lead, with the gold answer. `correct` looks at
    all of its own words. A reuse is of the answer to `reused_from` (as it was asked then; empty for
    one of the history): `wrong_reuse` if that was another question and its answer is not right
    here, `repeats_error` if it was the same one, answered wrongly. `clicked` if it was offered and
    taken.
    """

    gold: str
    asked: str
    said: str
    seconds: float
    route: str
    correct: bool
    refused: bool
    bert_score: float
    reused_from: str = ""
    clicked: bool = False
    wrong_reuse: bool = False
    repeats_error: bool = False
    wrong_release: bool = False

    @property
    def reused(self) -> bool:
        """Whether the answer was there already."""
        return self.route == Route.REUSE


@dataclass(frozen=True, slots=True)
class Iteration:
    """The figures of one iteration; `growth` is that of both stores in it, of what was there.

    `high` and `low` are the pairs in the stores at its end. `growth` is None for a first one that
    begins with nothing.
    """

    outcomes: tuple[Outcome, ...]
    high: int
    low: int
    growth: float | None


def run_stream(
    chatbot: Chatbot,
    iterations: Sequence[Sequence[Arrival]],
    alike: Alike,
    on_progress: Callable[[int], None],
    clicks: bool = False,
) -> tuple[Iteration, ...]:
    """Ask everything in order; `alike` compares an answer with the gold answer.

    With `clicks` the asker takes an offer of the same question, and rates each written answer: a
    thumb up if it is right, down if not.
    """
    found: list[Iteration] = []
    asked: dict[int, Arrival] = {}
    before = sum(stored_pairs(chatbot))
    for arrivals in iterations:
        outcomes = []
        for arrival in arrivals:
            outcomes.append(_ask(chatbot, arrival, alike, asked, clicks))
            on_progress(len(asked))
        high, low = stored_pairs(chatbot)
        growth = (high + low - before) / before if before else None
        before = high + low
        found.append(Iteration(tuple(outcomes), high, low, growth))
    return tuple(found)


class _Clicker:
    """An asker who takes the first offer of the same question, and stops the writing for it."""

    def __init__(self, chatbot: Chatbot, arrival: Arrival, asked: Mapping[int, Arrival]) -> None:
        self._chatbot = chatbot
        self._arrival = arrival
        self._asked = asked
        self.taken: int | None = None

    def listen(self, event: Event) -> None:
        """Look at what is offered."""
        for pair in event.pairs if isinstance(event, Offered) else ():
            first = self._asked.get(_source(self._chatbot, pair.id) or 0)
            if self.taken is None and first and first.gold.id == self._arrival.gold.id:
                self.taken = pair.id

    @property
    def stopped(self) -> bool:
        """Whether something was taken."""
        return self.taken is not None


def _reply(chatbot: Chatbot, arrival: Arrival, clicker: _Clicker | None) -> AnsweredTurn:
    text, product = arrival.text, arrival.gold.product
    ask = partial(
        chatbot.ask, text, product=product, conversation=chatbot.conversations.start(product, text)
    )
    if clicker is None:
        return ask()
    with suppress(Stopped):
        reply = ask(listener=clicker.listen, stopped=lambda: clicker.stopped)
        # A short answer may be there before it is stopped.
        if not clicker.stopped:
            return reply
    return ask(same_as=clicker.taken)


def _ask(
    chatbot: Chatbot,
    arrival: Arrival,
    alike: Alike,
    asked: dict[int, Arrival],
    clicks: bool,
) -> Outcome:
    gold = arrival.gold
    clicker = _Clicker(chatbot, arrival, asked) if clicks else None
    begun = perf_counter()
    reply = _reply(chatbot, arrival, clicker)
    seconds = perf_counter() - begun
    turn = reply.kept_as
    assert turn is not None
    asked[turn] = arrival
    score = score_answer(gold, reply.content)
    reused = reply.turn.route is Route.REUSE
    if clicks and not reused:
        chatbot.feedback(LOCAL.id).give(turn, UP if score.correct else DOWN)
    recollection = reply.turn.recollection
    pair = recollection.reused if reused and recollection else None
    first = asked.get(_source(chatbot, pair.id) or 0) if pair else None
    same = first is not None and first.gold.id == gold.id
    answer = reply.turn.answer
    text = answer.value or without_marks(answer.text) if answer else reply.content.answer
    return Outcome(
        gold=gold.id,
        asked=arrival.text,
        said=text,
        seconds=seconds,
        route=str(reply.turn.route),
        correct=bool(score.correct),
        refused=score.refused,
        bert_score=alike(text, gold.gold_answer),
        reused_from=first.text if first else "",
        clicked=clicker is not None and clicker.stopped,
        wrong_reuse=reused and not same and not score.correct,
        repeats_error=reused and same and not score.correct,
        wrong_release=reused and (score.cited_wrong_release or not score.release_right),
    )


def stored_pairs(chatbot: Chatbot) -> tuple[int, int]:
    """How many pairs there are in the high and in the low store."""
    counted = select(func.count()).select_from(MemoryPairRow)
    with chatbot.database.reading() as session:
        high = session.scalar(counted.where(MemoryPairRow.store == Store.HIGH)) or 0
        return high, (session.scalar(counted) or 0) - high


def _source(chatbot: Chatbot, pair: int) -> int | None:
    """The turn that first gave the answer of a saved pair."""
    source = (
        select(MemoryUseRow.turn_id)
        .join(TurnRow, TurnRow.id == MemoryUseRow.turn_id)
        .where(MemoryUseRow.pair_id == pair, MemoryUseRow.role == "source")
    )
    with chatbot.database.reading() as session:
        return session.scalar(source.limit(1))


Runs = Mapping[str, Sequence[Iteration]]
"""The iterations of each variant, by its name."""

FIGURES: Mapping[str, Callable[[Iteration], float | Share | None]] = {
    "questions": lambda i: len(i.outcomes),
    "mean_seconds": lambda i: mean(o.seconds for o in i.outcomes),
    "median_seconds": lambda i: median(o.seconds for o in i.outcomes),
    "reused": lambda i: share(o.reused for o in i.outcomes),
    "clicked": lambda i: share(o.clicked for o in i.outcomes),
    "right": lambda i: share(o.correct for o in i.outcomes),
    "refused": lambda i: share(o.refused for o in i.outcomes),
    "bert_score": lambda i: mean(o.bert_score for o in i.outcomes),
    "wrong_reuses": lambda i: sum(o.wrong_reuse for o in i.outcomes),
    "errors_repeated": lambda i: sum(o.repeats_error for o in i.outcomes),
    "other_release": lambda i: sum(o.wrong_release for o in i.outcomes),
    "high": lambda i: i.high,
    "low": lambda i: i.low,
    "growth": lambda i: i.growth,
}
"""What is told of an iteration, or of all of them as one."""
_FORMATS = {"mean_seconds": ".2f", "median_seconds": ".2f", "bert_score": ".3f", "growth": ".1%"}
"""How the figures that are no whole numbers are shown."""


def _figures(iteration: Iteration) -> dict[str, float | Share | None]:
    return {name: of(iteration) for name, of in FIGURES.items()}


def _ratios(iteration: Iteration) -> dict[str, float | None]:
    found = _figures(iteration).items()
    return {name: v.ratio if isinstance(v, Share) else v for name, v in found}


def stream_figures(runs: Runs) -> dict[str, dict[str, float | None]]:
    """The figures of each variant over all iterations, shares as their ratio."""
    return {name: _ratios(_whole(iterations)) for name, iterations in runs.items()}


def stream_tables(runs: Runs) -> Rows:
    """A table for each variant, a row an iteration; with several variants one to compare them."""
    tables = [
        _table(name, "iteration", {str(n): i for n, i in enumerate(iterations, 1)})
        for name, iterations in runs.items()
    ]
    if len(runs) > 1:
        tables.append(_table("Compared", "variant", {n: _whole(i) for n, i in runs.items()}))
    return Rows(*tables)


def _table(title: str, first: str, rows: Mapping[str, Iteration]) -> Table:
    figures = {name: _figures(iteration) for name, iteration in rows.items()}
    columns = next(iter(figures.values()))
    table = figures_table(title, first, *(column.replace("_", " ") for column in columns))
    for name, found in figures.items():
        shown = ((value, _FORMATS.get(column, "")) for column, value in found.items())
        table.add_row(name, *("" if value is None else format(value, f) for value, f in shown))
    return table


def _whole(iterations: Sequence[Iteration]) -> Iteration:
    """All iterations as one, with what is kept and how it grew at the end."""
    outcomes = tuple(outcome for iteration in iterations for outcome in iteration.outcomes)
    return replace(iterations[-1], outcomes=outcomes)


def to_json(runs: Runs) -> dict[str, Any]:
    """All figures, shares as their ratio, and every question with what became of it."""
    return {
        name: [{**_ratios(one), "outcomes": list(map(asdict, one.outcomes))} for one in found]
        for name, found in runs.items()
    }

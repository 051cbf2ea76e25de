"""The models that were asked: how often, how long they took, and how they failed."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import func, select

from chatbot.accounts.people import Person
from chatbot.runtime.model_calls import STOPPED
from corpora.database.engine import Database
from corpora.database.history_tables import ServerCallRow

ANSWERED = frozenset({"", STOPPED})
"""The kinds of requests that no server failed at."""
MOST_TIMED = 10_000
"""The most requests of a server and model whose times are read; of more, the newest are."""


@dataclass(frozen=True)
class ServerFigures:
    """The requests to a model on a server, which is empty for one in a process of Strata.

    `errors` are their kinds, most frequent first. `first_token`, `median` and `p95` are seconds of
    the answered ones, None where there is none; `last_error` is when the last one failed.
    """

    server: str
    model: str
    calls: int
    errors: tuple[tuple[str, int], ...] = ()
    first_token: float | None = None
    median: float | None = None
    p95: float | None = None
    last_error: datetime | None = None

    @property
    def failed(self) -> int:
        """The requests that failed."""
        return sum(number for _, number in self.errors)


def server_figures(
    database: Database,
    person: Person,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[ServerFigures]:
    """The figures of each server and model, the most asked first.

    All processes that share the database are counted. Raises NotAllowed unless an admin asks.
    """
    person.require_admin()
    row = ServerCallRow
    within = []
    if since:
        within.append(row.at >= since)
    if until:
        within.append(row.at < until)
    errors: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    last: dict[tuple[str, str], datetime] = {}
    figures = []
    with database.reading() as session:
        by = (row.server, row.model, row.error)
        counted = select(*by, func.sum(row.calls), func.max(row.at)).where(*within).group_by(*by)
        for server, model, error, calls, newest in session.execute(counted):
            place = server, model
            errors[place][error] = calls
            if error not in ANSWERED:
                last[place] = max(newest, last.get(place, newest))
        for (server, model), counts in errors.items():
            answered = select(row.first_token, row.seconds).where(
                *within,
                row.server == server,
                row.model == model,
                row.error == "",
                row.calls == 1,
            )
            newest_first = answered.order_by(row.at.desc()).limit(MOST_TIMED)
            times = session.execute(newest_first).all()
            firsts = [first for first, _ in times if first is not None]
            seconds = [taken for _, taken in times]
            figures.append(
                ServerFigures(
                    server,
                    model,
                    counts.total(),
                    tuple((kind, n) for kind, n in counts.most_common() if kind not in ANSWERED),
                    _quantile(firsts, 0.5),
                    _quantile(seconds, 0.5),
                    _quantile(seconds, 0.95),
                    last.get((server, model)),
                )
            )
    return sorted(figures, key=lambda f: (-f.calls, f.server, f.model))


def _quantile(seconds: list[float], share: float) -> float | None:
    return float(np.quantile(seconds, share, method="inverted_cdf")) if seconds else None

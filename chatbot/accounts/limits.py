"""Limits on what one person may use, counted in SQL, so that all processes agree."""

import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import monotonic

from sqlalchemy import delete, func, select

from chatbot.accounts.people import Person
from chatbot.errors import LimitReached
from chatbot.text.languages import gettext, gettext_noop, ngettext
from corpora.database.engine import Database
from corpora.database.history_tables import UseRow

WRONG_HOOKS = 30
"""Calls of webhooks with a wrong secret that a process answers in a minute, of all sources."""
MOST_OPEN = 16
"""Questions of one owner that a process answers, or lets wait, at once."""


@dataclass(frozen=True)
class UsageLimits:
    """Counts what people use; the one person of a Strata without sign-in is not limited."""

    database: Database
    questions_per_minute: int
    uploads_per_day: int
    _open: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    _opening: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)
    _wrong_hooks: deque[float] = field(
        default_factory=lambda: deque(maxlen=WRONG_HOOKS), init=False, repr=False, compare=False
    )

    def open_question(self, owner: str) -> Callable[[], None]:
        """Count a question that is being answered here, or raise LimitReached.

        Returns what is to be called at its end.
        """
        with self._opening:
            if owner and self._open[owner] >= MOST_OPEN:
                raise LimitReached(
                    gettext(
                        "{number} of your questions are being answered. You can go on when one "
                        "of them is.",
                        number=MOST_OPEN,
                    )
                )
            self._open[owner] += 1

        def close() -> None:
            with self._opening:
                self._open[owner] -= 1
                if not self._open[owner]:
                    del self._open[owner]

        return close

    def question(self, owner: str, most: int | None = None) -> None:
        """Count a question, or raise LimitReached; `most` is a limit of the owner's own."""
        most = self.questions_per_minute if most is None else most
        self._use(owner, "question", most, timedelta(minutes=1), _QUESTIONS)

    def wrong_hook(self) -> None:
        """Count a call of a webhook with a wrong secret in this process, or raise LimitReached.

        Whoever calls needs no key, so nothing of it is written to the database.
        """
        now, minute = monotonic(), 60.0
        with self._opening:
            is_full = len(self._wrong_hooks) == WRONG_HOOKS
            if not is_full or self._wrong_hooks[0] <= now - minute:
                self._wrong_hooks.append(now)
                return
            wait = timedelta(seconds=self._wrong_hooks[0] + minute - now)
        raise _reached(WRONG_HOOKS, _WRONG_SECRETS, wait)

    def upload(self, person: Person) -> None:
        """Count an upload of however many files, or raise LimitReached."""
        self._use(person.id, "upload", self.uploads_per_day, timedelta(days=1), _UPLOADS)

    def _use(self, owner: str, kind: str, limit: int, within: timedelta, of: str) -> None:
        if not owner or not limit:
            return
        now = datetime.now(UTC)
        of_kind = (UseRow.owner == owner, UseRow.kind == kind)
        # One transaction that holds the write lock from its start: no other comes in between.
        with self.database.writing() as session:
            session.execute(delete(UseRow).where(*of_kind, UseRow.at <= now - within))
            counted = select(func.count(), func.min(UseRow.at)).where(*of_kind)
            used, first = session.execute(counted).one()
            if used < limit:
                session.add(UseRow(owner=owner, kind=kind, at=now))
                return
        raise _reached(limit, of, first + within - now)


_QUESTIONS = gettext_noop(
    "Your limit of {limit} questions a minute is reached. You can go on in {wait}."
)
_UPLOADS = gettext_noop("Your limit of {limit} uploads a day is reached. You can go on in {wait}.")
_WRONG_SECRETS = gettext_noop(
    "Your limit of {limit} wrong secrets a minute is reached. You can go on in {wait}."
)


def _reached(limit: int, of: str, wait: timedelta) -> LimitReached:
    return LimitReached(gettext(of, limit=limit, wait=_in_words(wait)))


def _in_words(wait: timedelta) -> str:
    seconds = max(1, math.ceil(wait.total_seconds()))
    if seconds >= 3600:
        return ngettext("{number} hour", "{number} hours", math.ceil(seconds / 3600))
    if seconds >= 60:
        return ngettext("{number} minute", "{number} minutes", math.ceil(seconds / 60))
    return ngettext("{number} second", "{number} seconds", seconds)

"""The reviews of answers by admins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from chatbot.accounts.audit import recorded
from chatbot.accounts.people import Person, require_short
from chatbot.errors import BadInput, UnknownTurn
from chatbot.memory.pairs import Rating
from chatbot.text.languages import gettext, gettext_noop
from corpora.database.engine import Database
from corpora.database.history_tables import ReviewRow, TurnRow
from ingestion.messages import message


class Status(StrEnum):
    """The state of a review."""

    OPEN = "open"
    DONE = "done"


_TEXTS = ("corrected_answer", "note")
_LONGEST = {"corrected_answer": 20_000, "note": 20_000, "corrected_release": 200, "assignee": 200}


@dataclass(frozen=True)
class Ratings:
    """Writes reviews, each together with its entry in the audit log.

    `changed` is called with each turn whose rating changed, `corrected` with each whose corrected
    answer or release changed.
    """

    database: Database
    changed: Callable[[int], None] = lambda turn: None
    corrected: Callable[[Person, int], None] = lambda person, turn: None

    def change(
        self,
        person: Person,
        turn: int,
        seen: Mapping[str, str] | None = None,
        **changes: str | bool,
    ) -> ReviewRow:
        """Change fields of the review of a turn and return it; raises UnknownTurn and BadInput.

        With what the person had `seen` of them, those that stay so are left alone, and one that
        somebody else has changed since raises BadInput.
        """
        person.require_admin(self.database)
        wanted = {field: _value(field, value) for field, value in changes.items()}
        with self.database.writing() as session:
            row = session.get(TurnRow, turn)
            if row is None:
                raise UnknownTurn(turn)
            review = review_of(row)
            if seen is not None:
                wanted = {k: v for k, v in wanted.items() if v != seen[k]}
            changed = {k: v for k, v in wanted.items() if getattr(review, k) != v}
            if seen is not None:
                _require_seen(review, {k: seen[k] for k in changed})
            if not changed:
                return review
            for field, value in changed.items():
                setattr(review, field, value)
            review.reviewer, review.updated = person.id or person.name, datetime.now(UTC)
            session.add(review)
            # Of texts the log keeps only the length, because it is kept for good.
            details = {k: len(str(v)) if k in _TEXTS else v for k, v in changed.items()}
            is_corrected = not changed.keys().isdisjoint(("corrected_answer", "corrected_release"))
            action = "correct" if is_corrected else "rate" if "rating" in changed else "review"
            recorded(session, person, action, message("turn {turn}", turn=turn), **details)
        if "rating" in changed:
            self.changed(turn)
        if is_corrected:
            self.corrected(person, turn)
        return review


def review_of(turn: TurnRow) -> ReviewRow:
    """The review of a turn, an empty one where there is none."""
    return turn.review or ReviewRow(
        turn_id=turn.id,
        status=Status.OPEN,
        in_regression_set=False,
        **dict.fromkeys(("rating", "reviewer", *_LONGEST), ""),
    )


_LABELS = {
    "corrected_answer": gettext_noop("Corrected answer"),
    "corrected_release": gettext_noop("Correct release"),
    "note": gettext_noop("Note"),
    "assignee": gettext_noop("Assigned to"),
    "rating": gettext_noop("Rating"),
    "status": gettext_noop("Status"),
    "in_regression_set": gettext_noop("In the regression set"),
}
"""How the form calls what is reviewed."""


def _require_seen(review: ReviewRow, seen: Mapping[str, str]) -> None:
    for field, text in seen.items():
        if (now := getattr(review, field)) != text:
            raise BadInput(
                gettext(
                    "{name} has changed “{field}” meanwhile, to “{text}”. Save again to put yours "
                    "in its place.",
                    name=review.reviewer,
                    field=gettext(_LABELS[field]),
                    text=now,
                )
            )


def _value(field: str, value: str | bool) -> str | bool:
    if field == "in_regression_set":
        return bool(value)
    text = str(value).strip()
    if field in ("rating", "status"):
        kind = Rating if field == "rating" else Status
        if value not in list(kind) and not (field == "rating" and value == ""):
            raise BadInput("{value!r} is none of {kind}.", value=value, kind=", ".join(kind))
    elif field not in _LONGEST:
        raise TypeError(f"a review has no {field!r} to change")
    else:
        require_short(field.replace("_", " "), text, _LONGEST[field])
    return text

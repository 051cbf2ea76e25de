"""What is said of a remembered answer: how good it is, who says so, and since when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from chatbot.accounts.people import LOCAL
from chatbot.reply import RememberedPair

Day = Callable[[datetime], str]


def day_in_utc(moment: datetime) -> str:
    """The day of a moment in UTC: "3 Nov 2026"."""
    return f"{moment.astimezone(UTC):%-d %b %Y}"


def vouched(pair: RememberedPair, *, to_admin: bool = False, day: Day = day_in_utc) -> str:
    """Who or what vouches for a remembered answer of a reply, as plain text.

    Admins are named. Whoever gave a thumb is not: people do not learn of each other here.
    """
    return vouched_by(
        pair.origin,
        pair.score,
        pair.rated_by,
        pair.rated,
        to_admin=to_admin,
        day=day,
    )


def saved(pair: RememberedPair, day: Day = day_in_utc) -> str:
    """Where a saved answer of a reply is from, as plain text: "Saved answer · score 0.97"."""
    if pair.origin == "curated":
        return "Corrected by an admin"
    is_measured = pair.origin == "measured"
    told = f"score {pair.score:.2f}" if is_measured else vouched(pair, day=day)
    return f"Saved answer · {told}"


def vouched_by(
    origin: str,
    score: float,
    by: str,
    at: datetime | None,
    *,
    to_admin: bool = False,
    day: Day = day_in_utc,
) -> str:
    """The same of its parts; `score` is 0 to 1.

    Admins see poor answers too, and thumbs down; for others an address is cut to a name.
    """
    on = f" on {day(at)}" if at else ""
    name = by if to_admin else by.partition("@")[0]
    # Where nobody signs in there is one person, who needs no name.
    named = f" by {name}" if name and by != LOCAL.name else ""
    if origin == "thumbs":
        return f"thumbs{on}" if to_admin else "rated helpful by people who asked"
    if origin == "rating":
        return f"rated{named}{on}" if to_admin else f"rated good{named}{on}"
    if origin == "imported":
        return f"imported{on}"
    if origin == "curated":
        return f"curated{named}{on}"
    return f"score {score:.2f}{on}"

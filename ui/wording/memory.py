"""The text about saved answers: who rated them when, and how an import went."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from chatbot.accounts.people import LOCAL
from chatbot.reply import RememberedPair
from corpora.database.memory_tables import MemoryPairRow
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from chatbot.administration.exchange import ImportReport


def vouched(pair: RememberedPair | MemoryPairRow) -> str:
    """The person or measure that vouches for a saved answer, as plain text.

    A person who gave a thumb is not named, since people do not learn of each other here, and of an
    admin's address only the name. Days are those of UTC.
    """
    on = f" on {pair.rated.astimezone(UTC):%-d %b %Y}" if pair.rated else ""
    name = pair.rated_by.partition("@")[0]
    # Without sign-in there is only one person, who needs no name.
    named = f" by {name}" if name and name != LOCAL.name else ""
    is_good = pair.score >= 0.5
    sources = {
        "thumbs": f"rated {'helpful' if is_good else 'poor'} by people who asked",
        "rating": f"rated {'good' if is_good else 'poor'}{named}{on}",
        "imported": f"imported{on}",
        "curated": f"curated{named}{on}",
    }
    return sources.get(pair.origin, f"measured as {pair.score:.2f}{on}")


def saved(pair: RememberedPair) -> str:
    """The source of a saved answer, as plain text: "Saved answer · not rated yet"."""
    if pair.origin == "curated":
        return "Corrected by an admin"
    return f"Saved answer · {'not rated yet' if pair.origin == 'measured' else vouched(pair)}"


def import_summary(report: ImportReport) -> list[str]:
    """The result of an import as lines of plain text: what was added, then what was not used."""
    added = how_many(report.added, "answer")
    known = f" {how_many(report.known, 'question')} already answered." if report.known else ""
    return [
        f"{report.file}: {added} added, {report.supported:,} with citations.{known}",
        *(f"Line {left.line:,} skipped: {left.reason}" for left in report.left_out),
    ]

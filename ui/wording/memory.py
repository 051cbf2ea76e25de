"""The text about saved answers: figures, who rated them when, and how an import went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import TYPE_CHECKING

from chatbot.accounts.people import LOCAL
from chatbot.administration.overview import ReleaseFigures
from chatbot.reply import RememberedPair
from corpora.database.memory_tables import MemoryPairRow
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from chatbot.administration.exchange import ImportReport


def vouched(pair: RememberedPair | MemoryPairRow, *, to_admin: bool = False) -> str:
    """The person or measure that vouches for a saved answer, as plain text.

    Admins are named, and see poor answers too, and thumbs down. A person who gave a thumb is not
    named: people do not learn of each other here, and for others an address is cut to a name. Days
    are those of UTC.
    """
    origin, by = pair.origin, pair.rated_by
    on = f" on {pair.rated.astimezone(UTC):%-d %b %Y}" if pair.rated else ""
    name = by if to_admin else by.partition("@")[0]
    # Without sign-in there is only one person, who needs no name.
    named = f" by {name}" if name and by != LOCAL.name else ""
    sources = {
        "thumbs": f"thumbs{on}" if to_admin else "rated helpful by people who asked",
        "rating": f"rated{'' if to_admin else ' good'}{named}{on}",
        "imported": f"imported{on}",
        "curated": f"curated{named}{on}",
    }
    return sources.get(origin, f"measured as {pair.score:.2f}{on}")


def saved(pair: RememberedPair) -> str:
    """The source of a saved answer, as plain text: "Saved answer · not rated yet"."""
    if pair.origin == "curated":
        return "Corrected by an admin"
    return f"Saved answer · {'not rated yet' if pair.origin == 'measured' else vouched(pair)}"


def figures_in_words(releases: Sequence[ReleaseFigures]) -> str:
    """The figures of releases together: "12 good, 3 not rated, 1 poor, 0 suspended; reuses: 5"."""
    figures = ("good", "unrated", "poor", "suspended", "reused")
    good, unrated, poor, out, reused = (sum(getattr(r, f) for r in releases) for f in figures)
    counts = f"{good:,} good, {unrated:,} not rated, {poor:,} poor, {out:,} suspended"
    return f"{counts}; reuses: {reused:,}"


def not_found(unread: int) -> str:
    """What is to be done about answers that earlier rules have read."""
    return (
        f"No longer reused since an update: {how_many(unread, 'saved answer')}. "
        "Run `strata memory rebuild` on the server to reuse all of them again."
    )


def import_summary(report: ImportReport) -> Iterator[str]:
    """The result of an import, in sentences of plain text."""
    added = how_many(report.added, "answer")
    yield f"{report.file}: {added} added, {report.supported:,} with citations."
    if report.low:
        yield f"{how_many(report.low, 'answer')} rated poor by the score in the file."
    if report.known:
        yield f"{how_many(report.known, 'answer')} already saved."
    if report.outdone:
        yield f"{how_many(report.outdone, 'question')} already had an answer as good."

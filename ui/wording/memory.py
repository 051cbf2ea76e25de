"""The text about saved answers: who rated them when, and how an import went."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from chatbot.accounts.people import LOCAL
from chatbot.reply import RememberedPair
from chatbot.text.languages import day_in_words, figure, gettext, ngettext
from corpora.database.memory_tables import MemoryPairRow
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from chatbot.administration.exchange import ImportReport


def vouched(pair: RememberedPair | MemoryPairRow) -> str:
    """The person or measure that vouches for a saved answer, as plain text.

    A person who gave a thumb is not named, since people do not learn of each other here, and of an
    admin's address only the name. Days are those of UTC.
    """
    name = pair.rated_by.partition("@")[0]
    # Without sign-in there is only one person, who needs no name.
    named = name if name != LOCAL.name and pair.origin != "imported" else ""
    is_good = pair.score >= 0.5
    if pair.origin == "thumbs":
        if is_good:
            return gettext("rated helpful by people who asked")
        return gettext("rated poor by people who asked")
    what = {
        "rating": gettext("rated good") if is_good else gettext("rated poor"),
        "imported": gettext("imported"),
        "curated": gettext("curated"),
    }.get(pair.origin, gettext("measured as {score}", score=figure(pair.score, 2)))
    day = day_in_words(pair.rated.astimezone(UTC)) if pair.rated else ""
    of = {"what": what, "name": named, "day": day}
    if named and day:
        return gettext("{what} by {name} on {day}", **of)
    if named:
        return gettext("{what} by {name}", **of)
    return gettext("{what} on {day}", **of) if day else what


def saved(pair: RememberedPair) -> str:
    """The source of a saved answer, as plain text: "Saved answer · not rated yet"."""
    if pair.origin == "curated":
        return gettext("Corrected by an admin")
    told = gettext("not rated yet") if pair.origin == "measured" else vouched(pair)
    return gettext("Saved answer · {told}", told=told)


def import_summary(report: ImportReport) -> list[str]:
    """The result of an import as lines of plain text: what was added, then what was not used."""
    said = gettext(
        "{file}: {answers} added, {number} with citations.",
        file=report.file,
        answers=how_many(report.added, "answer"),
        number=figure(report.supported),
    )
    if report.known:
        known = ngettext(
            "{number} question already answered.",
            "{number} questions already answered.",
            report.known,
        )
        said = f"{said} {known}"
    skipped = (
        gettext("Line {number} skipped: {reason}", number=figure(left.line), reason=left.reason)
        for left in report.left_out
    )
    return [said, *skipped]

"""Computed comparisons: stated values, changed parameters, release notes."""

from collections.abc import Iterator, Sequence
from itertools import chain

from chatbot.comparison.pages import passages
from chatbot.comparison.values import SHOWN, changed_group, stated_values
from chatbot.comparison.wording import Quotes, in_each, in_short, joined
from chatbot.retrieval.support import plain
from chatbot.text.languages import gettext, ngettext, ngettext_noop
from chatbot.turn import Answer
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.parameters.releases import ReleaseParameters
from ingestion.page import BlockKind, DocumentKind

_LEFT_OUT = ngettext_noop("{number} more note is left out.", "{number} more notes are left out.")


def computed_answer(
    topic: str, corpora: Sequence[Corpus], parameters: Sequence[ReleaseParameters]
) -> Answer | None:
    """The stated values of a parameter, or the changes of a group or of all; None if neither."""
    if topic and (stated := stated_values(topic, parameters)):
        return in_each([corpus.release for corpus in corpora], stated)
    changed = changed_group(topic, parameters[0], parameters[-1])
    notes = [] if topic else list(_notes(corpora[1:]))
    parts = [("", part) for part in (*notes, changed) if part]
    return joined(parts) if parts else None


def _notes(corpora: Sequence[Corpus]) -> Iterator[Answer]:
    """The release notes of each release, without sections headed by another release."""
    seen: set[str] = set()
    for corpus in corpora:
        quotes, lines = Quotes(), []
        notes = (d for d in corpus.documents() if d.kind is DocumentKind.RELEASE_NOTES)
        for record in passages(chain.from_iterable(corpus.pages_of(d.id) for d in notes)):
            headed = releases_named(" ".join(record.path), corpus.release)
            inside = len(record.path) > 1 and record.kind != BlockKind.CODE
            text = plain(record.quote)
            if inside and (headed.own or not headed.other) and text not in seen:
                seen.add(text)
                lines.append(record)
        shown = [
            f"- {in_short(record.path[-1], 60)}: {in_short(record.quote)} "
            f"{quotes.mark(record, corpus.release)}"
            for record in lines[:SHOWN]
        ]
        if shown:
            left = len(lines) - len(shown)
            more = [ngettext(*_LEFT_OUT, left)] if left else []
            lead = gettext("The release notes of {release} say:", release=corpus.release)
            yield quotes.answer(lead, "\n".join(shown), *more)

"""What the pages of several releases tell without a model, computed from their sides."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.comparison.changes import find_notes, find_rows
from chatbot.comparison.in_words import (
    changes_in_words,
    nearest_in_words,
    nothing_named,
    presence_in_words,
)
from chatbot.comparison.presence import find_everywhere
from chatbot.comparison.sides import with_sides
from chatbot.comparison.topic import topic_of
from chatbot.turn import Answer, Documented, Turn
from corpora.indexing.corpus import Corpus

OpenCorpus = Callable[[str, str], Corpus]


def where_documented(turn: Turn, sides: Sequence[Turn], open_corpus: OpenCorpus) -> Turn | None:
    """Which releases document a thing; None where they may tell of it in other words."""
    corpora = [open_corpus(*side.asked) for side in sides]
    topic = topic_of(sides, corpora)
    if not topic.text:
        return with_sides(turn, sides, nothing_named([corpus.release for corpus in corpora]))
    findings = find_everywhere(topic, corpora)
    if findings is None:
        return None
    found = zip(sides, findings, strict=True)
    told = [replace(side, documented=f.status, answer=None) for side, f in found]
    return with_sides(turn, told, presence_in_words(topic.text, findings))


def what_differs(turn: Turn, sides: Sequence[Turn], open_corpus: OpenCorpus) -> Turn:
    """What differs on the topic; where nothing tells of it, the passages nearest to it."""
    corpora = [open_corpus(*side.asked) for side in sides]
    topic, releases = topic_of(sides, corpora), [corpus.release for corpus in corpora]
    rows, notes = find_rows(topic, corpora), find_notes(topic, corpora)
    answer = changes_in_words(topic.text, releases, rows, notes)
    if answer is None:
        named = nearest_in_words(sides) if topic.text else nothing_named(releases)
        return with_sides(turn, sides, named)
    # What only notes tell of decides nothing.
    there = [not rows or any(row.sides[n] for row in rows) for n in range(len(sides))]
    told = [
        replace(side, answer=None, documented=None if known else Documented.NOT_FOUND)
        for side, known in zip(sides, there, strict=True)
    ]
    return with_sides(turn, told, answer)


def changed_values(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> Answer | None:
    """What has the same name in all releases and another value: rows, parameters; else None.

    What seems new or gone may only be told in other words.
    """
    topic = topic_of(sides, corpora)
    rows = find_rows(topic, corpora)
    named = [row for row in rows if row.differs and row.name and None not in row.sides]
    names = [corpus.release for corpus in corpora]
    return changes_in_words(topic.text, names, named, ()) if named else None

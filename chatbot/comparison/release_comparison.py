"""The same question to several releases, side by side, without a model (design, law 2)."""

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
from chatbot.comparison.sides import side_of, with_sides
from chatbot.comparison.topic import asks_where, topic_of
from chatbot.releases.resolution import ReleaseStatus
from chatbot.runtime.concurrency import in_thread, together
from chatbot.turn import Documented, ModelStep, Turn
from corpora.indexing.corpus import Corpus

OpenCorpus = Callable[[str, str], Corpus]


def compare_releases(
    gather: ModelStep, open_corpus: OpenCorpus, releases: Callable[[str], Sequence[str]]
) -> ModelStep:
    """Answer a comparison without a model: each release is searched apart, the rest is computed.

    `gather` takes a side up to the selected evidence. `releases` gives the releases of a product,
    oldest first.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution.status is not ReleaseStatus.COMPARED:
            return turn
        assert resolution.product is not None
        order = await in_thread(releases, resolution.product)
        names = [release for release in order if release in resolution.releases]
        *others, newest = [side_of(turn, release) for release in names]
        newest = await gather(newest)
        if asks_where(turn.question):
            found = await in_thread(_where_documented, turn, [*others, newest], open_corpus)
            if found is not None:
                return found
        sides = [*await together(map(gather, others)), newest]
        return await in_thread(_what_differs, turn, sides, open_corpus)

    return compare


def _where_documented(turn: Turn, sides: Sequence[Turn], open_corpus: OpenCorpus) -> Turn | None:
    """Which releases document a thing; None where they may tell of it in other words."""
    corpora = [open_corpus(*side.asked) for side in sides]
    topic = topic_of(sides, corpora)
    if not topic.text:
        return with_sides(turn, sides, nothing_named([corpus.release for corpus in corpora]))
    findings = find_everywhere(topic, corpora)
    if findings is None:
        return None
    pairs = zip(sides, findings, strict=True)
    told = [replace(side, documented=found.status, answer=None) for side, found in pairs]
    return with_sides(turn, told, presence_in_words(topic.text, findings))


def _what_differs(turn: Turn, sides: Sequence[Turn], open_corpus: OpenCorpus) -> Turn:
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

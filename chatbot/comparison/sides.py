"""The same question to several releases, side by side (design, law 2)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from chatbot.comparison.changes import Evidence, Row, find_notes, find_rows
from chatbot.comparison.in_words import (
    changes_in_words,
    nearest_in_words,
    no_thing_named,
    nothing_named,
    presence_in_words,
)
from chatbot.comparison.presence import find_everywhere
from chatbot.comparison.question import asks_where, topic
from chatbot.comparison.topic import topic_of
from chatbot.releases.resolution import ReleaseStatus, Resolution, cut
from chatbot.runtime.concurrency import in_thread, together
from chatbot.text.phrasing import listed
from chatbot.turn import Answer, Documented, ModelStep, Route, Turn
from corpora.catalog.catalog import NoCorpus
from corpora.indexing.corpus import Corpus

OpenCorpus = Callable[[str, str], Corpus]


def compare_releases(
    gather: ModelStep,
    open_corpus: OpenCorpus,
    releases: Callable[[str], Sequence[str]],
    unpublished: Callable[[str], Sequence[str]],
) -> ModelStep:
    """Answer a comparison without a model: each release is searched apart, the rest is computed.

    `gather` takes a side up to the selected evidence. `releases` gives the releases of a product,
    oldest first, `unpublished` those without any documentation.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution is None or resolution.status is not ReleaseStatus.COMPARED:
            return turn
        assert resolution.product is not None
        order = list(await in_thread(releases, resolution.product))
        names = sorted(set(resolution.releases), key=lambda n: order.index(n) if n in order else -1)
        *others, newest = [side_of(turn, resolution, release) for release in names]
        newest = await gather(newest)
        answered = None
        if asks_where(turn.question):
            answered = await in_thread(_look_up, turn, [*others, newest], open_corpus)
        if answered is None:
            sides = [*await together(map(gather, others)), newest]
            answered = await in_thread(_compared, turn, sides, open_corpus)
        missing = await in_thread(unpublished, resolution.product) if names == order else ()
        if answered.answer is None or not missing:
            return answered
        said = f"There is no documentation of {listed(missing)} yet; it is left out."
        told = replace(answered.answer, text=f"{answered.answer.text}\n\n{said}")
        return replace(answered, answer=told)

    return compare


def side_of(turn: Turn, resolution: Resolution, release: str) -> Turn:
    """The question to one release of a comparison, without the releases it names."""
    read = turn.rewritten
    return replace(
        turn,
        rewritten=read and replace(read, base=read.subject),
        question=cut(turn.question, resolution.mentions).strip(" ,:;-/"),
        resolution=replace(
            resolution,
            status=ReleaseStatus.STATED,
            releases=(release,),
            mentions=(),
            explanation=f"compared: {release}",
        ),
        calls=(),
        fallbacks=(),
        timings={},
    )


def _look_up(turn: Turn, sides: Sequence[Turn], open_corpus: OpenCorpus) -> Turn | None:
    """What every release says of a thing; None where it may be there in other words."""
    names = [side.asked[1] for side in sides]
    thing = _topic(sides)
    if not thing:
        return with_sides(turn, sides, no_thing_named(names))
    corpora: dict[str, Corpus] = {}
    for side in sides:
        with suppress(NoCorpus):
            corpora[side.asked[1]] = open_corpus(*side.asked)
    findings = find_everywhere(thing, names, corpora)
    if findings is None:
        return None
    found = zip(sides, findings, strict=True)
    told = [replace(side, documented=f.status, answer=None) for side, f in found]
    return with_sides(turn, told, presence_in_words(thing, findings))


def _compared(turn: Turn, sides: Sequence[Turn], open_corpus: OpenCorpus) -> Turn:
    """What differs on the topic; where nothing tells of it, the passages nearest to it."""
    corpora = [open_corpus(*side.asked) for side in sides]
    text, names = _topic(sides), [corpus.release for corpus in corpora]
    about = topic_of(text, corpora)
    if about.words or not text:
        rows = find_rows(about, _evidence(sides, corpora))
        notes = find_notes(about, corpora)
        answer = changes_in_words(about.text, names, rows, notes)
        if answer is not None or not text:
            told = [
                replace(s, answer=None, documented=_status(n, rows)) for n, s in enumerate(sides)
            ]
            return with_sides(turn, told, answer or nothing_named(names[1:]))
    return with_sides(turn, sides, nearest_in_words(sides))


def _evidence(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> list[Evidence]:
    return [(c, side.retrieved, side.ranked) for c, side in zip(corpora, sides, strict=True)]


def _status(n: int, rows: Sequence[Row]) -> Documented | None:
    """Whether a release documents what is compared; what only notes tell of decides nothing."""
    there = any(row.sides[n] for row in rows)
    return None if there or not rows else Documented.NOT_FOUND


def changed_values(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> Answer | None:
    """What has the same name in all releases and another value: rows, parameters; else None.

    What seems new or gone may only be told in other words.
    """
    about = topic_of(_topic(sides), corpora)
    if not about.words and _topic(sides):
        return None
    rows = find_rows(about, _evidence(sides, corpora))
    named = [row for row in rows if row.differs and row.name and None not in row.sides]
    names = [corpus.release for corpus in corpora]
    return changes_in_words(about.text, names, named, ()) if named else None


def _topic(sides: Sequence[Turn]) -> str:
    queries = next((side.queries for side in reversed(sides) if side.queries), None)
    return topic(queries) if queries else ""


def with_sides(turn: Turn, sides: Sequence[Turn], answer: Answer) -> Turn:
    """A comparison with its answer, and what each of its releases says."""
    # The sides run at once, so that a step takes as long as it does on the slowest.
    timings = dict(turn.timings)
    for name, seconds in chain(*(side.timings.items() for side in sides)):
        timings[name] = max(timings.get(name, 0.0), seconds)
    return replace(
        turn,
        route=Route.COMPARE,
        sides=tuple(_own(side, answer) for side in sides),
        queries=next((side.queries for side in reversed(sides) if side.queries), None),
        calls=(*turn.calls, *(call for side in sides for call in side.calls)),
        fallbacks=(*turn.fallbacks, *(failed for side in sides for failed in side.fallbacks)),
        timings=timings,
        answer=answer,
    )


def _own(side: Turn, answer: Answer) -> Turn:
    """A side with its own answer: the words that an answer cites from it where it has none."""
    own = side.answer
    if own is None:
        citations = tuple(c for c in answer.citations if c.release == side.asked[1])
        own = Answer("\n\n".join(c.quote for c in citations), not citations, citations)
    told = Documented.NOT_FOUND if own.abstained else Documented.DOCUMENTED
    status = side.documented or told
    abstained = status is not Documented.DOCUMENTED
    return replace(side, documented=status, answer=replace(own, abstained=abstained))

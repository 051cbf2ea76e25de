"""The same question to several releases, side by side (design, law 2)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from chatbot.comparison.changes import find_changes, topic_of
from chatbot.comparison.in_words import (
    changes_in_words,
    no_thing_named,
    nothing_named,
    presence_in_words,
)
from chatbot.comparison.pages import Differences, has_words, name_of, passages
from chatbot.comparison.presence import Finding, find_everywhere, lacking
from chatbot.comparison.question import (
    Asked,
    asked,
    asks_whether_same,
    leans_on_conversation,
    names_its_thing,
    thing_as_code,
    topic,
    wants_only,
)
from chatbot.comparison.stated import Reading, in_words, read_value
from chatbot.comparison.wording import in_short, values_side_by_side
from chatbot.releases.resolution import ReleaseStatus, Resolution, cut
from chatbot.retrieval.lifecycle import asks_since, read_since
from chatbot.retrieval.passages import best_passages
from chatbot.retrieval.provenance import cite, plain
from chatbot.runtime.concurrency import in_thread, together
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, as_document_words
from chatbot.turn import Answer, Documented, ModelStep, Record, Route, Turn
from corpora.catalog.release import name_tokens
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import identifiers

_SPECIFIC = 3
"""Words of a topic from which it is one thing, of which not all changes are wanted."""
_NEAR = 0.7
"""Of the best record's score, from which a record may tell what differs."""
_TOLD = 2
"""Records that a side tells at most."""
OpenCorpus = Callable[[str, str], Corpus]


def compare_releases(
    gather: ModelStep,
    answer: ModelStep,
    open_corpus: OpenCorpus,
    releases: Callable[[str], Sequence[str]],
    unpublished: Callable[[str], Sequence[str]],
) -> ModelStep:
    """Answer a comparison: each release is asked apart, what can be computed is computed.

    `gather` takes a side up to the selected evidence, `answer` writes where no rule and
    no difference of the pages tells. `releases` gives the releases of a product, oldest first,
    `unpublished` those without any documentation.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution is None or resolution.status is not ReleaseStatus.COMPARED:
            return turn
        assert resolution.product is not None
        order = list(await in_thread(releases, resolution.product))
        names = sorted(resolution.releases, key=lambda n: order.index(n) if n in order else -1)
        sides = [side_of(turn, resolution, release) for release in names]
        answered = await compare_sides(turn, sides, order[0])
        missing = await in_thread(unpublished, resolution.product) if names == order else ()
        if answered.answer is None or not missing:
            return answered
        said = f"There is no documentation of {listed(missing)} yet; it is left out."
        told = replace(answered.answer, text=f"{answered.answer.text}\n\n{said}")
        return replace(answered, answer=told)

    async def compare_sides(turn: Turn, sides: list[Turn], oldest: str) -> Turn:
        wanted = asked(turn.question, sides[0].question)
        for gathered in (False, True):
            sides = await _all(gather, sides) if gathered else sides
            if wanted is Asked.PRESENCE and (gathered or names_its_thing(sides[0].question)):
                found = await in_thread(_look_up, turn, sides, oldest, open_corpus)
                if found is not None:
                    return with_sides(turn, *found)
        if since := _since(turn, sides[-1]):
            return with_sides(turn, [*sides[:-1], replace(sides[-1], answer=since)], since)
        corpora = await in_thread(lambda: [open_corpus(*side.asked) for side in sides])
        if not all(map(_reading, sides)):
            if wanted is Asked.DEPRECATION or asks_since(turn.question):
                # No release says since when: what the newest says of it is all that there is.
                (newest,) = await _all(answer, sides[-1:])
                assert newest.answer is not None
                return with_sides(turn, [newest], newest.answer)
            # "Is it the same in 17.10?" asks for what was spoken of, and not for all changes.
            if wanted is Asked.CHANGES and not (turn.history and asks_whether_same(turn.question)):
                specific = len(topic(_subject(sides[0])).split()) >= _SPECIFIC
                if specific and (apart := await in_thread(_told_by_evidence, sides, corpora)):
                    return with_sides(turn, apart, values_side_by_side(apart, turn.question))
                if computed := await in_thread(_changes, turn, sides, corpora):
                    return with_sides(turn, sides, computed)
            sides = await in_thread(_without_the_thing, sides, corpora)
        sides = await _all(answer, _as_read(sides))
        unknown = all(side.answer is None or side.answer.abstained for side in sides)
        if unknown and (computed := await in_thread(_changes, turn, sides, corpora)):
            return with_sides(turn, [replace(side, answer=None) for side in sides], computed)
        return with_sides(turn, sides, values_side_by_side(sides, turn.question))

    return compare


async def _all(step: ModelStep, sides: Sequence[Turn]) -> list[Turn]:
    return list(await together(step(side) for side in sides))


def side_of(turn: Turn, resolution: Resolution, release: str) -> Turn:
    """The question to one release of a comparison, without the releases it names."""
    question = cut(turn.question, resolution.mentions).strip(" ,:;-/")
    return replace(
        turn,
        question=question,
        history=turn.history if leans_on_conversation(question) else (),
        resolution=replace(
            resolution,
            status=ReleaseStatus.STATED,
            releases=(release,),
            mentions=(),
            explanation=f"compared: {release}",
        ),
        timings={},
    )


def _subject(side: Turn) -> str:
    return side.queries.subject if side.queries else side.question


def _reading(side: Turn) -> Reading | None:
    # Where forms do not agree, the one that is most to the point decides.
    return read_value(_subject(side), side.ranked) or read_value(_subject(side), side.ranked[:1])


def _as_read(sides: Sequence[Turn]) -> list[Turn]:
    """The sides with the values that a rule reads, and what a release says more of the same."""
    readings = [None if side.answer is not None else _reading(side) for side in sides]
    same = None not in readings and len({r.value for r in readings if r}) == 1
    about = [_about(reading) if reading and same else {} for reading in readings]
    read = []
    for side, reading, before, own in zip(sides, readings, [about[0], *about], about, strict=False):
        if reading is not None:
            more = [own[said] for said in own if said not in before]
            told = (f"{as_document_words(r.quote)} [{n}]" for n, r in enumerate(more, 2))
            text = " ".join((f"{reading.sentence} [1]", *told))
            citations = tuple(cite(record, side.asked[1]) for record in (reading.record, *more))
            value = "" if more else in_short(reading.value)
            side = replace(side, answer=Answer(text, False, citations, value))
        read.append(side)
    return read


def _about(reading: Reading) -> dict[str, Record]:
    """The sentences on a value in its section, by their plain words."""
    named = re.compile(rf"\b{re.escape(reading.column)}", re.I)
    own = reading.record
    beside = (r for r in passages([own.page]) if r.path == own.path and not r.cells)
    return {plain(r.quote): r for r in beside if named.search(r.quote)}


def _told_by_evidence(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> list[Turn]:
    """The sides, told by their own best records (docs/decisions/0021); none if one has none."""
    answered = []
    for side, corpus in zip(sides, corpora, strict=True):
        others = [c for c in corpora if c is not corpus]
        enough = _NEAR * side.ranked[0].score if side.ranked else 0.0
        # What only leads in tells nothing.
        best = [r for r in side.ranked if r.score >= enough and not r.quote.endswith(":")]
        if not best:
            return []
        own = [r for r in best if not all(has_words(other, r) for other in others)]
        told = own[:_TOLD] or best[:1]
        text = " ".join(f"{in_words(record)} [{n}]" for n, record in enumerate(told, 1))
        citations = tuple(cite(record, side.asked[1]) for record in told)
        value = " ".join(map(in_words, told))
        answer = Answer(text, False, citations, value, unwritten=True)
        answered.append(replace(side, answer=answer))
    return answered


def _look_up(
    turn: Turn, sides: Sequence[Turn], oldest: str, open_corpus: OpenCorpus
) -> tuple[list[Turn], Answer] | None:
    """What every release says of a thing; None where it may be there in other words."""
    product = sides[0].asked[0]
    own = set(name_tokens(product))
    words = topic(_subject(sides[0])).split()
    named = [t for t in (thing_as_code(turn.question),) if t] or list(filter(identifiers, words))
    others = [word for word in words if not set(name_tokens(word)) <= own]
    thing = named[0] if len(named) == 1 else " ".join(others or words)
    names = [side.asked[1] for side in sides]
    if not thing:
        return list(sides), no_thing_named(names)
    findings = find_everywhere(thing, names, lambda release: open_corpus(product, release))
    if findings is None:
        return None
    answer = presence_in_words(thing, findings, oldest, turn.question)
    found = zip(sides, findings, strict=True)
    return [replace(side, documented=f.status, answer=None) for side, f in found], answer


def _since(turn: Turn, newest: Turn) -> Answer | None:
    """Since when a thing is there, where the newest release says so itself."""
    if not newest.ranked:
        return None
    read = read_since(turn.question, _subject(newest), best_passages(newest.ranked))
    if read is None:
        return None
    text, _, record = read
    return Answer(f"{text} [1]", False, (cite(record, newest.asked[1]),), text)


def _without_the_thing(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> list[Turn]:
    """The sides, answered where the release lacks what another one has an entry for."""
    words = [w for w in topic(_subject(sides[0])).split() if not w.isalpha() or len(sides) <= 3]
    found = lacking(words, corpora)
    return [_lacks(s, *found[s.asked[1]]) if s.asked[1] in found else s for s in sides]


def _lacks(side: Turn, word: str, finding: Finding) -> Turn:
    product, release = side.asked
    text = f"The documentation of {product} {release} does not mention {as_code(word)}"
    if ended := finding.status is Documented.REMOVED and finding.record:
        text = f"{as_code(word)} is gone in {release}: {in_short(ended.reading).rstrip('.')}"
    citations = (cite(ended, release),) if ended else ()
    return replace(side, documented=finding.status, answer=Answer(text, True, citations))


def changed_values(turn: Turn, sides: Sequence[Turn], corpora: Sequence[Corpus]) -> Answer | None:
    """What has the same name on both sides and another value: rows, parameters; else None.

    What seems new or gone may only be told in other words.
    """
    text, steps = _differences(turn, sides, corpora)
    named = [[p for p in step.changed if name_of(p.sides[0])] for step in steps]
    found = [
        replace(step, changed=tuple(pairs), added=(), removed=(), notes=())
        for step, pairs in zip(steps, named, strict=True)
        if pairs
    ]
    return changes_in_words(text, found) if found else None


def _differences(
    turn: Turn, sides: Sequence[Turn], corpora: Sequence[Corpus]
) -> tuple[str, list[Differences]]:
    """The topic of a comparison, and what differs on it from release to release."""
    text = topic(_subject(sides[0]))
    about = topic_of(text, corpora)
    if text and not about.words:
        return text, []
    evidence = [(corpus, side.retrieved) for corpus, side in zip(corpora, sides, strict=True)]
    only = wants_only(turn.question)
    return text, [find_changes(about, *pair, only=only) for pair in pairwise(evidence)]


def _changes(turn: Turn, sides: Sequence[Turn], corpora: Sequence[Corpus]) -> Answer | None:
    text, steps = _differences(turn, sides, corpora)
    if text and not steps:
        return None
    if found := [step for step in steps if step.told]:
        return changes_in_words(text, found, turn.question)
    return None if text else nothing_named([step.newer for step in steps])


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
        queries=sides[0].queries,
        calls=tuple(call for side in sides for call in side.calls),
        fallbacks=tuple(fallback for side in sides for fallback in side.fallbacks),
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

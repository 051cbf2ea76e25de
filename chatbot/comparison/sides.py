"""The sides of a comparison: its question to each release, and its answer over all (law 2)."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.comparison.topic import asks_differences, question_to_one, questions_in, topic_of
from chatbot.releases.resolution import ReleaseStatus, cut
from chatbot.text.languages import gettext
from chatbot.turn import Answer, Documented, Route, Turn


def questions_of(turn: Turn) -> list[tuple[str, set[str]]]:
    """The questions of a message without their releases, and which releases each names."""
    asked = []
    for start, end in questions_in(turn.question):
        inside = [m for m in turn.resolution.mentions if start <= m.start < end]
        shifted = [replace(m, start=m.start - start, end=m.end - start) for m in inside]
        question = f"{cut(turn.question[start:end], shifted)}?"
        asked.append((question, {m.release or "" for m in inside}))
    return asked


def own_questions(turn: Turn) -> dict[str, str]:
    """What a message asks of each release, where it asks each for something else; else empty."""
    product = turn.resolution.product or ""
    asked: dict[str, str] = {}
    for question, releases in questions_of(turn):
        # "3.0呢？" asks the same of 3.0: one letter is no topic.
        has_topic = len(topic_of(question, product)) > 1
        if len(releases) != 1 or asks_differences(question) or not has_topic:
            return {}
        (release,) = releases
        asked[release] = f"{asked.get(release, '')} {question}".strip()
    topics = {topic_of(question, product) for question in asked.values()}
    is_apart = asked.keys() == set(turn.resolution.releases) and len(topics) == len(asked) > 1
    return asked if is_apart else {}


def side_of(turn: Turn, release: str) -> Turn:
    """The question to one release of a comparison, without what compares it with others."""
    resolution, read = turn.resolution, turn.rewritten
    bare = cut(turn.question, resolution.mentions)
    to_one = question_to_one(bare, resolution.product or "", follows=bool(turn.history))
    return replace(
        turn,
        rewritten=read and replace(read, base=read.subject),
        question=own_questions(turn).get(release, to_one),
        resolved=replace(
            resolution,
            status=ReleaseStatus.STATED,
            releases=(release,),
            mentions=(),
            explanation=gettext("compared: {releases}", releases=release),
        ),
        calls=(),
        fallbacks=(),
        timings={},
    )


def with_sides(turn: Turn, sides: Sequence[Turn], answer: Answer) -> Turn:
    """A comparison with its answer, and what each of its releases says."""
    return replace(
        turn,
        route=Route.COMPARE,
        sides=tuple(_own(side, answer) for side in sides),
        phrased=next((side.phrased for side in reversed(sides) if side.phrased), None),
        calls=(*turn.calls, *(call for side in sides for call in side.calls)),
        fallbacks=(*turn.fallbacks, *(failed for side in sides for failed in side.fallbacks)),
        answer=answer,
    )


def _own(side: Turn, answer: Answer) -> Turn:
    """A side with its own answer: the words that an answer cites from it where it has none."""
    citations = tuple(c for c in answer.citations if c.is_from(*side.target))
    quoted = Answer("\n\n".join(c.quote for c in citations), not citations, citations)
    own = side.answer or quoted
    by_citations = Documented.NOT_FOUND if own.abstained or not citations else Documented.DOCUMENTED
    status = side.documented or by_citations
    abstained = status is not Documented.DOCUMENTED
    return replace(side, documented=status, answer=replace(own, abstained=abstained))


def compared_topic(sides: Sequence[Turn]) -> str:
    """The topic of a comparison, from its sides or from earlier questions."""
    queries = next((side.phrased for side in reversed(sides) if side.phrased), None)
    product = sides[0].target[0]
    texts = (queries.own_subject, queries.subject) if queries else ()
    return next(filter(None, (topic_of(text, product) for text in texts)), "")

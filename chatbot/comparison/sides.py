"""The sides of a comparison: its question to each release, and its answer over all (law 2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chatbot.comparison.topic import asks_differences, question_to_one, questions_in, topic_of
from chatbot.comparison.values import names_in
from chatbot.releases.resolution import ReleaseStatus, bare_part, cut
from chatbot.text.languages import gettext
from chatbot.text.words import things_named, words_of
from chatbot.turn import Answer, Documented, Route, Turn
from corpora.parameters.releases import OpenParameters

_CLAUSE_END = re.compile(r"[.,;:/|]\s|\n")


def questions_of(turn: Turn) -> list[tuple[str, set[str]]]:
    """The questions of a message without their releases, and which releases each names."""
    asked = []
    for start, end in questions_in(turn.question):
        inside = [m for m in turn.resolution.mentions if start <= m.start < end]
        question = f"{bare_part(turn.question, start, end, inside)}?"
        asked.append((question, {m.release or "" for m in inside}))
    return asked


def own_questions(turn: Turn, open_parameters: OpenParameters) -> dict[str, str]:
    """What a message asks of each release, where it asks each for something else; else empty."""
    return _by_release(turn, questions_of(turn)) or _by_release(
        turn, _around(turn, open_parameters)
    )


def _around(turn: Turn, open_parameters: OpenParameters) -> list[tuple[str, set[str]]]:
    """The words before each release of a message, or behind each, where all of them have a name.

    That is one as in code, or of a parameter: "mtu (2.1), fec-mode (2.2)".
    """
    resolution = turn.resolution
    of = [(p.product, r) for p in resolution.apart or (resolution,) for r in p.releases]
    parameters = [open_parameters(product or "", release) for product, release in of]

    def has_name(words: str) -> bool:
        return bool(things_named(words) or names_in(" ".join(words_of(words)), parameters))

    named = [m for m in resolution.mentions if m.release]
    ends = [0, *(m.end for m in named)]
    starts = [*(m.start for m in named), len(turn.question)]
    between = [turn.question[end:start] for end, start in zip(ends, starts, strict=True)]
    before, behind = (all(map(has_name, words)) for words in (between[:-1], between[1:]))
    if before == behind:
        return []
    own = (_clause(words, has_name) for words in (between[:-1] if before else between[1:]))
    return [(f"{words}?", {m.release or ""}) for words, m in zip(own, named, strict=True)]


def _clause(words: str, has_name: Callable[[str], bool]) -> str:
    """The clauses of some words from the first with a name to the last."""
    clauses = [clause.strip() for clause in _CLAUSE_END.split(words)]
    there = [i for i, clause in enumerate(clauses) if has_name(clause)]
    return ", ".join(clauses[there[0] : there[-1] + 1])


def _by_release(turn: Turn, questions: Sequence[tuple[str, set[str]]]) -> dict[str, str]:
    """The questions of each release; empty where one names several, or all ask the same."""
    product = turn.resolution.product or ""
    asked: dict[str, str] = {}
    for question, releases in questions:
        # "3.0呢？" asks the same of 3.0: one letter is no topic.
        has_topic = len(topic_of(question, product)) > 1
        if len(releases) != 1 or asks_differences(question) or not has_topic:
            return {}
        (release,) = releases
        asked[release] = f"{asked.get(release, '')} {question}".strip()
    topics = {topic_of(question, product) for question in asked.values()}
    is_apart = asked.keys() == set(turn.resolution.releases) and len(topics) == len(asked) > 1
    return asked if is_apart else {}


def side_of(turn: Turn, release: str, own: Mapping[str, str]) -> Turn:
    """The question to one release of a comparison: its `own`, else without what compares it."""
    resolution, read = turn.resolution, turn.rewritten
    bare = cut(turn.question, resolution.mentions)
    to_one = question_to_one(bare, resolution.product or "", follows=bool(turn.history))
    return replace(
        turn,
        rewritten=read and replace(read, base=read.subject),
        question=own.get(release, to_one),
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

"""The sides of a comparison: its question to each release, and its answer over all (law 2)."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.releases.resolution import ReleaseStatus, cut
from chatbot.turn import Answer, Documented, Route, Turn


def side_of(turn: Turn, release: str) -> Turn:
    """The question to one release of a comparison, without the releases it names."""
    resolution, read = turn.resolution, turn.rewritten
    return replace(
        turn,
        rewritten=read and replace(read, base=read.subject),
        question=cut(turn.question, resolution.mentions).strip(" ,:;-/"),
        resolved=replace(
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
    citations = tuple(c for c in answer.citations if c.release == side.asked[1])
    quoted = Answer("\n\n".join(c.quote for c in citations), not citations, citations)
    own = side.answer or quoted
    status = side.documented or Documented.DOCUMENTED
    if side.documented is None and own.abstained:
        status = Documented.NOT_FOUND
    abstained = status is not Documented.DOCUMENTED
    return replace(side, documented=status, answer=replace(own, abstained=abstained))

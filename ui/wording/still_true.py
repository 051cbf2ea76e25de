"""How an answer stands in another release, in a few words."""

from collections.abc import Iterable

from chatbot.comparison.standing import Verdict
from chatbot.comparison.still_true import CitedThere, ReleaseStanding
from chatbot.text.words import listed

SIGNS = {Verdict.SAME: "=", Verdict.CHANGED: "≠", Verdict.ABSENT: "–"}
"""The sign behind the name of a release."""
_LONGEST = 240


def chip(standing: ReleaseStanding) -> str:
    """The release with its sign; the one that the answer is from has none."""
    return (
        standing.release if standing.answered else f"{standing.release} {SIGNS[standing.verdict]}"
    )


def told(standing: ReleaseStanding) -> str:
    """What a release has of the words that an answer cites; its words where they are others."""
    release = standing.release
    match standing.verdict:
        case Verdict.SAME:
            return f"{release} has the same words."
        case Verdict.ABSENT:
            return f"Not found in {release}."
    parts = [part for c in standing.citations if (part := _told_of(c))]
    return f"{release} has other words. {' '.join(parts)}"


def _told_of(citation: CitedThere) -> str:
    match citation.verdict:
        case Verdict.SAME:
            return ""
        case Verdict.ABSENT:
            return f"[{citation.number}] is not there."
    words = _cut(" … ".join(there.quote for there in citation.there))
    return f"[{citation.number}] “{words}”" if words else f"[{citation.number}] is there in part."


def told_since(release: str, changed: Iterable[CitedThere]) -> str:
    """What a release has now in the place of what an answer cited of it."""
    parts = []
    for citation in changed:
        words = _cut(" … ".join(there.quote for there in citation.there))
        now = f"now reads “{words}”" if words else "is no longer there"
        parts.append(f"[{citation.number}] {now}")
    return f"The documentation of {release} has changed since this answer: {listed(parts)}."


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"

"""How an answer stands in another release, in a few words."""

from collections.abc import Iterable

from chatbot.comparison.standing import Verdict
from chatbot.comparison.still_true import CitedThere, ReleaseStanding
from chatbot.text.languages import gettext, shown_list

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
            return gettext("{release} has the same words.", release=release)
        case Verdict.ABSENT:
            return gettext("Not found in {release}.", release=release)
    parts = [part for c in standing.citations if (part := _told_of(c))]
    said = gettext("{release} has other words.", release=release)
    return " ".join([said, *parts])


def _told_of(citation: CitedThere) -> str:
    match citation.verdict:
        case Verdict.SAME:
            return ""
        case Verdict.ABSENT:
            return gettext("[{number}] is not there.", number=citation.number)
    words = _cut(" … ".join(there.quote for there in citation.there))
    if words:
        return f"[{citation.number}] “{words}”"
    return gettext("[{number}] is there in part.", number=citation.number)


def told_since(release: str, changed: Iterable[CitedThere]) -> str:
    """What a release has now in the place of what an answer cited of it."""
    parts = []
    for citation in changed:
        words = _cut(" … ".join(there.quote for there in citation.there))
        of = {"number": citation.number, "words": words}
        now = gettext("[{number}] is no longer there", **of)
        if words:
            now = gettext("[{number}] now reads “{words}”", **of)
        parts.append(now)
    return gettext(
        "The documentation of {release} has changed since this answer: {changes}.",
        release=release,
        changes=shown_list(parts),
    )


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"

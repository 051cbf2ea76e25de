"""A rated turn as a question with a checked answer: a line of the file that the evaluation reads.

The format is that of `eval.gold`, which nothing here may import; a test runs the one on the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from chatbot.memory.pairs import Rating
from chatbot.retrieval.provenance import claims, says_unknown, whole
from chatbot.review.ratings import Review
from chatbot.text.citation_markers import without_marks
from chatbot.text.query_terms import filtered
from chatbot.turn import Route
from ingestion.errors import StrataError

_ABSTAINS = (
    r"(?:don.?t|do(?:es)? not|cannot) (?:know|say|mention|tell)|not (?:documented|mentioned)"
)
_MOST_PATTERNS = 12


class NoGold(StrataError, ValueError):
    """The evaluation could not check this turn; the message says why, and what is missing."""


def gold_line(
    turn: int,
    question: str,
    reply: Mapping[str, Any],
    review: Review,
    *,
    product: str,
    history: Sequence[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Make a gold question of a turn; `product` counts where the reply names none.

    What is right is the corrected answer, else the answer rated good. A right answer has to hold
    the figures and names of it, or its words where it has none. Raises NoGold.
    """
    _require_judged(review)
    line = {
        "id": f"turn-{turn}",
        "product": reply["product"] or product,
        "question": question,
        "history": [list(pair) for pair in history],
    }
    if not line["product"]:
        raise NoGold("The question is about no product in particular, so it cannot be asked again.")
    corrected = review.corrected_answer
    if says_unknown(corrected) if corrected else reply["abstained"]:
        return line | _abstention(reply, review)
    return line | _answer(reply, review, follows_up=bool(history))


def _require_judged(review: Review) -> None:
    if not review.rating:
        raise NoGold("The answer is not rated: rate it first.")
    if review.rating != Rating.GOOD and not review.corrected_answer:
        raise NoGold("The answer is not good: write the corrected one first.")
    if review.rating == Rating.WRONG_RELEASE and not review.corrected_release:
        raise NoGold("The answer is from the wrong release: name the right one first.")


def _abstention(reply: Mapping[str, Any], review: Review) -> dict[str, Any]:
    """The question has no answer in the release: to say so is right."""
    unknown = reply["release_status"] == "unknown"
    if reply["route"] == Route.CLARIFY and not unknown:
        raise NoGold("The answer asks back, which the evaluation cannot check.")
    return {
        "kind": "unanswerable",
        "release": review.corrected_release or reply["release"],
        "release_not_in_corpora": unknown,
        "gold_answer": review.corrected_answer or reply["answer"],
        "must_include": [_ABSTAINS],
        "sources": [],
    }


def _answer(reply: Mapping[str, Any], review: Review, *, follows_up: bool) -> dict[str, Any]:
    right = review.corrected_answer or said(reply)
    patterns = must_include(right)
    if not patterns:
        raise NoGold("The answer has no word that could be looked for: write a corrected one.")
    compared = [] if review.corrected_release else list(reply["compared_releases"])
    release = review.corrected_release or reply["release"]
    if reply["release_status"] != "compared" or len(compared) < 2:
        compared = []
        if release is None:
            raise NoGold("The answer is of no single release: name the right one first.")
    sources = _sources(reply, review, one_a_release=bool(compared))
    by_default = reply["release_status"] == "latest" and not review.corrected_release
    return {
        "kind": _kind(compared=bool(compared), follows_up=follows_up, by_default=by_default),
        # What is asked of the latest release names none; its sources say which one that was.
        "release": None if by_default and sources else release,
        "releases": compared,
        "gold_answer": right,
        "must_include": patterns,
        "sources": sources,
    }


def _kind(*, compared: bool, follows_up: bool, by_default: bool) -> str:
    if compared:
        return "compare"
    if follows_up:
        return "follow_up"
    return "no_release" if by_default else "release_specific_differs"


def said(reply: Mapping[str, Any]) -> str:
    """What an answer says, without its evidence; the first passage where it only quotes."""
    values = [side["value"] for side in reply.get("sides", ()) if side.get("value")]
    if values:
        return "; ".join(values)
    lead = without_marks(reply["answer"].partition("\n\n>")[0]).strip()
    if lead.endswith(":") and reply["citations"]:
        quote: str = reply["citations"][0]["quote"]
        return quote
    return lead


def must_include(text: str) -> list[str]:
    """Patterns that find the figures and names of a text, or else its words, each of them in it."""
    named = dict.fromkeys(claims(text)) or dict.fromkeys(filtered(text).split())
    patterns = (whole(name).pattern for name in named)
    found = (p for p in patterns if re.search(p, text, re.IGNORECASE))
    return list(found)[:_MOST_PATTERNS]


def _sources(
    reply: Mapping[str, Any], review: Review, *, one_a_release: bool
) -> list[dict[str, Any]]:
    """The cited pages, as far as the rating leaves them right."""
    if review.rating not in (Rating.GOOD, Rating.INCOMPLETE) or review.corrected_release:
        return []
    sources: dict[Any, dict[str, Any]] = {}
    for citation in reply["citations"]:
        release, file, anchor = citation["release"], citation["file"], citation["anchor"]
        place = {"page": citation["page"]} if anchor is None else {"anchor": anchor}
        key = release if one_a_release else (release, file, *place.values())
        sources.setdefault(key, {"release": release, "file": file, **place})
    return list(sources.values())

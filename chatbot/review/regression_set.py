"""The regression set: rated turns that are asked again with every change.

A turn becomes a gold question. The format is that of `eval.gold`, which must not be imported here;
`eval.sets.regression` gathers the whole set.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.accounts.people import Person
from chatbot.errors import NoGold, UnknownTurn
from chatbot.memory.pairs import Rating
from chatbot.reply import Reply
from chatbot.retrieval.support import claims, says_unknown, whole
from chatbot.review.ratings import Ratings, review_of
from chatbot.settings import Settings
from chatbot.text.languages import gettext
from chatbot.text.markdown import without_marks
from chatbot.text.words import filtered
from chatbot.turn import TURNS_BEFORE, Route, last_turns
from corpora.database.engine import Database
from corpora.database.history_tables import ReviewRow, TurnRow

_ABSTAINS = (
    r"(?:don.?t|do(?:es)? not|cannot) (?:know|say|mention|tell)|not (?:documented|mentioned)"
)
_MOST_PATTERNS = 12
_QUESTION_LIMIT: int = Settings.model_fields["question_limit"].default


@dataclass(frozen=True)
class RegressionSet:
    """Adds rated turns to the set and removes them; raises NotAllowed unless an admin asks."""

    database: Database

    def add(self, person: Person, turn: int) -> ReviewRow:
        """Put a rated turn into the set. Raises UnknownTurn, and NoGold if it cannot be checked."""
        person.require_admin(self.database)
        with self.database.reading() as session:
            if (row := session.get(TurnRow, turn)) is None:
                raise UnknownTurn(turn)
            gold_of_turn(session, row)
        return Ratings(self.database).change(person, turn, in_regression_set=True)

    def remove(self, person: Person, turn: int) -> ReviewRow:
        """Take a turn from the set; its rating stays."""
        return Ratings(self.database).change(person, turn, in_regression_set=False)


def gold_of_turn(session: Session, turn: TurnRow) -> dict[str, Any]:
    """A gold question made of a turn and of the last turns before it, as many as can be read.

    The right answer is the corrected one, else the one rated good, by an admin or, where none has
    rated it, by its asker; its figures and names, or its words where it has none, are what an
    answer must include. Raises NoGold.
    """
    reply, review = Reply.model_validate(turn.answer), review_of(turn)
    liked = turn.feedback is not None and turn.feedback.thumbs > 0
    if not (rating := review.rating or (Rating.GOOD if liked else "")):
        raise NoGold(gettext("The answer is not rated: rate it first."))
    corrected = review.corrected_answer
    if rating != Rating.GOOD and not corrected:
        raise NoGold(gettext("The answer is not good: write the corrected one first."))
    if rating == Rating.WRONG_RELEASE and not review.corrected_release:
        raise NoGold(gettext("The answer is from the wrong release: name the right one first."))
    product = reply.product or turn.product or ""
    if not product:
        raise NoGold(
            gettext("The question is about no product in particular, so it cannot be asked again.")
        )
    # Only the last question of a conversation is asked anew: whatever was superseded before this
    # turn came is no part of it, and nothing else was superseded later.
    before = (
        (TurnRow.conversation_id == turn.conversation_id)
        & (TurnRow.position < turn.position)
        & ~TurnRow.superseded
    )
    earlier = select(TurnRow).where(before).order_by(TurnRow.position.desc()).limit(TURNS_BEFORE)
    said = [(row.question, row.answer["answer"]) for row in session.scalars(earlier)]
    history = list(map(list, last_turns(said[::-1], _QUESTION_LIMIT)))
    line = {
        "id": f"regression-turn-{turn.id}",
        "product": product,
        "question": turn.question,
        "history": history,
    }
    if says_unknown(corrected) if corrected else reply.abstained:
        return line | _abstention(reply, review)
    return line | _answer(reply, review, follows_up=bool(history))


def _abstention(reply: Reply, review: ReviewRow) -> dict[str, Any]:
    """The fields of a question that the release does not answer: to say so is right."""
    unknown = reply.release_status == "unknown"
    if reply.route == Route.CLARIFY and not unknown:
        raise NoGold(gettext("The answer asks back, which the evaluation cannot check."))
    return {
        "kind": "unanswerable",
        "release": review.corrected_release or reply.release,
        "release_not_in_corpora": unknown,
        "gold_answer": review.corrected_answer or reply.answer,
        "must_include": [_ABSTAINS],
        "sources": [],
    }


def _answer(reply: Reply, review: ReviewRow, *, follows_up: bool) -> dict[str, Any]:
    values = "; ".join(side.value for side in reply.sides if side.value)
    right = review.corrected_answer or values or without_marks(reply.answer).strip()
    patterns = must_include(right)
    if not patterns:
        raise NoGold(
            gettext("The answer has no word that could be looked for: write a corrected one.")
        )
    compared = [] if review.corrected_release else list(reply.compared_releases)
    release = review.corrected_release or reply.release
    if reply.release_status != "compared" or len(compared) < 2:
        compared = []
        if release is None:
            raise NoGold(gettext("The answer is of no single release: name the right one first."))
    sources = _sources(reply, review, one_a_release=bool(compared))
    by_default = reply.release_status == "latest" and not review.corrected_release
    kind = "no_release" if by_default else "release_specific_differs"
    return {
        "kind": "compare" if compared else "follow_up" if follows_up else kind,
        # What is asked of the latest release names none; its sources say which one that was.
        "release": None if by_default and sources else release,
        "releases": compared,
        "gold_answer": right,
        "must_include": patterns,
        "sources": sources,
    }


def must_include(text: str) -> list[str]:
    """Patterns for the figures and names of a text, or else for its words."""
    return patterns_of(text) or _patterns(filtered(text).split(), text)


def patterns_of(text: str) -> list[str]:
    """Patterns for the figures and names of a text; none where it is all words."""
    return _patterns(claims(text), text)


def _patterns(names: Iterable[str], text: str) -> list[str]:
    patterns = (whole(name).pattern for name in dict.fromkeys(names))
    matching = (p for p in patterns if re.search(p, text, re.IGNORECASE))
    return list(islice(matching, _MOST_PATTERNS))


def _sources(reply: Reply, review: ReviewRow, *, one_a_release: bool) -> list[dict[str, Any]]:
    """The cited pages, unless the rating says that they are wrong."""
    if review.rating not in ("", Rating.GOOD, Rating.INCOMPLETE) or review.corrected_release:
        return []
    sources: dict[Any, dict[str, Any]] = {}
    for citation in reply.citations:
        release, file, anchor = citation.release, citation.file, citation.anchor
        place = {"page": citation.page} if anchor is None else {"anchor": anchor}
        key = release if one_a_release else (release, file, *place.values())
        sources.setdefault(key, {"release": release, "file": file, **place})
    return list(sources.values())

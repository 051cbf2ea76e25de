"""Questions in the words of those who asked them, as admins read them."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.text.languages import gettext
from chatbot.text.words import filtered
from corpora.database.engine import portions
from corpora.database.history_tables import TurnRow
from corpora.indexing.lexical import tokens

_AT_ONCE = 500


class AsAsked(NamedTuple):
    """A question as typed; `after` is the earlier one that it takes its topic from, if any."""

    words: str
    after: str = ""

    def __str__(self) -> str:
        return f"{self.words} · {self.asked_after}" if self.after else self.words

    @property
    def asked_after(self) -> str:
        """What it goes on from, in words."""
        return gettext("after “{question}”", question=self.after)


def as_asked(session: Session, understood: Mapping[int, str]) -> dict[int, AsAsked]:
    """The questions of turns as typed; `understood` has each as it is understood by itself.

    Words that are understood and were not typed come from the earlier question with most of them,
    of the same product: an admin of that one may not see what was asked about others.
    """
    asked: dict[int, AsAsked] = {}
    for ids in portions(list(understood), _AT_ONCE):
        turns = session.execute(_ASKED.where(TurnRow.id.in_(ids))).all()
        later = {turn.conversation_id for turn in turns if turn.position}
        said: dict[tuple[str, str | None], list[tuple[int, str]]] = defaultdict(list)
        for turn in session.execute(_EARLIER.where(TurnRow.conversation_id.in_(later))):
            said[turn.conversation_id, turn.product].append((turn.position, turn.question))
        for turn in turns:
            added = _words(understood[turn.id]) - _words(turn.question)
            of_product = said[turn.conversation_id, turn.product]
            before = [q for p, q in of_product if added and p < turn.position]
            shared = [len(added & _words(question)) for question in before]
            most = max(shared, default=0)
            asked[turn.id] = AsAsked(turn.question, before[shared.index(most)] if most else "")
    return asked


_ASKED = select(
    TurnRow.id, TurnRow.conversation_id, TurnRow.product, TurnRow.position, TurnRow.question
)
_EARLIER = _ASKED.where(~TurnRow.superseded).order_by(TurnRow.position.desc())


def _words(text: str) -> set[str]:
    return set(tokens(filtered(text)))

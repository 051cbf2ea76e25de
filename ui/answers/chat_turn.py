"""A turn of the open conversation, whose question can be asked again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatbot.conversations.conversations import KeptTurn
from chatbot.releases.rules import resolve_release
from corpora.catalog.release import Product

Ask = Callable[..., None]
"""Asks a question: `ask(text, product, release, instead_of=turn_id, afresh=True)`.

All but the text and the product may be left out.
"""


@dataclass(frozen=True)
class ChatTurn:
    """A turn, and how to `ask` in its conversation; only the last one can be replaced."""

    turn: KeptTurn
    conversation: str
    products: Sequence[Product]
    ask: Ask
    is_last: bool

    def ask_instead(self, text: str, *, afresh: bool = False) -> None:
        """Ask for an answer that replaces this one."""
        reply = self.turn.reply
        # The release that was chosen for the question, unless the question names it itself.
        chosen = None if self._names_release(self.turn.question) else reply.release
        release = chosen if reply.release_status == "stated" else None
        self.ask(text, reply.product, release, instead_of=self.turn.id, afresh=afresh)

    def ask_afresh(self) -> None:
        """Ask the question again, without the memory.

        The last answer of a conversation is replaced. An earlier one stays, with all that follows
        it, and its question is asked again at the end, in a form that can be understood alone.
        """
        if self.is_last:
            self.ask_instead(self.turn.question, afresh=True)
            return
        reply = self.turn.reply
        text = reply.queries.base or self.turn.question
        named = self._names_release(text)
        self.ask(text, reply.product, None if named else reply.release, afresh=True)

    def _names_release(self, text: str) -> bool:
        product = self.turn.reply.product
        return bool(resolve_release(text, self.products, product=product).mentions)

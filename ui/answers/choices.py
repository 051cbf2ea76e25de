"""The releases that are offered when a question names none that is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpora.catalog.release import Product


Ask = Callable[..., None]
"""Asks a question: `ask(text, product, release, instead_of=turn_id, afresh=True)`.

All but the text may be left out.
"""


@dataclass(frozen=True)
class Choice:
    """A release that the question can be asked for."""

    label: str
    product: str
    release: str


def choices(reply: Mapping[str, Any], products: Sequence[Product]) -> tuple[Choice, ...]:
    """The releases among which a reply asks to choose, as far as they are still there.

    Without a product the reply names both, as "product release". What the catalog tells of its
    releases asks for nothing.
    """
    if reply["route"] == "inventory":
        return ()
    there = {
        r.name if reply["product"] else f"{p.name} {r.name}": (p.name, r.name)
        for p in products
        if reply["product"] in (None, p.name)
        for r in p.releases
    }
    wanted = (name for name in reply["available_releases"] if name in there)
    return tuple(Choice(name, *there[name]) for name in wanted)


def asked_for(question: str, choice: Choice, products: Sequence[Product]) -> str:
    """The question, with the release that it names and that is not there replaced by the choice.

    What a question says itself goes before what is chosen beside it, so it has to say the choice.
    """
    from chatbot.queries.clarification import replace_unknown
    from chatbot.releases.rules import resolve_release

    asked = resolve_release(question, products, product=choice.product)
    return replace_unknown(question, asked, (choice.release,), choice.product)

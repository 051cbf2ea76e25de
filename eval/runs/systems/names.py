"""The systems that can be measured, by name, and how each is opened."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Generic, TypeVar

from langchain_core.language_models import BaseChatModel

from chatbot.batch import BatchLine
from chatbot.chain.profiles import CAN_BE_LEFT_OUT
from chatbot.chatbot import Chatbot
from chatbot.settings import PROFILES
from corpora.catalog.release import Product
from eval.foreign import Address, Answer, open_address
from eval.runs.systems.answered_pairs import answered_pairs
from eval.runs.systems.chain import ChainSystem
from eval.runs.systems.chunk_index import chunk_index
from eval.runs.systems.plain_rag import PairsBy, PlainRag
from eval.runs.systems.system import Answered, History, Stopped, System
from ingestion.errors import BadSettings

RAW_MODEL = "raw-model"
"""ComRAG's name for the model without documentation: the profile `zeroshot`."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A system of one prompt: whether it searches the documents, and how answered questions."""

    documents: bool = True
    by_release: bool = False
    pairs_by: PairsBy | None = None


PLAIN: Mapping[str, Plain] = {
    "naive": Plain(),
    "naive-filter": Plain(by_release=True),
    "bm25": Plain(documents=False, pairs_by="words"),
    "dense": Plain(documents=False, pairs_by="meaning"),
    "rag": Plain(),
    "rag+bm25": Plain(pairs_by="words"),
    "rag+dense": Plain(pairs_by="meaning"),
}
"""By name; `rag` is ComRAG's for what is `naive` here."""
WITHOUT = {f"embedded-{step}": step for step in CAN_BE_LEFT_OUT}
"""`embedded` with one step less, by name."""
OnProgress = Callable[[int, int], None]


def system_names() -> tuple[str, ...]:
    """The names of all systems; the profiles that packages add are theirs, too."""
    own = (name for name in PROFILES.own if name != "auto")
    return (*own, RAW_MODEL, *PLAIN, *WITHOUT, *PROFILES.added())


def require_systems(names: tuple[str, ...], addresses: Mapping[str, Address]) -> None:
    """Raise BadSettings for a name that no system has, and for an address under one of ours."""
    known = system_names()
    for name in names:
        if name in addresses and name in known:
            raise BadSettings(f"{name!r} is a system of Strata: give the address another name")
        if name not in addresses and name not in known:
            raise BadSettings(
                f"there is no system {name!r}; there are {', '.join(known)}, and NAME=ADDRESS"
            )


@dataclass(frozen=True)
class ForeignSystem:
    """A system of others; it shows nothing of how it came by an answer."""

    ask: Answer

    def answer(self, question: str, product: str, history: History, stopped: Stopped) -> Answered:
        """Ask it as a user would. Raises GoldError."""
        line = BatchLine(id="", question=question, product=product, history=list(history))
        return Answered(self.ask(line, stopped), opaque=True)


Opened = TypeVar("Opened")


@dataclass
class ByProduct(Generic[Opened]):
    """What is made of a product once, and shared by systems and threads."""

    chatbot: Chatbot
    make: Callable[[Product], Opened]
    _lock: Lock = field(default_factory=Lock)
    _made: dict[str, Opened] = field(default_factory=dict)

    def __call__(self, name: str) -> Opened:
        """What was made of the product of this name."""
        with self._lock:
            if name not in self._made:
                self._made[name] = self.make(self.chatbot.catalog.product(name))
            return self._made[name]


class Systems:
    """Opens systems on the documents of a chatbot; the indexes that they share are made once."""

    def __init__(
        self,
        chatbot: Chatbot,
        on_index: OnProgress = lambda done, total: None,
        addresses: Mapping[str, Address] | None = None,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self._chatbot = chatbot
        self._addresses, self._keys = addresses or {}, keys or {}
        self._chunks = ByProduct(chatbot, partial(chunk_index, chatbot, on_progress=on_index))
        self._pairs = ByProduct(chatbot, partial(answered_pairs, chatbot))

    def open(self, name: str, model: BaseChatModel | None, *, at_once: int) -> System:
        """The system of this name with a model. Raises BadSettings where it needs one.

        A system of others has its own; raises GoldError where it cannot be asked.
        """
        if name in self._addresses:
            return ForeignSystem(open_address(self._addresses[name], self._keys.get(name)))
        if name not in PLAIN:
            of = {"profile": profile_of(name), "questions_at_once": at_once}
            settings = self._chatbot.settings.model_copy(update=of)
            left_out = (WITHOUT[name],) if name in WITHOUT else ()
            chatbot = replace(self._chatbot, settings=settings, model=model, left_out=left_out)
            chatbot.require()
            return ChainSystem(chatbot)
        if model is None:
            raise BadSettings(
                f"the system {name} needs a language model: fetch one with `strata models pull`"
            )
        plain = PLAIN[name]
        return PlainRag(
            name,
            self._chatbot,
            model,
            chunks=self._chunks if plain.documents else None,
            by_release=plain.by_release,
            pairs=self._pairs if plain.pairs_by else None,
            pairs_by=plain.pairs_by,
        )


def profile_of(system: str) -> str:
    """The profile whose settings a system runs with; that of the settings for those of a prompt."""
    if system in PLAIN:
        return "auto"
    if system in WITHOUT:
        return "embedded"
    return "zeroshot" if system == RAW_MODEL else system

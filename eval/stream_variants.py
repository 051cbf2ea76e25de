"""The memory with one part switched off (ComRAG 6.2), or with other thresholds (Appendix C)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from chatbot.assembly import Chatbot
from chatbot.chain.parts import Parts
from chatbot.memory.opening import Memory
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.passage_recall import PassageRecall
from chatbot.memory.recall import Search
from chatbot.memory.stores.neighbours import NearPair
from chatbot.memory.stores.stores import Stores
from chatbot.settings import Settings
from chatbot.turn import Remembered, RuleStep, Turn


@dataclass(frozen=True)
class Variant:
    """A memory to try: settings that differ, and a chatbot made of the usual one."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    made_of: Callable[[Chatbot], Chatbot] = lambda chatbot: chatbot


@dataclass(frozen=True)
class OnlyLow:
    """A search that finds nothing in the high store."""

    search: Search

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, *, cosine: float, limit: int
    ) -> list[NearPair]:
        """Return what the search finds in the low store."""
        if store is Store.HIGH:
            return []
        return self.search.nearest(release_id, store, question, cosine=cosine, limit=limit)


class NoPassageRecall(PassageRecall):
    """Nor is anything found that was read from a passage."""

    def recall(self, turn: Turn) -> Remembered | None:
        """Nothing."""
        return None


@dataclass(frozen=True)
class WithoutHighStore(Chatbot):
    """Good answers are kept and never used."""

    @cached_property
    def memory(self) -> Memory:
        """The memory, whose high store nobody sees."""
        usual = super().memory
        of = usual.recall
        return replace(
            usual,
            recall=replace(of, search=OnlyLow(of.search)),
            passage_recall=NoPassageRecall(of.database, of.reader, of.thresholds.delta),
        )


@dataclass(frozen=True)
class WithoutCentroids(Chatbot):
    """Pairs are only ever appended: no clusters, and no near-duplicate goes."""

    @cached_property
    def memory(self) -> Memory:
        """The memory without its mechanism."""
        usual = super().memory
        stores = Stores(
            self.database,
            usual.recall.thresholds,
            self.settings.memory_limit,
            clustering=False,
        )
        remembering = replace(usual.remembering, stores=stores)
        return replace(usual, stores=stores, remembering=remembering)


class PartsWithoutDocuments(Parts):
    """Nothing is retrieved."""

    @cached_property
    def dual_chunks(self) -> RuleStep:
        """No chunks at all."""
        return lambda turn: replace(turn, retrieved=())


@dataclass(frozen=True)
class WithoutDocuments(Chatbot):
    """Only what the memory has can be answered."""

    def _parts(self) -> Parts:
        usual = super()._parts()
        return PartsWithoutDocuments(**{f.name: getattr(usual, f.name) for f in fields(usual)})


def _as(kind: type[Chatbot]) -> Callable[[Chatbot], Chatbot]:
    return lambda usual: kind(**{f.name: getattr(usual, f.name) for f in fields(usual)})


VARIANTS: dict[str, Variant] = {
    "memory": Variant(),
    "no memory": Variant({"memory": "off"}),
    "no high store": Variant(made_of=_as(WithoutHighStore)),
    "no centroids": Variant(made_of=_as(WithoutCentroids)),
    "no documents": Variant(made_of=_as(WithoutDocuments)),
    "temperature 0": Variant({"temperature_min": 0.0, "temperature_max": 0.0, "temperature": 0.0}),
    "temperature 0–0.3": Variant({"temperature_min": 0.0, "temperature_max": 0.3}),
    "temperature 0.7–1.2": Variant({"temperature_min": 0.7, "temperature_max": 1.2}),
}
"""The variants by name; the last is the paper's range."""

THRESHOLDS = {
    "tau": "memory_tau",
    "delta": "memory_delta",
    "gamma": "memory_gamma",
    "wordings": "memory_wordings",
}


def swept(thresholds: str) -> Variant:
    """The memory with other thresholds: "delta=0.8" or "tau=0.5,delta=0.7".

    Raises ValueError for what is no threshold or no number.
    """
    settings = {}
    for part in thresholds.split(","):
        name, _, value = part.partition("=")
        if name.strip() not in THRESHOLDS:
            raise ValueError(f"{name.strip()!r} is none of {', '.join(THRESHOLDS)}")
        settings[THRESHOLDS[name.strip()]] = float(value)
    return Variant(settings)


def opened(variant: Variant, usual: Chatbot) -> Chatbot:
    """The chatbot of a variant."""
    checked = Settings(**{**usual.settings.model_dump(), **variant.settings})
    return variant.made_of(replace(usual, settings=checked))

"""The stream with one part of the memory switched off (ComRAG 6.2) or other thresholds (App. C).

Each variant runs on a copy of the data folder and with a memory of its own.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import delete

from chatbot.administration.faq_file import FaqFile
from chatbot.assembly import Chatbot, open_chatbot, open_embedder
from chatbot.chain.parts import Parts
from chatbot.memory.opening import Memory
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.passage_recall import PassageRecall
from chatbot.memory.recall import Search
from chatbot.memory.stores.neighbours import NearPair
from chatbot.memory.stores.stores import Stores
from chatbot.settings import BadSettings, Settings
from chatbot.turn import Remembered, RuleStep, Turn
from corpora.database.engine import sqlite_url
from corpora.database.memory_tables import MemoryClusterRow, MemoryEventRow, MemoryPairRow
from eval.bert_score import bert_score
from eval.recorded_model import RecordedChatModel
from eval.stream import Arrival, Iteration, remember, run_stream


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

    @cached_property
    def _parts(self) -> Parts:
        usual = super()._parts
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


@contextmanager
def copied(settings: Settings) -> Iterator[Settings]:
    """Settings of a copy of the data folder, which is gone after the block.

    The copy is complete though others write meanwhile. Raises BadSettings for a database that is
    not in the folder.
    """
    if settings.database != sqlite_url(settings.data_dir):
        raise BadSettings(
            "the experiment writes, and copies what it writes into; a database of its own "
            "(database_url) it does not copy: unset STRATA_DATABASE_URL"
        )
    with tempfile.TemporaryDirectory(prefix="strata-copy-") as name:
        folder = Path(name)
        source = Path(settings.database.partition("///")[2])
        with (
            closing(sqlite3.connect(source)) as there,
            closing(sqlite3.connect(folder / source.name)) as here,
        ):
            there.backup(here)
        generations = settings.data_dir / "generations"
        if generations.is_dir():
            shutil.copytree(generations, folder / generations.name)
        yield settings.model_copy(update={"data_dir": folder, "database_url": None})


def choose(names: Iterable[str]) -> dict[str, Variant]:
    """The variants of these names; `all` are all that have a name.

    Raises ValueError for a name that is neither a variant's nor thresholds.
    """
    chosen: dict[str, Variant] = {}
    for name in names:
        if name == "all":
            chosen |= VARIANTS
        elif "=" in name:
            chosen[name] = swept(name)
        elif name in VARIANTS:
            chosen[name] = VARIANTS[name]
        else:
            known = ", ".join(VARIANTS)
            raise ValueError(f"{name!r} is no variant: there are {known}, all, and delta=0.8")
    return chosen


def run_variant(
    settings: Settings,
    variant: Variant,
    order: Sequence[Sequence[Arrival]],
    history: FaqFile,
    tape: Path | None,
    on_progress: Callable[[int], None],
) -> tuple[Iteration, ...]:
    """Ask everything of one variant in order, of a memory that knows nothing but the history.

    The replies of the model go onto the tape.
    """
    with copied(settings) as own:
        usual = open_chatbot(own)
        _forget(usual)
        _warm_up(usual)
        recorded = None
        if tape is not None and usual.model is not None:
            recorded = RecordedChatModel(inner=usual.model, tape=tape)
            usual = replace(usual, model=recorded)
        chatbot = opened(variant, usual)
        remember(chatbot, history)
        token_vectors = open_embedder(own).token_vectors
        try:
            return run_stream(
                chatbot,
                order,
                lambda said, gold: bert_score(said, gold, token_vectors).f1,
                saved=lambda: recorded.saved if recorded else 0.0,
                on_progress=on_progress,
            )
        finally:
            chatbot.corpora.close()
            chatbot.database.close()


def _forget(chatbot: Chatbot) -> None:
    """Empty the memory."""
    with chatbot.database.writing() as session:
        for table in (MemoryPairRow, MemoryClusterRow, MemoryEventRow):
            session.execute(delete(table))


def _warm_up(chatbot: Chatbot) -> None:
    """Load what is loaded at first use, so that the first question is like the others."""
    for product in chatbot.products():
        for release in product.releases:
            chatbot.corpora.corpus(product.name, release.name)
    chatbot.embedder.embed(["warm"])
    if chatbot.model is not None:
        chatbot.model.invoke([("user", "Say yes.")], max_tokens=1)

"""The stream with one part of the memory switched off (ComRAG 6.2) or other thresholds (App. C).

Each variant runs on a copy of the data folder and with a memory of its own.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import delete

from chatbot.accounts.people import LOCAL
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.remembering import Memory
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.memory.stores.stores import Stores
from chatbot.settings import Settings
from corpora.database.engine import sqlite_url
from corpora.database.memory_tables import MemoryPairRow
from eval.likeness import bert_score
from eval.stream import Alike, Arrival, Iteration, run_stream
from eval.stream_baselines import run_baseline
from ingestion.errors import BadSettings

_NEVER = 2.0
"""A threshold that no cosine reaches."""


@dataclass(frozen=True)
class Variant:
    """A memory to try: settings that differ, and what is done to the usual one."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    ablated: Callable[[Memory, Chatbot], Memory] = lambda memory, chatbot: memory


class _OnlyLow(Neighbours):
    """Finds nothing in the high store."""

    def of_each(
        self,
        release_ids: Sequence[int],
        store: Store,
        question: MemoryQuestion,
        *,
        cosine: float,
        limit: int,
    ) -> dict[int, list[NearPair]]:
        """Return what there is in the low store."""
        if store is Store.HIGH:
            return {release_id: [] for release_id in release_ids}
        return super().of_each(release_ids, store, question, cosine=cosine, limit=limit)


def _without_high_store(memory: Memory, chatbot: Chatbot) -> Memory:
    """Good answers are kept and never used."""
    only_low = _OnlyLow(memory.recall.database)
    return replace(memory, recall=replace(memory.recall, search=only_low))


def _without_centroids(memory: Memory, chatbot: Chatbot) -> Memory:
    """Pairs are only ever appended: each is a cluster of its own, and no near-duplicate goes."""
    apart = chatbot.settings.model_copy(update={"memory_tau": _NEVER, "memory_delta": _NEVER})
    return replace(memory, stores=Stores(chatbot.database, apart))


VARIANTS: dict[str, Variant] = {
    "memory": Variant(),
    "no memory": Variant({"memory": "off"}),
    "no high store": Variant(ablated=_without_high_store),
    "no centroids": Variant(ablated=_without_centroids),
    "temperature 0.7–1.2": Variant({"temperature_min": 0.7, "temperature_max": 1.2}),
}
"""The variants by name; the last is the paper's range."""

THRESHOLDS = ("tau", "delta", "gamma")
"""The settings of the memory that a variant may set, without their `memory_`."""


def choose(names: Iterable[str]) -> dict[str, Variant]:
    """The variants of these names; `all` are all that have a name, "tau=0.5,delta=0.8" is one, too.

    Raises ValueError for a name that is neither a variant's nor thresholds.
    """
    chosen: dict[str, Variant] = {}
    for name in names:
        if name == "all":
            chosen |= VARIANTS
        elif "=" in name:
            chosen[name] = Variant(dict(_threshold(part) for part in name.split(",")))
        elif name in VARIANTS:
            chosen[name] = VARIANTS[name]
        else:
            known = ", ".join(VARIANTS)
            raise ValueError(f"{name!r} is no variant: there are {known}, all, and delta=0.8")
    return chosen


def _threshold(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    if name.strip() not in THRESHOLDS:
        raise ValueError(f"{name.strip()!r} is none of {', '.join(THRESHOLDS)}")
    return f"memory_{name.strip()}", float(value)


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


def run_variant(
    settings: Settings,
    variant: Variant,
    order: Sequence[Sequence[Arrival]],
    history: FaqFile,
    on_progress: Callable[[int], None],
    *,
    clicks: bool = False,
) -> tuple[Iteration, ...]:
    """Ask everything of one variant in order, of a memory that knows nothing but the history.

    `clicks` as of `run_stream`.
    """
    with _begun(settings, variant, history) as (chatbot, alike):
        return run_stream(chatbot, order, alike, on_progress, clicks)


def run_against(
    settings: Settings,
    baseline: str,
    order: Sequence[Sequence[Arrival]],
    history: FaqFile,
    on_progress: Callable[[int], None],
) -> tuple[Iteration, ...]:
    """The same of one of ComRAG's baselines."""
    with _begun(settings, Variant(), history) as (chatbot, alike):
        return run_baseline(chatbot, baseline, order, alike, on_progress)


@contextmanager
def _begun(
    settings: Settings, variant: Variant, history: FaqFile
) -> Iterator[tuple[Chatbot, Alike]]:
    """A chatbot of its own for the block, whose memory knows nothing but the history."""
    with copied(settings) as own:
        chatbot = open_chatbot(Settings(**{**own.model_dump(), **variant.settings}))
        # Where its cached property keeps the memory.
        vars(chatbot)["memory"] = variant.ablated(chatbot.memory, chatbot)
        with chatbot.database.writing() as session:
            session.execute(delete(MemoryPairRow))
        _warm_up(chatbot)
        Exchange(chatbot, LOCAL).bring_in(history)
        token_vectors = chatbot.minilm.token_vectors
        try:
            yield chatbot, lambda said, gold: bert_score(said, gold, token_vectors).f1
        finally:
            chatbot.corpora.close()
            chatbot.database.close()


def _warm_up(chatbot: Chatbot) -> None:
    """Load what is loaded at first use, so that the first question is like the others."""
    for product in chatbot.products():
        for release in product.releases:
            chatbot.corpora.corpus(product.name, release.name)
    chatbot.embedder.embed(["warm"])
    if chatbot.model is not None:
        chatbot.model.invoke([("user", "Say yes.")], max_tokens=1)

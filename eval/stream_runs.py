"""Variants of the memory, each on a copy of the data folder and with a memory of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import delete

from chatbot.administration.faq_file import FaqFile
from chatbot.assembly import Chatbot, open_chatbot, open_embedder
from chatbot.settings import Settings
from corpora.database.memory_tables import MemoryClusterRow, MemoryEventRow, MemoryPairRow
from eval.bert_score import bert_scores
from eval.data_copy import copied
from eval.recorded_model import RecordedChatModel
from eval.stream import Iteration, run_stream
from eval.stream_history import remember
from eval.stream_questions import Arrival
from eval.stream_variants import VARIANTS, Variant, opened, swept


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
                lambda said, gold: bert_scores([said], [gold], token_vectors)[0].f1,
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

"""The steps of GraphContextGen: related questions, and the relations of what they name."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.graph.knowledge import KnowledgeGraph
from chatbot.graph.triplets import STEP, Extractor, entities, extract_triplets
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.questions import asked_text
from chatbot.memory.recall import Recall, as_remembered, serving_release
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.runtime.concurrency import in_thread
from chatbot.text.citation_markers import without_marks
from chatbot.turn import (
    Fallback,
    ModelStep,
    Recollection,
    Relation,
    Remembered,
    RuleStep,
    Turn,
)

Related = Callable[[int, MemoryQuestion, int], Sequence[NearPair]]
"""Finds the pairs of a release that are related to a question, at most so many, the best first."""


def by_cosine(search: Neighbours) -> Related:
    """The most similar questions, however far they are (the paper's TEXTGEN, section 5)."""

    def related(release_id: int, question: MemoryQuestion, limit: int) -> Sequence[NearPair]:
        return search.nearest(release_id, Store.HIGH, question, cosine=0.0, limit=limit)

    return related


def recall_related(memory: Recall, related: Related, *, questions: int) -> RuleStep:
    """Put the k related questions of the release with their answers beside the evidence (4.2).

    They are examples and answer nothing by themselves; an answer to this very question that was
    rejected is told too. A turn that is asked afresh passes through.
    """

    def recall(turn: Turn) -> Turn:
        product, release = turn.asked
        release_id = serving_release(memory.database, product, release)
        if turn.afresh or release_id is None:
            return turn
        asked = memory.reader.read(asked_text(turn), product)
        good = tuple(map(as_remembered, related(release_id, asked, questions)))
        bad = memory.rejected(release_id, asked)
        return replace(turn, recollection=Recollection(good=good, bad=bad))

    return recall


def enhance_context(
    model: BaseChatModel,
    open_graph: Callable[[str, str], KnowledgeGraph],
    rebel: Extractor | None = None,
    outside: KnowledgeGraph | None = None,
) -> ModelStep:
    """Add the relations of what the related questions and their answers name, as sentences (4.3).

    The model reads triplets from them, and REBEL where there is one. Between the same entities
    the release's knowledge graph states others, each with its citation, and so may a graph from
    `outside`, which come last. Without related questions nothing is asked.
    """

    async def enhance(turn: Turn) -> Turn:
        found = turn.recollection
        if found is None or not found.good:
            return turn
        context = "\n\n".join(map(_as_text, found.good))
        read, calls = await extract_triplets(model, context)
        turn = replace(turn, calls=(*turn.calls, *calls))
        if read is None:
            failed = Fallback(STEP, calls[-1].problem)
            turn = replace(turn, fallbacks=(*turn.fallbacks, failed))
        first = (*(read or ()), *(await in_thread(rebel, context) if rebel else ()))
        named = entities(first)
        documented = await (await in_thread(open_graph, *turn.asked)).between(named)
        general = await outside.between(named) if outside else ()
        relations: dict[str, Relation] = {}
        for t in (*documented, *first, *general):
            relations.setdefault(
                t.sentence, Relation(t.head, t.tail, t.sentence, t.citation, t.source)
            )
        return replace(turn, recollection=replace(found, relations=tuple(relations.values())))

    return enhance


def _as_text(pair: Remembered) -> str:
    return f"{pair.question}\n{without_marks(pair.answer)}"

"""The steps of GraphContextGen: related questions, and the relations of their entities."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.graph.knowledge import DocumentationGraph
from chatbot.graph.triplets import STEP, Extractor, entities, extract_triplets
from chatbot.graph.wikidata import Wikidata
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.questions import standalone_text
from chatbot.memory.recall import Recall, as_remembered, release_id_of
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.runtime.concurrency import in_thread
from chatbot.text.languages import gettext
from chatbot.text.markdown import without_marks
from chatbot.turn import EMBEDDER_FAILS, ModelStep, Recollection, RuleStep, Triplet, Turn
from corpora.errors import EmbedderFailed
from corpora.parameters.releases import OpenParameters

Related = Callable[[int, MemoryQuestion, int], Sequence[NearPair]]
"""Finds the pairs of a release that are related to a question, at most so many, the best first."""


def by_cosine(search: Neighbours) -> Related:
    """The most similar questions, however far they are (the paper's TEXTGEN, section 5)."""
    return lambda release_id, question, limit: search.nearest(
        release_id, Store.HIGH, question, cosine=0.0, limit=limit
    )


def recall_related(memory: Recall, related: Related, *, questions: int) -> RuleStep:
    """Put the k related questions of the release with their answers beside the evidence (4.2).

    They are examples; a rejected answer to this very question stands beside them.
    """

    def recall(turn: Turn) -> Turn:
        product, release = turn.target
        release_id = release_id_of(memory.database, product, release)
        if turn.afresh or release_id is None:
            return turn
        try:
            question = memory.reader.read(standalone_text(turn), product)
        except EmbedderFailed:
            return turn.without(STEP, gettext(EMBEDDER_FAILS))
        good = tuple(map(as_remembered, related(release_id, question, questions)))
        bad = memory.rejected(release_id, question)
        return replace(turn, recollection=Recollection(good=good, bad=bad))

    return recall


def enhance_context(
    model: BaseChatModel,
    open_parameters: OpenParameters,
    rebel: Extractor | None = None,
    wikidata: Wikidata | None = None,
) -> ModelStep:
    """A step that adds relations of entities in related questions and answers, as sentences (4.3).

    The model, and REBEL, read triplets from them; the release's parameters state others between the
    same entities, with citations, and so may Wikidata, whose come last.
    """

    async def enhance(turn: Turn) -> Turn:
        recollection = turn.recollection
        if recollection is None or not recollection.good:
            return turn
        context = "\n\n".join(f"{p.question}\n{without_marks(p.answer)}" for p in recollection.good)
        read, calls = await extract_triplets(model, context)
        turn = replace(turn, calls=(*turn.calls, *calls))
        if read is None:
            turn = turn.without(STEP, calls[-1].problem)
        first = (*(read or ()), *(await in_thread(rebel, context) if rebel else ()))
        named = entities(first)
        release = await in_thread(open_parameters, *turn.target)
        documented = DocumentationGraph(release).between(named)
        general = await wikidata.between(named) if wikidata else ()
        relations: dict[str, Triplet] = {}
        for triplet in (*documented, *first, *general):
            relations.setdefault(triplet.sentence, triplet)
        return replace(
            turn, recollection=replace(recollection, relations=tuple(relations.values()))
        )

    return enhance

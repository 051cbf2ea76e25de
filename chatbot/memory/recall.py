"""Recall: a saved answer to reuse, or some near the question (ComRAG 4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter
from sqlalchemy import Select, exists, select

from chatbot.memory.pairs import HUMAN_ORIGINS, MemoryQuestion, Store
from chatbot.memory.questions import QuestionReader, as_typed, evident_difference, standalone_text
from chatbot.memory.scoring import disliked, is_vouched
from chatbot.memory.settings import MemorySettings
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.releases.resolution import cut
from chatbot.turn import Citation, Recollection, Remembered, Turn
from chatbot.understanding.clarification import resolve_turn
from corpora.catalog.catalog import find_release
from corpora.catalog.release import Product
from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.errors import EmbedderFailed

LOOKED_AT = 8
"""Pairs of each store that are looked at, at most."""
EXAMPLES = 2
"""Good answers to similar questions, or bad ones, that are shown to the model, at most."""
OFFERED = 3
"""Saved questions that a person or a model is asked about, at most."""
_CITATIONS = TypeAdapter(tuple[Citation, ...])


@dataclass(frozen=True)
class Recall:
    """Looks for saved answers in the release of a turn, and in no other."""

    database: Database
    search: Neighbours
    reader: QuestionReader
    settings: MemorySettings

    def recall(self, turn: Turn) -> Recollection:
        """The saved answers on the question of a turn that has its release and its queries.

        A high pair is reused that asks the same in the same words, in words that somebody took for
        the same before, or that is both offered and the turn's `same_as`. Else those that are
        vouched for, with a cosine of at least τ, are examples: high ones good ones; low ones that
        ask the same, or where there is no good one, bad ones. One that the asker's thumb is down on
        is bad for the asker, whatever it is for others. Raises EmbedderFailed.
        """
        product, release = turn.target
        release_id = release_id_of(self.database, product, release)
        if release_id is None:
            return Recollection()
        question = self.reader.read(standalone_text(turn), product)
        near = self._near(release_id, Store.HIGH, question)
        ids = [pair.row.id for pair in near]
        with self.database.reading() as session:
            unwanted = disliked(session, turn.owner, ids)
            same = set(session.scalars(_worded(ids, question)))
        own_bad = [as_remembered(pair) for pair in near if pair.row.id in unwanted]
        near = [pair for pair in near if pair.row.id not in unwanted]
        offers = self._offers(near, question, product)
        same |= {pair.row.id for pair in near if pair.row.asks == question.asks}
        same |= {pair.row.id for pair in offers} & {turn.same_as}
        for pair in near:
            if pair.row.id in same and is_reusable(pair.row):
                return Recollection(reused=as_remembered(pair))
        good = [pair for pair in near if is_vouched(pair.row)][:EXAMPLES]
        return Recollection(
            good=tuple(map(as_remembered, good)),
            bad=(*own_bad, *self.rejected(release_id, question, topic=not good)),
            offers=tuple(map(as_remembered, offers)),
        )

    def candidates(self, turn: Turn, products: Sequence[Product]) -> list[tuple[str, Remembered]]:
        """Saved questions that may ask the same as a turn whose release is to be read yet.

        They are of any release of its product, which stands before each; those of the release that
        rules read come first. Whatever is said of them, `recall` offers none of another release.
        There are none while the embedder fails.
        """
        by_rules = resolve_turn(turn, products)
        product = next((p for p in products if p.name == by_rules.product), None)
        text = as_typed(cut(turn.question, by_rules.mentions))
        if product is None or turn.afresh or not text:
            return []
        try:
            question = self.reader.read(text, product.name)
        except EmbedderFailed:
            return []
        releases = {release.id: release.name for release in product.releases}
        tau = self.settings.memory_tau
        near = self.search.of_each(
            list(releases), Store.HIGH, question, cosine=tau, limit=LOOKED_AT
        )
        found = [
            (releases[identity], as_remembered(pair))
            for identity, pairs in near.items()
            for pair in self._offers(pairs, question, product.name)
        ]
        found.sort(key=lambda of: (of[0] not in by_rules.releases, -of[1].similarity))
        return found[:OFFERED]

    def _near(self, release_id: int, store: Store, question: MemoryQuestion) -> list[NearPair]:
        tau = self.settings.memory_tau
        return self.search.nearest(release_id, store, question, cosine=tau, limit=LOOKED_AT)

    def _offers(
        self, near: Sequence[NearPair], question: MemoryQuestion, product: str
    ) -> list[NearPair]:
        """The pairs of `near` that may ask the same: vouched for, and not evidently different."""
        return [
            pair
            for pair in near
            if pair.similarity >= self.settings.memory_delta
            and is_reusable(pair.row)
            and is_vouched(pair.row)
            and not evident_difference(question.text, pair.row.question, product)
        ][:OFFERED]

    def rejected(
        self, release_id: int, question: MemoryQuestion, *, topic: bool = False
    ) -> tuple[Remembered, ...]:
        """Low pairs that ask the same, with `topic` also others on its topic; the nearest first.

        None that is poor by measure alone: of 16 such answers 9 were right.
        """
        low = [p for p in self._near(release_id, Store.LOW, question) if is_vouched(p.row)]
        same = [pair for pair in low if pair.row.asks == question.asks]
        others = [pair for pair in low if pair.similarity < self.settings.memory_delta]
        return tuple(map(as_remembered, [*same, *others[: EXAMPLES if topic else 0]]))


def _worded(pairs: Sequence[int], question: MemoryQuestion) -> Select[int]:
    """Those of `pairs` that somebody took for a question in these words, and has not taken back."""
    of_turn, down = FeedbackRow.turn_id == MemoryUseRow.turn_id, FeedbackRow.thumbs < 0
    worded = MemoryUseRow.pair_id.in_(pairs), MemoryUseRow.asks == (question.asks or None)
    return select(MemoryUseRow.pair_id).where(*worded, ~exists().where(of_turn, down))


def release_id_of(database: Database, product: str, release: str) -> int | None:
    """The id of a release by its names, if there is one; of a hidden one no pair is in use."""
    with database.reading() as session:
        row = find_release(session, product, release)
    return row.id if row else None


def is_reusable(row: MemoryPairRow) -> bool:
    """Whether a pair has a lead and citations, or a person wrote it."""
    is_cited = bool(row.answer.get("value") and row.answer.get("citations"))
    return row.origin in HUMAN_ORIGINS or is_cited


def as_remembered(pair: NearPair) -> Remembered:
    """The pair as a turn keeps it; its citations stand where their pages are now."""
    row = pair.row
    return Remembered(
        id=row.id,
        question=row.question,
        answer=row.answer["text"],
        value=row.answer.get("value", ""),
        citations=_CITATIONS.validate_python(row.answer.get("citations", ())),
        score=row.score,
        origin=row.origin,
        rated_by=row.rated_by,
        rated=row.rated or row.created,
        similarity=pair.similarity,
    )

"""What the memory knows of a question: an answer to reuse, or some near it (ComRAG 4.3)."""

from dataclasses import dataclass, replace

from chatbot.memory.pairs import BY_HAND, MemoryQuestion, Store, Thresholds
from chatbot.memory.pairs import Origin as ByWhom
from chatbot.memory.questions import QuestionReader, asked_text, difference
from chatbot.memory.scoring.opinions import disliked
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.turn import Citation, Origin, Recollection, Remembered, Turn
from corpora.catalog.catalog import find_release
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow

LOOKED_AT = 8
"""Pairs of each store that are looked at, at most."""


@dataclass(frozen=True)
class Recall:
    """Looks for what was answered before in the release of a turn, and in no other."""

    database: Database
    search: Neighbours
    reader: QuestionReader
    thresholds: Thresholds
    references: int

    def recall(self, turn: Turn) -> Recollection:
        """What there is on the question of a turn that has its release and its queries.

        A high pair that asks the same in the same words is reused. Else those that are vouched for,
        with a cosine of at least τ, are examples: high ones good ones; low ones that ask the same,
        or where there is no good one, bad ones. One that the asker's thumb is down on is bad for
        the asker, whatever it is for others.
        """
        product, release = turn.asked
        release_id = serving_release(self.database, product, release)
        if release_id is None:
            return Recollection()
        asked = self.reader.read(asked_text(turn), product)
        good: list[Remembered] = []
        differs = ""
        tau, delta = self.thresholds.tau, self.thresholds.delta
        near = self.search.nearest(release_id, Store.HIGH, asked, cosine=tau, limit=LOOKED_AT)
        with self.database.reading() as session:
            unwanted = disliked(session, turn.owner, [pair.row.id for pair in near])
        own_bad = [pair for pair in near if pair.row.id in unwanted]
        for pair in (pair for pair in near if pair.row.id not in unwanted):
            reason = difference(asked.asks, pair.row.asks)
            if not reason and is_reusable(pair.row):
                return Recollection(reused=as_remembered(pair))
            if pair.similarity >= delta:
                differs = differs or reason
            if len(good) < self.references and is_vouched(pair.row):
                good.append(as_remembered(pair))
        own = (replace(as_remembered(pair), origin=ByWhom.THUMBS) for pair in own_bad)
        bad = (*own, *self.rejected(release_id, asked, topic=not good))
        return Recollection(good=tuple(good), bad=bad, differs=differs)

    def reusable(self, pair: Remembered) -> Remembered | None:
        """A pair that was found, as it answers now; None where it may not."""
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair.id)
        if row is None or row.suspended or not is_reusable(row):
            return None
        return as_remembered(NearPair(row, pair.similarity))

    def rejected(
        self, release_id: int, asked: MemoryQuestion, *, topic: bool = False
    ) -> tuple[Remembered, ...]:
        """Low pairs that ask the same, with `topic` also others on its topic; the nearest first.

        None that is poor by measure alone: of 16 such answers 9 were right.
        """
        bad: list[Remembered] = []
        others = self.references if topic else 0
        least = self.thresholds.tau if topic else self.thresholds.delta
        for pair in self.search.nearest(
            release_id, Store.LOW, asked, cosine=least, limit=LOOKED_AT
        ):
            if not is_vouched(pair.row):
                continue
            if not difference(asked.asks, pair.row.asks):
                bad.append(as_remembered(pair))
            elif others > 0 and pair.similarity < self.thresholds.delta:
                others -= 1
                bad.append(as_remembered(pair))
        return tuple(bad)


def serving_release(database: Database, product: str, release: str) -> int | None:
    """The id of a release by its names; None if it does not serve any more."""
    with database.reading() as session:
        row = find_release(session, product, release)
    if row is None or row.published_generation_id is None or row.retired:
        return None
    return row.id


def is_vouched(row: MemoryPairRow) -> bool:
    """Whether people or a capable model say what it is worth: a measure alone lends it to none."""
    return row.origin != ByWhom.MEASURED or bool(row.relevancy)


def is_reusable(row: MemoryPairRow) -> bool:
    """Whether a pair has a lead and citations, or a person wrote it."""
    is_cited = bool(row.answer.get("value") and row.answer.get("citations"))
    return row.origin in BY_HAND or is_cited


def as_remembered(pair: NearPair) -> Remembered:
    """The pair as a turn keeps it; its citations stand where their pages are now."""
    row = pair.row
    citations = row.answer.get("citations", ())
    return Remembered(
        id=row.id,
        question=row.question,
        answer=row.answer["text"],
        value=row.answer.get("value", ""),
        # Those of earlier versions do not say where they come from.
        citations=tuple(
            Citation(**{**kept, "origin": Origin(kept.get("origin", Origin.DOCUMENTS))})
            for kept in citations
        ),
        score=row.score,
        origin=row.origin,
        rated_by=row.rated_by,
        rated=row.rated or row.created,
        similarity=pair.similarity,
    )

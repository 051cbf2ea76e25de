"""Questions and answers as a file: taken into the memory, and written out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from sqlalchemy import select

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.faq_file import FaqFile, FaqRow, LeftOut
from chatbot.administration.kept import KeptPair
from chatbot.administration.overview import EVERYTHING, Overview, PairFilter, Scope
from chatbot.administration.support import Support, Supported
from chatbot.administration.written import answer_object, as_answer, as_value
from chatbot.assembly import Chatbot
from chatbot.memory.pairs import Happened, MemoryQuestion, NewPair, Origin, Score, Store
from chatbot.memory.questions import asked_text
from chatbot.queries.query_rewriting import rewrite_query
from chatbot.releases.resolution import ReleaseStatus
from chatbot.releases.rules import resolve_release
from chatbot.review.exports import Exports, Format
from chatbot.text.citation_markers import without_marks
from chatbot.turn import Turn
from corpora.catalog.catalog import require_release
from corpora.catalog.release import Product
from corpora.database.memory_tables import MemoryPairRow

_AT_ONCE = 64
"""Rows whose questions are embedded together, and pairs that are read together."""
_REASON = "It was imported."


@dataclass(frozen=True)
class ImportReport:
    """What became of a file.

    `added` rows are pairs now, of which `supported` rest on pages of their release and `low` are
    answers to avoid, by their own score; they `replaced` so many others. `known` rows were there
    already, and of the `outdone` the memory has a better answer. `left_out` says which lines
    could not be taken and why, `ignored` which columns mean nothing here.
    """

    file: str
    added: int
    supported: int
    low: int
    replaced: int
    known: int
    outdone: int
    left_out: tuple[LeftOut, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True)
class Exchange:
    """Imports and exports for one admin; raises NotAllowed for whoever is none."""

    chatbot: Chatbot
    person: Person

    def bring_in(
        self, faq: FaqFile, on_progress: Callable[[int, int], None] = lambda done, total: None
    ) -> ImportReport:
        """Make the rows of a file pairs of their releases; a row that is there already stays.

        `on_progress` is told how many rows are done, and of how many. Each row is kept for good
        as soon as it is done: an import that is stopped goes on where it was.
        """
        self.person.require_admin()
        coming = _Import(self.chatbot, self.person.id or self.person.name, faq)
        try:
            for done in coming.rows():
                on_progress(done, len(faq.rows))
        finally:
            report = coming.report()
            AuditLog(self.chatbot.database).record(
                self.person,
                "import answers",
                coming.subject,
                file=faq.name,
                added=report.added,
                replaced=report.replaced,
                known=report.known,
                outdone=report.outdone,
                left_out=len(report.left_out),
            )
        return report

    def export(self, form: Format, scope: Scope = EVERYTHING) -> Iterator[str]:
        """Write pairs as a file that `read_faq` reads back, piece by piece, the oldest first."""
        overview = Overview(self.chatbot.database, self.person)
        pairs = overview.every(PairFilter(scope))
        return Exports(self.chatbot.database).of(
            self.person,
            "remembered answers",
            (_exported(pair, form) for pair in pairs),
            form,
            product=scope.product,
            release=scope.release,
        )


@dataclass(frozen=True)
class _Place:
    """A release that answers can be imported for."""

    id: int
    product: str
    release: str
    generation: int


class _Import:
    """The rows of one file on their way into the stores, and what became of them so far."""

    def __init__(self, chatbot: Chatbot, by: str, faq: FaqFile) -> None:
        self._chatbot = chatbot
        self._by = by
        self._faq = faq
        self._products = chatbot.products()
        self._support = Support(chatbot.corpora.corpus, chatbot.embedder)
        self._left_out = list(faq.left_out)
        self._places: dict[tuple[str, str], _Place | None] = {}
        self._there: dict[int, set[tuple[str, str]]] = {}
        self._added = self._supported = self._low = self._replaced = self._known = self._outdone = 0

    @property
    def subject(self) -> str:
        """The releases that rows were for."""
        places = filter(None, self._places.values())
        return ", ".join(sorted({f"{place.product} {place.release}" for place in places}))

    def report(self) -> ImportReport:
        """What became of the rows so far."""
        return ImportReport(
            file=self._faq.name,
            added=self._added,
            supported=self._supported,
            low=self._low,
            replaced=self._replaced,
            known=self._known,
            outdone=self._outdone,
            left_out=tuple(sorted(self._left_out, key=lambda left: left.line)),
            ignored=self._faq.ignored,
        )

    def rows(self) -> Iterator[int]:
        """Bring the rows in and say, after each, how many are done."""
        placed = list(self._placed())
        done = len(self._faq.rows) - len(placed)
        for place, of_place in groupby(placed, key=lambda found: found[0]):
            rows = [row for _, row in of_place]
            for first in range(0, len(rows), _AT_ONCE):
                for row, question in self._read(place, rows[first : first + _AT_ONCE]):
                    self._bring_in(place, row, question)
                    done += 1
                    yield done

    def _placed(self) -> Iterator[tuple[_Place, FaqRow]]:
        """The rows whose release can be asked and whose question stands in no row before."""
        lines: dict[tuple[int, str], int] = {}
        for row in self._faq.rows:
            place = self._place(row)
            if place is None:
                self._left_out.append(LeftOut(row.line, self._unknown(row)))
                continue
            first = lines.setdefault((place.id, _folded(row.question)), row.line)
            if first != row.line:
                reason = f"the question stands in line {first} too: put its answers into one row"
                self._left_out.append(LeftOut(row.line, reason))
                continue
            yield place, row

    def _place(self, row: FaqRow) -> _Place | None:
        named = row.product.casefold(), row.release.casefold()
        if named not in self._places:
            self._places[named] = self._find(*named)
        return self._places[named]

    def _find(self, product: str, release: str) -> _Place | None:
        owner = _called(self._products, product)
        for offered in owner.releases if owner else ():
            if release in (name.casefold() for name in (offered.name, *offered.aliases)):
                serving = self._chatbot.catalog.serving(offered.product, offered.name)
                with self._chatbot.database.reading() as session:
                    found = require_release(session, serving.product, serving.release).id
                return _Place(found, serving.product, serving.release, serving.generation)
        return None

    def _unknown(self, row: FaqRow) -> str:
        owner = _called(self._products, row.product.casefold())
        if owner is None:
            there = ", ".join(p.name for p in self._products) or "none yet"
            return f"there is no product {row.product!r:.120}; there is: {there}"
        there = ", ".join(r.name for r in owner.releases) or "none yet"
        return f"there is no release {row.release!r:.120} of {owner.name}; there is: {there}"

    def _read(
        self, place: _Place, rows: Sequence[FaqRow]
    ) -> Iterator[tuple[FaqRow, MemoryQuestion]]:
        texts = [self._asked(place, row.question) for row in rows]
        return zip(rows, self._chatbot.memory.reader.read_all(texts, place.product), strict=True)

    def _asked(self, place: _Place, question: str) -> str:
        """What a question asks without its release, as the chain would read it."""
        resolution = replace(
            resolve_release(question, self._products, product=place.product),
            status=ReleaseStatus.STATED,
            product=place.product,
            releases=(place.release,),
        )
        turn = Turn(question, product=place.product, resolution=resolution)
        return asked_text(rewrite_query(lambda: self._products)(turn)) or question

    def _bring_in(self, place: _Place, row: FaqRow, question: MemoryQuestion) -> None:
        text = as_answer(row.answer)
        if not any(map(str.isalnum, text)):
            self._left_out.append(LeftOut(row.line, "the answer has no words"))
            return
        there = self._there_already(place)
        known = _folded(question.text), _bare(text)
        if known in there:
            self._known += 1
            return
        found = self._support.of(place.product, place.release, row.question, text)
        added = self._chatbot.memory.stores.add(
            place.id,
            self._pair(place, row, question, found),
            happened=Happened.IMPORTED,
            reason=_REASON,
        )
        if not added.kept:
            self._outdone += 1
            return
        there.add(known)
        self._added += 1
        self._supported += bool(found.citations)
        self._low += added.store is Store.LOW
        self._replaced += len(added.replaced)

    def _pair(
        self, place: _Place, row: FaqRow, question: MemoryQuestion, found: Supported
    ) -> NewPair:
        return NewPair(
            question=question,
            answer=answer_object(found, as_value(row.value)),
            score=Score(
                1.0 if row.score is None else row.score,
                Origin.IMPORTED,
                datetime.now(UTC),
                self._by,
            ),
            pages=found.pages,
            generation=place.generation,
            links=row.links,
        )

    def _there_already(self, place: _Place) -> set[tuple[str, str]]:
        """The questions and answers of a release, each by its words."""
        if place.id not in self._there:
            every = select(MemoryPairRow.question, MemoryPairRow.answer)
            with self._chatbot.database.reading() as session:
                rows = session.execute(every.where(MemoryPairRow.release_id == place.id))
                self._there[place.id] = {
                    (_folded(question), _bare(answer["text"])) for question, answer in rows
                }
        return self._there[place.id]


def _folded(question: str) -> str:
    """A question by its words, however it is written."""
    return " ".join(re.findall(r"\w+", question.casefold()))


def _bare(answer: str) -> str:
    """An answer without what says where it stands: marks of citations and of quotations."""
    lines = (line.removeprefix(">").strip() for line in without_marks(answer).split("\n"))
    return "\n".join(lines).strip()


def _called(products: Sequence[Product], name: str) -> Product | None:
    """The product with this name or alias, folded."""
    wanted = name.strip()
    return next(
        (p for p in products if wanted in (n.casefold() for n in (p.name, *p.aliases))), None
    )


def _exported(pair: KeptPair, form: Format) -> dict[str, Any]:
    """A pair as a row that `read_faq` reads, with all else that is known of it behind."""
    return {
        "product": pair.product,
        "release": pair.release,
        "question": pair.question,
        "answer": pair.answer,
        "value": pair.value,
        "score": pair.score,
        "links": " ".join(pair.links) if form is Format.CSV else list(pair.links),
        "store": str(pair.store),
        "origin": str(pair.origin),
        "rated_by": pair.rated_by,
        "rated": pair.rated,
        "faithfulness": pair.faithfulness,
        "relevancy": pair.relevancy,
        "citations": [dict(citation) for citation in pair.citations],
        "suspended": pair.suspended,
        "reused": pair.reused,
        "last_used": pair.last_used,
        "created": pair.created,
    }

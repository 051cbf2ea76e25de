"""Import and export of remembered questions and answers as a file."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.faq_file import EXPORTED, FaqFile, FaqRow, LeftOut, UnusableRow
from chatbot.administration.overview import EVERYTHING, KeptPair, Overview, PairFilter, Scope
from chatbot.administration.support import as_answer, as_value, supported
from chatbot.assembly import Chatbot
from chatbot.memory.pairs import Happened, NewPair, Origin, Score, Store
from chatbot.memory.questions import asked_text
from chatbot.queries.query_rewriting import rewrite_query
from chatbot.releases.product_names import find_product
from chatbot.releases.resolution import ReleaseStatus
from chatbot.releases.rules import resolve_release
from chatbot.review.exports import Exports, Format
from chatbot.text.citation_markers import without_marks
from chatbot.turn import Turn
from corpora.catalog.catalog import require_release
from corpora.catalog.release import Release
from corpora.database.memory_tables import MemoryPairRow


@dataclass
class ImportReport:
    """The result of an import.

    Of the `added` rows `supported` have citations and `low` are answers to avoid, by their own
    score; they `replaced` so many others. `known` rows were there already, and for the `outdone`
    the memory has a better answer. `left_out` are the lines that could not be used, `ignored` the
    unknown columns.
    """

    file: str
    added: int = 0
    supported: int = 0
    low: int = 0
    replaced: int = 0
    known: int = 0
    outdone: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exchange:
    """Imports and exports for one admin; raises NotAllowed for anybody else."""

    chatbot: Chatbot
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin()

    def bring_in(
        self, faq: FaqFile, on_progress: Callable[[int, int], None] = lambda done, total: None
    ) -> ImportReport:
        """Make the rows of a file pairs of their releases, unless they are there already.

        `on_progress` is told how many rows are done, and of how many. Each row is stored as soon as
        it is done: an import that was stopped can be started again.
        """
        coming = _Import(self.chatbot, self.person.id or self.person.name, faq)
        report = coming.report
        try:
            for done, row in enumerate(faq.rows, 1):
                try:
                    coming.bring_in(row)
                except UnusableRow as error:
                    report.left_out.append(LeftOut(row.line, str(error)))
                on_progress(done, len(faq.rows))
        finally:
            report.left_out.sort(key=lambda left: left.line)
            AuditLog(self.chatbot.database).record(
                self.person,
                "import answers",
                ", ".join(sorted(f"{r.product} {r.name}" for r in coming.releases)),
                file=faq.name,
                added=report.added,
                replaced=report.replaced,
                known=report.known,
                outdone=report.outdone,
                left_out=len(report.left_out),
            )
        return report

    def export(self, form: Format, scope: Scope = EVERYTHING) -> Iterator[str]:
        """Yield the pieces of a file of pairs, the oldest first, that `read_faq` can read."""
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


class _Import:
    """An import of one file, and its report so far."""

    def __init__(self, chatbot: Chatbot, by: str, faq: FaqFile) -> None:
        self.report = ImportReport(faq.name, left_out=list(faq.left_out), ignored=faq.ignored)
        self.releases: set[Release] = set()
        self._chatbot = chatbot
        self._by = by
        self._products = chatbot.products()
        self._lines: dict[tuple[Release, str], int] = {}

    def bring_in(self, row: FaqRow) -> None:
        """Make a row a pair, unless its answer is there already; raises UnusableRow."""
        release, text = self._release(row), as_answer(row.answer)
        report, product = self.report, release.product
        self.releases.add(release)
        first = self._lines.setdefault((release, _folded(row.question)), row.line)
        if first != row.line:
            raise UnusableRow(
                f"the question stands in line {first} too: put its answers into one row"
            )
        if not any(map(str.isalnum, text)):
            raise UnusableRow("the answer has no words")
        asked = self._asked(release, row.question)
        question = self._chatbot.memory.reader.read(asked, product)
        with self._chatbot.database.reading() as session:
            release_id = require_release(session, product, release.name).id
            answers = session.scalars(
                select(MemoryPairRow.answer).where(
                    MemoryPairRow.release_id == release_id, MemoryPairRow.asks == question.asks
                )
            )
            known = _bare(text) in {_bare(answer["text"]) for answer in answers}
        if known:
            report.known += 1
            return
        corpus = self._chatbot.corpora.corpus(product, release.name)
        found = supported(corpus, self._chatbot.embedder, row.question, text)
        score = 1.0 if row.score is None else row.score
        pair = NewPair(
            question,
            found.as_kept(as_value(row.value)),
            Score(score, Origin.IMPORTED, datetime.now(UTC), self._by),
            pages=found.pages,
            links=row.links,
        )
        added = self._chatbot.memory.stores.add(
            release_id, pair, happened=Happened.IMPORTED, reason="It was imported."
        )
        if not added.kept:
            report.outdone += 1
            return
        report.added += 1
        report.supported += bool(found.citations)
        report.low += added.store is Store.LOW
        report.replaced += len(added.replaced)

    def _release(self, row: FaqRow) -> Release:
        owner = find_product(row.product, self._products)
        if owner is None:
            there = ", ".join(p.name for p in self._products) or "none yet"
            raise UnusableRow(f"there is no product {row.product!r:.120}; there is: {there}")
        wanted = row.release.casefold()
        for offered in owner.releases:
            if wanted in (name.casefold() for name in (offered.name, *offered.aliases)):
                return offered
        there = ", ".join(r.name for r in owner.releases) or "none yet"
        raise UnusableRow(
            f"there is no release {row.release!r:.120} of {owner.name}; there is: {there}"
        )

    def _asked(self, release: Release, question: str) -> str:
        """What a question asks without its release, as the chain would read it."""
        resolution = replace(
            resolve_release(question, self._products, product=release.product),
            status=ReleaseStatus.STATED,
            product=release.product,
            releases=(release.name,),
        )
        turn = Turn(question, product=release.product, resolution=resolution)
        return asked_text(rewrite_query(lambda: self._products)(turn)) or question


def _folded(question: str) -> str:
    """A question by its words, however it is written."""
    return " ".join(re.findall(r"\w+", question.casefold()))


def _bare(answer: str) -> str:
    """An answer without its marks of citations and quotations."""
    lines = (line.removeprefix(">").strip() for line in without_marks(answer).split("\n"))
    return "\n".join(lines).strip()


def _exported(pair: KeptPair, form: Format) -> dict[str, Any]:
    """A pair as a row that `read_faq` reads, followed by all else that is known of it."""
    row = pair.row
    return {
        "product": pair.product,
        "release": pair.release,
        "question": row.question,
        "answer": row.answer["text"],
        "value": row.answer.get("value", ""),
        "score": row.score,
        "links": " ".join(row.links) if form is Format.CSV else row.links,
        "citations": row.answer.get("citations", []),
        **{name: getattr(row, name) for name in EXPORTED},
    }

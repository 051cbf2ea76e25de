"""Import and export of remembered questions and answers as a file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import select

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.citation_finder import as_answer, as_value, cite_pages
from chatbot.administration.faq_file import EXPORTED, FaqFile, FaqRow, SkippedLine, UnusableRow
from chatbot.administration.overview import (
    EVERYTHING,
    KeptPair,
    Overview,
    PairFilter,
    ReleaseFilter,
)
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import ScoreOrigin, Store, new_pair
from chatbot.memory.questions import standalone_text
from chatbot.releases.product_names import find_product
from chatbot.releases.resolution import ReleaseStatus
from chatbot.releases.rules import resolve_release
from chatbot.review.exports import Exports, Format
from chatbot.text.markdown import without_marks
from chatbot.turn import Turn
from chatbot.understanding.queries import rewrite_query
from corpora.catalog.catalog import require_release
from corpora.catalog.release import Product, Release
from corpora.database.memory_tables import MemoryPairRow


@dataclass
class ImportReport:
    """The result of an import.

    Of the `added` rows `supported` have citations and `low` are answers to avoid, by their own
    score. `known` rows were there already, and for the `outdone` the memory has an answer at least
    as good. `left_out` are the lines that could not be used, `ignored` the unknown columns.
    """

    file: str
    added: int = 0
    supported: int = 0
    low: int = 0
    known: int = 0
    outdone: int = 0
    left_out: list[SkippedLine] = field(default_factory=list)
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

        `on_progress` gets the number of rows done, and the number of rows. Each row is stored as
        soon as it is done: an import that was stopped can be started again.
        """
        report = ImportReport(faq.name, left_out=list(faq.left_out), ignored=faq.ignored)
        products = self.chatbot.products()
        releases: set[str] = set()
        try:
            for done, row in enumerate(faq.rows, 1):
                try:
                    release = _release(row, products)
                    releases.add(f"{release.product} {release.name}")
                    self._bring_in(row, release, products, report)
                except UnusableRow as error:
                    report.left_out.append(SkippedLine(row.line, str(error)))
                on_progress(done, len(faq.rows))
        finally:
            report.left_out.sort()
            counted = {name: getattr(report, name) for name in ("added", "known", "outdone")}
            AuditLog(self.chatbot.database).record(
                self.person,
                "import answers",
                ", ".join(sorted(releases)),
                **{**counted, "file": faq.name, "left_out": len(report.left_out)},
            )
        return report

    def _bring_in(
        self, row: FaqRow, release: Release, products: Sequence[Product], report: ImportReport
    ) -> None:
        """Make a row a pair, unless its answer is there already; raises UnusableRow."""
        chatbot, text = self.chatbot, as_answer(row.answer)
        if not any(map(str.isalnum, text)):
            raise UnusableRow("the answer has no words")
        asked = _standalone_question(row.question, release, products)
        question = chatbot.memory.reader.read(asked, release.product)
        with chatbot.database.reading() as session:
            release_id = require_release(session, release.product, release.name).id
            of_question = select(MemoryPairRow.answer).where(
                MemoryPairRow.release_id == release_id, MemoryPairRow.asks == question.asks
            )
            there = {_bare(answer["text"]) for answer in session.scalars(of_question)}
        if _bare(text) in there:
            report.known += 1
            return
        corpus = chatbot.corpora.corpus(release.product, release.name)
        cited = cite_pages(corpus, chatbot.embedder, row.question, text, as_value(row.value))
        pair = new_pair(
            question,
            *cited,
            score=1.0 if row.score is None else row.score,
            origin=ScoreOrigin.IMPORTED,
            by=self.person.id or self.person.name,
            links=list(row.links),
        )
        if chatbot.memory.stores.add(release_id, pair) != pair.id:
            report.outdone += 1
            return
        report.added += 1
        report.supported += bool(pair.pages)
        report.low += pair.store == Store.LOW

    def export(self, form: Format, within: ReleaseFilter = EVERYTHING) -> Iterator[str]:
        """Yield the pieces of a file of pairs, the oldest first, that `read_faq` can read."""
        overview = Overview(self.chatbot.database, self.person)
        rows = (_exported(pair, form) for pair in overview.every(PairFilter(within)))
        exports, of = Exports(self.chatbot.database), asdict(within)
        return exports.of(self.person, "remembered answers", rows, form, **of)


def _release(row: FaqRow, products: Sequence[Product]) -> Release:
    owner = find_product(row.product, products)
    if owner is None:
        there = ", ".join(p.name for p in products) or "none yet"
        raise UnusableRow(f"there is no product {row.product!r:.120}; there is: {there}")
    wanted = row.release.casefold()
    for offered in owner.releases:
        if wanted in (name.casefold() for name in (offered.name, *offered.aliases)):
            return offered
    there = ", ".join(r.name for r in owner.releases) or "none yet"
    raise UnusableRow(
        f"there is no release {row.release!r:.120} of {owner.name}; there is: {there}"
    )


def _standalone_question(question: str, release: Release, products: Sequence[Product]) -> str:
    """The question without its release, as the chain would read it."""
    resolution = replace(
        resolve_release(question, products, product=release.product),
        status=ReleaseStatus.STATED,
        product=release.product,
        releases=(release.name,),
    )
    turn = Turn(question, product=release.product, resolved=resolution)
    return standalone_text(rewrite_query(lambda: products)(turn)) or question


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

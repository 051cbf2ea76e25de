"""Import and export of remembered questions and answers as a file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.citation_finder import as_answer, cite_pages
from chatbot.administration.faq_file import FaqFile, FaqRow, SkippedLine
from chatbot.administration.overview import EVERYTHING, Overview, PairFilter, ReleaseFilter
from chatbot.chatbot import Chatbot
from chatbot.errors import FaqError
from chatbot.memory.pairs import ScoreOrigin, new_pair
from chatbot.memory.questions import as_typed
from chatbot.releases.product_names import find_product
from chatbot.releases.resolution import ReleaseStatus, cut
from chatbot.releases.rules import resolve_release
from chatbot.retrieval.support import says_unknown
from chatbot.review.exports import Exports, Format
from corpora.catalog.catalog import require_release
from corpora.catalog.release import Product, Release, is_among
from ingestion.messages import message


@dataclass
class ImportReport:
    """The result of an import.

    Of the `added` rows `supported` have citations. The `known` questions have an answer already
    that is as good. `left_out` are the lines that could not be used.
    """

    file: str
    added: int = 0
    supported: int = 0
    known: int = 0
    left_out: list[SkippedLine] = field(default_factory=list)


@dataclass(frozen=True)
class Exchange:
    """Imports and exports for one admin; raises NotAllowed for anybody else."""

    chatbot: Chatbot
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin(self.chatbot.database)

    def bring_in(
        self, faq: FaqFile, on_progress: Callable[[int, int], None] = lambda done, total: None
    ) -> ImportReport:
        """Make the rows of a file pairs of their releases, unless they are there already.

        `on_progress` gets the number of rows done, and the number of rows. Each row is stored as
        soon as it is done: an import that was stopped can be started again.
        """
        report = ImportReport(faq.name, left_out=list(faq.left_out))
        products = self.chatbot.products()
        releases: set[str] = set()
        try:
            for done, row in enumerate(faq.rows, 1):
                try:
                    release = _release(row, products)
                    releases.add(f"{release.product} {release.name}")
                    self._bring_in(row, release, products, report)
                except FaqError as error:
                    report.left_out.append(SkippedLine(row.line, str(error)))
                on_progress(done, len(faq.rows))
        finally:
            report.left_out.sort()
            AuditLog(self.chatbot.database).record(
                self.person,
                "import answers",
                ", ".join(sorted(releases)),
                file=faq.name,
                added=report.added,
                known=report.known,
                left_out=len(report.left_out),
            )
        return report

    def _bring_in(
        self, row: FaqRow, release: Release, products: Sequence[Product], report: ImportReport
    ) -> None:
        """Make a row a pair, unless an answer as good is there already; raises FaqError."""
        chatbot, text = self.chatbot, as_answer(row.answer)
        if not any(map(str.isalnum, text)) or says_unknown(text):
            raise FaqError("the answer says nothing")
        asked = resolve_release(row.question, products, product=release.product)
        # "Since which version …" names no release that the answer's own could stand for.
        told = asked.own_mentions if asked.status is ReleaseStatus.STATED else ()
        standalone = as_typed(cut(row.question, told)) or row.question
        corpus = chatbot.corpora.corpus(release.product, release.name)
        pair = new_pair(
            chatbot.memory.recall.reader.read(standalone, release.product),
            *cite_pages(corpus, chatbot.embedder, row.question, text),
            score=1.0 if row.score is None else row.score,
            origin=ScoreOrigin.IMPORTED,
            by=self.person.id or self.person.name,
        )
        with chatbot.database.reading() as session:
            release_id = require_release(session, release.product, release.name).id
        if chatbot.memory.stores.add(release_id, pair) != pair.id:
            report.known += 1
        else:
            report.added += 1
            report.supported += bool(pair.pages)

    def export(self, within: ReleaseFilter = EVERYTHING) -> Iterator[str]:
        """Yield the pieces of a CSV file of pairs, the oldest first, that can be imported again.

        `question` is what is imported, which says by itself what it asks; `asked` is as typed.
        """
        overview = Overview(self.chatbot.database, self.person)
        rows = (
            {
                "product": pair.product,
                "release": pair.release,
                "question": pair.row.question,
                "answer": pair.row.answer["text"],
                "score": pair.row.score,
                "asked": pair.asked.words,
                "after": pair.asked.after,
            }
            for pair in overview.every(PairFilter(within))
        )
        exports, of = Exports(self.chatbot.database), asdict(within)
        return exports.of(self.person, "remembered answers", rows, Format.CSV, **of)


def _release(row: FaqRow, products: Sequence[Product]) -> Release:
    owner = find_product(row.product, products)
    for offered in owner.releases if owner else ():
        if is_among(row.release, offered.name, *offered.aliases):
            return offered
    there = ", ".join(f"{p.name} {r.name}" for p in products for r in p.releases) or message(
        "none yet"
    )
    raise FaqError(
        "there is no {product} {release}; there is: {there}",
        product=f"{row.product:.80}",
        release=f"{row.release:.80}",
        there=there if len(there) <= 600 else there[:600],
    )

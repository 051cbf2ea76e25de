"""Whether an answer still holds: how the words that it cites stand in every release (law 2).

Computed from the passages of the generations that serve, without a model. The words of another
release are shown as that release's, and become no part of the answer.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from threading import Lock
from typing import TypeVar

from chatbot.comparison.open_indexes import OpenIndexes
from chatbot.comparison.pages import passages, section_of
from chatbot.comparison.passage_index import (
    Passage,
    PassageIndex,
    entry_name,
    record_words,
)
from chatbot.comparison.plain_words import words_of
from chatbot.comparison.standing import Cited, Standing, Verdict, cited_passage, standing
from chatbot.reply import Reply, StoredPart
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import names, plain
from chatbot.turn import Citation, Record
from corpora.catalog.catalog import Catalog, Serving
from corpora.database.engine import Database
from corpora.database.tables import PageRow
from corpora.indexing.pages import read_pages
from ingestion.page import CELL_DELIMITER, BlockKind, collapse

_REMEMBERED = 2_048
_RELEASES = 40
"""The newest releases that an answer is held against; their passages fit into memory at once."""
_P = TypeVar("_P", Passage, Record)
_SHOWN = 4
"""Passages that are shown for a citation."""


class CitedThere(StoredPart):
    """How a citation, by its number from 1, stands in a release.

    `there` are its words in that release, `gone` the cited words that it does not have.
    """

    number: int
    verdict: Verdict
    there: tuple[Citation, ...] = ()
    gone: tuple[str, ...] = ()


class ReleaseStanding(StoredPart):
    """How the words that an answer cites stand in a release; `answered` is its own."""

    release: str
    verdict: Verdict
    answered: bool = False
    citations: tuple[CitedThere, ...] = ()


class StillTrue(StoredPart):
    """An answer held against the newest releases of its product and its own, the oldest first.

    `changed_since` are the citations that the answer's own release has had in other words, or no
    longer, since it was given. `pending` are releases that are not read yet: ask again soon.
    """

    releases: tuple[ReleaseStanding, ...] = ()
    changed_since: tuple[CitedThere, ...] = ()
    pending: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Sources:
    """The passages of an answer, by the number of their citation."""

    cited: dict[int, list[Cited]]
    own: PassageIndex | None


class StillTrueCheck:
    """Holds answers against the newest releases that serve; safe to share between threads."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        self.database = database
        self._catalog = self._every = catalog
        self.indexes = OpenIndexes(database)
        self._lock = Lock()
        # As text: some thousand models would be walked by each collection of garbage.
        self._known: dict[bytes, str] = {}

    def limited(self, catalog: Catalog) -> "StillTrueCheck":
        """The same check, for who sees the releases that a catalog of fewer has."""
        limited = copy(self)
        limited._catalog = catalog
        return limited

    def prepare(self, product: str | None) -> None:
        """Have the releases of a product read in the background."""
        if product and len(serving := self._catalog.all_serving(product)) > 1:
            self.indexes.order(serving[: -_RELEASES - 1 : -1])

    def of(self, reply: Reply) -> StillTrue | None:
        """How an answer stands in each release; None for one that cites nothing of one release."""
        if not (reply.product and reply.citations) or reply.compared_releases:
            return None
        own_release = reply.release or reply.citations[0].release
        if any(citation.release != own_release for citation in reply.citations):
            return None
        serving = self._catalog.all_serving(reply.product)
        if not serving:
            return None
        key = sha256(repr((serving, reply.answer, reply.citations)).encode()).digest()
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return StillTrue.model_validate_json(known)
        found = self._compute(reply, own_release, serving)
        if not found.pending:
            with self._lock:
                self._known[key] = found.model_dump_json()
                while len(self._known) > _REMEMBERED:
                    del self._known[next(iter(self._known))]
        return found

    def _compute(self, reply: Reply, own_release: str, serving: Sequence[Serving]) -> StillTrue:
        product = serving[0].product
        every = serving if self._catalog is self._every else self._every.all_serving(product)
        self.indexes.keep_only(product, (s.generation for s in every))
        mine = next((s for s in serving if s.release == own_release), None)
        serving = [s for s in serving[:-_RELEASES] if s is mine] + [*serving[-_RELEASES:]]
        # What the answer cites is cut as its own release is, so that one is read first.
        in_turn = [s for s in serving if s is mine] + [s for s in serving[::-1] if s is not mine]
        indexes = {s.release: self.indexes.get(s) for s in in_turn}
        pending = tuple(s.release for s in serving if indexes[s.release] is None)
        own = indexes.get(own_release)
        if mine is not None and own is None:
            return StillTrue(pending=pending)
        sources = _Sources(self._cited(reply, own), own)
        releases = []
        for release in (s.release for s in serving):
            if release == own_release:
                same = ReleaseStanding(release=release, verdict=Verdict.SAME, answered=True)
                releases.append(same)
            elif (index := indexes[release]) is not None:
                releases.append(_stands(sources, index))
        old = {
            number: cited
            for number, cited in sources.cited.items()
            if own and reply.citations[number - 1].page_id not in own.pages
        }
        since = _stands(_Sources(old, None), own).citations if own and old else ()
        return StillTrue(
            releases=tuple(releases),
            changed_since=tuple(c for c in since if c.verdict is not Verdict.SAME),
            pending=pending,
        )

    def _cited(self, reply: Reply, own: PassageIndex | None) -> dict[int, list[Cited]]:
        """The passages of each citation; of several rows of a table those that the answer names."""
        return {
            number: _named_in(reply.answer, self._passages_of(citation, own))
            for number, citation in enumerate(reply.citations, 1)
        }

    def _passages_of(self, citation: Citation, own: PassageIndex | None) -> list[Cited]:
        if own and citation.page_id in own.pages:
            quoted = _quoted(citation, own.of_page(citation.page_id), cited_passage)
        else:
            with self.database.reading() as session:
                pages = read_pages(session, PageRow.id == citation.page_id)
            quoted = _quoted(citation, passages(pages), cited_record)
        return quoted or list(_of_quote(citation))


def cited_record(record: Record, release: str) -> Cited:
    """A passage of a page that serves no longer, as it is looked for."""
    return Cited(
        words=record_words(record),
        name=entry_name(record),
        kind=record.kind,
        section=section_of(record.path, release),
        file=record.page.document.file,
        release=release,
        quote=record.quote,
    )


def _quoted(
    citation: Citation, of_page: Sequence[_P], as_cited: Callable[[_P, str], Cited]
) -> list[Cited]:
    """The longest run of passages of a page that a citation quotes, or what it quotes of one."""
    quote = collapse(citation.quote)
    texts = [collapse(passage.quote) for passage in of_page]
    inside = [text in quote for text in texts]
    runs = [
        [i for i, _ in run] for is_in, run in groupby(enumerate(inside), lambda at: at[1]) if is_in
    ]
    if runs:

        def size(run: list[int]) -> tuple[int, bool]:
            at = " › ".join(of_page[run[0]].path)
            return sum(len(texts[i]) for i in run), at.startswith(citation.section)

        best = max(runs, key=size)
        if 2 * size(best)[0] >= len(quote):
            return [as_cited(of_page[i], citation.release) for i in best]
    for text, passage in zip(texts, of_page, strict=True):
        if quote in text:
            cited = as_cited(passage, citation.release)
            words = words_of(quote, is_code=cited.kind == BlockKind.CODE)
            return [replace(cited, words=words, quote=citation.quote, is_part=True)]
    return []


def _of_quote(citation: Citation) -> Iterable[Cited]:
    """The sentences and rows of a quote whose page is no longer kept."""
    section = section_of(citation.section.split(" › "), citation.release)
    for line in citation.quote.split("\n"):
        is_row = CELL_DELIMITER in line
        for part in [line] if is_row else sentences(line):
            name = plain(part.split(CELL_DELIMITER)[0]) if is_row else ""
            yield Cited(
                words=words_of(part),
                name=name if any(map(str.isalpha, name)) else "",
                kind=BlockKind.TABLE_ROW if is_row else BlockKind.PARAGRAPH,
                section=section,
                file=citation.file,
                release=citation.release,
                quote=part,
            )


def _named_in(answer: str, cited: list[Cited]) -> list[Cited]:
    rows = [c for c in cited if c.kind == BlockKind.TABLE_ROW and c.name]
    named = [c for c in rows if names(answer, c.name)]
    return named if len(rows) > 1 and named else cited


def _stands(sources: _Sources, index: PassageIndex) -> ReleaseStanding:
    found = tuple(
        _citation(number, [(c, standing(c, sources.own, index)) for c in cited], index)
        for number, cited in sources.cited.items()
        if cited
    )
    return ReleaseStanding(
        release=index.release, verdict=_together(c.verdict for c in found), citations=found
    )


def _citation(
    number: int, standings: Sequence[tuple[Cited, Standing]], index: PassageIndex
) -> CitedThere:
    verdict = _together(stands.verdict for _, stands in standings)
    shown = dict.fromkeys(
        index.cite(stands.there)
        for _, stands in standings
        if stands.there and stands.verdict is verdict
    )
    gone = [cited.quote for cited, stands in standings if stands.verdict is Verdict.ABSENT]
    return CitedThere(
        number=number, verdict=verdict, there=tuple(shown)[:_SHOWN], gone=tuple(gone)[:_SHOWN]
    )


def _together(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict of several: what stands in part, stands otherwise."""
    distinct = set(verdicts)
    return distinct.pop() if len(distinct) == 1 else Verdict.CHANGED

"""What of the database somebody sees: the one place where rows of others' products are left out.

Every statement over mapped classes, whatever part of Strata makes it, gets conditions by which a
product or release that is not seen is like one that does not exist. `CONDITIONS` has them by class;
a class that names a product, a release or what belongs to one stands there (a test sees to it).
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Table,
    Text,
    and_,
    cast,
    exists,
    false,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria

from corpora.database.check_tables import CheckedAnswerRow, ReleaseCheckRow
from corpora.database.history_tables import (
    ConversationRow,
    FeedbackRow,
    OpenQuestionRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTextRow,
    TurnTraceRow,
)
from corpora.database.job_tables import JobFileRow, JobRow
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow, MemoryUseRow
from corpora.database.question_tables import ProposalRow
from corpora.database.right_tables import RightRow
from corpora.database.source_tables import SourceFileRow, SourceReleaseRow, SourceRow
from corpora.database.tables import (
    Base,
    DocumentRow,
    FigureRow,
    GenerationRow,
    GlossaryRow,
    MemberRow,
    PageRow,
    ProductRow,
    ReleaseRow,
    SearchChunkRow,
)

Condition = ColumnElement[bool]


@dataclass(frozen=True)
class Seen:
    """A product of which something is seen: its names, and its releases; None: every one."""

    names: tuple[str, ...]
    releases: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Sight:
    """What is left of the database: the products that are `seen`, and nothing else.

    `products` and `releases` are the ids of those that are not, `unseen` their names. One of the
    products that somebody administers says so in `administered_by`: it holds these alone, and of
    them everything.
    """

    seen: tuple[Seen, ...]
    products: tuple[int, ...]
    releases: tuple[int, ...]
    unseen: tuple[str, ...]
    administered_by: str = ""

    def limit(self, state: ORMExecuteState) -> None:
        """Leave out of a statement what is not seen; for `do_orm_execute` of a session."""
        if not state.is_column_load:
            state.statement = state.statement.options(*self._options)

    @cached_property
    def _options(self) -> list[Any]:
        return [
            with_loader_criteria(row, condition(self, row), include_aliases=True)
            for row, condition in CONDITIONS.items()
        ]

    def product(self, name: Any) -> Condition:
        """Whether a column names a product of which something is seen, or none at all."""
        return or_(self._none(name), _named(name, *(n for seen in self.seen for n in seen.names)))

    def whole_product(self, name: Any) -> Condition:
        """Whether a column names a product of which everything is seen, or none at all."""
        whole = (seen.names for seen in self.seen if seen.releases is None)
        return or_(self._none(name), _named(name, *chain.from_iterable(whole)))

    def release(self, product: Any, release: Any, *, of_product: bool = False) -> Condition:
        """Whether columns name a product and a release of it that is seen.

        What is `of_product` names none, and is seen where something of the product is.
        """
        some = [
            and_(
                _named(product, *seen.names),
                or_(release.in_(seen.releases), _empty(release) if of_product else false()),
            )
            for seen in self.seen
            if seen.releases is not None
        ]
        return or_(self.whole_product(product), *some)

    def turn(self, turn: Any) -> Condition:
        """Whether a turn, by its columns, is about what is seen, and names nothing else.

        An answer to a comparison, or a list of what there is, may: the names that it was kept
        with are looked through, in those of an earlier Strata all that it says.
        """
        told = func.coalesce(turn.named, cast(turn.answer, Text))
        silent = ~told.regexp_match(_any_of(self.unseen)) if self.unseen else true()
        about = self.release(turn.product, turn.release, of_product=True)
        return and_(about, or_(self.whole_product(turn.product) & ~_empty(turn.product), silent))

    def _none(self, name: Any) -> Condition:
        """What is about no product is nothing that the admins of a product look after."""
        return false() if self.administered_by else _empty(name)


def _empty(name: Any) -> Condition:
    return or_(name.is_(None), name == "")


def _named(column: Any, *names: str) -> Condition:
    """Whether a column has one of the names; no two products differ by case alone."""
    # SQLite lowers ASCII letters, PostgreSQL all.
    lowered = {name.lower() for name in names} | {n.encode().lower().decode() for n in names}
    return or_(column.in_(names), func.lower(column).in_(sorted(lowered)))


def named_in(session: Session, answer: Mapping[str, Any]) -> str:
    """The names of products and releases that an answer has, as JSON: those that a session sees.

    A name that somebody may not know is no more than a word of their question.
    """
    told = json.dumps(answer)
    lowered = told.lower()
    rows = [
        row
        for table in (ProductRow, ReleaseRow)
        for row in session.execute(select(table.name, table.aliases))
    ]
    names = {name for first, aliases in rows for name in (first, *aliases)}
    return json.dumps(
        sorted(
            name
            for name in names
            if json.dumps(name)[1:-1].lower() in lowered and re.search(_any_of([name]), told)
        )
    )


def _any_of(names: Iterable[str]) -> str:
    """A regular expression, of Python and of PostgreSQL, for JSON with one of the names in a text.

    A release "3" is in no number, be it a page {"number": 3} or in a list [2, 3], and in no name of
    a field; a product "Foo" is in no "Foobar", but in "Foo3", which names its release as well.
    """
    text = r'[^"\\]*(?:\\.[^"\\]*)*'
    return rf'(?i)(?<=[\[{{ ])"{text}(?:{"|".join(map(_in_text, names))}){text}"(?!:)'


def _in_text(name: str) -> str:
    """A name as JSON writes it: "2.0" is not in the seconds 12.03, nor "3" in a mark [3]."""
    written = json.dumps(name)[1:-1]
    found = re.escape(written)
    if written.isdigit():
        found = rf"(?:(?<!\[){found}|{found}(?!\]))"
    if written[0].isdigit():
        found = rf"(?<![0-9])(?<![0-9]\.){found}"
    elif written[0].isalpha():
        # What JSON writes for a line end or a letter that is not ASCII ends in a letter.
        found = rf"(?:(?<![A-Za-z])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{{4}})){found}"
    if written[-1].isdigit():
        found += "(?![0-9])"
    elif written[-1].isalpha():
        found += r"(?![A-Za-z])"
    return found


def _of(row: type[Base]) -> Any:
    """The table once more, under another name: none that a statement has itself."""
    table = row.__table__
    assert isinstance(table, Table)
    return table.alias()


def _hidden(there: Any, *conditions: Condition) -> Condition:
    return ~exists().where(*conditions).select_from(there)


def _by_release(sight: Sight, row: Any) -> Condition:
    seen: Condition = row.release_id.not_in(sight.releases)
    return seen


def _by_generation(sight: Sight, row: Any) -> Condition:
    of = _of(GenerationRow)
    return _hidden(of, of.c.id == row.generation_id, of.c.release_id.in_(sight.releases))


def _by_document(sight: Sight, row: Any) -> Condition:
    of = _of(DocumentRow)
    return _hidden(of, of.c.id == row.document_id, of.c.release_id.in_(sight.releases))


def _by_page(sight: Sight, row: Any) -> Condition:
    page, of = _of(PageRow), _of(DocumentRow)
    both = page.join(of, of.c.id == page.c.document_id)
    return _hidden(both, page.c.id == row.page_id, of.c.release_id.in_(sight.releases))


def _by_pair(sight: Sight, row: Any) -> Condition:
    of = _of(MemoryPairRow)
    return _hidden(of, of.c.id == row.pair_id, of.c.release_id.in_(sight.releases))


def _checked_answer(sight: Sight, row: Any) -> Condition:
    check, of = _of(ReleaseCheckRow), _of(GenerationRow)
    both = check.join(of, of.c.id == check.c.generation_id)
    hidden = of.c.release_id.in_(sight.releases)
    return and_(_by_pair(sight, row), _hidden(both, check.c.id == row.check_id, hidden))


def _by_turn(sight: Sight, row: Any) -> Condition:
    of = _of(TurnRow)
    return _hidden(of, of.c.id == row.turn_id, ~sight.turn(of.c))


def _by_names(sight: Sight, row: Any) -> Condition:
    return sight.release(row.product, row.release)


def _by_source(sight: Sight, row: Any) -> Condition:
    of = _of(SourceRow)
    return _hidden(of, of.c.id == row.source_id, ~sight.whole_product(of.c.product))


def _conversation(sight: Sight, row: Any) -> Condition:
    return sight.product(row.product)


def _open_question(sight: Sight, row: Any) -> Condition:
    of = _of(ConversationRow)
    return _hidden(of, of.c.id == row.conversation_id, ~_conversation(sight, of.c))


def _release_check(sight: Sight, row: Any) -> Condition:
    generation, own, release = _of(GenerationRow), _of(ReleaseRow), _of(ReleaseRow)
    both = generation.join(own, own.c.id == generation.c.release_id).join(
        release, release.c.product_id == own.c.product_id
    )
    # The release that it is held against is named; its answers are what the check is about.
    against = and_(release.c.id.in_(sight.releases), release.c.name == row.against)
    hidden = or_(generation.c.release_id.in_(sight.releases), against)
    return _hidden(both, generation.c.id == row.generation_id, hidden)


def _job_file(sight: Sight, row: Any) -> Condition:
    of = _of(JobRow)
    return _hidden(of, of.c.id == row.job_id, ~_by_names(sight, of.c))


def _source_file(sight: Sight, row: Any) -> Condition:
    release, of = _of(SourceReleaseRow), _of(SourceRow)
    both = release.join(of, of.c.id == release.c.source_id)
    return _hidden(both, release.c.id == row.release_id, ~sight.whole_product(of.c.product))


CONDITIONS: Mapping[type[Base], Callable[[Sight, Any], Condition]] = {
    ProductRow: lambda sight, row: row.id.not_in(sight.products),
    ReleaseRow: lambda sight, row: and_(
        row.id.not_in(sight.releases), row.product_id.not_in(sight.products)
    ),
    GlossaryRow: lambda sight, row: row.product_id.not_in(sight.products),
    RightRow: lambda sight, row: false(),
    GenerationRow: _by_release,
    DocumentRow: _by_release,
    MemoryPairRow: _by_release,
    MemberRow: _by_generation,
    PageRow: _by_document,
    SearchChunkRow: _by_page,
    FigureRow: _by_page,
    MemoryPageRow: _by_pair,
    CheckedAnswerRow: _checked_answer,
    ReleaseCheckRow: _release_check,
    ConversationRow: _conversation,
    OpenQuestionRow: _open_question,
    TurnRow: lambda sight, row: sight.turn(row),
    **dict.fromkeys(
        (FeedbackRow, ReviewRow, TurnCitationRow, TurnTextRow, TurnTraceRow, MemoryUseRow),
        _by_turn,
    ),
    JobRow: _by_names,
    JobFileRow: _job_file,
    ProposalRow: _by_names,
    SourceRow: lambda sight, row: sight.whole_product(row.product),
    SourceReleaseRow: _by_source,
    SourceFileRow: _source_file,
}
"""What of each table is seen."""

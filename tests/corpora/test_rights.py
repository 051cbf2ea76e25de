"""What somebody may not see is, in every table and statement, like what does not exist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import aliased, joinedload

from corpora.building.removal import delete_product, delete_release
from corpora.catalog.catalog import Catalog, require_release
from corpora.catalog.glossary import Entry, Glossaries
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration
from corpora.catalog.rights import (
    NOBODY,
    OPEN,
    Audience,
    ProductRights,
    Right,
    Rights,
    Viewer,
)
from corpora.database.engine import Database
from corpora.database.history_tables import (
    ConversationRow,
    FeedbackRow,
    OpenQuestionRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTextRow,
)
from corpora.database.job_tables import JobFileRow, JobKind, JobRow, JobState
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.originals import Originals, pack
from corpora.database.question_tables import ProposalRow
from corpora.database.right_tables import RightRow
from corpora.database.sight import CONDITIONS
from corpora.database.source_tables import SourceFileRow, SourceReleaseRow, SourceRow
from corpora.database.tables import Base, EmbeddingModelRow, GenerationRow, ProductRow, ReleaseRow
from corpora.errors import NoCorpus, UnknownRelease, UnusableRight
from corpora.generations import generations
from corpora.jobs.jobs import order_job

pytestmark = pytest.mark.database

ADMINS = Right(Audience.ADMINS)
STAFF = Right(Audience.GROUPS, ("staff", "partners"))
ANN = Viewer("ann@example.org", frozenset({"staff"}))
BO = Viewer("bo@example.org")
ADA = Viewer("ada@example.org", is_admin=True)


@pytest.fixture
def rights(database: Database) -> Rights:
    """Two products of two releases each: pump, open to all, and valve."""
    with database.writing() as session:
        session.add(EmbeddingModelRow(name="model", dimension=3))
    for product in ("pump", "valve"):
        for release in ("1.0", "2.0"):
            release_id = Catalog(database).add_release(product, release)
            generations.publish(database, generations.claim(database, release_id, 1, "chunking"))
        Glossaries(database).put(product, Entry("hold", ("keep",)))
    ReleaseAdministration(database).change_product("valve", ProductSettings(("VLV",), "2.0"))
    return Rights(database)


def seen(rights: Rights, viewer: Viewer) -> Database:
    return replace(rights.database, sight=rights.sight(viewer))


def listed(rights: Rights, viewer: Viewer) -> dict[str, list[str]]:
    products = Catalog(seen(rights, viewer)).products()
    return {product.name: [release.name for release in product.releases] for product in products}


ALL = ["1.0", "2.0"]
SAID: dict[str, tuple[list[tuple[str, Right]], dict[str, dict[str, list[str]]]]] = {
    "nothing": ([], {"bo": {"pump": ALL, "valve": ALL}}),
    "a product for admins": (
        [("", ADMINS)],
        {"bo": {"pump": ALL}, "ann": {"pump": ALL}, "ada": {"pump": ALL, "valve": ALL}},
    ),
    "a product for a group": (
        [("", STAFF)],
        {"bo": {"pump": ALL}, "ann": {"pump": ALL, "valve": ALL}},
    ),
    "a release for admins": (
        [("2.0", ADMINS)],
        {"bo": {"pump": ALL, "valve": ["1.0"]}, "ada": {"pump": ALL, "valve": ALL}},
    ),
    "a release for all of a product for a group": (
        [("", STAFF), ("1.0", OPEN)],
        {"bo": {"pump": ALL, "valve": ["1.0"]}, "ann": {"pump": ALL, "valve": ALL}},
    ),
    "every release for admins": (
        [("1.0", ADMINS), ("2.0", ADMINS)],
        {"bo": {"pump": ALL}},
    ),
}
WHO = {"ann": ANN, "bo": BO, "ada": ADA}


@pytest.mark.parametrize("case", SAID.values(), ids=SAID)
def test_who_sees_what(rights: Rights, case: Any) -> None:
    said, expected = case
    for release, right in said:
        rights.change("valve", release, right)
    assert {who: listed(rights, WHO[who]) for who in expected} == expected


def test_with_nothing_said_there_is_nothing_to_look_at(rights: Rights) -> None:
    assert rights.sight(NOBODY) is None
    assert rights.every()[1] == ProductRights("valve")
    rights.change("valve", "", ADMINS)
    assert rights.sight(NOBODY) is not None
    rights.change("valve", "", None)
    assert rights.sight(NOBODY) is None


def test_what_is_uploaded_later_is_as_its_product(rights: Rights) -> None:
    rights.change("valve", "", STAFF)
    for release in ALL:
        rights.change("valve", release, OPEN)
    release_id = Catalog(rights.database).add_release("valve", "3.0")
    database = rights.database
    generations.publish(database, generations.claim(database, release_id, 1, "chunking"))
    assert listed(rights, BO)["valve"] == ALL
    assert listed(rights, ANN)["valve"] == [*ALL, "3.0"]


DELETED: dict[str, tuple[list[tuple[str, Right]], str, dict[str, dict[str, list[str]]]]] = {
    "a release for admins": (
        [("2.0", ADMINS)],
        "2.0",
        {"bo": {"pump": ALL, "valve": ["1.0"]}, "ann": {"pump": ALL, "valve": ["1.0"]}},
    ),
    "the only release that is seen": ([("", ADMINS), ("2.0", OPEN)], "2.0", {"bo": {"pump": ALL}}),
    "a release that is as its product": (
        [("", STAFF)],
        "2.0",
        {"bo": {"pump": ALL}, "ann": {"pump": ALL, "valve": ["1.0"]}},
    ),
    "the product": (
        [("", STAFF), ("1.0", OPEN)],
        "",
        {"bo": {"pump": ALL}, "ann": {"pump": ALL}},
    ),
}
"""What is said, what is deleted, and what is seen then; made again, it is as before."""


@pytest.mark.parametrize("case", DELETED.values(), ids=DELETED)
def test_what_is_deleted_and_made_again_is_open_to_the_same(
    rights: Rights, data_dir: Path, case: Any
) -> None:
    said, release, left = case
    database = rights.database
    fill(database)
    for of, right in said:
        rights.change("valve", of, right)
    rights.change_admins("valve", ["cy@example.org"])
    before = {who: listed(rights, WHO[who]) for who in left}
    told = {who: turns(rights, WHO[who]) for who in left}
    if release:
        delete_release(database, data_dir, "valve", release)
    else:
        delete_product(database, data_dir, "valve")
    assert {who: listed(rights, WHO[who]) for who in left} == left
    assert all(turns(rights, WHO[who]) <= told[who] for who in left)
    gone = {name: right for name, right in rights.of("valve").releases if name == release}
    assert gone == {name: right for name, right in said if name == release and release}
    for name in [release] if release else ALL:
        release_id = Catalog(database).add_release("Valve", name)
        generations.publish(database, generations.claim(database, release_id, 1, "chunking"))
    again = {who: listed(rights, WHO[who]) for who in left}
    assert {w: {p.lower(): r for p, r in seen.items()} for w, seen in again.items()} == before
    assert rights.of("valve").deleted == ()
    assert rights.of("valve").admins == (("cy@example.org",) if release else ())


def turns(rights: Rights, viewer: Viewer) -> set[int]:
    with seen(rights, viewer).reading() as session:
        return set(session.scalars(select(TurnRow.id)))


def test_what_is_said_of_what_is_deleted_can_be_taken_back(rights: Rights, data_dir: Path) -> None:
    rights.change("valve", "2.0", ADMINS)
    delete_product(rights.database, data_dir, "valve")
    assert rights.every()[1] == ProductRights(
        "valve", releases=(("2.0", ADMINS),), deleted=("", "2.0")
    )
    with pytest.raises(UnknownRelease):
        rights.change("valve", "1.0", ADMINS)
    rights.change("VALVE", "2.0", None)
    assert [of.product for of in rights.every()] == ["pump"]
    assert rights.sight(BO) is None


def test_an_admin_of_a_product_sees_it_whoever_else_does(rights: Rights) -> None:
    rights.change("valve", "", ADMINS)
    rights.change_admins("valve", ["bo@example.org", "group:staff"])
    for viewer in (ANN, BO):
        assert listed(rights, viewer) == {"pump": ALL, "valve": ALL}
    own = rights.administered(BO)
    assert own is not None
    limited = replace(rights.database, sight=own)
    assert [product.name for product in Catalog(limited).products()] == ["valve"]
    assert own.administered_by == BO.id
    assert rights.administered(ADA) is None
    assert rights.administered(Viewer("", frozenset())) is None
    assert rights.administered(Viewer("cyd@example.org")) is None
    assert rights.administered(Viewer("group:staff")) is None


REFUSED: dict[str, Callable[[Rights], None]] = {
    "no group": lambda rights: rights.change("valve", "", Right(Audience.GROUPS)),
    "blanks": lambda rights: rights.change("valve", "", Right(Audience.GROUPS, (" ",))),
    "no name of a group": lambda rights: rights.change_admins("valve", ["group:"]),
    "a line's end": lambda rights: rights.change_admins("valve", ["a\nb"]),
    "too long": lambda rights: rights.change_admins("valve", ["a" * 321]),
    "too many": lambda rights: rights.change_admins("valve", map(str, range(201))),
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_said_is_refused(rights: Rights, given: Callable[[Rights], None]) -> None:
    with pytest.raises(UnusableRight):
        given(rights)
    assert rights.sight(BO) is None


LOOKED_UP: dict[str, Callable[[Database, str, str], Any]] = {
    "product": lambda database, product, _: Catalog(database).product(product),
    "serving": lambda database, product, release: Catalog(database).serving(product, release),
    "generations": lambda database, product, r: Catalog(database).generations(product, r),
    "rollback": lambda database, product, release: Catalog(database).rollback(product, release),
    "all serving": lambda database, product, _: Catalog(database).all_serving(product),
    "glossary": lambda database, product, _: Glossaries(database).entries(product),
    "overview": lambda database, product, _: ReleaseAdministration(database).overview(product),
}


@pytest.mark.parametrize("look", LOOKED_UP.values(), ids=LOOKED_UP)
@pytest.mark.parametrize("name", ["valve", "VALVE", "VLV"])
def test_a_product_that_is_not_seen_is_told_of_as_one_that_is_not_there(
    rights: Rights, look: Callable[[Database, str, str], Any], name: str
) -> None:
    rights.change("valve", "", ADMINS)

    def told(product: str) -> str:
        try:
            return repr(look(seen(rights, BO), product, "2.0"))
        except (UnknownRelease, NoCorpus) as error:
            return f"{type(error).__name__} {error}".replace(product, "NAME")

    assert told(name) == told("no such product")
    assert "valve" not in told("no such product")


def test_a_release_that_is_not_seen_is_told_of_as_one_that_is_not_there(rights: Rights) -> None:
    rights.change("valve", "2.0", ADMINS)
    database = seen(rights, BO)
    for release in ("2.0", "9.9"):
        with pytest.raises(NoCorpus, match=r"Available: pump 1\.0, pump 2\.0, valve 1\.0\.$"):
            Catalog(database).serving("valve", release)
        with pytest.raises(UnknownRelease, match=r"Available: 1\.0\.$"):
            Catalog(database).generations("valve", release)
    product = Catalog(database).product("valve")
    assert product.newest is not None
    assert product.newest.name == "1.0"
    assert [s.release for s in Catalog(database).all_serving("valve")] == ["1.0"]


# Every table

NOW = datetime.now(UTC)


def fill(database: Database) -> None:
    """A row in every table for each release, and some about no product or several."""
    with database.writing() as session:
        for number, (product, release) in enumerate(
            [(p, r) for p in ("pump", "valve") for r in ALL] + [("", ""), ("valve", "")], 1
        ):
            row = require_release(session, product, release) if release else None
            told = f"{product} {release}" if release else "valve 1.0, valve 2.0"
            session.add(
                ConversationRow(
                    id=f"c{number}", owner="bo", product=product, title="t", created=NOW,
                    updated=NOW,
                )
            )  # fmt: skip
            session.flush()
            turn = TurnRow(
                id=number, conversation_id=f"c{number}", position=0, question="q",
                answer={"answer": told}, release=release or None, created=NOW, superseded=False,
                owner="bo", product=product or None, route="documents", abstained=False,
                seconds=1.0, profile="", model="",
            )  # fmt: skip
            job = JobRow(
                id=number, kind=JobKind.UPLOAD, product=product, release=release, person="",
                source_id=None, state=JobState.DONE, created=NOW,
            )  # fmt: skip
            session.add_all([turn, job])
            session.flush()
            session.add_all(
                [
                    TurnTextRow(turn_id=number, text="hold"),
                    TurnCitationRow(turn_id=number, release=release, file="a.md"),
                    FeedbackRow(turn_id=number, thumbs=1, reason="", comment="", created=NOW),
                    ReviewRow(
                        turn_id=number, rating="good", corrected_answer="", corrected_release="",
                        note="", status="open", assignee="", in_regression_set=False, reviewer="",
                        updated=NOW,
                    ),
                    OpenQuestionRow(
                        id=f"o{number}", conversation_id=f"c{number}", text="q", after=0,
                        product=product, release=release, instead_of=None, afresh=False,
                        state="stopped", message="", refused=False, server="", seen=NOW,
                        created=NOW,
                    ),
                    ProposalRow(
                        state="open", product=product, release=release, gold={}, pages=[],
                        came_from="", digest=str(number), created=NOW, decided=None, decided_by="",
                    ),
                ]
            )  # fmt: skip
            file = JobFileRow("a.md")
            file.job_id = number
            session.add(file)
            if row is not None:
                source = SourceRow(product=product, kind="git", options={}, created=NOW)
                session.add(source)
                session.flush()
                of = SourceReleaseRow(source_id=source.id, name=release)
                session.add(of)
                session.flush()
                session.add(SourceFileRow(release_id=of.id, path="a", digest="", job_id=1))
                pair = MemoryPairRow(
                    release_id=row.id, store="high", question="q", asks="q", vector=b"",
                    embedding="", answer={}, score=1.0, origin="measured", rated_by="",
                    created=NOW,
                )  # fmt: skip
                session.add(pair)
                session.flush()
                session.add(MemoryUseRow(turn_id=number, pair_id=pair.id, role="source"))


COUNTED = (
    *(ProductRow, ReleaseRow, GenerationRow, ConversationRow, TurnRow, TurnTextRow),
    *(TurnCitationRow, FeedbackRow, ReviewRow, OpenQuestionRow, ProposalRow, JobRow, JobFileRow),
    *(SourceRow, SourceReleaseRow, SourceFileRow, MemoryPairRow, MemoryUseRow),
)
NOT_SEEN = {
    "the product": (
        "",
        BO,
        # What is about no product stays, unless it is a list that names the product.
        {"products": 1, "releases": 2, "generations": 2, "conversations": 3, "turns": 2,
         "turn_texts": 2, "turn_citations": 2, "feedback": 2, "reviews": 2, "open_questions": 3,
         "question_proposals": 3, "jobs": 3, "job_files": 3, "sources": 2, "source_releases": 2,
         "source_files": 2, "memory_pairs": 2, "memory_uses": 2},
    ),
    "a release of it": (
        "2.0",
        BO,
        {"products": 2, "releases": 3, "generations": 3, "conversations": 6, "turns": 3,
         "turn_texts": 3, "turn_citations": 3, "feedback": 3, "reviews": 3, "open_questions": 6,
         "question_proposals": 4, "jobs": 4, "job_files": 4, "sources": 2, "source_releases": 2,
         "source_files": 2, "memory_pairs": 3, "memory_uses": 3},
    ),
}  # fmt: skip


def counts(database: Database) -> dict[str, int]:
    with database.reading() as session:
        return {
            table.__tablename__: session.scalar(select(func.count()).select_from(table)) or 0
            for table in COUNTED
        }


@pytest.mark.parametrize("case", NOT_SEEN.values(), ids=NOT_SEEN)
def test_rows_of_what_is_not_seen_are_not_there(rights: Rights, case: Any) -> None:
    release, viewer, expected = case
    fill(rights.database)
    rights.change("valve", release, ADMINS)
    assert counts(seen(rights, viewer)) == expected
    assert counts(seen(rights, ADA)) == counts(rights.database)


def test_an_answer_is_hidden_by_a_whole_name_and_not_by_a_part_of_a_word(rights: Rights) -> None:
    told = {
        "Of valvegear and bivalve.": True,
        "The new one:\nValve.": False,
        "**valve**, \u00e9valve": False,
        "A _valve_ of 3 mm": False,
        "valve\u2019s ports": False,
        "Ports of Valve3": False,
        "Of 2valve": False,
    }
    with rights.database.writing() as session:
        session.add(
            ConversationRow(
                id="c", owner="bo", product="", title="t", created=NOW, updated=NOW
            )
        )  # fmt: skip
        session.flush()
        for number, text in enumerate(told):
            session.add(
                TurnRow(
                    id=number + 1, conversation_id="c", position=number, question=text,
                    answer={"answer": text}, release=None, created=NOW, superseded=False,
                    owner="bo", product=None, route="documents", abstained=False,
                    seconds=1.0, profile="", model="",
                )
            )  # fmt: skip
    rights.change("valve", "", ADMINS)
    with seen(rights, BO).reading() as session:
        kept = set(session.scalars(select(TurnRow.question)))
    assert kept == {text for text, is_seen in told.items() if is_seen}


def test_who_administers_a_product_sees_its_rows_alone(rights: Rights) -> None:
    fill(rights.database)
    rights.change_admins("pump", [BO.id])
    limited = replace(rights.database, sight=rights.administered(BO))
    told = counts(limited)
    assert told.pop("products") == 1
    assert set(told.values()) == {2}
    with limited.reading() as session:
        assert set(session.scalars(select(TurnRow.product))) == {"pump"}
        assert set(session.scalars(select(JobRow.product))) == {"pump"}


def test_no_way_of_asking_goes_around_it(rights: Rights) -> None:
    fill(rights.database)
    rights.change("valve", "", ADMINS)
    with rights.database.reading() as session:
        hidden = require_release(session, "valve", "2.0")
        release, product = hidden.id, hidden.product_id
        generation = session.scalar(
            select(GenerationRow.id).where(GenerationRow.release_id == release)
        )
        pair = session.scalar(select(MemoryPairRow.id).where(MemoryPairRow.release_id == release))
    with seen(rights, BO).reading() as session:
        assert session.get(ProductRow, product) is None
        assert session.get(ReleaseRow, release) is None
        assert session.get(GenerationRow, generation) is None
        assert session.get(MemoryPairRow, pair) is None
        assert session.get(TurnRow, 4, options=[joinedload(TurnRow.feedback)]) is None
        assert session.get(ReviewRow, 4) is None
        assert session.get(JobRow, 4) is None
        assert session.get(RightRow, 1) is None
        other = aliased(ReleaseRow)
        assert session.scalar(select(other).where(other.id == release)) is None
        inner = select(ReleaseRow.id).where(ReleaseRow.name == "2.0")
        held = select(GenerationRow).where(GenerationRow.release_id.in_(inner))
        assert len(session.scalars(held).all()) == 1
        there = select(ReleaseRow.id).where(ReleaseRow.id == release).exists()
        assert session.scalar(select(there)) is False
        joined = select(ProductRow.name, ReleaseRow.name).join(
            ReleaseRow, ReleaseRow.product_id == ProductRow.id
        )
        assert set(session.execute(joined).all()) == {("pump", "1.0"), ("pump", "2.0")}
        (pump,) = session.scalars(select(ProductRow))
        assert {row.name for row in pump.releases} == set(ALL)
        text = select(TurnTextRow).outerjoin(
            FeedbackRow, FeedbackRow.turn_id == TurnTextRow.turn_id
        )
        assert {row.turn_id for row in session.scalars(text)} == {1, 2}


def test_what_is_not_seen_is_neither_changed_nor_deleted(rights: Rights) -> None:
    from sqlalchemy import delete, update

    fill(rights.database)
    rights.change("valve", "", ADMINS)
    with seen(rights, BO).writing() as session:
        session.execute(update(ReleaseRow).values(sorts_as="1"))
        session.execute(delete(JobRow))
    with rights.database.reading() as session:
        assert session.scalars(
            select(ReleaseRow.sorts_as).join(ProductRow).where(ProductRow.name == "valve")
        ).all() == [None, None]
        assert set(session.scalars(select(JobRow.product))) == {"valve"}


def test_what_is_not_seen_is_in_use_all_the_same(rights: Rights, data_dir: Path) -> None:
    rights.change_admins("valve", [BO.id])
    whole = rights.database
    own = replace(whole, sight=rights.administered(BO))
    held = pack(b"an original of the pump")
    with whole.writing() as session:
        Originals(whole).store(session, held)
        held_by = JobFileRow("a.md", size=1, content_hash=held.content_hash)
        order_job(session, JobKind.UPLOAD, "pump", "1.0", "ada", [held_by])
        of_pump = require_release(session, "pump", "1.0").published_generation_id
        of_valve = require_release(session, "valve", "1.0").id
    folder = data_dir / "generations" / str(of_pump)
    folder.mkdir(parents=True)
    generations.prune(own, data_dir, of_valve)
    generations.prune_unused(own)
    assert folder.is_dir()
    assert Originals(whole).read(held.content_hash) == b"an original of the pump"


NAMES = {
    *("product", "product_id", "release", "release_id", "generation_id", "document_id"),
    *("page_id", "pair_id", "turn_id", "check_id", "conversation_id", "source_id", "job_id"),
}
"""Columns that name a product, a release, or what belongs to one."""


def test_every_table_of_something_of_a_product_has_its_condition() -> None:
    tables = {
        mapper.class_ for mapper in Base.registry.mappers if NAMES & set(mapper.columns.keys())
    }
    assert tables <= CONDITIONS.keys()

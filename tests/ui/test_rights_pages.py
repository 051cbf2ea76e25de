"""Rights on the pages: who may not see a product, who administers one, and who says so."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from sqlalchemy import select, update

from chatbot.accounts.people import LOCAL, Person, groups_noted, note_groups
from chatbot.accounts.program_keys import ProgramKeys, Scope, person_of
from chatbot.administration.administration import Administration
from chatbot.administration.curation import Curation
from chatbot.administration.exchange import Exchange
from chatbot.administration.overview import Overview
from chatbot.administration.sources import Sources
from chatbot.chatbot import NEW, Chatbot
from chatbot.conversations.personal_data import delete_person, export_person
from chatbot.errors import NotAllowed, UnknownPerson, UnknownTurn
from chatbot.reply import Trace
from chatbot.review.exports import Exports, Format
from chatbot.review.gaps import ContentGaps
from chatbot.review.numbers import Numbers
from chatbot.review.turns import ANY, AllTurns
from chatbot.turn import ModelCall
from corpora.catalog.catalog import Catalog
from corpora.catalog.release import Product
from corpora.catalog.release_settings import ProductSettings, ReleaseSettings
from corpora.catalog.rights import OPEN, Audience, Right, Rights
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow, ConversationRow, TurnRow
from corpora.database.job_tables import JobRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.documents.uploads import UploadedFile
from corpora.errors import JobError, NoSuchSource, UnknownRelease
from corpora.jobs.jobs import JobKind, Jobs, JobState
from eval.reports.history import past_runs
from eval.runs.folder import list_runs
from tests.chatbot.asked import answer, asked
from tests.ui.conftest import Command, SignIn
from tests.ui.memory_pairs import keep
from tests.ui.pages import ask, go_to, open_page, texts
from tests.ui.test_evaluation_page import rated
from tests.ui.valve_corpus import QUESTION
from ui.documents import actions
from ui.serving import services
from ui.serving.evaluating import evaluate

pytestmark = pytest.mark.database

STAFF = Right(Audience.GROUPS, ("staff",))
BO = Person("bo@example.org", "Bo", is_admin=False)
ANN = Person("ann@example.org", "Ann", is_admin=False, groups=frozenset({"staff"}))
CY = Person("cy@example.org", "Cy", is_admin=False)
"""Of whom nothing else is known: other tests give Bo keys."""
PAT = Person("pat@example.org", "Pat", is_admin=False)
"""Who administers the valve."""
ALL = ("", "releases", "account")
OWN = ("documents", "sources", "glossary", "history", "gaps", "numbers", "evaluation")


@pytest.fixture
def closed(chatbot: Chatbot) -> Chatbot:
    """The valve for the group staff, with an admin of its own, beside a product that is empty."""
    Catalog(chatbot.database).add_release("relay", "17.20")
    admin = Administration(chatbot.database, LOCAL)
    admin.change_right("valve", "", STAFF)
    admin.change_admins("valve", [PAT.id])
    return chatbot


def addresses() -> set[str]:
    return set(open_page().session_state["pages"])


def test_the_pages_of_somebody_without_the_right_are_those_of_an_empty_strata(
    closed: Chatbot, signed_in: SignIn
) -> None:
    signed_in(BO)
    page = open_page()
    assert page.title[0].value == "No documentation yet"
    assert addresses() == set(ALL)
    for name in ALL:
        shown = go_to(page, name or "chat").run()
        assert not shown.exception
        assert "valve" not in str(shown.main).casefold()
    signed_in(ANN)
    assert "valve" in open_page().title[0].value
    assert addresses() == set(ALL)


def test_a_conversation_about_what_is_closed_is_as_one_that_is_gone(
    closed: Chatbot, signed_in: SignIn
) -> None:
    answered = closed.ask(QUESTION, product="valve", conversation=NEW, owner=CY.id)
    signed_in(CY)
    told = []
    for conversation in (answered.conversation, "0" * 32):
        page = open_page(conversation, answered.kept_as)
        told.append(([toast.value for toast in page.toast], texts(page), page.title[0].value))
    assert told[0] == told[1]
    assert services.conversations().recent() == ()
    assert services.conversations().recent(wanted="hold_time") == ()
    with pytest.raises(UnknownPerson):
        export_person(services.chatbot().database, CY.id)
    # What they may not see is deleted with the rest all the same.
    assert delete_person(services.whole().database, CY.id) == 1
    with closed.database.reading() as session:
        assert session.scalars(select(ConversationRow)).all() == []


def test_a_conversation_goes_on_and_is_deleted_whatever_of_it_is_closed(closed: Chatbot) -> None:
    admin = Administration(closed.database, LOCAL)
    admin.change_right("valve", "", None)
    first = closed.ask("Hello", conversation=NEW, owner=BO.id).conversation
    assert first is not None
    hidden = closed.ask(QUESTION, product="valve", conversation=first, owner=BO.id).kept_as
    pair = keep(closed.database, QUESTION)
    with closed.database.writing() as session:
        session.add(MemoryUseRow(turn_id=hidden, pair_id=pair, role="source"))
    admin.change_right("valve", "", STAFF)
    seen = closed.seen_by(BO.viewer)
    kept = [seen.ask("Hello", conversation=first, owner=BO.id).kept_as for _ in range(2)]
    own = seen.conversations.of(BO.id)
    assert [turn.id for turn in own.turns(first)] == kept
    # What is asked anew leaves with all behind it, also with what is closed.
    every = closed.conversations.of(BO.id)
    other = every.start("relay", "?")
    again = [every.add(other, "?", answer(product=of)) for of in ("relay", "valve")]
    seen.ask("Hello", conversation=other, owner=BO.id, instead_of=again[0])
    with closed.database.reading() as session:
        left = select(TurnRow.id).where(TurnRow.conversation_id == other, TurnRow.superseded)
        assert session.scalars(left.order_by(TurnRow.id)).all() == again
        assert session.get(MemoryPairRow, pair)
    for conversation in (first, other):
        own.delete(conversation)
    with closed.database.reading() as session:
        assert session.get(MemoryPairRow, pair) is None


def test_a_release_that_is_closed_hides_no_answer_with_its_figures(closed: Chatbot) -> None:
    admin = Administration(closed.database, LOCAL)
    Catalog(closed.database).add_release("valve", "3")
    admin.change_right("valve", "", None)
    # A field of every answer is called like the last one.
    Catalog(closed.database).add_release("valve", "timings")
    for release in ("2.0", "3", "timings"):
        admin.change_right("valve", release, STAFF)
    page = {"document": "Manual", "file": "a.md", "page": 3, "section": "", "anchor": None}
    of = {"product": "valve", "release": "1.0", "route": "documents"}
    cited = {**page, "release": "1.0", "quote": "Yes.", "page_id": 3}
    timings = {"answer_generation": 2.0, "question_reading": 12.03}
    sides = [{"release": "1.0", "citations": [numbers]} for numbers in (3, 2)]
    sides += [{"release": "1.0", "citations": numbers} for numbers in ([2, 3], [2, 3, 4])]
    silent = {"It is 32.04.", "It lasts [3].", 'So [1][3] "it" is.', "page"}
    said = {"It is 2.0 there.", "3", "See valve-3, too.", "In 2.0.1 or 3.0?", 'As "3".', "\\3"}
    turns = {
        text: asked(
            closed.database,
            "?",
            owner=BO.id,
            answer=text,
            timings=timings,
            citations=[cited],
            sides=sides,
            **of,
        )
        for text in silent | said
    }
    own = closed.seen_by(BO.viewer).conversations.of(BO.id)
    assert {text for text, turn in turns.items() if own.reply(turn)} == silent


def test_a_question_on_the_page_is_answered_from_what_its_asker_sees(
    closed: Chatbot, signed_in: SignIn
) -> None:
    admin = Administration(closed.database, LOCAL)
    admin.change_right("valve", "", None)
    admin.change_right("valve", "2.0", STAFF)
    for person, release in ((BO, "1.0"), (ANN, "2.0")):
        signed_in(person)
        ask(open_page(), "What is the default of hold_time?")
        (kept,) = services.conversations().recent()
        assert kept.releases == (release,)


def test_a_change_applies_at_once(closed: Chatbot, signed_in: SignIn) -> None:
    signed_in(BO)
    assert services.chatbot().products() == ()
    Administration(closed.database, LOCAL).change_right("valve", "", OPEN)
    assert [product.name for product in services.chatbot().products()] == ["valve"]
    assert services.chatbot() is services.whole()


def test_who_sees_the_same_shares_a_chatbot(closed: Chatbot) -> None:
    first, second = (closed.seen_by(person.viewer) for person in (BO, replace(BO, id="x@y")))
    assert first is second
    assert closed.seen_by(ANN.viewer) is closed
    assert first.limits is closed.limits
    assert first._queue is closed._queue


# Admins of a product


def test_an_admin_of_a_product_has_the_pages_for_it_alone(
    closed: Chatbot, signed_in: SignIn
) -> None:
    asked(closed.database, "Does the relay latch?", product="relay")
    asked(closed.database, "Does the valve drip?", product="valve", release="2.0")
    signed_in(PAT)
    assert addresses() == {*ALL, *OWN}
    page = open_page()
    for name in OWN:
        shown = go_to(page, name).run()
        assert not shown.exception, name
        assert not shown.error, name
        assert "relay" not in str(shown.main), name
    shown = go_to(page, "history").run()
    assert "1 answer" in texts(shown)


def test_it_goes_with_the_right(closed: Chatbot, signed_in: SignIn) -> None:
    Administration(closed.database, LOCAL).change_admins("valve", ["group:staff"])
    signed_in(PAT)
    assert addresses() == set(ALL)
    with pytest.raises(NotAllowed):
        services.administered()
    signed_in(ANN)
    assert addresses() == {*ALL, *OWN}


def test_an_admin_of_a_product_evaluates_it_and_sees_no_other_run(
    closed: Chatbot, signed_in: SignIn
) -> None:
    rated(closed)
    jobs = Jobs(closed.database)

    def run(by: Administration) -> None:
        job = by.evaluate("valve")
        evaluate(closed.settings, jobs.get(job), lambda progress: None, lambda: False)
        with closed.database.writing() as session:
            session.execute(update(JobRow).where(JobRow.id == job).values(state=JobState.DONE))

    def listed() -> set[tuple[str, bool]]:
        runs = past_runs(closed.settings.data_dir, "valve", alone=True)
        return {(run.folder.name, run.manifest.alone) for run in runs}

    admin = Administration(closed.database, LOCAL)
    run(admin)
    assert listed() == set()
    signed_in(PAT)
    shown = go_to(open_page(), "evaluation").run()
    assert not shown.exception
    assert "No run yet" in texts(shown)
    pats = Administration(own(closed).database, PAT)
    run(pats)
    ((folder, _),) = listed()
    (manifest,) = [m for f, m in list_runs(closed.settings.data_dir) if f.name == folder]
    assert (manifest.alone, list(manifest.corpora)) == (True, ["valve"])
    assert "No run yet" not in texts(go_to(open_page(), "evaluation").run())
    with pytest.raises(UnknownRelease):
        pats.evaluate("relay")
    waiting = admin.evaluate("relay")
    with pytest.raises(JobError, match="An evaluation is running"):
        pats.evaluate("valve")
    with pytest.raises(JobError):
        pats.cancel(waiting)
    admin.cancel(waiting)
    of_all = admin.evaluate("valve")
    with pytest.raises(NotAllowed):
        pats.cancel(of_all)
    admin.cancel(of_all)
    with pytest.raises(NotAllowed):
        pats.retry(of_all)
    pats.cancel(pats.evaluate("valve"))


def own(chatbot: Chatbot) -> Chatbot:
    return chatbot.limited(Rights(chatbot.database).administered(PAT.viewer))


TRIED: dict[str, Callable[[Chatbot], Any]] = {
    "turns": lambda c: AllTurns(c.database).page(PAT),
    "exports": lambda c: Exports(c.database).turns(PAT, Format.CSV),
    "numbers": lambda c: Numbers(c.database).total(PAT, ANY),
    "gaps": lambda c: ContentGaps(c.database, c.embedder).report(PAT, ANY),
    "release gaps": lambda c: c.release_gaps.of(PAT, Product("valve")),
    "saved answers": lambda c: Overview(c.database, PAT),
    "curation": lambda c: Curation(c, PAT),
    "exchange": lambda c: Exchange(c, PAT),
    "administration": lambda c: Administration(c.database, PAT),
    "sources": lambda c: Sources(c.database, c.settings, PAT).every(),
}


@pytest.mark.parametrize("service", TRIED.values(), ids=TRIED)
def test_they_work_over_their_products_and_nothing_else(
    closed: Chatbot, service: Callable[[Chatbot], Any]
) -> None:
    service(own(closed))
    for other in (closed, closed.seen_by(PAT.viewer), closed.seen_by(BO.viewer)):
        with pytest.raises(NotAllowed):
            service(other)


FILE = UploadedFile("a.md", b"# A\n")


def added(chatbot: Chatbot, product: str) -> int:
    sources = Sources(chatbot.database, chatbot.settings, LOCAL, anywhere=True)
    return sources.add(product, "folder", {"path": "/tmp/{release}"}).id


def of_sources(administration: Administration, chatbot: Chatbot) -> Sources:
    return Sources(administration.database, chatbot.settings, PAT)


CHANGES: dict[str, tuple[type[Exception], Callable[[Administration, Chatbot], Any]]] = {
    "upload elsewhere": (
        UnknownRelease, lambda a, c: a.upload("relay", "1", [FILE], c.settings.data_dir)),
    "upload a new product": (
        UnknownRelease, lambda a, c: a.upload("mine", "1", [FILE], c.settings.data_dir)),
    "read again": (UnknownRelease, lambda a, c: a.read_again("relay", "17.20")),
    "remove": (UnknownRelease, lambda a, c: a.remove_documents("relay", "17.20", ["a"])),
    "delete a release": (UnknownRelease, lambda a, c: a.delete("relay", "17.20")),
    "delete a product": (NotAllowed, lambda a, c: a.delete("valve")),
    "pack": (UnknownRelease, lambda a, c: a.pack("relay", "17.20")),
    "trust packs": (NotAllowed, lambda a, c: a.unpack(BytesIO(), c.settings.data_dir, "0" * 64)),
    "add a source": (NotAllowed, lambda a, c: of_sources(a, c).add("valve", "folder", {})),
    "try a source": (NotAllowed, lambda a, c: of_sources(a, c).try_out("folder", {})),
    "remove a source": (NotAllowed, lambda a, c: of_sources(a, c).remove(added(c, "valve"))),
    "run a source": (NoSuchSource, lambda a, c: of_sources(a, c).sync(added(c, "relay"))),
    "check": (UnknownRelease, lambda a, c: a.check("relay", "17.20")),
    "publish": (UnknownRelease, lambda a, c: a.publish("relay", "17.20", c.settings.data_dir)),
    "discard": (UnknownRelease, lambda a, c: a.discard("relay", "17.20", c.settings.data_dir)),
    "settings": (
        UnknownRelease, lambda a, c: a.change_release("relay", "17.20", ReleaseSettings())),
    "aliases": (NotAllowed, lambda a, c: a.change_product("valve", ProductSettings(("relay",)))),
    "rights": (NotAllowed, lambda a, c: a.change_right("valve", "", OPEN)),
    "admins": (NotAllowed, lambda a, c: a.change_admins("valve", ["bo@example.org"])),
    "evaluate": (UnknownRelease, lambda a, c: a.evaluate("relay")),
    "draft": (NotAllowed, lambda a, c: a.draft("valve", "2.0", None, 1, with_model=False)),
    "a job": (JobError, lambda a, c: a.cancel(
        Jobs(c.database).add(JobKind.REREAD, "relay", "17.20", ""))),
    "an admin's job": (NotAllowed, lambda a, c: a.retry(
        Jobs(c.database).add(JobKind.DELETE, "valve", "", ""))),
    "the glossary": (UnknownRelease, lambda a, c: a.remove_term("relay", "x")),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGES.values(), ids=CHANGES)
def test_what_they_may_not_change(closed: Chatbot, case: Any) -> None:
    error, change = case
    with pytest.raises(error):
        change(Administration(own(closed).database, PAT), closed)


def test_what_they_may(closed: Chatbot) -> None:
    admin = Administration(own(closed).database, PAT)
    job = admin.upload("valve", "3.0", [FILE], closed.settings.data_dir)
    assert Jobs(own(closed).database).get(job).product == "valve"
    admin.change_release("valve", "1.0", ReleaseSettings(("first",)))
    mine, _ = added(closed, "valve"), added(closed, "relay")
    sources = of_sources(admin, closed)
    assert [source.id for source in sources.every()] == [mine]
    sources.set_schedule(mine, "daily")
    admin.cancel(sources.sync(mine))
    mine = asked(closed.database, "Does the valve drip?", product="valve", release="2.0")
    other = asked(closed.database, "Does the relay latch?", product="relay")
    turns = AllTurns(own(closed).database)
    assert turns.open(PAT, mine).turn.question == "Does the valve drip?"
    with pytest.raises(UnknownTurn):
        turns.open(PAT, other)


def test_they_see_no_prompts_which_list_what_the_asker_sees(closed: Chatbot) -> None:
    call = ModelCall("question_reading", (("user", "Releases: relay 17.20"),), "{}")
    side = Trace(calls=(call,))
    conversations = closed.conversations.of(ANN.id)
    turn = conversations.add(
        conversations.start("valve", "?"),
        "?",
        answer(product="valve", release="2.0"),
        trace=Trace(calls=(call,), sides=(side,)),
    )
    assert "relay" in str(AllTurns(closed.database).open(LOCAL, turn).trace)
    trace = AllTurns(own(closed).database).open(PAT, turn).trace
    assert trace is not None
    assert len(trace.sides) == 1
    assert "relay" not in str(trace)


# Keys, groups, and saying so


def test_a_key_sees_what_its_owner_does_for_as_long_as_that_is_known(closed: Chatbot) -> None:
    keys = ProgramKeys(closed.database)
    of_ann, _ = keys.make(ANN, "ann", [Scope.SEARCH], 1, usual=20)
    assert closed.seen_by(keys.viewer(of_ann, 30)).products() == ()
    note_groups(closed.database, ANN)
    assert closed.seen_by(keys.viewer(of_ann, 30)).products() != ()
    assert closed.seen_by(keys.viewer(of_ann, 0)).products() == ()
    note_groups(closed.database, replace(ANN, groups=frozenset()))
    assert closed.seen_by(keys.viewer(of_ann, 30)).products() == ()


def test_a_sign_in_that_goes_on_elsewhere_brings_back_no_group(database: Database) -> None:
    now = datetime.now(UTC)
    for hours, groups in ((2, ("staff",)), (1, ()), (2, ("staff",))):
        signed_in = now - timedelta(hours=hours)
        note_groups(database, replace(BO, groups=frozenset(groups), signed_in=signed_in))
    assert groups_noted(database, BO.id, timedelta(days=1)) == []


def test_an_admin_of_products_makes_keys_for_these(closed: Chatbot, signed_in: SignIn) -> None:
    keys = ProgramKeys(closed.database)
    with pytest.raises(NotAllowed):
        keys.make(BO, "bo", [Scope.INGEST], 1, usual=20)
    for scopes in ([Scope.INGEST], [Scope.ADMIN], [Scope.INGEST, Scope.ADMIN]):
        made, _ = keys.make(PAT, "pat", scopes, 1, usual=20)
        assert made.of_products
        assert not person_of(made).is_admin
        assert not keys.viewer(made, 30).is_admin
    assert not keys.make(LOCAL, "all", [Scope.INGEST], 1, usual=20)[0].of_products
    for person, offered in ((BO, False), (PAT, True)):
        signed_in(person)
        shown = go_to(open_page(), "account").run()
        assert ("Upload documents" in str(shown.main)) == offered


def test_only_an_admin_names_the_groups_of_a_key(closed: Chatbot) -> None:
    keys = ProgramKeys(closed.database)
    with pytest.raises(NotAllowed):
        keys.make(BO, "bo", [Scope.SEARCH], 1, usual=20, groups=["staff"])
    robot, _ = keys.make(LOCAL, "robot", [Scope.SEARCH], 1, usual=20, groups=["staff", " "])
    assert robot.groups == ["staff"]
    assert closed.seen_by(keys.viewer(robot, 0)).products() != ()
    # Whoever made it, what only admins see needs the scope of one.
    Administration(closed.database, LOCAL).change_right("valve", "", Right(Audience.ADMINS))
    assert closed.seen_by(keys.viewer(robot, 0)).products() == ()


def test_what_is_noted_of_a_person_goes_with_their_data(closed: Chatbot) -> None:
    from datetime import timedelta

    note_groups(closed.database, ANN)
    closed.conversations.of(ANN.id).start("valve", "x")
    assert export_person(closed.database, ANN.id)["groups"] == ["staff"]
    delete_person(closed.database, ANN.id)
    assert groups_noted(closed.database, ANN.id, timedelta(days=1)) == ()


def test_an_admin_says_who_sees_a_product_on_its_page(chatbot: Chatbot) -> None:
    page = open_page()
    page.session_state["next documents tab"] = "Access"
    go_to(page, "documents").run()
    page.radio[0].set_value("Groups")
    page.text_area[0].set_value("staff\npartners")
    next(b for b in page.button if b.label == "Save").click().run()
    assert not page.exception
    assert Rights(chatbot.database).of("valve").right == replace(
        STAFF, groups=("staff", "partners")
    )
    with chatbot.database.reading() as session:
        (row,) = session.scalars(select(AuditRow))
    assert (row.action, row.subject) == ("rights", "valve")
    assert row.details == {"before": "all", "now": "groups, staff, partners"}


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("", ["again: valve: the groups staff; valve 2.0: admins only.",
              "It has no admins of its own then; now they are pat@example.org."]),
        ("2.0", ["again: valve 2.0: admins only."]),
        ("1.0", []),
    ],
)  # fmt: skip
def test_what_stays_said_is_told_before_it_is_deleted(
    closed: Chatbot, monkeypatch: pytest.MonkeyPatch, release: str, told: list[str]
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(actions, "confirm", lambda _, text, *rest, **more: shown.append(text))
    Administration(closed.database, LOCAL).change_right("valve", "2.0", Right(Audience.ADMINS))
    actions.confirm_deletion("valve", release)
    lines = [line for line in shown[0].splitlines() if "may see" in line or "admins" in line]
    assert len(lines) == len(told)
    for line, words in zip(lines, told, strict=True):
        assert words in line.replace("\\", "").replace("`", "")


def test_commands_say_it_too(strata: Command, chatbot: Chatbot) -> None:
    def run(*words: str) -> str:
        result = strata("rights", *words)
        assert result.exit_code == 0, result.output
        return str(result.output)

    assert "valve: all" in run("list")
    assert "open to the groups staff, partners" in run(
        "set", "valve", "groups", "staff", "partners"
    )
    run("set", "valve", "all", "--release", "1.0")
    run("set", "valve", "admins", "--release", "2.0")
    run("admins", "valve", PAT.id, "group:writers")
    told = run("list")
    assert f"valve: the groups staff, partners; administered by {PAT.id}, group:writers" in told
    assert "  1.0: all\n  2.0: admins only" in told
    assert '"audience": "groups"' in run("list", "--json")
    run("reset", "valve", "--release", "2.0")
    run("reset", "valve")
    run("admins", "valve")
    assert Rights(chatbot.database).of("valve").right == OPEN
    run("set", "valve", "admins", "--release", "2.0")
    deleted = strata("releases", "delete", "valve", "2.0", "--yes").output
    kept = "Who may see it stays as it is, also if it is made again: valve 2.0: admins only."
    assert kept in " ".join(deleted.split())
    assert "  2.0 (deleted): admins only" in run("list")
    run("reset", "valve", "--release", "2.0")
    assert "2.0" not in run("list")
    assert strata("rights", "set", "valve", "all", "staff").exit_code != 0
    assert isinstance(strata("rights", "set", "nothing", "all").exception, UnknownRelease)

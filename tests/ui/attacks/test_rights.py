"""Somebody without the right tries every way: each tells what it tells where the product is not.

Two Stratas are asked the same. `hidden` has the product pump, and the product valve, which only the
group staff may see; `without` has pump alone. What they reply must be the same, to the letter.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from chatbot.accounts.people import LOCAL, Person
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.administration.administration import Administration
from chatbot.administration.release_packs import ReleasePacks
from chatbot.assembly import open_chatbot
from chatbot.chatbot import NEW, Chatbot
from chatbot.conversations.personal_data import export_person
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.catalog.rights import Audience, Right, Rights
from corpora.database.history_tables import UseRow
from corpora.database.job_tables import JobRow
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.source_tables import SourceRow
from corpora.database.tables import DocumentRow, PageRow, ProductRow, ReleaseRow
from corpora.jobs.jobs import JobKind, order_job
from corpora.packs.signing import own_key, trust_from_now
from corpora.sources.schedules import NEVER
from tests.chatbot.asked import answer
from tests.chatbot.conftest import close
from tests.ui.api.conftest import serving
from tests.ui.attacks.conftest import each
from tests.ui.attacks.test_roles import (
    HOOK,
    MCP,
    NEEDS,
    OPEN,
    RESOURCES,
    TABLE,
    TOOLS,
    no_chatbot,
    routes,
)
from tests.ui.valve_corpus import QUESTION, write_sources
from ui.api.app import Api
from ui.api.mcp_server import mcp_server

pytestmark = pytest.mark.database

BO = Person("bo@example.org", "Bo", is_admin=False)
PAT = Person("pat@example.org", "Pat", is_admin=False)
"""Who administers the pump, which both have."""
PROGRAM_OF_BO = "program:1"
"""Under what the conversations of the first key that is made are kept."""
STAFF = Right(Audience.GROUPS, ("staff",))
ALL_BUT_ADMIN = [Scope.ASK, Scope.SEARCH, Scope.INGEST]
SECRETS = ("45 s", "reference.html", "Valve reference")
"""Words that stand in the documents of the product and nowhere else."""
UNLIKE = {
    *("as_of", "rate", "timings", "seconds", "created", "finished", "conversation", "turn"),
    "fingerprint",
}
"""What no two replies have alike."""

OF_PUMP = 7
"""The number of the source of the pump."""
PUMP = "# Pump manual\n\n## Seal\n\nThe seal of the pump lasts for 800 hours of work.\n"


@dataclass(frozen=True)
class Strata:
    """A Strata that is served, and the keys to it: of Bo, and of programs of an admin."""

    address: str
    chatbot: Chatbot
    keys: dict[str, str]
    ids: dict[str, Any]

    def forget_use(self) -> None:
        with self.chatbot.database.writing() as session:
            session.execute(delete(UseRow))

    def ask(self, method: str, path: str, key: str, body: Any = None) -> httpx.Response:
        headers = {
            "Authorization": f"Bearer {self.keys[key]}",
            "Accept": "application/json, text/event-stream",
        }
        url = self.address + path
        return httpx.request(method, url, headers=headers, json=body, timeout=60)


def opened(settings: Settings, address: str, chatbot: Chatbot, ids: dict[str, Any]) -> Strata:
    keys = ProgramKeys(chatbot.database)
    made = {
        "bo": keys.make(BO, "bo", [Scope.ASK, Scope.SEARCH], 0, usual=0)[1],
        "robot": keys.make(LOCAL, "robot", ALL_BUT_ADMIN, 0, usual=0, groups=[])[1],
        "pat": keys.make(PAT, "pat", [Scope.INGEST, Scope.ADMIN], 0, usual=0)[1],
        "staff": keys.make(LOCAL, "staff", ALL_BUT_ADMIN, 0, usual=0, groups=["staff"])[1],
        "admin": keys.make(LOCAL, "admin", list(Scope), 0, usual=0)[1],
    }
    return Strata(address, chatbot, made, ids)


def source_of(product: str, number: int) -> SourceRow:
    """A source that nobody can reach."""
    options = {"url": f"https://{product}.example/docs.git"}
    row = SourceRow(id=number, product=product, kind="git", options=options, person="")
    row.schedule, row.created = NEVER, datetime.now(UTC)
    return row


def with_pump(settings: Settings, folder: Any) -> Chatbot:
    chatbot = open_chatbot(settings)
    (folder / "pump.md").write_text(PUMP, "utf-8")
    Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1).ingest(
        [folder / "pump.md"], product="pump", release="1.0"
    )
    Rights(chatbot.database).change_admins("pump", [PAT.id])
    with chatbot.database.writing() as session:
        session.add(source_of("pump", OF_PUMP))
    return chatbot


@pytest.fixture(scope="module")
def stratas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Strata, Strata]]:
    """The one with the product that is hidden, and the one without it."""
    folder = tmp_path_factory.mktemp("rights")
    both = [
        with_pump(Settings(data_dir=folder / name, generator="none"), folder)
        for name in ("hidden", "without")
    ]
    hidden = both[0]
    # After the other one, so that what is open has the same numbers in both.
    for release, hold, days in (("1.0", "20", "30"), ("2.0", "45", "90")):
        Builder(hidden.database, hidden.settings.data_dir, hidden.embedder, workers=1).ingest(
            [write_sources(folder, release, hold, days)], product="valve", release=release
        )
    ids = filled(hidden)
    Administration(hidden.database, LOCAL).change_right("valve", "", STAFF)
    with ExitStack() as stack:
        addresses = [stack.enter_context(serving(chatbot)) for chatbot in both]
        one, other = (
            opened(chatbot.settings, address, chatbot, ids)
            for chatbot, address in zip(both, addresses, strict=True)
        )
        yield one, other
    for chatbot in both:
        close(chatbot)


def filled(chatbot: Chatbot) -> dict[str, Any]:
    """What Bo has asked before the product was closed, and what lies around it; its ids."""
    answered = chatbot.ask(QUESTION, product="valve", conversation=NEW, owner=PROGRAM_OF_BO)
    assert answered.kept_as is not None
    listed = chatbot.ask("Which products do you know?", conversation=NEW, owner=BO.id)
    chatbot.feedback(PROGRAM_OF_BO).give(answered.kept_as, 1)
    job = 10_000
    with chatbot.database.writing() as session:
        order_job(session, JobKind.UPLOAD, "valve", "2.0", "ada")
        session.execute(update(JobRow).values(id=job))
        session.add(source_of("valve", source := 10_000))
    with chatbot.database.reading() as session:
        page = session.scalar(
            select(PageRow.id)
            .join(DocumentRow, DocumentRow.id == PageRow.document_id)
            .join(ReleaseRow, ReleaseRow.id == DocumentRow.release_id)
            .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
            .where(ProductRow.name == "valve", DocumentRow.file.contains("reference"))
        )
        pair = session.scalar(select(MemoryPairRow.id))
    return {
        "conversation": answered.conversation,
        "listed": listed.conversation,
        "turn": answered.kept_as,
        "job": job,
        "source": source,
        "page": page,
        "pair": pair,
    }


ANSWERED = "POST /api/v1/ask"
CHAT = "POST /v1/chat/completions"
OF_VALVE: dict[str, list[tuple[str, Any]]] = {
    "GET /api/v1/products": [("", None)],
    "POST /api/v1/search": [
        ("", {"query": "hold_time", "product": "valve", "release": "2.0"}),
        ("", {"query": "hold_time", "product": "valve"}),
        ("", {"query": "hold_time of the valve in 2.0"}),
        ("", {"query": "What is new in valve 2.0?"}),
    ],
    "GET /api/v1/changes": [("?product=valve&older=1.0&newer=2.0", None)],
    "POST /api/v1/upgrade-guide": [("", {"product": "valve", "older": "1.0", "newer": "2.0"})],
    "GET /api/v1/pages/{page}": [("", None), ("?quote=hold_time", None)],
    "GET /api/v1/pages/{page}/figures/{picture}": [("", None)],
    ANSWERED: [
        ("", {"question": QUESTION, "product": "valve"}),
        ("", {"question": QUESTION, "product": "valve", "release": "2.0"}),
        ("", {"question": QUESTION}),
        ("", {"question": "What is the default of hold_time of the valve?"}),
        ("", {"question": "What is the default of hold_tme?"}),
        ("", {"question": "Which products do you know?"}),
        ("", {"question": "Which releases of valve are there?"}),
        ("", {"question": "What is the difference between valve 1.0 and valve 2.0?"}),
        ("", {"question": "How long is the pressure log kept?", "product": "pump"}),
        ("", {"question": "And in 2.0?", "conversation": "{conversation}"}),
        ("", {"question": "And the other one?", "history": [["How is the valve?", "Well."]]}),
        ("", {"question": QUESTION, "project": {"requirements.txt": "valve==2.0"}}),
        ("", {"question": QUESTION, "same_as": 1}),
    ],
    "GET /api/v1/conversations": [("", None)],
    "GET /api/v1/conversations/{conversation}": [("", None)],
    "DELETE /api/v1/conversations/{conversation}": [("", None)],
    "PUT /api/v1/turns/{turn}/feedback": [("", {"thumbs": -1})],
    "GET /api/v1/turns/{turn}/still-true": [("", None)],
    "GET /api/v1/jobs": [("", None)],
    "GET /api/v1/jobs/{job}": [("", None)],
    "DELETE /api/v1/jobs/{job}": [("", None)],
    "GET /docs/{product}/{release}/llms.txt": [("", None)],
    "GET /docs/{product}/{release}/llms-full.txt": [("", None)],
    "GET /docs/{product}/{release}/{file:path}/{number}.md": [("", None)],
    "GET /v1/models": [("", None)],
    "GET /v1/models/{name:path}": [("", None)],
    CHAT: [
        ("", {"model": "strata/valve", "messages": [{"role": "user", "content": QUESTION}]}),
        ("", {"model": "strata/valve@2.0", "messages": [{"role": "user", "content": QUESTION}]}),
        ("", {"model": "strata/pump", "messages": [{"role": "user", "content": QUESTION}]}),
    ],
}
"""What is asked of each route, which names what is hidden in every way there is."""
NAMED = "?product=valve&release=2.0"
OF_ADMINS: dict[str, list[tuple[str, Any]]] = {
    "GET /api/v1/release-gaps": [("?product=valve", None)],
    "GET /api/v1/checks": [(NAMED, None)],
    "POST /api/v1/checks": [(NAMED, None)],
    "GET /api/v1/waiting": [("", None)],
    "POST /api/v1/waiting": [(NAMED, None)],
    "DELETE /api/v1/waiting": [(NAMED, None)],
    "POST /api/v1/packs": [(NAMED, None)],
    "GET /api/v1/packs/{job}": [("", None)],
    "GET /api/v1/sources": [("", None)],
    "GET /api/v1/sources/{source}": [("", None)],
    "POST /api/v1/sources/{source}/sync": [("", None)],
    "PUT /api/v1/sources/{source}/schedule": [("", {"schedule": "daily"})],
    "PUT /api/v1/sources/{source}/hook": [("", None)],
    "DELETE /api/v1/sources/{source}/hook": [("", None)],
}
"""What the admin of another product asks."""
OF_ALL: dict[str, Any] = {
    "GET /api/v1/metrics": None,
    "POST /api/v1/sources": {"kind": "git", "product": "pump", "options": {"url": "x"}},
    "POST /api/v1/sources/try": {"kind": "git", "options": {"url": "x"}},
    "DELETE /api/v1/sources/{source}": None,
}
"""What only an admin of Strata may do."""
PACK = "PUT /api/v1/packs"
"""`test_a_pack_of_it_is_as_one_of_what_is_not_there`."""
UPLOADS = "POST /api/v1/jobs"
"""Who may upload may upload to any product: `test_an_upload_is_taken_alike`."""

ASKED = {
    f"{key} {route} {number}": (route, key, path, body)
    for route, asked in OF_VALVE.items()
    for number, (path, body) in enumerate(asked)
    for key in (("robot", "pat") if NEEDS[route] == "ingest" else ("bo", "robot"))
} | {
    f"pat {route} {number}": (route, "pat", path, body)
    for route, asked in OF_ADMINS.items()
    for number, (path, body) in enumerate(asked)
}


def test_every_route_is_tried() -> None:
    assert OF_VALVE.keys() | OF_ADMINS.keys() | OF_ALL.keys() | {UPLOADS, PACK} == NEEDS.keys()
    assert set(routes(Api(no_chatbot).routes)) == NEEDS.keys() | OPEN | {MCP, HOOK}


def test_the_table_of_rights_says_what_is_tried() -> None:
    said = {name: dict(zip(TABLE["ROLES"], may, strict=True)) for name, _, may in TABLE["rows"]()}
    own = {route for route in NEEDS if said[route]["product admin"] == "own products"}
    ingesting = {route for route, scope in NEEDS.items() if scope == "ingest"}
    assert own == OF_ADMINS.keys() | {PACK} | ingesting
    assert {route for route in NEEDS if said[route]["product admin"] == "no"} == OF_ALL.keys()
    hidden = {r for r in NEEDS if said[r]["without the right"] == "as if it were not there"}
    assert hidden == OF_VALVE.keys() - ingesting


def filled_in(given: Any, ids: dict[str, Any]) -> Any:
    if isinstance(given, dict):
        return {name: filled_in(value, ids) for name, value in given.items()}
    return ids.get(given.strip("{}"), given) if isinstance(given, str) else given


def told(strata: Strata, route: str, key: str, path: str, body: Any) -> tuple[int, Any]:
    strata.forget_use()
    method, place = route.replace("{name:path}", "strata/valve").split()
    place = place.replace("{file:path}", "reference.html")
    place = place.format(product="valve", release="2.0", number=1, picture="0" * 64, **strata.ids)
    asked = method, place + path, key, filled_in(body, strata.ids)
    response = strata.ask(*asked)
    if '"pending":["' in response.text:
        # What is read in the background takes its time.
        assert strata.chatbot.still_true.indexes.wait(30)
        response = strata.ask(*asked)
    try:
        return response.status_code, alike(response.json())
    except ValueError:
        return response.status_code, response.text


def _is_number_of_a_row(name: str, value: Any) -> bool:
    # Jobs are numbered over all products, as are turns and pages.
    return name in ("id", "job") and (isinstance(value, int) or str(value).startswith("chatcmpl-"))


def alike(reply: Any) -> Any:
    """A reply without what no two replies have alike."""
    if isinstance(reply, dict):
        return {
            name: alike(value)
            for name, value in reply.items()
            if name not in UNLIKE and not _is_number_of_a_row(name, value)
        }
    return [alike(value) for value in reply] if isinstance(reply, list) else reply


@each(ASKED)
def test_it_is_as_if_there_were_no_such_product(
    stratas: tuple[Strata, Strata], case: tuple[str, str, str, Any]
) -> None:
    hidden, without = stratas
    replies = [told(strata, *case) for strata in (hidden, without)]
    assert replies[0] == replies[1]


SEEN = {
    "GET /api/v1/products": ("", None),
    "POST /api/v1/search": OF_VALVE["POST /api/v1/search"][0],
    "GET /api/v1/changes": OF_VALVE["GET /api/v1/changes"][0],
    "GET /api/v1/pages/{page}": ("", None),
    ANSWERED: OF_VALVE[ANSWERED][0],
    "GET /docs/{product}/{release}/llms.txt": ("", None),
    "GET /v1/models/{name:path}": ("", None),
    CHAT: OF_VALVE[CHAT][1],
}


@each({route: (route, *asked) for route, asked in SEEN.items()})
def test_who_has_the_right_is_told(stratas: tuple[Strata, Strata], case: Any) -> None:
    route, path, body = case
    for key in ("staff", "admin"):
        status, reply = told(stratas[0], route, key, path, body)
        assert status == 200
        assert "valve" in str(reply)
    refused = str(told(stratas[0], route, "bo", path, body))
    assert not any(secret in refused for secret in SECRETS)


def test_what_was_asked_before_is_kept_and_is_there_again_once_it_is_opened(
    stratas: tuple[Strata, Strata],
) -> None:
    hidden = stratas[0]
    admin = Administration(hidden.chatbot.database, LOCAL)
    listed = hidden.chatbot.conversations.of(BO.id).turns(hidden.ids["listed"])
    assert "valve" in listed[0].reply.answer
    seen = hidden.chatbot.seen_by(BO.viewer).conversations
    assert seen.of(BO.id).turns(hidden.ids["listed"]) == ()
    exported = (export_person(c.database, BO.id) for c in (hidden.chatbot, seen))
    assert [hidden.ids["listed"] in str(data) for data in exported] == [True, False]
    routes = ("GET /api/v1/conversations/{conversation}", "GET /api/v1/turns/{turn}/still-true")
    assert [told(hidden, route, "bo", "", None)[0] for route in routes] == [404, 404]
    assert told(hidden, "GET /api/v1/conversations", "bo", "", None) == (200, [])
    admin.change_right("valve", "", None)
    try:
        assert [told(hidden, route, "bo", "", None)[0] for route in routes] == [200, 200]
        ((_, found),) = [told(hidden, "GET /api/v1/conversations", "bo", "", None)]
        assert [conversation["product"] for conversation in found] == ["valve"]
    finally:
        admin.change_right("valve", "", STAFF)


def test_a_name_that_is_only_guessed_hides_no_answer_and_one_that_was_told_does(
    stratas: tuple[Strata, Strata],
) -> None:
    chatbot = stratas[0].chatbot
    seen, whole = (c.conversations.of(BO.id) for c in (chatbot.seen_by(BO.viewer), chatbot))
    guessed, told = (kept.start("", "Hello, valve!") for kept in (seen, whole))
    reply = answer(answer="Is it the valve?", product=None, release=None)
    for kept, conversation in ((seen, guessed), (whole, told)):
        kept.add(conversation, "Hello, valve!", reply)
    assert len(seen.turns(guessed)) == 1
    assert len(whole.turns(told)) == 1
    found = [row.id for row in seen.recent(wanted="hello")]
    assert (guessed in found, told in found) == (True, False)
    assert seen.turns(told) == ()
    for conversation in (guessed, told):
        whole.delete(conversation)


PARTED = (
    "Do valves wear out?",
    "What is the hold_time of ValveServer?",
    "ValveServer 2.0: hold_time?",
    "Which products do you know, ValveServer or valves?",
    "hold_time of the valves in 2.0, and how long does the seal of the pump last in 1.0?",
    "How long does the seal of the pump last, and what are valves?",
    "Is the seal of the pump 1.0 as in valve 2.0?",
)
"""Questions with the name as a part of a word, which hides no answer."""


@pytest.mark.parametrize("product", [None, "pump"])
def test_an_answer_with_its_name_in_a_word_is_gone_or_as_where_the_product_is_not(
    stratas: tuple[Strata, Strata], product: str | None
) -> None:
    hidden, without = (strata.chatbot for strata in stratas)
    admin = Administration(hidden.database, LOCAL)
    admin.change_right("valve", "", None)
    try:
        kept = [hidden.ask(q, product=product, conversation=NEW, owner=BO.id) for q in PARTED]
    finally:
        admin.change_right("valve", "", STAFF)
    seen = hidden.seen_by(BO.viewer).conversations.of(BO.id)
    for question, reply in zip(PARTED, kept, strict=True):
        assert reply.conversation is not None
        told = [turn.reply.answer for turn in seen.turns(reply.conversation)]
        assert told in ([], [without.ask(question, product=product).content.answer])
        hidden.conversations.of(BO.id).delete(reply.conversation)
    assert any(SECRETS[0] in reply.content.answer for reply in kept) == (product is None)


def uploaded(strata: Strata, key: str, place: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {strata.keys[key]}"}
    url = f"{strata.address}/api/v1/jobs?product={place}"
    files = {"files": ("a.md", b"# A\n\nText of a file.\n")}
    return httpx.post(url, files=files, headers=headers, timeout=60)


UPLOADED = {
    **{f"robot {of}": ("robot", of, 202) for of in ("valve 2.0", "valve 2.00", "pumpe 1.0")},
    **{f"pat {of}": ("pat", of, 404) for of in ("valve 2.0", "VLV 1.0", "pumpe 1.0")},
    **{f"pat {of}": ("pat", of, 202) for of in ("pump 1.0", "Pump 7.0")},
    "bo": ("bo", "pump 1.0", 403),
}


@each(UPLOADED)
def test_an_upload_is_taken_alike(
    stratas: tuple[Strata, Strata], case: tuple[str, str, int]
) -> None:
    key, place, status = case
    replies = [uploaded(strata, key, place.replace(" ", "&release=")) for strata in stratas]
    assert replies[0].status_code == status
    moments = {"id", "as_of"}
    one, other = ({k: v for k, v in alike(r.json()).items() if k not in moments} for r in replies)
    assert one == other


def test_a_key_of_an_admin_of_products_goes_with_what_they_administer(
    stratas: tuple[Strata, Strata],
) -> None:
    # In both, of which others compare the jobs.
    for strata in stratas:
        job = uploaded(strata, "pat", "pump&release=1.0").json()["id"]
        others = uploaded(strata, "robot", "pump&release=1.0").json()["id"]
        assert strata.ask("GET", f"/api/v1/jobs/{job}", "pat").status_code == 200
        assert strata.ask("DELETE", f"/api/v1/jobs/{others}", "pat").status_code == 422
        assert strata.ask("DELETE", f"/api/v1/jobs/{job}", "pat").status_code == 200
        rights = Rights(strata.chatbot.database)
        rights.change_admins("pump", ())
        try:
            assert uploaded(strata, "pat", "pump&release=1.0").status_code == 403
            assert strata.ask("GET", "/api/v1/jobs", "pat").status_code == 403
        finally:
            rights.change_admins("pump", [PAT.id])


MANAGED = {
    "GET /api/v1/release-gaps?product=pump": 200,
    "GET /api/v1/waiting": 200,
    "POST /api/v1/waiting?product=pump&release=1.0": 409,
    "DELETE /api/v1/waiting?product=pump&release=1.0": 409,
    "GET /api/v1/checks?product=pump&release=1.0": 404,
    "POST /api/v1/checks?product=pump&release=1.0": 202,
    "POST /api/v1/packs?product=pump&release=1.0": 202,
    "GET /api/v1/sources": 200,
    f"GET /api/v1/sources/{OF_PUMP}": 200,
    f"PUT /api/v1/sources/{OF_PUMP}/hook": 200,
    f"DELETE /api/v1/sources/{OF_PUMP}/hook": 204,
    f"POST /api/v1/sources/{OF_PUMP}/sync": 202,
}
"""What the admin of the pump does with it."""


def test_an_admin_of_products_manages_these_by_a_key(stratas: tuple[Strata, Strata]) -> None:
    for strata in stratas:
        replies = {what: strata.ask(*what.split(), "pat") for what in MANAGED}
        assert {what: reply.status_code for what, reply in replies.items()} == MANAGED
        (source,) = replies["GET /api/v1/sources"].json()
        assert (source["id"], source["product"]) == (OF_PUMP, "pump")
        daily = {"schedule": "daily"}
        place = f"/api/v1/sources/{OF_PUMP}/schedule"
        assert strata.ask("PUT", place, "pat", daily).json()["schedule"] == "daily"
        rights = Rights(strata.chatbot.database)
        rights.change_admins("pump", ())
        try:
            assert {strata.ask(*what.split(), "pat").status_code for what in MANAGED} == {403}
        finally:
            rights.change_admins("pump", [PAT.id])


@each({route: (route, body) for route, body in OF_ALL.items()})
def test_what_is_about_all_of_strata_stays_with_its_admins(
    stratas: tuple[Strata, Strata], case: tuple[str, Any]
) -> None:
    method, place = case[0].split()
    place = place.format(source=OF_PUMP)
    for strata in stratas:
        assert strata.ask(method, place, "pat", case[1]).status_code == 403


def packed(strata: Strata, product: str, folder: Path) -> bytes:
    key = folder / "key.pem"
    if not key.exists():
        own_key(folder)
        key = next(folder.rglob("*.pem"))
    made = ReleasePacks(strata.chatbot, LOCAL).make(
        product, "1.0", folder / f"{product}.strata", key=key
    )
    trust_from_now(strata.chatbot.settings.data_dir, made.signer)
    return Path(made.file).read_bytes()


def test_a_pack_of_it_is_as_one_of_what_is_not_there(
    stratas: tuple[Strata, Strata], tmp_path: Path
) -> None:
    hidden, without = stratas
    valve = packed(hidden, "valve", tmp_path)
    pump = packed(without, "pump", tmp_path)
    packed(hidden, "pump", tmp_path)

    def taken(strata: Strata, data: bytes, trust: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {strata.keys['pat']}"}
        url = f"{strata.address}/api/v1/packs{trust}"
        return httpx.put(url, files={"files": ("a.strata", data)}, headers=headers, timeout=60)

    one, other = (taken(strata, valve) for strata in stratas)
    assert (one.status_code, one.json()) == (other.status_code, other.json())
    assert one.status_code == 404
    assert [taken(strata, pump).status_code for strata in stratas] == [202, 202]
    assert taken(hidden, pump, "?trust=ab").status_code == 403


# MCP

CALLS: dict[str, list[dict[str, Any]]] = {
    "releases": [{}],
    "ask": [{"question": QUESTION}, {"question": QUESTION, "product": "valve", "release": "2.0"}],
    "compare": [
        {"topic": "hold_time", "first": "1.0", "second": "2.0", "product": "valve"},
        {"topic": "hold_time of the valve", "first": "1.0", "second": "2.0"},
    ],
    "search": [{"query": "hold_time", "product": "valve", "release": "2.0"}, {"query": QUESTION}],
    "read_page": [{"page_id": "{page}"}],
    "which_release": [{"project": {"requirements.txt": "valve==2.0\n"}}],
    "upgrade_guide": [{"product": "valve", "older": "1.0", "newer": "2.0"}],
}
CALLED = {
    f"{key} {tool} {number}": (tool, key, arguments)
    for tool, asked in CALLS.items()
    for number, arguments in enumerate(asked)
    for key in ("bo", "robot")
}


def test_every_tool_is_tried() -> None:
    assert CALLS.keys() == TOOLS.keys()
    assert {tool.name for tool in asyncio.run(mcp_server(no_chatbot).list_tools())} == CALLS.keys()


def called(strata: Strata, method: str, params: Any, key: str) -> Any:
    strata.forget_use()
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": filled_in(params, strata.ids)}
    return alike(strata.ask("POST", "/mcp", key, body).json())


@each(CALLED)
def test_a_tool_tells_nothing_of_it(stratas: tuple[Strata, Strata], case: Any) -> None:
    tool, key, arguments = case
    params = {"name": tool, "arguments": arguments}
    one, other = (called(strata, "tools/call", params, key) for strata in stratas)
    assert one == other


@pytest.mark.parametrize("resource", sorted(RESOURCES))
def test_a_resource_tells_nothing_of_it(stratas: tuple[Strata, Strata], resource: str) -> None:
    hidden = stratas[0]
    uri = resource.format(page_id=hidden.ids["page"], product="valve", release="2.0")
    one, other = (called(strata, "resources/read", {"uri": uri}, "bo") for strata in stratas)
    assert one == other
    assert "result" in called(hidden, "resources/read", {"uri": uri}, "staff")
    assert "valve" in str(
        called(hidden, "tools/call", {"name": "releases", "arguments": {}}, "staff")
    )


@pytest.mark.parametrize("route", sorted(OPEN))
def test_what_needs_no_key_tells_nothing_of_it(stratas: tuple[Strata, Strata], route: str) -> None:
    path = route.split()[1]
    one, other = (httpx.get(strata.address + path, timeout=30).text for strata in stratas)
    assert one == other


# One release of a product that is open

OF_RELEASE: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    "search": ("POST /api/v1/search", "", lambda r: {
        "query": "hold_time", "product": "valve", "release": r}),
    "changes": ("GET /api/v1/changes", "?product=valve&older=1.0&newer={}", lambda r: None),
    "upgrade": ("POST /api/v1/upgrade-guide", "", lambda r: {
        "product": "valve", "older": "1.0", "newer": r}),
    "ask": (ANSWERED, "", lambda r: {"question": "How long is the log kept?", "product": "valve",
        "release": r}),
    "ask in words": (ANSWERED, "", lambda r: {
        "question": f"What is the default of hold_time in {r}?", "product": "valve"}),
    "list": (ANSWERED, "", lambda r: {"question": "Which releases of valve are there?"}),
    "since when": (ANSWERED, "", lambda r: {
        "question": "Since which release is hold_time documented?", "product": "valve"}),
    "model": (CHAT, "", lambda r: {
        "model": f"strata/valve@{r}", "messages": [{"role": "user", "content": "hold_time?"}]}),
}  # fmt: skip


@each(OF_RELEASE)
def test_a_release_that_is_hidden_is_as_one_that_is_not_there(
    stratas: tuple[Strata, Strata], case: Any
) -> None:
    hidden, _ = stratas
    route, path, body = case
    admin = Administration(hidden.chatbot.database, LOCAL)
    admin.change_right("valve", "", None)
    admin.change_right("valve", "2.0", STAFF)
    try:
        replies = [
            str(told(hidden, route, "bo", path.format(release), body(release))).replace(
                release, "N"
            )
            for release in ("2.0", "7.0")
        ]
        assert replies[0] == replies[1]
        assert "45" not in replies[0]
        assert "90 days" not in replies[0]
    finally:
        admin.change_right("valve", "2.0", None)
        admin.change_right("valve", "", STAFF)

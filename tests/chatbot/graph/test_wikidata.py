"""Wikidata from a small server that answers as its query service does, and as it should not."""

import asyncio
import json
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.graph.wikidata import Wikidata, is_plain, query
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.settings import read_settings
from chatbot.turn import Triplet
from ingestion.errors import BadSettings
from tests.chatbot import lamp
from tests.chatbot.memory_bots import Bot
from tests.chatbot.small_server import Answer, Request, raw, refuses, serving

REPLY = Path(__file__).with_name("wikidata_reply.json").read_text("utf-8")
"""In the form of the query service, with rows that nobody asked for and one that is hostile."""
RESULTS = "application/sparql-results+json"
NAMES = frozenset({"SQLite", "C", "event log"})
STATED = (
    Triplet("SQLite", "programmed in", "C", source="Wikidata"),
    Triplet("SQLite", "has part(s)", "event log", source="Wikidata"),
)
GOOD = raw(REPLY, RESULTS)


def between(graph: Wikidata, names: Collection[str] = NAMES) -> tuple[Triplet, ...]:
    return asyncio.run(graph.between(names))


def test_what_is_stated_between_the_names_comes_without_a_citation() -> None:
    with serving(GOOD) as server:
        graph = Wikidata(server.url, "ops@example.org")
        # The same names are asked once.
        assert between(graph) == between(graph, sorted(NAMES, reverse=True)) == STATED
    (headers,) = server.headers
    assert (headers["Accept"], headers["User-Agent"]) == (RESULTS, "Strata (ops@example.org)")
    assert server.bodies == [{"query": query(sorted(NAMES))}]


def endless(request: Request) -> None:
    request.begin(200, RESULTS)
    while True:
        request.wfile.write(b'{"head":{"vars":[]},' + b" " * 10_000)


def a_byte_at_a_time(request: Request) -> None:
    request.begin(200, RESULTS)
    for letter in REPLY:
        request.wfile.write(letter.encode())
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refuses(429, retry_after="5"), "it answers 429"),
        (refuses(500, "java.util.concurrent.TimeoutException"), "it answers 500"),
        (refuses(301, location="http://127.0.0.1:1/"), "it answers 301"),
        (raw("<html>Wikimedia Error</html>", "text/html"), "not a SPARQL result"),
        (raw(REPLY[:-40] + "java.lang.RuntimeException", RESULTS), "not a SPARQL result"),
        (
            raw('{"results": {"bindings": [{"head": {"value": 1}}]}}', RESULTS),
            "not a SPARQL result",
        ),
        (raw("[" * 100_000, RESULTS), "not a SPARQL result"),
        (raw("", RESULTS, pause=5), "no reply within 0.3 seconds"),
        (a_byte_at_a_time, "no reply within 0.3 seconds"),
        (endless, "larger than 262,144 bytes"),
    ],
)
def test_what_is_late_broken_or_refused_states_nothing_and_is_logged_once(
    answer: Answer, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(answer) as server:
        graph = Wikidata(server.url, patience=0.3 if "within" in reason else 5)
        began = time.monotonic()
        assert between(graph) == between(graph) == ()
        assert time.monotonic() - began < 3
        assert len(server.bodies) == 1
    (told,) = caplog.messages
    assert reason in told
    assert "asked again after 60 seconds" in told
    assert "SQLite" not in told


KEPT_HERE = [
    'C"@en } ?s ?p ?o . { "',
    "SQLite} UNION {?s ?p ?o",
    "back\\slash",
    "two\nlines",
    "10 Gbit/s",
    "hold_time",
    "ada@example.org",
    "db1.corp.example",
    "/etc/relay.conf",
    "https://intranet",
    "192.168.1.5",
    "a name of far more words than names have",
    "x" * 61,
    "",
]


def test_only_plain_words_go_out() -> None:
    assert [name for name in KEPT_HERE if is_plain(name)] == []
    with serving(GOOD) as server:
        graph = Wikidata(server.url)
        between(graph, {*NAMES, *KEPT_HERE, "C++", "AT&T", "O'Reilly Media"})
        (body,) = server.bodies
        sent = ["AT&T", "C", "C++", "O'Reilly Media", "SQLite", "event log"]
        assert body["query"] == query(sent)
        assert between(graph, {"SQLite", *KEPT_HERE}) == ()
        assert len(server.bodies) == 1


@given(st.text(st.characters(), max_size=20) | st.sampled_from(KEPT_HERE))
def test_no_name_that_goes_out_can_end_its_string(name: str) -> None:
    assert not (is_plain(name) and set(name) & set('"\\{}\r\n'))


def test_a_setting_that_is_no_address_is_refused_at_once() -> None:
    assert read_settings(graph_wikidata="").graph_wikidata == ""
    with pytest.raises(BadSettings, match=r"STRATA_GRAPH_WIKIDATA\): on is not a web address"):
        read_settings(graph_wikidata="on")
    with pytest.raises(BadSettings, match="STRATA_GRAPH_WIKIDATA_CONTACT"):
        read_settings(graph_wikidata_contact="ops@exämple.org")


LOG = "How long is the event log kept in 17.20?"
PAIR = "Where does the relay keep its event log, and for how long?"
PAIR_ANSWER = "The relay keeps its event log for 30 days. SQLite holds it, a program in C."
TRIPLETS = [
    {"head": "relay", "relation": "keeps", "tail": "event log"},
    {"head": "SQLite", "relation": "program in", "tail": "C"},
]
SAID = "The relay keeps its event log for 30 days. The event log is part of SQLite."

MakeBot = Callable[..., Bot]


@pytest.fixture
def bot(remember: MakeBot) -> MakeBot:
    def make(profile: str, **options: Any) -> Bot:
        reads = Rule(step="triplets", reply=json.dumps({"triplets": TRIPLETS}))
        model = ScriptedChatModel(rules=[reads, lamp.STUBBORN, lamp.answer(SAID)])
        made = remember(model, profile=profile, graph_threshold=0.3, **options)
        made.answered_before(PAIR, PAIR_ANSWER)
        return made

    return make


@pytest.mark.database
@pytest.mark.parametrize("profile", ["textcontextgen", "graphcontextgen"])
def test_what_wikidata_alone_states_is_shown_apart_and_never_said(
    bot: MakeBot, profile: str
) -> None:
    with serving(GOOD) as server:
        reply = bot(profile, graph_wikidata=server.url).ask(LOG)
        (body,) = server.bodies
    assert body["query"] == query(["C", "SQLite", "event log", "relay"])
    (asked,) = (c for c in reply.turn.calls if c.step == "answer_generation")
    assert (
        "Not from the documentation, for understanding only, never to be stated:\n<relations>\n"
        "Wikidata: SQLite programmed in C.\nWikidata: SQLite has part(s) event log.\n</relations>"
    ) in asked.prompt[-1][1]
    told = reply.content
    assert told.answer.startswith("The relay keeps its event log for 30 days [1].")
    assert "SQLite" not in told.answer
    assert told.outside == ("Wikidata: SQLite has part(s) event log.",)
    assert {c.release for c in told.citations} == {"17.20"}
    # Where it fails, the same is answered without it.
    with serving(refuses(500)) as server:
        told = bot(profile, graph_wikidata=server.url).ask(LOG).content
    assert told.answer.startswith("The relay keeps its event log for 30 days [1].")
    assert told.outside == ()


@pytest.mark.database
@pytest.mark.parametrize("profile", ["embedded", "textgen", "graphgen", "textcontextgen"])
def test_profiles_without_relations_never_ask_it_nor_who_asks_afresh(
    bot: MakeBot, profile: str
) -> None:
    with serving(GOOD) as server:
        bot(profile, graph_wikidata=server.url).ask(LOG, afresh=profile == "textcontextgen")
        assert server.bodies == []

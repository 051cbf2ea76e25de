"""The attacks as one table: how many there are of each class, and that each says what stops it."""

from __future__ import annotations

from collections import Counter

from tests.chatbot.test_hostile import CASES as INJECTED
from tests.ui.attacks import requests_table as requests
from tests.ui.attacks.attack import Attack
from tests.ui.attacks.test_documents import DOCUMENTS
from tests.ui.attacks.test_exports import FORMULAS, MARKUP, TERMINAL
from tests.ui.attacks.test_failures import CASES as FAILURES
from tests.ui.attacks.test_files import CASES as FILES
from tests.ui.attacks.test_long_numbers import CASES as LONG_NUMBERS
from tests.ui.attacks.test_long_turns import CASES as LONG_TURNS
from tests.ui.attacks.test_malformed import CASES as MALFORMED
from tests.ui.attacks.test_memory import TAKEN
from tests.ui.attacks.test_names import CASES as ALIKE
from tests.ui.attacks.test_other_models import CASES as TOLD_AGENTS
from tests.ui.attacks.test_pages import CASES as PAGES
from tests.ui.attacks.test_parsers import CASES as PARSERS
from tests.ui.attacks.test_publishing import CASES as PUBLISHING
from tests.ui.attacks.test_requests import CITED
from tests.ui.attacks.test_resources import CASES as RESOURCES
from tests.ui.attacks.test_roles import ANOTHER_S, GUARDED, NOBODY, OF_MCP, WITHOUT_SCOPE
from tests.ui.attacks.test_shares import CASES as SHARES
from tests.ui.attacks.test_sign_in import CASES as SIGN_IN
from tests.ui.attacks.test_supply_chain import CASES as SUPPLY_CHAIN
from tests.ui.attacks.test_two_admins import CASES as TWO_ADMINS
from tests.ui.attacks.uploads_table import UPLOADS
from tests.ui.payloads import PAYLOADS

SECTION = "data stands in sections of a prompt that it cannot close, without what templates obey"
CHECKED = "names, figures and units of a lead that stand in no passage go, and the lead with them"
SANITIZED = "an answer holds no link, picture, HTML or address that the evidence does not have"
STOPPED: dict[str, str] = {
    "tags": SECTION,
    "control_tokens": SECTION,
    "fake_turns": SECTION,
    "fake_replies": "what steps reply is parsed strictly, and held against what was asked",
    "citations": "marks without a passage go; citations are made from passages, not by the model",
    "instructions": CHECKED,
    "exfiltration": SANITIZED,
    "invisible": "what nobody sees is taken out before reading and after writing",
    "templates": "prompts are rendered once; what was put in is not rendered again",
    "length": "evidence, conversation and question have their shares of a prompt",
    "release": "the release is resolved by rules over the catalog, and retrieval is bound to it",
}
"""By kind what stops an injection, also where the model obeys it."""
TABLE: list[Attack] = [
    *requests.REFUSED,
    *requests.GIVES_NOTHING,
    *ALIKE,
    *CITED,
    *NOBODY,
    *WITHOUT_SCOPE,
    *ANOTHER_S,
    *OF_MCP,
    *GUARDED,
    *MALFORMED,
    *FAILURES,
    *LONG_NUMBERS,
    *UPLOADS,
    *FILES,
    *PARSERS,
    *PUBLISHING,
    *SUPPLY_CHAIN,
    *FORMULAS,
    *MARKUP,
    *TERMINAL,
    *RESOURCES,
    *PAGES,
    *SHARES,
    *TOLD_AGENTS,
    *SIGN_IN,
    *LONG_TURNS,
    *TWO_ADMINS,
    *DOCUMENTS,
    *TAKEN,
    *(
        Attack(c.id, "injection", c.place, c.written, "the model's obedience has an effect",
               STOPPED[c.kind])
        for c in INJECTED
    ),
    *(
        Attack(f"stored-{n}", "stored text", "every page", text, "a page shows more than text",
               "text is escaped for the page, and the browser's policy lets nothing load or run")
        for n, text in enumerate(PAYLOADS)
    ),
]  # fmt: skip
LEAST = {
    "role": 125,
    "origin": 45,
    "proxy header": 30,
    "key": 15,
    "path": 35,
    "host": 28,
    "method": 10,
    "wire": 15,
    "malformed": 45,
    "upload": 70,
    "file": 12,
    "parser": 45,
    "publishing": 7,
    "supply chain": 4,
    "export": 65,
    "resources": 61,
    "injection": 125,
    "document": 11,
    "memory": 4,
    "stored text": 75,
    "sign-in": 40,
    "two admins": 7,
}
"""How many of each class there are at least."""


def test_every_case_stands_once_and_says_what_stops_it() -> None:
    ids = Counter((case.kind, case.id) for case in TABLE)
    assert [twice for twice, number in ids.items() if number > 1] == []
    assert all(case.must_not and case.stopped_by for case in TABLE)


def test_there_are_enough_of_every_class() -> None:
    found = Counter(case.kind for case in TABLE)
    assert found.keys() == LEAST.keys()
    assert {kind: found[kind] for kind in LEAST if found[kind] < LEAST[kind]} == {}


def test_injections_come_by_every_door() -> None:
    doors = Counter(case.door for case in TABLE if case.kind == "injection")
    needed = {
        "document": 60,
        "question": 14,
        "memory": 10,
        "glossary": 8,
        "file": 7,
        "history": 3,
        "mcp": 5,
    }
    assert {door for door, least in needed.items() if doors[door] < least} == set()

"""One person with many keys: they have no more of the server than one person may."""

from __future__ import annotations

import pytest

from chatbot.accounts.people import BadInput, Person
from chatbot.accounts.program_keys import MOST_KEYS, ProgramKeys, Scope
from tests.ui.attacks.attack import Attack
from tests.ui.attacks.conftest import Server

ONE_COUNT = "what is asked with a key counts for all keys of its owner, in the database"
AT_MOST = "a key has the usual limit at most, and a person so many keys, unless an admin gives more"


def _one(id: str, payload: object, by: str, *told: object) -> Attack:
    return Attack(
        id, "resources", "key", payload, "a person has the server to themselves", by, told
    )


def per_minute(server: Server, route: str, keys: tuple[str, ...]) -> list[int]:
    """The statuses of requests with keys in turn."""
    method, path = route.split()
    body = '{"query": "hold_time", "product": "valve", "release": "2.0"}'
    return [server.ask(method, path, server.keys[key], body=body) for key in keys]


TWO_KEYS = [
    _one(f"two-keys-of-one-{name}", route, ONE_COUNT, 200, 200, 200, 429, 429, 429)
    for name, route in (
        ("search", "POST /api/v1/search"),
        ("pages", "GET /api/v1/pages/1?quote=hold"),
        ("changes", "GET /api/v1/changes?product=valve&older=1.0&newer=2.0"),
    )
]


@pytest.mark.parametrize("case", TWO_KEYS, ids=str)
def test_two_keys_of_one_person_are_one(server: Server, case: Attack) -> None:
    server.forget_use()
    told = per_minute(server, case.payload, ("few 1", "few 2") * 3)
    assert told == list(case.refused)
    assert per_minute(server, case.payload, ("all",)) == [200]


MADE = [
    _one("key-without-a-limit", 0, AT_MOST, "at most 20 questions"),
    _one("key-of-a-large-limit", 10_000, AT_MOST, "at most 20 questions"),
    _one("key-below-nothing", -5, AT_MOST, "at most 20 questions"),
    _one("any-number-of-keys", 20, AT_MOST, "revoke one"),
]


@pytest.mark.parametrize("case", MADE, ids=str)
def test_a_person_makes_no_key_beyond_their_share(server: Server, case: Attack) -> None:
    mal = Person(f"mal-{case}@example.org", "Mal", is_admin=False)
    keys = ProgramKeys(server.database)

    def make_keys() -> None:
        for _ in range(MOST_KEYS + 1):
            keys.make(mal, "mine", [Scope.ASK], case.payload, usual=20)

    with pytest.raises(BadInput, match=case.refused[0]):
        make_keys()


CASES = [*TWO_KEYS, *MADE]

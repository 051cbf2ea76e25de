"""Every forged request of the table, put to a real server as it stands on the wire."""

import json
import re

import pytest

from tests.browser.signing_in import PROXY
from tests.ui.attacks.conftest import ADA, SECRET, Server, each
from tests.ui.attacks.requests_table import GIVES_NOTHING, REFUSED
from tests.ui.attacks.test_malformed import send

pytestmark = pytest.mark.database

GIVEN_AWAY = (b"root:x:0", b"python_gc", b"process_resident", b"active_sessions", SECRET.encode())
"""What stands in what nobody may get: a file of the machine, figures, a conversation."""


def sent(server: Server, text: str) -> bytes:
    key = server.keys["all"]
    for name, value in {"port": str(server.port), "key": key, "key_cut": key[:-1]}.items():
        text = text.replace(f"{{{name}}}", value)
    return server.raw(text.replace("{{}}", "{}").encode("latin-1"), seconds=1)


def status(told: bytes) -> int:
    return int(told.split(b" ", 2)[1]) if told.startswith(b"HTTP/") else 0


def test_what_is_guarded_is_there_for_who_may_have_it(server: Server) -> None:
    request = f"GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\nX-Forwarded-Email: {ADA.id}\r\n\r\n"
    named = server.raw(request.encode(), PROXY, seconds=1)
    assert status(named) == 200
    assert any(words in named for words in GIVEN_AWAY)


HOSTS = {
    "host": {"Host": "evil.test"},
    "host-and-port": {"Host": "127.0.0.1:1"},
    "forwarded": {"X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "javascript"},
    "prefix": {"X-Forwarded-Prefix": "//evil.test", "X-Script-Name": "//evil.test"},
}


@pytest.mark.parametrize("stream", [False, True])
@each(HOSTS)
def test_citations_lead_home_whatever_host_is_named(
    server: Server, case: dict[str, str], stream: bool
) -> None:
    question = {"role": "user", "content": "What is the default of hold_time?"}
    body = json.dumps({"model": "strata/valve@2.0", "messages": [question], "stream": stream})
    told = send(server, "POST", "/v1/chat/completions", body, **case)
    assert told.status_code == 200
    places = re.findall(r'"url": ?"([^"]*)"', told.text)
    assert places
    assert all(place.startswith(f"{server.address}/api/v1/pages/") for place in places)


@each(REFUSED)
def test_a_forged_request_is_refused(server: Server, case: tuple[str, list[int]]) -> None:
    request, refused = case
    told = sent(server, request)
    assert status(told) in refused, told[:300]
    assert not any(words in told for words in GIVEN_AWAY)


@each(GIVES_NOTHING)
def test_another_way_to_a_place_gives_nothing(server: Server, case: str) -> None:
    told = sent(server, case)
    assert not any(words in told for words in GIVEN_AWAY)
    assert status(told) != 500
    assert told.count(b"HTTP/1.1 200") <= 1
    head = told.partition(b"\r\n\r\n")[0]
    assert b"a=b" not in head
    # The page of Strata may come instead, which asks who is there; nothing may lead elsewhere.
    for place in re.findall(rb"(?im)^location: *(.*?)\r?$", head):
        assert re.match(rb"/(?![/\\])", place), place


ALIKE = {
    "long-s": ("chriſ@example.org", 401),
    "sharp-s": ("voß@example.org", 403),
    "kelvin": ("\N{KELVIN SIGN}im@example.org", 401),
    "ligature": ("ﬁn@example.org", 401),
    "full-width": ("ａda@example.org", 401),
    "dotted-capital": ("kİm@example.org", 403),
    "no-break-space": ("\xa0ada@example.org", 401),
    "no-break-space-behind": ("ada@example.org\xa0", 401),
    "narrow-space": ("ada@example.org\u202f", 401),
    "em-space": ("\u2003ada@example.org", 401),
    "line-separator": ("ada@example.org\u2028", 401),
    "unit-separator": ("ada@example.org\x1f", 401),
    "next-line": ("ada@example.org\x85", 401),
    "invisible": ("ada\u200b@example.org", 401),
    "joined-letter": ("a\N{COMBINING DIAERESIS}da@example.org", 401),
}
"""By kind an address that is not quite an admin's, and how it is refused."""
ADMINS = (ADA.id, "chris@example.org", "voss@example.org", "kim@example.org", "fin@example.org")


def named(server: Server, address: str) -> int:
    """The status of an admins' address for who comes from the proxy under a name."""
    head = b"GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\nX-Forwarded-Email: "
    return status(server.raw(head + address.encode() + b"\r\n\r\n", PROXY, seconds=1))


@each(ALIKE)
def test_a_name_like_an_admin_s_is_not_theirs(server: Server, case: tuple[str, int]) -> None:
    address, refused = case
    assert named(server, address) in (refused, 400)


def test_an_admin_s_own_name_is_theirs_in_capitals_too(server: Server) -> None:
    assert [named(server, name) for name in ADMINS] == [200] * len(ADMINS)
    assert named(server, " ADA@Example.org ") == 200

"""Signing in with OpenID Connect, attacked from all sides: browser, provider, a stranger's link.

The provider is the test's own, so that it can say what no honest one says.
"""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from chatbot.settings import Settings
from tests.browser.conftest import free_port, strata_serves
from tests.data_folders import copy_data
from tests.loopback import Asked, Reply, listening
from tests.ui.attacks.conftest import ADA, each

CLIENT, CLIENT_SECRET, COOKIE_SECRET = "strata", "a-secret-of-the-client", "c" * 40
KEY, OTHER_KEY = (RSAKey.generate_key(2048, {"kid": "1"}) for _ in range(2))
ADMINS = "/_stcore/metrics"
"""What only an admin gets."""

Claims = dict[str, Any]


@dataclass
class Provider:
    """What a provider says to the next code that is exchanged."""

    address: str = ""
    nonce: str = ""
    answers: Callable[[Provider], Claims] = lambda provider: {}
    exchanged: list[dict[str, list[str]]] = field(default_factory=list)

    def claims(self, **other: Any) -> Claims:
        """The claims of an ID token of Ada, an admin; those that are None are left out."""
        now = int(time.time())
        said = {"iss": self.address, "sub": "1", "aud": CLIENT, "iat": now, "exp": now + 600,
                "nonce": self.nonce, "email": ADA.id, "email_verified": True} | other  # fmt: skip
        return {name: value for name, value in said.items() if value is not None}


def signed(claims: Claims, key: RSAKey = KEY) -> Claims:
    """A reply of the provider with an ID token."""
    return reply(jwt.encode({"alg": "RS256", "kid": "1"}, claims, key))


def reply(token: str) -> Claims:
    return {"access_token": "a", "token_type": "Bearer", "id_token": token}


def by_hand(claims: Claims, secret: bytes) -> str:
    """A token signed with a secret, or not at all, as no library would."""
    alg = "HS256" if secret else "none"
    parts = (json.dumps(part).encode() for part in ({"alg": alg, "kid": "1"}, claims))
    head = b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    mac = hmac.digest(secret, head, "sha256") if secret else b""
    return (head + b"." + urlsafe_b64encode(mac).rstrip(b"=")).decode()


@contextmanager
def served(provider: Provider) -> Iterator[None]:
    """Let the provider be asked over HTTP."""

    def reply(asked: Asked) -> Reply:
        at = provider.address
        if asked.method == "POST":
            provider.exchanged.append(parse_qs(asked.body.decode()))
            said = provider.answers(provider)
        elif asked.path == "/keys":
            said = {"keys": [KEY.as_dict(private=False)]}
        else:
            said = {"issuer": at, "authorization_endpoint": f"{at}/authorize",
                    "token_endpoint": f"{at}/token", "jwks_uri": f"{at}/keys",
                    "code_challenge_methods_supported": ["S256"]}  # fmt: skip
        return Reply(200, json.dumps(said).encode(), {"Content-Type": "application/json"})

    with listening(reply) as provider.address:
        yield


@pytest.fixture(scope="module")
def signs_in(
    valve_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Provider]]:
    """A real server where people sign in, its address, and its provider."""
    provider, port = Provider(), free_port()
    data = copy_data(valve_settings.data_dir, tmp_path_factory.mktemp("signed") / "data")
    with (
        served(provider),
        strata_serves(
            valve_settings.model_copy(update={"data_dir": data}),
            port=port,
            oidc_issuer=provider.address,
            oidc_client_id=CLIENT,
            oidc_client_secret=CLIENT_SECRET,
            cookie_secret=COOKIE_SECRET,
            public_url=f"http://127.0.0.1:{port}",
            admins=ADA.id,
        ) as address,
    ):
        yield address, provider


@pytest.fixture
def browser(signs_in: tuple[str, Provider]) -> Iterator[httpx.Client]:
    """Somebody's browser, which follows no redirect by itself."""
    with httpx.Client(base_url=signs_in[0], timeout=30) as client:
        yield client


def begin_token(secret: str = COOKIE_SECRET, provider: str = "default", left: int = 100) -> str:
    """What the page's button carries to /auth/login."""
    claims = {"provider": provider, "exp": int(time.time()) + left}
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(secret))


def begin(browser: httpx.Client, provider: Provider, **more: str) -> dict[str, str]:
    """Press the button; returns what the provider is asked with, and remembers the nonce."""
    told = browser.get("/auth/login", params={"provider": begin_token(), **more})
    place = urlsplit(told.headers["location"])
    assert f"{place.scheme}://{place.netloc}" == provider.address
    asked = {name: values[0] for name, values in parse_qs(place.query).items()}
    provider.nonce = asked["nonce"]
    return asked


def come_back(browser: httpx.Client, **params: str) -> int:
    """Come back from the provider; the status of what only admins get."""
    told = browser.get("/oauth2callback", params=params)
    assert told.status_code == 302
    assert told.headers["location"] == "/"
    return browser.get(ADMINS).status_code


def test_who_signs_in_honestly_is_signed_in(
    browser: httpx.Client, signs_in: tuple[str, Provider]
) -> None:
    address, provider = signs_in
    provider.answers = lambda at: signed(at.claims())
    asked = begin(browser, provider)
    assert come_back(browser, code="x", state=asked["state"]) == 200
    (exchanged,) = provider.exchanged[-1:]
    assert exchanged["redirect_uri"] == [asked["redirect_uri"]] == [f"{address}/oauth2callback"]
    assert asked["code_challenge_method"] == "S256"
    assert exchanged["code_verifier"]


PUBLIC = KEY.as_pem(private=False)
TOKENS: dict[str, Callable[[Provider], Claims]] = {
    "no-nonce": lambda at: signed(at.claims(nonce=None)),
    "other-nonce": lambda at: signed(at.claims(nonce="n" * 20)),
    "other-issuer": lambda at: signed(at.claims(iss="https://evil.test")),
    "issuer-with-slash": lambda at: signed(at.claims(iss=f"{at.address}/")),
    "no-issuer": lambda at: signed(at.claims(iss=None)),
    "other-client": lambda at: signed(at.claims(aud="other")),
    "other-clients": lambda at: signed(at.claims(aud=["other", "another"])),
    "for-another-party": lambda at: signed(at.claims(azp="other")),
    "expired": lambda at: signed(at.claims(exp=int(time.time()) - 600)),
    "not-yet": lambda at: signed(at.claims(nbf=int(time.time()) + 6_000)),
    "from-tomorrow": lambda at: signed(at.claims(iat=int(time.time()) + 86_400)),
    "no-subject": lambda at: signed(at.claims(sub=None)),
    "other-key": lambda at: signed(at.claims(), OTHER_KEY),
    "client-s-secret": lambda at: reply(by_hand(at.claims(), CLIENT_SECRET.encode())),
    "public-key-as-secret": lambda at: reply(by_hand(at.claims(), PUBLIC)),
    "unsigned": lambda at: reply(by_hand(at.claims(), b"")),
    "no-token": lambda at: {"access_token": "a", "token_type": "Bearer"},
    "token-of-rubbish": lambda at: {"access_token": "a", "id_token": "a.b.c"},
    "long-ago": lambda at: signed(at.claims(iat=int(time.time()) - 25 * 3600)),
    "unverified": lambda at: signed(at.claims(email_verified=False)),
    "empty-subject": lambda at: signed(at.claims(sub="")),
    "like-an-admin": lambda at: signed(at.claims(email="ａda@example.org")),
    "list-of-addresses": lambda at: signed(at.claims(email=[ADA.id])),
}


@each(TOKENS)
def test_a_token_that_is_not_for_this_sign_in_makes_no_admin(
    browser: httpx.Client, signs_in: tuple[str, Provider], case: Callable[[Provider], Claims]
) -> None:
    _, provider = signs_in
    provider.answers = case
    asked = begin(browser, provider)
    assert come_back(browser, code="x", state=asked["state"]) in (401, 403)


def _used(browser: httpx.Client, other: httpx.Client, state: str, provider: Provider) -> Claims:
    assert come_back(browser, code="x", state=state) == 200
    del browser.cookies["_streamlit_user"]
    return {"state": state}


def _older(browser: httpx.Client, other: httpx.Client, state: str, provider: Provider) -> Claims:
    """The state of a sign-in that was begun before another one, with the later one's nonce."""
    begin(browser, provider)
    return {"state": state}


STATES: dict[str, Callable[[httpx.Client, httpx.Client, str, Provider], Claims]] = {
    "none": lambda *_: {},
    "made-up": lambda *_: {"state": "s" * 30},
    "another-browser-s": lambda browser, other, state, at: {"state": begin(other, at)["state"]},
    "pattern": lambda browser, other, state, at: {"state": f"default_{state}"},
    "used": _used,
    "older": _older,
    "of-a-refusal": lambda browser, other, state, at: {
        "state": state,
        "error": "access_denied",
        "error_description": "\r\nSet-Cookie: a=b",
    },
}
"""What a link back carries beside its code."""


@each(STATES)
def test_a_link_back_that_is_not_this_browser_s_signs_nobody_in(
    browser: httpx.Client, signs_in: tuple[str, Provider], case: Any
) -> None:
    address, provider = signs_in
    provider.answers = lambda at: signed(at.claims())
    with httpx.Client(base_url=address, timeout=30) as other:
        state = begin(browser, provider)["state"]
        params = {"code": "x"} | case(browser, other, state, provider)
        assert come_back(browser, **params) == 401
        assert "a" not in browser.cookies


BEGUN = {
    "no-token": {},
    "other-secret": {"provider": begin_token("x" * 40)},
    "expired": {"provider": begin_token(left=-1)},
    "unsigned": {"provider": by_hand({"provider": "default", "exp": 2**31}, b"")},
}


@each(BEGUN)
def test_a_sign_in_that_no_button_began_goes_home(browser: httpx.Client, case: Claims) -> None:
    told = browser.get("/auth/login", params=case)
    assert (told.status_code, told.headers["location"]) == (302, "/")


ELSEWHERE: dict[str, dict[str, dict[str, str]]] = {
    "redirect": {"params": {"redirect_uri": "http://evil.test/oauth2callback"}},
    "next": {"params": {"next": "//evil.test", "origin": "http://evil.test"}},
    "host": {"headers": {"Host": "evil.test"}},
    "forwarded": {"headers": {"X-Forwarded-Host": "evil.test", "Forwarded": "host=evil.test"}},
}


@each(ELSEWHERE)
def test_who_signs_in_comes_back_here(
    browser: httpx.Client, signs_in: tuple[str, Provider], case: Any
) -> None:
    address, _ = signs_in
    params = {"provider": begin_token(), **case.get("params", {})}
    told = browser.get("/auth/login", params=params, headers=case.get("headers"))
    asked = parse_qs(urlsplit(told.headers["location"]).query)
    assert asked["redirect_uri"] == [f"{address}/oauth2callback"]
    assert "evil.test" not in told.headers["location"]


LINKS = {
    "out-by-picture": ("/auth/logout", {"Sec-Fetch-Dest": "image"}),
    "out-by-link": ("/auth/logout", {"Sec-Fetch-Mode": "navigate"}),
    "in-by-link": ("/auth/login", {"Sec-Fetch-Mode": "navigate"}),
}


@each(LINKS)
def test_a_page_elsewhere_signs_nobody_in_or_out(browser: httpx.Client, case: Any) -> None:
    path, headers = case
    from_elsewhere = {"Sec-Fetch-Site": "cross-site", **headers}
    told = browser.get(path, params={"provider": begin_token()}, headers=from_elsewhere)
    assert told.status_code == 403
    assert "set-cookie" not in told.headers

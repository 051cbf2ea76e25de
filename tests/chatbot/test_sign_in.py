import stat
from pathlib import Path
from typing import Any

import pytest

from chatbot.accounts.people import Account, person_of_account
from chatbot.accounts.sign_in import (
    account_of_claims,
    account_of_header,
    comes_from_proxy,
    cookie_secret,
)
from chatbot.errors import NotAllowed, NotSignedIn
from chatbot.settings import Settings, read_settings
from corpora.database.engine import Database
from ingestion.errors import BadSettings

NOW = 1_800_000_000
ISSUER = "https://id.example.org"
OIDC = {
    "oidc_issuer": ISSUER,
    "oidc_client_id": "strata",
    "oidc_client_secret": "s",
    "public_url": "https://strata.example.org",
    "admins": "ada@example.org",
}
PROXY = {
    "proxy_user_header": "X-Forwarded-Email",
    "proxy_addresses": "10.0.0.5, 192.168.7.0/24",
    "public_url": "https://strata.example.org",
    "admins": "ada@example.org",
}


def oidc(**settings: Any) -> Settings:
    return read_settings(**(OIDC | settings))


def claims(**more: Any) -> dict[str, Any]:
    return {"iss": ISSUER, "sub": "17", "iat": NOW - 60, "email": "bo@example.org"} | more


def signed_in(settings: Settings | None = None, **more: Any) -> Account:
    return account_of_claims(claims(**more), settings or oidc(), NOW)


def test_a_configured_address_is_an_admin_whatever_its_case() -> None:
    assert signed_in(name="Bo") == Account(f"{ISSUER}#17", "bo@example.org", "Bo", False)
    both = oidc(admins="ADA@example.org, Bo@Example.org")
    assert signed_in(both, email="bO@example.ORG").is_admin
    assert signed_in(email="Ada@Example.org", email_verified=True).is_admin
    assert signed_in(email="ada@example.org", email_verified="true").is_admin
    assert not signed_in(email="ada@example.org.evil").is_admin


@pytest.mark.parametrize("verified", [False, "false", 0, "no", [], "1"])
def test_an_address_that_is_not_verified_is_not_believed(verified: object) -> None:
    account = signed_in(email="ada@example.org", email_verified=verified)
    assert (account.address, account.is_admin) == ("", False)


@pytest.mark.parametrize(
    "address",
    [" ada@example.org", "ada@example.org\n", "ada@example.org\xa0", "ａda@example.org", 7, ["a"]],
)
def test_what_only_looks_like_an_address_is_none(address: object) -> None:
    account = signed_in(email=address)
    assert (account.address, account.is_admin) == ("", False)


@pytest.mark.parametrize(
    ("claim", "said", "is_admin"),
    [
        ("groups=strata-admins", {"groups": ["staff", "strata-admins"]}, True),
        ("groups=strata-admins", {"groups": "not-strata-admins"}, False),
        ("groups=strata-admins", {"groups": ["strata-admins-too"]}, False),
        ("groups=strata-admins", {"groups": {"strata-admins": True}}, False),
        ("groups=cn=admins,dc=lan", {"groups": ["cn=admins,dc=lan"]}, True),
        ("realm_access.roles=admin", {"realm_access": {"roles": ["admin"]}}, True),
        ("https://x.org/roles=admin", {"https://x.org/roles": ["admin"]}, True),
        ("realm_access.roles=admin", {"realm_access": ["roles"]}, False),
    ],
)
def test_a_claim_makes_an_admin(claim: str, said: dict[str, Any], is_admin: bool) -> None:
    assert signed_in(oidc(admins="", admin_claim=claim), **said).is_admin is is_admin


@pytest.mark.parametrize("missing", [{"iss": ""}, {"sub": None}, {"sub": 17}, {"iat": "yesterday"}])
def test_claims_that_name_nobody_are_refused(missing: dict[str, Any]) -> None:
    with pytest.raises(NotSignedIn):
        signed_in(**missing)


def test_a_sign_in_expires() -> None:
    assert signed_in(iat=NOW - 23 * 3600).address
    with pytest.raises(NotSignedIn, match="expired"):
        signed_in(iat=NOW - 25 * 3600)
    assert signed_in(oidc(sign_in_hours=48), iat=NOW - 25 * 3600).address


def test_users_may_be_named_by_address_or_domain() -> None:
    some = oidc(users="cy@other.org @example.org")
    assert signed_in(some, email="bo@example.org").address
    assert signed_in(some, email="Cy@other.org").address
    for stranger in ("di@other.org", "eve@example.org.evil", "example.org"):
        with pytest.raises(NotAllowed, match="may not use this Strata"):
            signed_in(some, email=stranger)
    with pytest.raises(NotAllowed):
        signed_in(some, email="bo@example.org", email_verified=False)
    assert signed_in(oidc(users="@other.org"), email="ada@example.org").is_admin


def test_a_proxy_names_people() -> None:
    settings = read_settings(**PROXY)
    assert account_of_header(" Ada@example.org ", settings).is_admin
    bo = account_of_header("bo@example.org", settings)
    assert (bo.address, bo.is_admin) == ("bo@example.org", False)
    assert account_of_header("jürgen".encode().decode("latin-1"), settings).name == "jürgen"
    for nobody in ("", "  ", "a\x00b", "x" * 400, "\xff", "\xa0ada@example.org", "a\u2003"):
        with pytest.raises(NotSignedIn):
            account_of_header(nobody, settings)


@pytest.mark.parametrize(
    ("host", "trusted"),
    [
        ("10.0.0.5", True),
        ("::ffff:10.0.0.5", True),
        ("192.168.7.200", True),
        ("10.0.0.50", False),
        ("127.0.0.1", False),
        ("", False),
        (None, False),
    ],
)
def test_only_the_proxy_comes_from_its_address(host: str | None, trusted: bool) -> None:
    assert comes_from_proxy(host, read_settings(**PROXY)) is trusted


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"oidc_issuer": ISSUER}, "STRATA_OIDC_ISSUER is set, but not STRATA_OIDC_CLIENT_ID, "),
        ({"oidc_client_id": "strata"}, "half configured"),
        (OIDC | {"public_url": None}, "half configured.*not STRATA_PUBLIC_URL"),
        (OIDC | {"oidc_client_secret": None}, "not STRATA_OIDC_CLIENT_SECRET"),
        (OIDC | {"admins": None}, "nobody would be an admin.*STRATA_ADMIN_CLAIM"),
        (PROXY | {"proxy_addresses": None}, "not STRATA_PROXY_ADDRESSES"),
        (PROXY | {"proxy_user_header": None}, "not STRATA_PROXY_USER_HEADER"),
        (PROXY | {"proxy_addresses": "0.0.0.0/0"}, "every address"),
        (PROXY | {"proxy_addresses": "::/0"}, "every address"),
        (PROXY | {"proxy_addresses": "anywhere"}, "STRATA_PROXY_ADDRESSES"),
        (PROXY | {"admin_claim": "groups=admins"}, "admin_claim needs sign-in with OIDC"),
        (PROXY | OIDC, "both set"),
        ({"admins": "ada@example.org"}, "no way to sign in"),
        ({"users": "@example.org"}, "no way to sign in"),
        (OIDC | {"admin_claim": "admins"}, "NAME=VALUE"),
        (OIDC | {"public_url": "http://strata.example.org"}, "needs https"),
        (OIDC | {"public_url": "https://example.org/strata"}, "without a path"),
        (OIDC | {"public_url": "strata.example.org"}, "like https://"),
        (OIDC | {"oidc_issuer": "http://id.example.org"}, "must use https"),
        (OIDC | {"cookie_secret": "short"}, "32 characters"),
        (OIDC | {"admins": "chri\u017f@example.org"}, "STRATA_ADMINS.*look-alike"),
        (OIDC | {"users": "ada@example.org\xa0"}, "STRATA_USERS.*look-alike"),
    ],
)
def test_half_a_sign_in_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadSettings, match=told):
        read_settings(**given)


def test_settings_with_sign_in_listen_anywhere_and_show_no_secret() -> None:
    assert oidc(host="0.0.0.0").sign_in == "oidc"
    assert read_settings(**PROXY, host="::").sign_in == "proxy"
    assert read_settings().sign_in == "none"
    shown = repr(oidc(oidc_client_secret="deep-secret", cookie_secret="deep-secret" * 4))
    assert "deep-secret" not in shown


def test_the_cookie_secret_is_made_once_for_its_owner_alone(data_dir: Path) -> None:
    settings = oidc(data_dir=data_dir)
    made = cookie_secret(settings)
    assert len(made) == 64
    assert cookie_secret(settings) == made
    assert [path.name for path in data_dir.iterdir()] == ["cookie-secret"]
    assert stat.S_IMODE((data_dir / "cookie-secret").stat().st_mode) == 0o600
    assert cookie_secret(oidc(data_dir=data_dir, cookie_secret="x" * 32)) == "x" * 32
    # A power cut emptied it.
    (data_dir / "cookie-secret").write_text("")
    anew = cookie_secret(settings)
    assert len(anew) == 64
    assert anew != made


def test_a_person_keeps_their_id_when_their_address_changes(database: Database) -> None:
    bo = person_of_account(database, signed_in(email="bo@example.org"))
    assert (bo.id, bo.is_admin) == ("bo@example.org", False)
    assert person_of_account(database, signed_in(email="robert@example.org")).id == bo.id


def test_an_address_that_changes_hands_opens_nothing(database: Database) -> None:
    assert person_of_account(database, signed_in(sub="17")).id == "bo@example.org"
    other = person_of_account(database, signed_in(sub="18"))
    assert other.id == f"{ISSUER}#18"
    assert person_of_account(database, signed_in(sub="17")).id == "bo@example.org"
    assert person_of_account(database, signed_in(iss="https://b.org")).id == "https://b.org#17"


def test_an_unverified_address_takes_nobodys_id(database: Database) -> None:
    assert person_of_account(database, signed_in(sub="6", email_verified=False)).id == f"{ISSUER}#6"
    assert person_of_account(database, signed_in(sub="17")).id == "bo@example.org"


@pytest.mark.parametrize(
    ("said", "groups"),
    [
        ({"groups": ["staff", "writers "]}, {"staff", "writers"}),
        ({"groups": "staff, writers"}, {"staff, writers"}),
        ({"groups": ["staff, writers", "a|b;c\\,d"]}, {"staff, writers", "a|b;c\\,d"}),
        ({"groups": ["staff", 7, None, {"a": 1}, ""]}, {"staff"}),
        ({"groups": {"staff": True}}, set()),
        ({"groups": None}, set()),
        ({"Groups": ["staff"]}, set()),
        ({}, set()),
    ],
)
def test_the_groups_of_a_claim(said: dict[str, Any], groups: set[str]) -> None:
    assert signed_in(oidc(groups_claim="groups"), **said).groups == groups
    assert signed_in(**said).groups == frozenset()
    nested = signed_in(oidc(groups_claim="a.b"), a={"b": ["staff"]})
    assert nested.groups == {"staff"}


@pytest.mark.parametrize(
    ("separator", "given", "groups"),
    [
        (",", " staff ,writers,, ", {"staff", "writers"}),
        (",", "a;b,c|d", {"a;b", "c|d"}),
        (",", "Sales\\, EMEA,staff", {"Sales, EMEA", "staff"}),
        (",", "LAN\\staff,\\;x", {"LAN\\staff", "\\;x"}),
        (";", "staff; a,b", {"staff", "a,b"}),
        (";", "a\\;b;c", {"a;b", "c"}),
        ("|", "staff|a;b", {"staff", "a;b"}),
    ],
)
def test_the_groups_of_a_header(separator: str, given: str, groups: set[str]) -> None:
    settings = read_settings(
        **PROXY, proxy_groups_header="X-Forwarded-Groups", proxy_groups_separator=separator
    )
    assert account_of_header("bo@example.org", settings, given).groups == groups
    assert account_of_header("bo@example.org", settings).groups == frozenset()
    kept = account_of_header("bo@example.org", settings, "é".encode().decode("latin-1"))
    assert kept.groups == {"é"}


@pytest.mark.parametrize(
    "given",
    [
        {**OIDC, "proxy_groups_header": "X-Groups"},
        {**PROXY, "groups_claim": "groups"},
        {"groups_claim": "groups"},
        {"proxy_groups_header": "X-Groups"},
    ],
)
def test_groups_need_their_way_to_sign_in(given: dict[str, Any]) -> None:
    with pytest.raises(BadSettings, match="groups"):
        read_settings(**given)

"""The account that a provider or a proxy names, and whether it may sign in."""

import ipaddress
import os
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from chatbot.accounts.people import Account
from chatbot.accounts.settings import lowered
from chatbot.errors import NotAllowed, NotSignedIn
from chatbot.settings import Settings
from corpora.database.durable import sync

LONGEST_NAME = 100
LONGEST_ADDRESS = 320
SECRET_LENGTH = 64
"""Characters of a cookie secret that is made here."""


def account_of_claims(
    claims: Mapping[str, Any], settings: Settings, now: float | None = None
) -> Account:
    """Return the account that the verified claims of an ID token identify (OpenID Connect Core, 2).

    `now` is in seconds since 1970. Raises NotSignedIn where the claims name nobody or are older
    than `sign_in_hours`, and NotAllowed where this account may not come in.
    """
    issuer, subject, issued = claims.get("iss"), claims.get("sub"), claims.get("iat")
    if not (isinstance(issuer, str) and issuer and isinstance(subject, str) and subject):
        raise NotSignedIn("Nobody is signed in.")
    if not isinstance(issued, int | float):
        raise NotSignedIn("The provider does not say when it signed you in.")
    now = time.time() if now is None else now
    if now > issued + 3600 * settings.sign_in_hours:
        raise NotSignedIn("Your sign-in has expired.")
    address = _address(claims)
    names = (claims.get("name"), address, claims.get("preferred_username"), subject)
    name = next(line for line in map(_line, names) if line)
    is_admin = address in settings.admins or _has_claim(claims, settings.admin_claim)
    claim = _claim(claims, settings.groups_claim) if settings.groups_claim else None
    listed = claim if isinstance(claim, list | tuple) else [claim]
    groups = frozenset(n.strip() for n in listed if isinstance(n, str) and n.strip())
    signed_in = datetime.fromtimestamp(min(issued, now), UTC)
    account = Account(f"{issuer}#{subject}", address, name, is_admin, groups, signed_in)
    return _admitted(account, settings)


def account_of_header(value: str, settings: Settings, groups: str = "") -> Account:
    """Return the account that a proxy names, with what it says of `groups`.

    Raises NotSignedIn or NotAllowed as the other does.
    """
    try:
        # Headers arrive as Latin-1, whatever was meant.
        address = lowered(value.encode("latin-1").decode("utf-8").strip(" \t"))
    except UnicodeError as error:
        raise NotSignedIn("The proxy's header is not in UTF-8.") from error
    except ValueError as error:
        raise NotSignedIn("The proxy's header names nobody: {error}.", error=error) from error
    if not address or len(address) > LONGEST_ADDRESS:
        raise NotSignedIn("Nobody is signed in.")
    # What is no UTF-8 is no group of anybody's.
    named = groups.encode("latin-1", "replace").decode("utf-8", "replace")
    within = groups_in(named, settings.proxy_groups_separator)
    account = Account("", address, address, address in settings.admins, within)
    return _admitted(account, settings)


def comes_from_proxy(host: str | None, settings: Settings) -> bool:
    """Whether a connection from this address is one of the proxy's."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(address in network for network in settings.proxy_addresses)


def cookie_secret(settings: Settings) -> str:
    """The secret that sign-ins are signed with: the setting, else one kept in the data folder.

    Whoever can read it can sign in as anybody; the file is for its owner alone.
    """
    if settings.cookie_secret:
        return settings.cookie_secret.get_secret_value()
    path = settings.data_dir / "cookie-secret"
    if path.exists() and path.stat().st_size < SECRET_LENGTH:
        path.unlink()
    if not path.exists():
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        # Written aside and linked, so that of two processes that start at once one wins whole, and
        # a power cut leaves no empty one, with which anybody could sign in.
        with NamedTemporaryFile("w", dir=settings.data_dir) as new:
            new.write(secrets.token_hex(SECRET_LENGTH // 2))
            new.flush()
            sync(Path(new.name))
            with suppress(FileExistsError):
                os.link(new.name, path)
    return path.read_text("utf-8")


def _admitted(account: Account, settings: Settings) -> Account:
    _, at, domain = account.address.rpartition("@")
    admitted = not settings.users or account.is_admin
    if not admitted and not {account.address, at + domain}.intersection(settings.users):
        known_as = account.address or account.name
        raise NotAllowed(
            "{known_as} may not use this Strata. Ask an admin of it for access.", known_as=known_as
        )
    return account


def _address(claims: Mapping[str, Any]) -> str:
    """The address, or nothing where it is unverified or can be taken for another."""
    # Some providers leave it out, and some write it as text.
    verified = claims.get("email_verified", True) in (True, "true", None)
    address = claims.get("email")
    if not verified or not isinstance(address, str) or len(address) > LONGEST_ADDRESS:
        return ""
    with suppress(ValueError):
        return lowered(address) if address == address.strip() else ""
    return ""


def _has_claim(claims: Mapping[str, Any], wanted: str | None) -> bool:
    """Whether a claim, top-level or nested (`realm_access.roles`), equals or lists a value."""
    if wanted is None:
        return False
    name, _, value = wanted.partition("=")
    claim = _claim(claims, name)
    return value in claim if isinstance(claim, list | tuple) else value == claim


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    claim: Any = claims.get(name)
    if claim is None:
        claim = claims
        for part in name.split("."):
            claim = claim.get(part) if isinstance(claim, Mapping) else None
    return claim


def groups_in(named: str, separator: str = ",") -> frozenset[str]:
    """The groups that a text names; one that belongs to a name has a backslash before it."""
    parts = re.split(rf"(?<!\\){re.escape(separator)}", named)
    names = (part.replace(f"\\{separator}", separator).strip() for part in parts)
    return frozenset(filter(None, names))


def _line(text: object) -> str:
    """One line of text to show; empty for anything but text."""
    return " ".join(text.split())[:LONGEST_NAME] if isinstance(text, str) else ""

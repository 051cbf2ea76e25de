"""The settings of sign-in: who may come in, who is an admin, and what one person may use."""

import ipaddress
import re
import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import NoDecode

from chatbot.text.words import listed
from corpora.settings import advanced

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def lowered(address: str) -> str:
    """The address of a person, its ASCII letters in lower case: no two people have the same.

    Other letters stay as they are: folding joins some (ſ and s, ß and ss) that a provider keeps
    apart, and an address would be somebody else's. Raises ValueError for an address with characters
    that Unicode's NFKC changes, with blanks other than the space, or with invisible characters.
    """
    if not address.isprintable() or unicodedata.normalize("NFKC", address) != address:
        raise ValueError(f"{address!a} has look-alike characters")
    return address.encode().lower().decode()


def _several(given: Any) -> Any:
    return re.findall(r"[^\s,]+", given, re.ASCII) if isinstance(given, str) else given


def _not_everywhere(given: tuple[_Network, ...]) -> tuple[_Network, ...]:
    for network in given:
        if network.prefixlen == 0:
            raise ValueError(f"{network} covers every address: name only those of the proxy")
    return given


def _name_and_value(given: str) -> str:
    if not all(given.partition("=")):
        raise ValueError(f"{given} is not NAME=VALUE, such as groups=strata-admins")
    return given


def _an_origin(given: str) -> str:
    url = urlsplit(given)
    if url.scheme not in {"http", "https"} or not url.hostname or url.path.strip("/"):
        raise ValueError(f"{given} is not like https://strata.example.org, without a path")
    if url.scheme == "http" and url.hostname not in LOOPBACK:
        raise ValueError(f"{given}: sign-in over a network needs https (docs/operations.md)")
    return f"{url.scheme}://{url.netloc}"


def _a_provider(given: str) -> str:
    url = urlsplit(given)
    if url.scheme != "https" and url.hostname not in LOOPBACK:
        raise ValueError(f"{given}: the provider must use https")
    return given.removesuffix("/.well-known/openid-configuration").rstrip("/")


def _long_enough(given: SecretStr) -> SecretStr:
    if len(given.get_secret_value()) < 32:
        raise ValueError("it needs at least 32 characters (openssl rand -hex 32)")
    return given


_Networks = Annotated[
    tuple[_Network, ...], NoDecode, BeforeValidator(_several), AfterValidator(_not_everywhere)
]
_Name = Annotated[str, AfterValidator(lowered)]
_Names = Annotated[tuple[_Name, ...], NoDecode, BeforeValidator(_several)]
_Provider = Annotated[str, AfterValidator(_a_provider)]
_Origin = Annotated[str, AfterValidator(_an_origin)]
_Claim = Annotated[str, AfterValidator(_name_and_value)]
_LongSecret = Annotated[SecretStr, AfterValidator(_long_enough)]


class SignInSettings(BaseModel):
    """Settings that are whole or absent: half a sign-in is refused, and says what it lacks."""

    public_url: _Origin | None = Field(
        None,
        description="with sign-in: what people open, such as `https://strata.example.org`, "
        "without a path",
    )
    oidc_issuer: _Provider | None = Field(
        None,
        description="sign-in with OpenID Connect: the provider's address, before "
        "`/.well-known/openid-configuration` ([operations](operations.md#sign-in))",
    )
    oidc_client_id: str | None = Field(None, description="Strata's client ID at the provider")
    oidc_client_secret: SecretStr | None = Field(
        None,
        description="its secret; set it in the environment as `STRATA_OIDC_CLIENT_SECRET`",
    )
    proxy_user_header: str | None = Field(
        None,
        description="sign-in by a proxy: the header that names the person, such as "
        "`X-Forwarded-Email`",
    )
    proxy_addresses: _Networks = Field(
        (),
        description="addresses or networks that the proxy connects from; the header is believed "
        "from nowhere else",
    )
    admins: _Names = Field((), description="addresses of those who are admins, with commas between")
    admin_claim: _Claim | None = Field(
        None,
        description="a claim that makes an admin, such as `groups=strata-admins` or "
        "`realm_access.roles=strata-admin`; with OIDC only",
    )
    groups_claim: str | None = advanced(
        None,
        "the claim that names a person's groups, such as `groups` or "
        "`realm_access.roles`, for [rights per product](rights.md); with OIDC only",
    )
    proxy_groups_header: str | None = advanced(
        None,
        "the header in which the proxy names a person's groups, such as `X-Forwarded-Groups`, for "
        "[rights per product](rights.md)",
    )
    proxy_groups_separator: Literal[",", ";", "|"] = advanced(
        ",", "what stands between the groups in this header: `,`, `;` or `|`"
    )
    users: _Names = Field(
        (),
        description="addresses or `@domains` that may use Strata; empty: all whom the provider "
        "or the proxy signs in",
    )
    cookie_secret: _LongSecret | None = advanced(
        None,
        "the secret that signs sign-in cookies, at least 32 characters; changing it "
        "signs everybody out; default: made once, in `data_dir/cookie-secret`",
    )
    sign_in_hours: int = advanced(
        24, "hours until people have to sign in again, counted from the provider's sign-in", ge=1
    )
    questions_per_minute: int = advanced(
        20, "questions of one signed-in person; 0 is no limit", ge=0
    )
    uploads_per_day: int = advanced(100, "uploads of one signed-in admin; 0 is no limit", ge=0)
    groups_days: int = advanced(
        30,
        "days after which the groups of a person who has not been seen again count no more for "
        "the keys that they made",
        ge=1,
    )
    keep_conversations: int = advanced(
        0,
        "days after its last turn until a conversation is deleted; 0 keeps it for good",
        ge=0,
    )

    @property
    def has_groups(self) -> bool:
        """Whether it is known in which groups people are."""
        return bool(self.groups_claim or self.proxy_groups_header)

    @property
    def sign_in(self) -> Literal["none", "oidc", "proxy"]:
        """The way to sign in; `none` where there is one person, who is the admin."""
        if self.oidc_issuer:
            return "oidc"
        return "proxy" if self.proxy_user_header else "none"

    @model_validator(mode="after")
    def _whole(self) -> Self:
        oidc = ("oidc_issuer", "oidc_client_id", "oidc_client_secret")
        proxy = ("proxy_user_header", "proxy_addresses")
        ways = [way for way in (oidc, proxy) if any(getattr(self, name) for name in way)]
        if len(ways) > 1:
            raise ValueError(
                "oidc_… and proxy_… are both set: people sign in either with Strata or with the "
                "proxy before it; remove one of them"
            )
        needed = (*ways[0], "public_url") if ways else ()
        if missing := [name for name in needed if not getattr(self, name)]:
            given = next(name for name in ways[0] if getattr(self, name))
            raise ValueError(
                f"sign-in is half configured: {_named([given])} is set, but not {_named(missing)}"
            )
        if ways == [proxy] and self.admin_claim:
            raise ValueError(
                "admin_claim needs sign-in with OIDC: name the admins in STRATA_ADMINS"
            )
        if ways != [oidc] and self.groups_claim:
            raise ValueError("groups_claim needs sign-in with OIDC (STRATA_OIDC_ISSUER)")
        if ways != [proxy] and self.proxy_groups_header:
            raise ValueError(
                "proxy_groups_header needs sign-in by a proxy (STRATA_PROXY_USER_HEADER)"
            )
        if ways and not self.admins and not self.admin_claim:
            raise ValueError(
                "nobody would be an admin: set STRATA_ADMINS to their addresses"
                + (" or STRATA_ADMIN_CLAIM to NAME=VALUE" if ways == [oidc] else "")
            )
        without = ("public_url", "admins", "admin_claim", "users")
        if not ways and (stray := [name for name in without if getattr(self, name)]):
            raise ValueError(
                f"sign-in is half configured: {_named(stray[:1])} is set, but no way to sign in: "
                f"set {_named(oidc)}, or {_named(proxy)}"
            )
        return self


def _named(settings: Sequence[str]) -> str:
    return listed(f"STRATA_{name.upper()}" for name in settings)

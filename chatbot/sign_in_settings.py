"""The settings of sign-in: who may come in, who is an admin, and what one person may use."""

import ipaddress
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

Names = Annotated[tuple[str, ...], NoDecode]
Networks = Annotated[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...], NoDecode]


class SignInSettings(BaseModel):
    """Settings that are whole or absent: half a sign-in is refused, and says what it lacks."""

    oidc_issuer: str | None = Field(None, description="address of the OpenID provider")
    oidc_client_id: str | None = None
    oidc_client_secret: SecretStr | None = None
    proxy_user_header: str | None = Field(None, description="e.g. X-Forwarded-Email")
    proxy_addresses: Networks = Field((), description="from where that header is believed")
    public_url: str | None = Field(None, description="what people open, e.g. https://strata.lan")
    cookie_secret: SecretStr | None = Field(None, description="default: kept in data_dir")
    admins: Names = Field((), description="addresses of the admins")
    admin_claim: str | None = Field(None, description="e.g. groups=strata-admins")
    users: Names = Field((), description="addresses or @domains that may sign in; empty: all")
    sign_in_hours: int = Field(24, ge=1, description="until one signs in again (OIDC)")

    questions_per_minute: int = Field(20, ge=0, description="of one person; 0: no limit")
    uploads_per_day: int = Field(100, ge=0, description="of one person; 0: no limit")
    keep_conversations: int = Field(0, ge=0, description="days after the last turn; 0: for good")

    @property
    def sign_in(self) -> Literal["none", "oidc", "proxy"]:
        """How people sign in; `none` where there is one person, who is the admin."""
        if self.oidc_issuer:
            return "oidc"
        return "proxy" if self.proxy_user_header else "none"

    @field_validator("admins", "users", "proxy_addresses", mode="before")
    @classmethod
    def _several(cls, given: Any) -> Any:
        """Take a list, or text with commas between, as it is written into the environment."""
        if isinstance(given, str):
            return tuple(part for part in given.replace(",", " ").split() if part)
        return given

    @field_validator("admins", "users")
    @classmethod
    def _without_case(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name.casefold() for name in given)

    @field_validator("proxy_addresses")
    @classmethod
    def _not_everywhere(cls, given: Networks) -> Networks:
        for network in given:
            if network.prefixlen == 0:
                raise ValueError(f"{network} is every address: name those of the proxy alone")
        return given

    @field_validator("admin_claim")
    @classmethod
    def _name_and_value(cls, given: str | None) -> str | None:
        if given is not None and not all(given.partition("=")):
            raise ValueError(f"{given} is not NAME=VALUE, such as groups=strata-admins")
        return given

    @field_validator("public_url")
    @classmethod
    def _an_origin(cls, given: str | None) -> str | None:
        if given is None:
            return None
        url = urlsplit(given)
        if url.scheme not in {"http", "https"} or not url.hostname or url.path.strip("/"):
            raise ValueError(f"{given} is not like https://strata.example.org, without a path")
        if url.scheme == "http" and url.hostname not in LOOPBACK:
            raise ValueError(f"{given}: sign-in over a network needs https (docs/operations.md)")
        return f"{url.scheme}://{url.netloc}"

    @field_validator("oidc_issuer")
    @classmethod
    def _a_provider(cls, given: str | None) -> str | None:
        if given is None:
            return None
        url = urlsplit(given)
        if url.scheme != "https" and url.hostname not in LOOPBACK:
            raise ValueError(f"{given}: the provider is asked over https only")
        return given.removesuffix("/.well-known/openid-configuration").rstrip("/")

    @field_validator("cookie_secret")
    @classmethod
    def _long_enough(cls, given: SecretStr | None) -> SecretStr | None:
        if given is not None and len(given.get_secret_value()) < 32:
            raise ValueError("it needs at least 32 characters (openssl rand -hex 32)")
        return given

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


def _named(settings: tuple[str, ...] | list[str]) -> str:
    names = [f"STRATA_{name.upper()}" for name in settings]
    return " and ".join([*([", ".join(names[:-1])] if names[:-1] else []), names[-1]])

"""The settings of publishing a generation, of the check before it, and of telling its result."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import NoDecode

from corpora.settings import advanced

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _several(given: object) -> object:
    return (
        tuple(filter(None, map(str.strip, given.split(",")))) if isinstance(given, str) else given
    )


def _an_address(given: str) -> str:
    name, at, host = given.rpartition("@")
    if not (name and at and host) or not given.isprintable() or any(map(str.isspace, given)):
        raise ValueError(f"{given!r} is no address: write it as name@example.org")
    return given


def _a_mail_server(given: str) -> str:
    url = urlsplit(given)
    if url.scheme not in ("smtp", "smtps") or not url.hostname or url.path.strip("/"):
        raise ValueError("write it as smtps://USER@HOST:465, or smtp://HOST:587 for STARTTLS")
    if url.password:
        raise ValueError("set the password in the environment as STRATA_MAIL_PASSWORD instead")
    return given


def _a_receiver(given: str) -> str:
    url = urlsplit(given)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("write the whole address, https://HOST/PATH")
    if url.username or url.password:
        raise ValueError("a name or password in it would end up in logs: use webhook_secret")
    if url.scheme != "https" and url.hostname not in LOOPBACK:
        raise ValueError("it must use https, unless it is on this machine")
    return given


_Address = Annotated[str, AfterValidator(_an_address)]
_Addresses = Annotated[tuple[_Address, ...], NoDecode, BeforeValidator(_several)]


class CheckSettings(BaseModel):
    """Whether a built generation waits, is checked, and who is told what the check found."""

    publishing: Literal["now", "wait"] = Field(
        "now",
        description="`wait`: what an ingest has built is not served until an admin publishes it "
        "([operations](operations.md#a-new-release-arrives))",
    )
    release_check: Literal["on", "off"] = advanced(
        "on", "whether accepted answers are held against what an ingest has built, as a job"
    )
    mail_to: _Addresses = advanced(
        (), "addresses, separated by commas, that are told what a check found"
    )
    mail_server: Annotated[str, AfterValidator(_a_mail_server)] | None = advanced(
        None,
        "the server that sends it: `smtps://USER@HOST:465`, or `smtp://USER@HOST:587`, with TLS "
        "from the start or by STARTTLS; without TLS on this machine only",
    )
    mail_password: SecretStr | None = advanced(
        None, "its password; set it in the environment as `STRATA_MAIL_PASSWORD`"
    )
    mail_from: _Address | None = advanced(None, "the sender; default: the first of `mail_to`")
    webhook: Annotated[str, AfterValidator(_a_receiver)] | None = advanced(
        None, "an https address that gets what a check found, as JSON; no redirects"
    )
    webhook_secret: SecretStr | None = advanced(
        None,
        "the secret of its signature, the header `X-Strata-Signature: sha256=…` (HMAC of time and "
        "body, [how](operations.md#a-new-release-arrives)); set it in the environment "
        "as `STRATA_WEBHOOK_SECRET`",
    )

    @model_validator(mode="after")
    def _can_be_told(self) -> "CheckSettings":
        if self.mail_to and not self.mail_server:
            raise ValueError("mail_to needs mail_server beside it")
        if self.webhook and not self.webhook_secret:
            raise ValueError("webhook needs webhook_secret beside it: its receiver checks it")
        return self

    @property
    def publishing_waits(self) -> bool:
        """Whether a built generation waits for an admin's yes."""
        return self.publishing == "wait"

"""What each kind of source is told: where it lies, and which of its releases are wanted."""

from __future__ import annotations

import re
from string import Formatter
from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ingestion.messages import message

RELEASE = "{release}"
_TOKENS = message(
    "put it into the setting source_tokens (STRATA_SOURCE_TOKENS), and name it as token"
)
_LONGEST_USER = 40
"""No user name of a host is as long, and the tokens of GitHub are."""
_BEGINNINGS = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-")


def placeholders(template: str) -> list[str]:
    """The names in braces of a template. Raises ValueError for one that is not well formed."""
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]


def _with_release(value: str) -> str:
    if placeholders(value) != ["release"]:
        raise ValueError(
            message("must hold {release} exactly once, and no other braces", release=RELEASE)
        )
    return value


def _may_hold_release(value: str) -> str:
    return _with_release(value) if placeholders(value) else value


def _http(value: str) -> str:
    if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).netloc:
        raise ValueError(message("must be an address that begins with https:// or http://"))
    return _without_secret(value)


def _without_secret(value: str) -> str:
    """Refuse an address that tells everybody who sees the source how to sign in."""
    authority = re.split(r"[/?#]", value.partition("://")[2] or value, maxsplit=1)[0]
    user, _, _ = authority.rpartition("@")
    if ":" in user:
        raise ValueError(message("must hold no password: {advice}", advice=_TOKENS))
    if len(user) >= _LONGEST_USER or user.startswith(_BEGINNINGS):
        raise ValueError(
            message("holds a user name that looks like a token: {advice}", advice=_TOKENS)
        )
    return value


def _link(value: str) -> str:
    if value in ("auto", "none", "github", "gitlab", "gitea"):
        return value
    if not set(placeholders(value)) <= {"revision", "path"} or "{path}" not in value:
        raise ValueError(
            message(
                "must be auto, none, github, gitlab, gitea, or an address with {path} and "
                "{revision}"
            )
        )
    if "{" in urlsplit(value).netloc:
        raise ValueError(message("must name its host in plain letters"))
    return _http(value)


class SourceOptions(BaseModel):
    """The options of a source; a kind that a package adds derives its own from this."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        # An address that is refused for the password in it is shown nowhere.
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )


class GitOptions(SourceOptions):
    """A Git repository over https or ssh, or in a folder; a release is a tag or a branch."""

    url: Annotated[str, AfterValidator(_without_secret)] = Field(
        min_length=1,
        description="https://…, ssh://…, user@host:path, or the path of a repository here",
    )
    path: str = Field("", description="the folder of the documentation in the repository")
    releases: Annotated[str, AfterValidator(_with_release)] = Field(
        "v{release}", description="how a tag or branch is made of a release's name"
    )
    refs: Literal["tags", "branches"] = Field("tags", description="what a release is")
    newest: int | None = Field(None, ge=1, description="only the newest so many releases")
    since: str = Field("", description="only this release and newer ones")
    next_branch: str = Field("", description="a branch that is the release `next`")
    link: Annotated[str, AfterValidator(_link)] = Field(
        "auto",
        description="how citations link to the original: github, gitlab, gitea, none, an address "
        "with {path} and {revision}, or auto, which goes by the host's name",
    )
    prereleases: bool = Field(False, description="take release candidates, betas and the like, too")
    max_bytes: int = Field(500_000_000, ge=1, description="bytes of a release, at most")
    token: str = Field("", description="the name of a token in the setting source_tokens")
    key: str = Field("", description="the name of an ssh key in the setting source_files")
    known_hosts: str = Field(
        "",
        description="the name of a file with the keys of ssh hosts in the setting source_files; "
        "empty: those that the worker's user and machine know",
    )
    ca: str = Field("", description="the name of a certificate file in the setting source_files")


class SiteOptions(SourceOptions):
    """A documentation site; a release is a part of the address, or an address of its own."""

    url: Annotated[str, AfterValidator(_http), AfterValidator(_may_hold_release)] = Field(
        description="where the documentation begins; may hold {release}"
    )
    discover: Literal["sitemap", "llms", "links"] = Field(
        "sitemap", description="how pages are found: sitemap.xml, llms.txt, links below the url"
    )
    releases: dict[str, Annotated[str, AfterValidator(_without_secret)]] = Field(
        default_factory=dict,
        description="by release, what stands for {release} in the url, or an address of its own",
    )
    max_pages: int = Field(5_000, ge=1, description="pages of a release, at most")
    max_bytes: int = Field(500_000_000, ge=1, description="bytes of a release, at most")
    max_pictures: int = Field(
        2_000, ge=0, description="pictures of a release's pages that are kept, at most; 0: none"
    )
    hosts: tuple[str, ...] = Field((), description="further hosts that pages may lie on")
    private_hosts: tuple[str, ...] = Field(
        (), description="hosts that may have an address of a private network"
    )
    delay: float = Field(0.5, ge=0, le=60, description="seconds between two requests")
    robots: bool = Field(
        True, description="whether robots.txt is followed; turn it off for a site of your own only"
    )
    token: str = Field("", description="the name of a token in the setting source_tokens")
    ca: str = Field("", description="the name of a certificate file in the setting source_files")

    @model_validator(mode="after")
    def _names_its_releases(self) -> SiteOptions:
        if not self.releases and RELEASE not in self.url:
            raise ValueError(message("give url with {release}, or releases with an address each"))
        return self


class FolderOptions(SourceOptions):
    """A folder or a share that is mounted; each release is a folder in it."""

    path: Annotated[str, AfterValidator(_with_release)] = Field(
        description="an absolute path, for example /share/docs/{release}"
    )

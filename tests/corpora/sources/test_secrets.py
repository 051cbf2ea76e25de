"""Tokens of sources go to the host that they are for."""

import pytest
from pydantic import SecretStr

from corpora.errors import SourceError
from corpora.sources.source import Secrets

SECRETS = Secrets({"docs": SecretStr("a"), "docs@git.example.com": SecretStr("b")})


@pytest.mark.parametrize(
    "address",
    [
        "https://git.example.com/beacon.git",
        "https://GIT.example.com:8443/x",
        "https://{release}.git.example.com/",
    ],
)
def test_a_token_goes_to_its_host(address: str) -> None:
    assert SECRETS.token("docs@git.example.com", address) == "b"
    assert SECRETS.token("docs", address) == "a"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/git.example.com",
        "https://git.example.com.evil.example/",
        "https://evilgit.example.com/",
        "https://git.example.com@evil.example/",
        "deploy@git.example.com:beacon",
        "",
    ],
)
def test_and_to_no_other(address: str) -> None:
    with pytest.raises(SourceError, match=r"is for git\.example\.com alone"):
        SECRETS.token("docs@git.example.com", address)


def test_a_token_that_settings_lack_is_named() -> None:
    with pytest.raises(SourceError, match="STRATA_SOURCE_TOKENS"):
        SECRETS.token("other", "https://git.example.com/")

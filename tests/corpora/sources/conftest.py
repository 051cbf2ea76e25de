from collections.abc import Callable, Iterator

import pytest

from corpora.sources.site import fetching, hosts
from tests.corpora.sources.served import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A site on loopback that has no page yet."""
    with serving({}) as served:
        yield served


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that failed is asked again at once."""
    pause = fetching.Fetcher._pause
    monkeypatch.setattr(
        fetching.Fetcher, "_pause", lambda self, seconds: pause(self, min(seconds, 0.05))
    )


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets names of hosts have addresses."""
    known: dict[str, list[str]] = {}
    resolve = hosts._resolve
    monkeypatch.setattr(
        hosts, "_resolve", lambda host, port: known.get(host) or resolve(host, port)
    )

    def give(**addresses: str) -> None:
        for name, address in addresses.items():
            known[name.replace("_", ".")] = address.split()

    return give

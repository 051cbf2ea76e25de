"""Archives are found on the package indexes that pip and npm are configured for, and downloaded.

Files are only stored: no package is installed or built, and nothing of it runs.
"""

import hashlib
import json
import shutil
import ssl
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx
from lxml import html
from lxml.etree import LxmlError

from eval.benchmark.documents import Product, Registry
from eval.gold import GoldError

_LARGEST = 200 << 20
"""Bytes of an archive; the largest of the benchmark has a tenth."""
_SECONDS = httpx.Timeout(60.0, connect=10.0)
_PIP = """
import json
from pip._internal.commands import create_command

of, _ = create_command("download").parse_args(["any"])
indexes = [] if of.no_index else [of.index_url, *of.extra_index_urls]
print(json.dumps({"indexes": indexes, "certificates": of.cert}))
"""
"""pip tells what its options are by its settings and environment; it has no command for that."""


@dataclass(frozen=True)
class Indexes:
    """The package indexes of this machine; `python` and `npm` take the place of the configured."""

    python: str = ""
    npm: str = ""

    def download(self, product: Product, release: str, target: Path) -> None:
        """Put the archive of a release there. Raises GoldError; only its size is checked."""
        file = product.releases[release].file
        try:
            with self._connected() as client:
                if product.registry is Registry.NPM:
                    address = self._on_npm(client, product.package, release)
                else:
                    address = self._on_python_index(client, product.package, file)
                _store(client, address, target)
        except httpx.HTTPStatusError as error:
            at = error.request.url.copy_with(userinfo=b"", query=None)
            raise GoldError(f"{file}: {at} answers {error.response.status_code}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise GoldError(f"{file}: the package index cannot be reached ({reason})") from error

    def _on_python_index(self, client: httpx.Client, package: str, file: str) -> str:
        indexes = (self.python,) if self.python else self._of_pip[0]
        for index in indexes:
            page = client.get(f"{index.rstrip('/')}/{package}/")
            if page.status_code == httpx.codes.NOT_FOUND:
                continue
            page.raise_for_status()
            for address in _links(page):
                if unquote(urlsplit(address).path).rpartition("/")[2] == file:
                    return address
        if not indexes:
            raise GoldError("pip does not tell its package index: name one with --index")
        raise GoldError(f"{file}: the package index has no such file of {package}")

    def _on_npm(self, client: httpx.Client, package: str, version: str) -> str:
        registry = self.npm or _registry_of_npm()
        told = client.get(f"{registry.rstrip('/')}/{quote(package, safe='@')}/{version}")
        told.raise_for_status()
        try:
            return str(told.json()["dist"]["tarball"])
        except (ValueError, LookupError, TypeError) as error:
            raise GoldError(f"{package} {version}: the npm registry names no archive") from error

    def _connected(self) -> httpx.Client:
        _, certificates = self._of_pip
        trusted = ssl.create_default_context(cafile=certificates) if certificates else True
        return httpx.Client(timeout=_SECONDS, verify=trusted, follow_redirects=True)

    @cached_property
    def _of_pip(self) -> tuple[tuple[str, ...], str | None]:
        """The indexes that are reached over the network, and a file of certificates."""
        # Without -P a file of the current folder could be imported in a module's place.
        told = _output(sys.executable, "-P", "-c", _PIP)
        if told is None:
            return (), None
        found = json.loads(told)
        addresses = (url for url in found["indexes"] if url.startswith(("http://", "https://")))
        return tuple(addresses), found["certificates"]


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _store(client: httpx.Client, address: str, target: Path) -> None:
    as_it_is = {"accept-encoding": "identity"}
    with client.stream("GET", address, headers=as_it_is) as response, target.open("wb") as file:
        response.raise_for_status()
        for block in response.iter_raw():
            file.write(block)
            if file.tell() > _LARGEST:
                raise GoldError(f"{target.stem}: the index sends more than {_LARGEST:,} bytes")


def _links(page: httpx.Response) -> list[str]:
    try:
        found = html.fromstring(page.content).iter("a")
    except (LxmlError, ValueError):
        return []
    return [urljoin(str(page.url), link.get("href", "")) for link in found]


def _registry_of_npm() -> str:
    npm = shutil.which("npm")
    told = _output(npm, "config", "get", "registry") if npm else None
    if not told:
        raise GoldError(
            "npm does not tell its registry: name one with --npm-index, or put the archive into a "
            "folder and name that with --from"
        )
    return told.strip()


def _output(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout

"""Confluence as a source: the pages of a space, by label or title of a release (REST API v2)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from lxml import etree
from pydantic import AfterValidator, Field

from corpora.errors import SourceError
from corpora.sources.kinds import SourceKind
from corpora.sources.options import RELEASE, SourceOptions, placeholders
from corpora.sources.site.addresses import Hosts, parsed
from corpora.sources.site.fetching import Fetcher
from corpora.sources.site.hosts import CheckedConnections, CheckedTransport, Refused
from corpora.sources.source import FetchedFile, FoundRelease, Secrets

LARGEST = 50_000_000
_API = "/wiki/api/v2/"
_ENTITY = re.compile(r"<!\[CDATA\[.*?\]\]>|&(?!amp;|lt;|gt;|quot;|apos;|#)\w+;", re.DOTALL)
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_AC, _RI = "{urn:ac}", "{urn:ri}"
_NOTES = ("info", "note", "tip", "warning")


def _release_once(value: str) -> str:
    if placeholders(value) != ["release"]:
        raise ValueError(f"must hold {RELEASE} exactly once, and no other braces")
    return value


class ConfluenceOptions(SourceOptions):
    """A space of Confluence; a page belongs to the releases that its labels or its title name."""

    url: str = Field(description="the address of Confluence: https://example.atlassian.net")
    space: str = Field(description="the key of the space")
    release_in: Literal["label", "title"] = Field("label", description="what names the release")
    releases: Annotated[str, AfterValidator(_release_once)] = Field(
        "v{release}", description="how a label or a part of a title is made of a release's name"
    )
    token: str = Field(description="the name of user:token in the setting source_tokens")
    private_hosts: tuple[str, ...] = Field((), description="hosts inside one's own network")
    delay: float = Field(0.1, ge=0, le=60, description="seconds between two requests")


class ConfluenceReader:
    """Reads a space; only pages of another version than before are asked for whole."""

    def __init__(self, options: ConfluenceOptions, secrets: Secrets) -> None:
        self.remarks: list[str] = []
        self._options = options
        self._token = secrets.token(options.token, options.url)
        self._hosts = Hosts.of([options.url], ())
        start = parsed(options.url)
        if start is None or (start.scheme != "https" and start.host not in options.private_hosts):
            raise SourceError(f"{options.url} is no https address: the token would be readable.")
        self._start = start
        before, after = options.releases.split(RELEASE)
        self._named = re.compile(rf"{re.escape(before)}(\d[\w.-]*){re.escape(after)}")

    def releases(self, check_stop: Callable[[], None] = lambda: None) -> list[FoundRelease]:
        """The releases that labels or titles name."""
        with TemporaryDirectory() as folder, self._asking(Path(folder)) as ask:
            ask.fetcher.check_stop = check_stop
            if self._options.release_in == "label":
                names = [
                    self._named.fullmatch(label["name"]) for label in ask.all("labels?limit=250")
                ]
            else:
                names = [self._named.search(page["title"]) for page in self._of_space(ask)]
        return [FoundRelease(name, "") for name in dict.fromkeys(m[1] for m in names if m)]

    def is_gone(self, release: str, check_stop: Callable[[], None]) -> bool:
        """Whether no label, or no title, names a release any more."""
        return all(release != one.name for one in self.releases(check_stop))

    def fetch(
        self,
        release: FoundRelease,
        known: Mapping[str, str],
        folder: Path,
        check_stop: Callable[[], None],
        progress: Callable[[int, int | None], None],
    ) -> Iterator[FetchedFile]:
        """Yield every page of a release, as `SourceReader` says."""
        with self._asking(folder) as ask:
            ask.fetcher.check_stop = check_stop
            for done, page in enumerate(self._pages(ask, release.name), 1):
                check_stop()
                title, number = page["title"], page["version"]["number"]
                # Names a file, so it is a number and no path.
                page_id = int(page["id"])
                path = f"{_NOT_IN_NAMES.sub('-', title)[:80].strip('-.')}-{page_id}.html"
                digest, content = f"{page_id}@{number}", None
                if known.get(path) != digest:
                    whole = ask.one(f"pages/{page_id}?body-format=storage")
                    content = folder / f"{page_id}.html"
                    content.write_text(to_html(title, whole["body"]["storage"]["value"]), "utf-8")
                address = str(self._start.join(f"/wiki{page['_links']['webui']}"))
                progress(done, None)
                yield FetchedFile(path, digest, address, content)

    def _pages(self, ask: "_Ask", release: str) -> Iterator[dict[str, Any]]:
        if self._options.release_in == "title":
            for page in self._of_space(ask):
                found = self._named.search(page["title"])
                if found and found[1] == release:
                    yield page
            return
        name, space = self._options.releases.replace(RELEASE, release), self._space(ask)
        for label in ask.all("labels?limit=250"):
            if label["name"] == name:
                yield from ask.all(f"labels/{label['id']}/pages?space-id={space}&limit=100")

    def _of_space(self, ask: "_Ask") -> Iterator[dict[str, Any]]:
        return ask.all(f"spaces/{self._space(ask)}/pages?status=current&limit=100")

    def _space(self, ask: "_Ask") -> str:
        found = list(ask.all(f"spaces?keys={self._options.space}"))
        if not found:
            raise SourceError(
                f"{self._start} has no space {self._options.space} that the token may read: "
                "check the key, and give the token's user access to it."
            )
        return str(found[0]["id"])

    @contextmanager
    def _asking(self, folder: Path) -> Iterator["_Ask"]:
        transport = CheckedTransport(CheckedConnections(self._options.private_hosts), None)
        fetcher = Fetcher(
            transport,
            self._hosts.check,
            delay=self._options.delay,
            token=self._token,
            signs_in=lambda url: url.netloc == self._start.netloc,
        )
        try:
            yield _Ask(fetcher, self._start, folder / "answer.json")
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise SourceError(
                f"{self._start} answers otherwise than REST API v2 of Confluence does ({error!r}): "
                "check the url."
            ) from error
        finally:
            fetcher.close()


class _Ask:
    """Asks the API, one address after the other."""

    def __init__(self, fetcher: Fetcher, start: Any, file: Path) -> None:
        self.fetcher, self._start, self._file = fetcher, start, file

    def all(self, address: str) -> Iterator[dict[str, Any]]:
        """What a list holds, over all of its pages."""
        while address:
            listed = self.one(address)
            yield from listed["results"]
            address = listed.get("_links", {}).get("next", "")

    def one(self, address: str) -> dict[str, Any]:
        """An object of the API. Raises SourceError."""
        url = self._start.join(address if address.startswith("/") else _API + address)
        try:
            answer = self.fetcher.get(url, self._file, most=LARGEST)
            if answer.status == 200:
                found: dict[str, Any] = json.loads(self._file.read_bytes())
                return found
        except (Refused, ValueError) as error:
            raise SourceError(f"{url} cannot be read: {error}. Check the url.") from error
        raise SourceError(
            f"{url} answered {answer.status}: check that the token is valid (user:token) and that "
            "its user may read the space. Nothing that is served changes."
        )


def to_html(title: str, storage: str) -> str:
    """A page of HTML from Confluence's storage format. Raises SourceError where it is broken."""
    text = _ENTITY.sub(lambda m: m[0] if m[0][0] == "<" else unescape(m[0]), storage)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(f'<body xmlns:ac="urn:ac" xmlns:ri="urn:ri">{text}</body>', parser)
    except etree.XMLSyntaxError as error:
        raise SourceError(
            f"The page {title!r} is no storage format: {error}. Save it anew."
        ) from error
    for macro in root.iter(f"{_AC}structured-macro"):
        name = macro.get(f"{_AC}name", "")
        for parameter in macro.findall(f"{_AC}parameter"):
            macro.remove(parameter)
        if name in _NOTES:
            macro.tag, macro.attrib["class"] = "div", f"admonition {name}"
            label = etree.Element("p", {"class": "admonition-title"})
            label.text = name.capitalize()
            macro.insert(0, label)
        elif macro.find(f"{_AC}plain-text-body") is not None:
            macro.tag = "pre"
    for page in root.iter(f"{_RI}page"):
        link = page.getparent()
        if link is not None and not "".join(link.itertext()).strip():
            page.text = page.get(f"{_RI}content-title", "")
    for element in root.iter():
        for key in [key for key in element.attrib if str(key).startswith("{")]:
            del element.attrib[key]
    etree.strip_tags(root, f"{_AC}*", f"{_RI}*")
    inner = etree.tostring(root, encoding="unicode", method="html")
    head = f"<head><meta charset='utf-8'><title>{escape(title)}</title></head>"
    inner = inner.replace("<body", f"<body><main><h1>{escape(title)}</h1><div", 1)
    return f"<!doctype html><html>{head}{inner.removesuffix('</body>')}</div></main></body></html>"


KIND = SourceKind(ConfluenceOptions, ConfluenceReader)

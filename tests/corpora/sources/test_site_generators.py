"""Sites as generators build them: all pages are found, and read as if they were files.

`sites/` holds one small manual, as each generator wrote it, without its scripts, styles and
pictures: Sphinx 9.0 with the theme of Read the Docs, Material for MkDocs 9.8, Docusaurus 3 with an
older release below the newest, VitePress 1.6. That of Antora is written by hand in the layout of
its default UI, and the plain one by hand.
"""

from pathlib import Path

import pytest

from ingestion.listing import DEFAULT_LIMITS
from ingestion.page import Document
from ingestion.sandbox import Sandbox
from tests.corpora.sources.reading_sites import Reading, read, reader_of
from tests.corpora.sources.served import Page, Site

SITES = Path(__file__).with_name("sites")
PUBLISHED = b"https://docs.beacon.example"
START = ["Beacon 17.10", "Beacon turns a lamp on and off by a plan. See the settings."]
SETTINGS = [
    "Settings",
    "note: Restart Beacon after a change.",
    "Interval",
    "The option interval is the time between two flashes.",
    "Option — Default",
    "interval — 20 s",
    "brightness — 80 %",
    "interval = 30",
]
CASES = {
    "sphinx": ("/{release}/", "links"),
    "mkdocs": ("/{release}/", "sitemap"),
    "docusaurus": ("/{release}/", "sitemap"),
    "vitepress": ("/{release}/", "sitemap"),
    "antora": ("/beacon/{release}/", "sitemap"),
    "plain": ("/{release}/", "links"),
}


def publish(site: Site, generator: str) -> None:
    """Serve a site as static hosts do: a folder is its index, and without "/" leads to it."""
    root = SITES / generator
    for file in root.rglob("*.*"):
        if not file.is_file():
            continue
        path = f"/{file.relative_to(root).as_posix()}"
        site.pages[path] = file.read_bytes().replace(PUBLISHED, site.url("").encode())
        if file.name == "index.html" and (folder := path.removesuffix("index.html")):
            site.pages[folder] = site.pages[path]
            site.pages[folder.rstrip("/")] = Page(status=301, headers={"Location": folder})


def texts(got: Reading) -> dict[str, list[str]]:
    """What a reader of each page takes from it, line by line."""
    box = Sandbox(memory=DEFAULT_LIMITS.memory, seconds=30)
    try:
        read_in = {path: box.parse(data, path) for path, data in got.content.items()}
    finally:
        box.close()
    return {
        path: [line for page in document.pages for line in page.text.splitlines() if line.strip()]
        for path, document in read_in.items()
        if isinstance(document, Document)
    }


@pytest.mark.parametrize("generator", CASES)
def test_a_generated_site_is_read_without_its_furniture(site: Site, generator: str) -> None:
    path, discover = CASES[generator]
    publish(site, generator)
    got = read(site.url(path), discover=discover)
    found = texts(got)
    by_title = {lines[0]: lines for lines in found.values() if lines}
    start, settings = by_title["Beacon 17.10"], by_title["Settings"]
    label, *rest = settings[1].split(":")
    kind = "note" if label.lower() in ("note", "info") else label
    assert [settings[0], ":".join([kind, *rest]), *settings[2:]] == SETTINGS
    assert start[: len(START)] == START or start[1] == START[1].partition(" See")[0]
    beside = {"search.html", "genindex.html"} if generator == "sphinx" else set()
    assert len(got.paths - beside) == 2
    again = read(site.url(path), known=got.known, discover=discover)
    assert again.paths == got.paths
    assert not again.content


def test_the_newest_release_of_docusaurus_lies_at_the_root(site: Site) -> None:
    publish(site, "docusaurus")
    pairs = {"18.00": site.url("/"), "17.10": site.url("/17.10/")}
    reader = reader_of(site.url("/"), releases=pairs)
    assert [release.name for release in reader.releases()] == ["18.00", "17.10"]
    newest = read(site.url("/"), "18.00", releases=pairs)
    assert newest.paths == {"index.html", "settings/index.html"}
    assert b"Beacon 18.00" in newest.content["index.html"]
    older = read(site.url("/"), "17.10", releases=pairs)
    assert b"Beacon 17.10" in older.content["index.html"]


def test_the_releases_of_generated_sites_are_found(site: Site) -> None:
    publish(site, "docusaurus")
    found = {release.name for release in reader_of(site.url("/{release}/")).releases()}
    assert found == {"17.10"}

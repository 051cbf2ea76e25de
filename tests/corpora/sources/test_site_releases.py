"""The releases of a site: from the path, a subdomain, or pairs."""

import json
from collections.abc import Callable

import pytest

from corpora.errors import NothingThere, SourceError
from corpora.sources.site.addresses import parent_of
from corpora.sources.source import SourceReader
from tests.corpora.sources.reading_sites import Reading, read, reader_of
from tests.corpora.sources.served import Page, Site, html, sitemap


def found(url: str, **options: object) -> set[str]:
    return {release.name for release in reader_of(url, **options).releases()}


def test_releases_are_found_where_they_stand_in_the_path(site: Site) -> None:
    site.pages |= {
        "/docs/": html("All", "17.10/", "/docs/18.00/a.html", "18.00", "latest/", "404.html"),
        "/sitemap.xml": sitemap(site.url("/docs/17.20/"), site.url("/blog/2024/")),
    }
    assert found(site.url("/docs/{release}/")) == {"17.10", "17.20", "18.00"}


def test_the_search_for_releases_can_be_stopped(site: Site) -> None:
    class Stopped(Exception): ...

    def stop() -> None:
        if "/docs/" in site.asked():
            raise Stopped

    site.pages["/docs/"] = html("All", "17.10/")
    with pytest.raises(Stopped):
        reader_of(site.url("/docs/{release}/")).releases(stop)
    assert site.asked() == ["/docs/"]


def test_a_part_of_a_name_is_enough(site: Site) -> None:
    site.pages["/docs/"] = html("All", "v1.2/x/", "v2.0-rc1/", "w3/")
    assert found(site.url("/docs/v{release}/x/")) == {"1.2", "2.0-rc1"}
    site.pages["/docs/v1.2/x/"] = html("Start")
    got = read(site.url("/docs/v{release}/x/"), "1.2", discover="links")
    assert got.paths == {"index.html"}


def test_menus_and_lists_of_versions_are_read(site: Site) -> None:
    site.pages["/docs/"] = '<select><option value="../docs/17.10/">17.10</option></select>'
    site.pages["/docs/versions.json"] = json.dumps(
        [{"version": "17.20", "title": "17.20", "aliases": ["latest"]}]
    )
    assert found(site.url("/docs/{release}/")) == {"17.10", "17.20"}
    site.pages["/docs/"] = '<meta http-equiv="refresh" content="0; url=17.30/">'
    assert found(site.url("/docs/{release}/")) == {"17.20", "17.30"}
    site.pages["/docs/"] = Page(status=302, headers={"Location": "17.40/"})
    assert found(site.url("/docs/{release}/")) == {"17.20", "17.40"}


def test_releases_are_found_where_they_stand_in_the_host(
    site: Site, names: Callable[..., None]
) -> None:
    names(docs_example_test="127.0.0.1", v1710_docs_example_test="127.0.0.1")
    url = site.url("/", "{release}.docs.example.test")
    site.pages |= {
        "docs.example.test/": html("All", site.url("/", "v1710.docs.example.test")),
        "v1710.docs.example.test/": html("Start", "a.html"),
        "v1710.docs.example.test/a.html": html("A"),
    }
    allowed = ("docs.example.test", "v1710.docs.example.test")
    assert found(url, private_hosts=allowed) == {"v1710"}
    got = read(url, "v1710", discover="links", private_hosts=allowed)
    assert got.paths == {"index.html", "a.html"}


def test_pairs_name_releases_and_keep_them_apart(site: Site) -> None:
    """The current release lies at the root, and the older one below it."""
    site.pages |= {
        "/docs/": html("18", "a.html", "/docs/17/"),
        "/docs/a.html": html("A of 18"),
        "/docs/17/": html("17", "a.html"),
        "/docs/17/a.html": html("A of 17"),
    }
    pairs = {"18.00": site.url("/docs/"), "17.10": "17"}
    url = site.url("/docs/{release}/")
    assert found(url, releases=pairs) == {"18.00", "17.10"}
    newer = read(url, "18.00", discover="links", releases=pairs)
    assert newer.paths == {"index.html", "a.html"}
    assert b"A of 18" in newer.content["a.html"]
    older = read(url, "17.10", discover="links", releases=pairs)
    assert b"A of 17" in older.content["a.html"]
    with pytest.raises(SourceError, match=r"17.10 has '17', and the url holds no"):
        reader_of(site.url("/docs/"), releases={"17.10": "17"})


def test_a_release_is_gone_if_its_beginning_is_and_not_the_whole_site(site: Site) -> None:
    site.pages |= {"/docs/1/": Page(html("One")), "/docs/2/": Page("", status=410)}
    site.pages |= {"/docs/3/": Page("", status=403)}
    reader = reader_of(site.url("/docs/{release}/"), discover="links")

    def gone(reader: SourceReader) -> list[str]:
        return [name for name in "1234" if reader.is_gone(name, lambda: None)]

    # The page above answers 404 as well, and nothing else was read yet.
    assert gone(reader) == []
    assert Reading(reader, "1", {}).paths == {"index.html"}
    assert gone(reader) == ["2", "4"]
    pairs = {name: site.url(f"/docs/{name}/") for name in "1234"}
    readers = reader_of(site.url("/docs/{release}/")), reader_of(site.url("/x/"), releases=pairs)
    site.pages["/docs/"] = html("All")
    assert [gone(one) for one in readers] == [["2", "4"], ["2", "4"]]


@pytest.mark.parametrize("discover", ["links", "sitemap", "llms"])
def test_a_release_that_leads_to_another_one_has_nothing(site: Site, discover: str) -> None:
    away = Page("", status=302, headers={"Location": "/docs/latest/"})
    site.pages |= {"/docs/1/": away, "/docs/1/a.html": away, "/docs/latest/": html("Newest")}
    site.pages["/docs/sitemap.xml"] = sitemap(site.url("/docs/1/a.html"))
    reader = reader_of(site.url("/docs/{release}/"), discover=discover)
    with pytest.raises(NothingThere):
        Reading(reader, "1", {})
    assert not reader.is_gone("1", lambda: None)


def test_a_site_without_releases_says_so(site: Site) -> None:
    site.pages["/docs/"] = html("All", "guide/")
    with pytest.raises(NothingThere, match=r"No release was found .*/docs/: list the releases"):
        found(site.url("/docs/{release}/"))


@pytest.mark.parametrize(
    ("template", "parent"),
    [
        ("https://a.example/{release}/", "https://a.example/"),
        ("https://a.example/docs/v{release}/en/", "https://a.example/docs/"),
        ("https://{release}.docs.example/x/", "https://docs.example/"),
        ("https://docs-{release}.example.com/", "https://example.com/"),
    ],
)
def test_the_page_above_the_releases(template: str, parent: str) -> None:
    assert parent_of(template) == parent

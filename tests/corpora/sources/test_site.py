"""The pages of a site: found, told apart, asked for again only if they changed."""

import gzip
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from corpora.errors import SourceError
from corpora.sources.site import fetching
from corpora.sources.site.frontier import Found, Frontier
from corpora.sources.site.remarks import LeftOut
from tests.corpora.sources.reading_sites import Reading, read, reader_of
from tests.corpora.sources.served import Page, Site, html, sitemap

TEMPLATE = "/docs/{release}/"


def three_pages(site: Site) -> None:
    """A release of three pages that link to one another, and two more that are none of it."""
    site.pages |= {
        "/docs/17.10/": html("Start", "install.html", "guide/", "/docs/17.1/", "/blog/"),
        "/docs/17.10/install.html": html("Install", "./", "guide/index.html#top"),
        "/docs/17.10/guide/": html("Guide", "../install.html?from=guide", "missing.html"),
        "/docs/17.1/": html("Old"),
        "/blog/": html("Blog"),
    }


THREE = {"index.html", "install.html", "guide/index.html"}


def test_links_are_followed_below_the_release_and_no_further(site: Site) -> None:
    three_pages(site)
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == THREE
    assert sorted(site.asked()) == sorted(set(site.asked()))
    assert not {"/docs/17.1/", "/blog/"} & set(site.asked())
    assert got.files["guide/index.html"].address == site.url("/docs/17.10/guide/")
    assert b"<h1>Install</h1>" in got.content["install.html"]
    assert got.progress[-1] == (3, None)
    assert "1 page was left out, because the site answered 404" in got.remarks


def test_a_second_reading_brings_what_changed(site: Site) -> None:
    three_pages(site)
    first = read(site.url(TEMPLATE), discover="links")
    site.forget()
    again = read(site.url(TEMPLATE), known=first.known, discover="links")
    assert again.paths == THREE
    assert not again.content
    assert set(site.asked(304)) == {"/docs/17.10/install.html", "/docs/17.10/guide/"}

    site.pages["/docs/17.10/guide/"] = html("Guide", "new.html", text="Another text.")
    site.pages["/docs/17.10/guide/new.html"] = html("New")
    changed = read(site.url(TEMPLATE), known=again.known, discover="links")
    assert changed.paths == {*THREE, "guide/new.html"}
    assert set(changed.content) == {"guide/index.html", "guide/new.html"}


def test_a_page_without_etag_is_compared_by_its_content(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/install.html"] = Page(html("Install"), headers={"ETag": ""})
    known = read(site.url(TEMPLATE), discover="links").known
    again = read(site.url(TEMPLATE), known=known, discover="links")
    assert not again.content


def test_last_modified_is_sent_back(site: Site) -> None:
    when = "Wed, 21 Oct 2026 07:28:00 GMT"
    three_pages(site)
    page = Page(html("Install"), headers={"ETag": "", "Last-Modified": when})
    site.pages["/docs/17.10/install.html"] = page
    known = read(site.url(TEMPLATE), discover="links").known
    site.forget()
    read(site.url(TEMPLATE), known=known, discover="links")
    assert when in [headers.get("if-modified-since") for headers in site.headers]


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_is_not_among_the_files(site: Site, status: int) -> None:
    three_pages(site)
    known = read(site.url(TEMPLATE), discover="links").known
    site.pages["/docs/17.10/guide/"] = Page(status=status)
    assert read(site.url(TEMPLATE), known=known, discover="links").paths == THREE - {
        "guide/index.html"
    }


def test_a_page_that_nothing_links_to_any_more_is_gone_although_it_is_served(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/other.html"] = html("Other", "install.html")
    site.pages["/docs/17.10/"] = html("Start", "guide/", "other.html")
    site.pages["/docs/17.10/guide/"] = html("Guide", "leaf.html", "install.html")
    site.pages["/docs/17.10/guide/leaf.html"] = html("Leaf")
    first = read(site.url(TEMPLATE), discover="links")
    assert first.paths == {*THREE, "other.html", "guide/leaf.html"}

    # The page that led to both is changed: one of them is still linked to by one that is not.
    site.pages["/docs/17.10/guide/"] = html("Guide")
    second = read(site.url(TEMPLATE), known=first.known, discover="links")
    assert second.paths == {*THREE, "other.html"}


def test_a_page_that_moved_within_the_release_is_one_page(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/"] = html("Start", "guide", "guide/", "old.html")
    site.pages["/docs/17.10/guide"] = Page(status=301, headers={"Location": "guide/"})
    site.pages["/docs/17.10/old.html"] = Page(
        status=302, headers={"Location": "/docs/17.10/install.html"}
    )
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == THREE
    assert got.files["install.html"].address == site.url("/docs/17.10/install.html")


def test_a_page_that_moved_to_another_release_is_none_of_this_one(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/install.html"] = Page(
        status=301, headers={"Location": "/docs/18.00/install.html"}
    )
    site.pages["/docs/18.00/install.html"] = html("Install 18")
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == {"index.html", "guide/index.html"}
    assert "it leads out of the release" in got.remarks
    assert "/docs/18.00/install.html" not in site.asked()


@pytest.mark.parametrize("status", [500, 503, 429, 401, 403])
def test_an_error_of_the_site_is_no_reason_to_drop_a_page(site: Site, status: int) -> None:
    three_pages(site)
    known = read(site.url(TEMPLATE), discover="links").known
    site.pages["/docs/17.10/guide/"] = Page(status=status)
    with pytest.raises(SourceError, match=rf"guide/.*{status}.*Nothing that\s+is served changes"):
        read(site.url(TEMPLATE), known=known, discover="links")


def test_an_error_that_passes_is_waited_for(site: Site) -> None:
    three_pages(site)
    answers = iter([503, 503])

    class Passing(Page):
        @property
        def data(self) -> bytes:
            self.status = next(answers, 200)
            return html("Guide").encode()

    site.pages["/docs/17.10/guide/"] = Passing(status=503)
    assert read(site.url(TEMPLATE), discover="links").paths == THREE


def test_a_sitemap_names_the_pages(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/unlinked.html"] = html("Unlinked")
    site.pages["/sitemap.xml"] = sitemap(
        *(site.url(f"/docs/17.10/{name}") for name in ("", "install.html", "unlinked.html")),
        site.url("/docs/17.1/"),
        "https://elsewhere.example/docs/17.10/",
    )
    got = read(site.url(TEMPLATE))
    assert got.paths == {"index.html", "install.html", "unlinked.html"}
    assert got.progress[-1] == (3, 3)
    site.pages["/sitemap.xml"] = sitemap(site.url("/docs/17.10/install.html"))
    assert read(site.url(TEMPLATE), known=got.known).paths == {"install.html"}


def test_sitemaps_are_read_through_indexes_packed_and_from_robots(site: Site) -> None:
    three_pages(site)
    site.pages["/robots.txt"] = f"Sitemap: {site.url('/maps/all.xml')}\n"
    site.pages["/maps/all.xml"] = (
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"<sitemap><loc>{site.url('/maps/17.xml.gz')}</loc></sitemap></sitemapindex>"
    )
    listed = sitemap(*(site.url(f"/docs/17.10/{name}") for name in ("", "install.html")))
    site.pages["/maps/17.xml.gz"] = Page(gzip.compress(listed.encode()), "application/gzip")
    assert read(site.url(TEMPLATE)).paths == {"index.html", "install.html"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset>&b;</urlset>', "type"),
        ("<urlset><url><loc>http://127.0.0.1/", "no element|not well-formed|unclosed"),
        ("<rss></rss>", "no sitemap but"),
        (f"<urlset>{'<a>' * 50}", "nested too deeply"),
    ],
)
def test_a_sitemap_that_is_none_drops_nothing(site: Site, text: str, told: str) -> None:
    three_pages(site)
    site.pages["/sitemap.xml"] = text
    with pytest.raises(SourceError, match=rf"sitemap.xml cannot be read: .*({told})"):
        read(site.url(TEMPLATE))


def test_a_part_of_a_sitemap_that_is_missing_drops_nothing(site: Site) -> None:
    site.pages["/sitemap.xml"] = (
        f"<sitemapindex><sitemap><loc>{site.url('/a.xml')}</loc></sitemap></sitemapindex>"
    )
    with pytest.raises(SourceError, match=r"a.xml cannot be read: the site answered 404"):
        read(site.url(TEMPLATE))


def test_what_a_packed_sitemap_unpacks_to_is_bounded(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.sources.site.sitemaps.LARGEST", 1_000_000)
    bomb = gzip.compress(b"<urlset>" + b" " * 50_000_000)
    site.pages["/sitemap.xml"] = Page(bomb, "application/gzip")
    with pytest.raises(SourceError, match=r"more than 1,000,000 bytes"):
        read(site.url(TEMPLATE))


def test_pages_that_a_sitemap_calls_unchanged_are_not_asked_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.sources.site.crawling.LEAST_SAMPLED", 2)
    names = [f"page{number}.html" for number in range(12)]
    site.pages |= {f"/docs/17.10/{name}": html(name) for name in names}
    addresses = [site.url(f"/docs/17.10/{name}") for name in names]
    site.pages["/sitemap.xml"] = sitemap(*addresses, lastmod="2026-01-02T03:04:05+00:00")
    known = read(site.url(TEMPLATE)).known
    site.forget()
    again = read(site.url(TEMPLATE), known=known)
    assert again.paths == set(names)
    assert not again.content
    assert len(site.asked()) == 1 + 2, "the first page, and two as a sample"

    site.pages["/docs/17.10/page5.html"] = html("changed")
    site.pages["/sitemap.xml"] = sitemap(
        *(a for a in addresses if "page5." not in a), lastmod="2026-01-02T03:04:05+00:00"
    ).replace(
        "</urlset>",
        f"<url><loc>{addresses[5]}</loc><lastmod>2026-11-01T00:00:00Z</lastmod></url></urlset>",
    )
    changed = read(site.url(TEMPLATE), known=again.known)
    assert set(changed.content) == {"page5.html"}


def test_a_sitemap_that_is_wrong_about_a_page_is_not_believed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.sources.site.crawling.LEAST_SAMPLED", 2)
    names = [f"page{number}.html" for number in range(12)]
    site.pages |= {f"/docs/17.10/{name}": html(name) for name in names}
    addresses = [site.url(f"/docs/17.10/{name}") for name in names]
    site.pages["/sitemap.xml"] = sitemap(*addresses, lastmod="2026-01-02")
    known = read(site.url(TEMPLATE)).known
    site.pages |= {f"/docs/17.10/{name}": html(name, text="New.") for name in names}
    again = read(site.url(TEMPLATE), known=known)
    assert set(again.content) == set(names)
    assert "every page was asked for" in again.remarks


def test_a_day_that_is_not_over_is_no_time_of_a_change(site: Site) -> None:
    site.pages["/docs/17.10/a.html"] = html("A")
    site.pages["/sitemap.xml"] = sitemap(site.url("/docs/17.10/a.html"), lastmod="2999-01-01")
    (digest,) = read(site.url(TEMPLATE)).known.values()
    assert "2999" not in digest


def test_llms_txt_names_the_pages(site: Site) -> None:
    site.pages |= {
        "/docs/17.10/llms.txt": (
            "# Product\n\n> A summary.\n\n## Docs\n\n- [Install](install.md): how\n"
            f"- [Guide]({site.url('/docs/17.10/guide.md')})\n- [Else](https://x.example/a.md)\n"
        ),
        "/docs/17.10/install.md": "# Install\n\nText.\n",
        "/docs/17.10/guide.md": Page("# Guide\n\nText.\n", "application/octet-stream"),
    }
    got = read(site.url(TEMPLATE), discover="llms")
    assert got.paths == {"install.md", "guide.md"}
    assert got.content["guide.md"] == b"# Guide\n\nText.\n"


def test_llms_full_txt_is_one_document(site: Site) -> None:
    site.pages["/docs/17.10/llms-full.txt"] = Page("# Product\n\nEverything.\n", "text/plain")
    # Under a name by which it is read as the Markdown that it is.
    assert read(site.url(TEMPLATE), discover="llms").paths == {"llms-full.txt.md"}
    with pytest.raises(SourceError, match=r"Neither llms.txt nor llms-full.txt"):
        read(site.url("/none/{release}/"), discover="llms")


def test_robots_txt_is_followed_with_its_patterns(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/a.private.html"] = html("Private")
    site.pages["/docs/17.10/"] = html("Start", "install.html", "guide/", "a.private.html")
    site.pages["/robots.txt"] = (
        "User-agent: *\nDisallow: /\n\nUser-agent: strata\nDisallow: /*.private.html$\n"
        "Disallow: /docs/17.10/guide/\nCrawl-delay: 0.01\n"
    )
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == {"index.html", "install.html"}
    assert "2 pages were left out, because robots.txt of the site does not allow it" in got.remarks
    assert "/docs/17.10/guide/" not in site.asked()
    assert {headers["user-agent"].partition("/")[0] for headers in site.headers} == {"Strata"}
    own = read(site.url(TEMPLATE), discover="links", robots=False)
    assert own.paths == {*THREE, "a.private.html"}


def test_rules_that_cannot_be_read_stop_the_reading(site: Site) -> None:
    three_pages(site)
    site.pages["/robots.txt"] = Page(status=503)
    with pytest.raises(SourceError, match=r"robots.txt could not be read: .* 503"):
        read(site.url(TEMPLATE), discover="links")


def test_requests_are_apart_by_the_delay(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(fetching.Fetcher, "_pause", lambda self, seconds: waited.append(seconds))
    three_pages(site)
    site.pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 7\n"
    read(site.url(TEMPLATE), discover="links", delay=3)
    assert all(2 < seconds <= 7 for seconds in waited[1:])
    assert max(waited[2:]) > 6


def test_a_copy_is_taken_under_its_canonical_address(site: Site) -> None:
    canonical = '<link rel="canonical" href="guide/">'
    three_pages(site)
    site.pages["/docs/17.10/"] = html("Start", "copy.html", "install.html")
    site.pages["/docs/17.10/copy.html"] = html("Copy", head=canonical)
    assert read(site.url(TEMPLATE), discover="links").paths == THREE
    # The address that it names does not exist: the page itself is all there is.
    site.pages["/docs/17.10/install.html"] = html("Install")
    del site.pages["/docs/17.10/guide/"]
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == {"index.html", "install.html", "copy.html"}


def test_two_pages_that_call_each_other_canonical_are_both_kept_once(site: Site) -> None:
    site.pages |= {
        "/docs/17.10/": html("Start", "a.html", "b.html"),
        "/docs/17.10/a.html": html("A", head='<link rel="canonical" href="b.html">'),
        "/docs/17.10/b.html": html("B", head='<link rel="canonical" href="a.html">'),
    }
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths >= {"index.html"}
    assert len(got.paths) == 2


def test_a_copy_of_another_releases_page_is_left_out(site: Site) -> None:
    three_pages(site)
    site.pages["/docs/17.10/guide/"] = html(
        "Guide", head=f'<link rel="canonical" href="{site.url("/docs/16.00/guide/")}">'
    )
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == {"index.html", "install.html"}
    assert "a copy of a page of another release" in got.remarks


def test_a_site_that_calls_its_newest_release_canonical_everywhere_is_read(site: Site) -> None:
    def head(name: str) -> str:
        return f'<link rel="canonical" href="{site.url(f"/docs/stable/{name}")}">'

    site.pages |= {
        "/docs/17.10/": html("Start", "guide/", head=head("")),
        "/docs/17.10/guide/": html("Guide", head=head("guide/")),
    }
    assert read(site.url(TEMPLATE), discover="links").paths == {"index.html", "guide/index.html"}


def test_only_pages_are_taken(site: Site) -> None:
    links = ("a.pdf", "b.md", "c.txt", "d.json", "e", "logo.png", "_sources/a.rst.txt", "app.js")
    site.pages |= {
        "/docs/17.10/": html("Start", *links),
        "/docs/17.10/a.pdf": b"%PDF-1.7\n",
        "/docs/17.10/b.md": "# B\n",
        "/docs/17.10/c.txt": "C\n",
        "/docs/17.10/d.json": "{}",
        "/docs/17.10/e": Page("{}", "application/json"),
        "/docs/17.10/logo.png": b"\x89PNG",
        "/docs/17.10/_sources/a.rst.txt": "A\n",
        "/docs/17.10/app.js": "1",
    }
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == {"index.html", "a.pdf", "b.md", "c.txt"}
    assert "it is application/json, not HTML, Markdown, text or PDF" in got.remarks
    assert not {"/docs/17.10/logo.png", "/docs/17.10/app.js"} & set(site.asked())


def test_the_encoding_that_a_server_states_counts(site: Site) -> None:
    body = html("Größe").encode("latin-1")
    site.pages["/docs/17.10/"] = Page(body, "text/html; charset=ISO-8859-1")
    got = read(site.url(TEMPLATE), discover="links")
    assert "Größe" in got.content["index.html"].decode("utf-8-sig")
    assert not read(site.url(TEMPLATE), known=got.known, discover="links").content


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode-escape", "utf-7", "rot13", "no"])
def test_an_encoding_that_no_page_has_is_not_decoded(site: Site, charset: str) -> None:
    body = html("Größe")
    site.pages["/docs/17.10/"] = Page(body, f"text/html; charset={charset}")
    got = read(site.url(TEMPLATE), discover="links")
    assert got.content["index.html"] == body.encode()


@pytest.mark.parametrize("charset", ["windows-1251", "Shift_JIS", "gb2312", "koi8-r", "utf-16"])
def test_the_names_that_servers_have_for_encodings_are_known(site: Site, charset: str) -> None:
    site.pages["/docs/17.10/"] = html("Start", "a.txt")
    site.pages["/docs/17.10/a.txt"] = Page("Да".encode(charset), f"text/plain; charset={charset}")
    got = read(site.url(TEMPLATE), discover="links")
    assert got.content["a.txt"].decode("utf-8-sig") == "Да"


def test_limits_of_pages_and_bytes_are_told(site: Site) -> None:
    three_pages(site)
    few = read(site.url(TEMPLATE), discover="links", max_pages=2)
    assert len(few.paths) == 2
    assert "17.10: the reading ended at 2 pages (max_pages)" in few.remarks
    small = read(site.url(TEMPLATE), discover="links", max_bytes=600)
    assert len(small.paths) < 3
    assert "at 600 bytes (max_bytes)" in small.remarks
    again = read(site.url(TEMPLATE), known=small.known, discover="links", max_bytes=600)
    assert again.paths == small.paths
    assert not again.content


def test_a_site_without_end_is_read_no_further_than_a_limit(site: Site) -> None:
    """Each of its pages calls itself a copy of another release's, and links to new ones."""
    head = f'<link rel="canonical" href="{site.url("/docs/16.00/x")}">'

    class Endless(dict[str, Page | bytes | str]):
        def get(self, path: str, default: Any = None) -> Any:
            if not path.startswith("/docs/17.10/a"):
                return super().get(path, default)
            name = path.rpartition("/")[2]
            return html(name, *(f"{name}{number}" for number in range(3)), head=head)

    site.pages = Endless({"/docs/17.10/": html("Start", "a")})
    got = read(site.url(TEMPLATE), discover="links", max_pages=2)
    assert got.paths == {"index.html"}
    assert len(site.asked()) == 4 * 2 + 100
    assert "the reading ended at 108 addresses asked for" in got.remarks


def test_no_more_addresses_are_noted_than_a_limit() -> None:
    frontier = Frontier(3)
    for name in "abcde":
        frontier.add(Found(f"https://docs.example/{name}"))
    assert (len(frontier), frontier.found) == (3, 3)
    copy = Found("https://docs.example/a")
    assert not frontier.is_settled_copy(copy, httpx.URL("https://docs.example/f"))


def test_the_words_of_a_site_in_remarks_are_bounded(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.sources.site.remarks._MOST_REASONS", 20)
    names = [f"p{number}" for number in range(30)]
    site.pages["/docs/17.10/"] = html("Start", *names)
    kinds = {name: f"x/{name}{'y' * 5_000}" for name in names}
    site.pages |= {f"/docs/17.10/{name}": Page("", kind) for name, kind in kinds.items()}
    reader = reader_of(site.url(TEMPLATE), discover="links")
    got = Reading(reader, "17.10", {})
    assert len(reader.remarks) == 21
    assert reader.remarks[-1] == "17.10: 10 more were left out for other reasons."
    assert max(map(len, reader.remarks)) < 300
    left_out = LeftOut()
    left_out.add(f"it leads from https to http://{'x' * 1_900}", httpx.URL("https://a.example/"))
    assert len(left_out.sentences("17.10")[0]) < 300
    assert got.paths == {"index.html"}


def test_what_a_packed_page_unpacks_to_is_bounded(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.sources.site.crawling.LARGEST_PAGE", 100_000)
    three_pages(site)
    packed = {"Content-Encoding": "gzip"}
    site.pages["/docs/17.10/install.html"] = Page(html("Install"), headers=packed)
    site.pages["/docs/17.10/guide/"] = Page(" " * 30_000_000, headers=packed)
    got = read(site.url(TEMPLATE), discover="links")
    assert got.paths == {"index.html", "install.html"}
    assert b"Install" in got.content["install.html"]
    assert "it is longer than 100,000 bytes" in got.remarks


def test_a_reading_can_be_stopped(site: Site) -> None:
    three_pages(site)

    class Stop(Exception):
        pass

    def stop() -> None:
        if len(site.asked()) >= 2:
            raise Stop

    from pathlib import Path
    from tempfile import TemporaryDirectory

    from corpora.sources.source import FoundRelease

    reader = reader_of(site.url(TEMPLATE), discover="links")
    with TemporaryDirectory() as folder, pytest.raises(Stop):
        list(reader.fetch(FoundRelease("17.10", ""), {}, Path(folder), stop, lambda *_: None))
    assert len(site.asked()) <= 3


def test_a_release_without_pages_is_an_error(site: Site) -> None:
    with pytest.raises(SourceError, match="where there is no page that can be read"):
        read(site.url(TEMPLATE), discover="links")
    with pytest.raises(SourceError, match=r"No sitemap lists pages below"):
        read(site.url(TEMPLATE))
    site.pages["/sitemap.xml"] = sitemap(site.url("/docs/17.10/a.html"))
    with pytest.raises(SourceError, match=r"No page of 17.10 was found"):
        read(site.url(TEMPLATE))


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("a/../../16.00/x.html", None),
        ("%2e%2e/16.00/x.html", None),
        ("a%2fb.html", None),
        ("a%5cb.html", None),
        ("a%00.html", None),
        ("./con%3A1*.html", "con_1_.html"),
        ("ü/ö.html", "ü/ö.html"),
        ("v1.2", "v1.2.html"),
        ("x" * 300, None),
    ],
)
def test_the_names_of_files_hold_nothing_harmful(
    site: Site, address: str, path: str | None
) -> None:
    from corpora.sources.options import SiteOptions
    from corpora.sources.site.releases import place_of

    place = place_of("17.10", SiteOptions(url=site.url(TEMPLATE)))
    url = place.page(address, place.start)
    if len(address) == 300:
        assert url is not None
        assert len(place.path(url, (".html",))) < 120
    elif path is None:
        assert url is None
    else:
        assert url is not None
        assert place.path(url, (".html",)) == path


def test_callable_names(names: Callable[..., None], site: Site) -> None:
    names(docs_example_test="127.0.0.1")
    three_pages(site)
    url = site.url(TEMPLATE, "docs.example.test")
    assert read(url, discover="links", private_hosts=("docs.example.test",)).paths == THREE

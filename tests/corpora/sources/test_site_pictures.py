"""The pictures that pages of a site show are fetched, and stand where their reader looks."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from corpora.database.engine import Database
from corpora.database.source_tables import SourceRow
from corpora.database.tables import FigureRow
from corpora.jobs.jobs import JobKind, Jobs
from corpora.sources.site.states import State
from corpora.sources.source import Secrets
from ingestion.includes import LARGEST_READ
from tests.corpora.sources.reading_sites import Reading, read
from tests.corpora.sources.served import Page, Site, html
from tests.corpora.sources.test_site_generators import publish
from tests.job_work import worker
from tests.pictures import SCRIPTED, picture

PLUG = picture()


def shown(*sources: str) -> str:
    return "".join(f'<p><img src="{source}" alt="A picture"></p>' for source in sources)


def manual(site: Site, *sources: str, **pictures: Page | bytes | str) -> None:
    """One page that shows pictures, and what lies at these addresses."""
    site.pages["/17.10/"] = html("Manual", text=shown(*sources))
    site.pages |= pictures


def manual_of(site: Site, known: Reading | None = None, **options: object) -> Reading:
    before = known.known if known else None
    return read(site.url("/{release}/"), known=before, discover="links", **options)


PLACED = {
    "beside": ("img/a.png", "/17.10/img/a.png", "img/a.png"),
    "with a query": ("img/a.png?v=7#top", "/17.10/img/a.png", "img/a.png"),
    "of the root": ("/static/a.png", "/static/a.png", "static/a.png"),
    "with a blank": ("img/a%20b.png", "/17.10/img/a%20b.png", "img/a b.png"),
}


@pytest.mark.parametrize("case", PLACED.values(), ids=PLACED.keys())
def test_it_lies_where_the_page_says(site: Site, case: tuple[str, str, str]) -> None:
    source, address, path = case
    manual(site, source, **{address: PLUG})
    got = manual_of(site)
    assert got.content[path] == PLUG
    assert got.files[path].address == site.url(address)
    assert not got.remarks


def test_it_is_fetched_once_for_all_pages_behind_them(site: Site) -> None:
    site.pages |= {
        "/17.10/": html("Manual", "b/", text=shown("img/a.png")),
        "/17.10/b/": html("B", text=shown("../img/a.png", "../img/a.png")),
        "/17.10/img/a.png": PLUG,
    }
    got = manual_of(site)
    assert list(got.files) == ["index.html", "b/index.html", "img/a.png"]
    assert got.progress == [(1, None), (2, None), (3, None)]
    assert site.asked().count("/17.10/img/a.png") == 1


def test_those_of_pages_that_have_not_changed_are_asked_for_only_if_they_have(site: Site) -> None:
    manual(site, "a.png", **{"/17.10/a.png": PLUG})
    first = manual_of(site)
    site.forget()
    again = manual_of(site, first)
    assert again.known == first.known
    assert not again.content
    assert site.asked() == ["/17.10/", "/17.10/a.png"]
    assert "/17.10/a.png" in site.asked(304)
    other = picture(colour="blue")
    site.pages["/17.10/a.png"] = other
    replaced = manual_of(site, again)
    assert replaced.content == {"a.png": other}
    site.pages["/17.10/a.png"] = Page(status=404)
    assert manual_of(site, replaced).files["a.png"].digest == replaced.files["a.png"].digest
    site.pages["/17.10/a.png"] = PLUG
    again = manual_of(site, replaced)
    site.forget()
    site.pages["/17.10/"] = html("Manual", text=f"New. {shown('a.png')}")
    changed = manual_of(site, again)
    assert list(changed.content) == ["index.html"]
    assert site.asked(304) == ["/17.10/a.png"]
    site.pages["/17.10/"] = html("Manual", text="No picture any more.")
    assert manual_of(site, changed).paths == {"index.html"}


@pytest.mark.parametrize("address", ["{}/img/a.png", "//{}/img/a.png"])
def test_one_with_a_whole_address_at_the_sources_own_host(site: Site, address: str) -> None:
    own = site.url("").rstrip("/")
    source = address.format(own if address.startswith("{") else own.removeprefix("http://"))
    manual(site, source, "http://elsewhere.example/b.png", **{"/img/a.png": PLUG})
    got = manual_of(site)
    assert got.content == {"index.html": got.content["index.html"], "127.0.0.1/img/a.png": PLUG}
    assert not got.remarks


def test_what_a_page_says_they_begin_at_is_kept_with_it(site: Site) -> None:
    base = '<base href="/17.10/deep/">'
    site.pages["/17.10/"] = html("Manual", head=base, text=shown("a.png"))
    site.pages["/17.10/deep/a.png"] = PLUG
    first = manual_of(site)
    assert first.content["a.png"] == PLUG
    other = picture(colour="blue")
    site.pages["/17.10/deep/a.png"] = other
    site.forget()
    again = manual_of(site, first)
    assert again.content == {"a.png": other}
    assert site.asked() == ["/17.10/", "/17.10/deep/a.png"]


def test_a_page_that_was_read_before_pictures_were_is_read_again(site: Site) -> None:
    manual(site, "a.png", **{"/17.10/a.png": PLUG})
    first = manual_of(site, max_pictures=0)
    assert first.paths == {"index.html"}
    state = State.read(first.known["index.html"])
    assert state is not None
    old = {"index.html": first.known["index.html"].replace(',"shows":["a.png"]', "")}
    assert State.read(old["index.html"]).shows is None  # type: ignore[union-attr]
    got = read(site.url("/{release}/"), known=old, discover="links")
    assert list(got.content) == ["a.png"]


def test_only_so_many_are_kept(site: Site) -> None:
    manual(site, *(f"{n}.png" for n in range(5)), **{f"/17.10/{n}.png": PLUG for n in range(5)})
    got = manual_of(site, max_pictures=3)
    assert got.paths == {"index.html", "0.png", "1.png", "2.png"}
    assert "the first 3 pictures are kept (max_pictures)" in got.remarks


def test_pages_come_first_where_bytes_are_short(site: Site) -> None:
    manual(site, "a.png", **{"/17.10/a.png": PLUG})
    most = len(site.pages["/17.10/"]) + len(PLUG) - 1  # type: ignore[arg-type]
    got = manual_of(site, max_bytes=most)
    assert got.paths == {"index.html"}
    assert "max_bytes" in got.remarks


ATTACKS: dict[str, tuple[str, Page | bytes | str, str]] = {
    "redirect to another host": (
        "a.png",
        Page(status=302, headers={"Location": "http://elsewhere.example/a.png"}),
        "the source does not name the host elsewhere.example",
    ),
    "redirect to a private address": (
        "a.png",
        Page(status=302, headers={"Location": "http://169.254.169.254/latest/a.png"}),
        "the source does not name the host 169.254.169.254",
    ),
    "redirect without end": (
        "a.png",
        Page(status=302, headers={"Location": "/17.10/a.png"}),
        "it leads on more than",
    ),
    "a page": ("a.png", html("A", text=PLUG.hex()), "it is text/html"),
    "missing": ("a.png", Page(status=404), "the site answered 404"),
    "longer than any": (
        "a.png",
        Page(b"\0" * (LARGEST_READ + 1), "image/png"),
        "it is longer than 20,000,000 bytes",
    ),
    "packed": (
        "a.png",
        Page(b"\0" * (LARGEST_READ + 1), "image/png", headers={"Content-Encoding": "gzip"}),
        "it is longer than 20,000,000 bytes",
    ),
}


@pytest.mark.parametrize("case", ATTACKS.values(), ids=ATTACKS.keys())
def test_what_cannot_be_taken_is_named_and_fails_nothing(
    site: Site, case: tuple[str, Page | bytes | str, str]
) -> None:
    source, answer, reason = case
    if isinstance(answer, str):
        answer = Page(answer, "text/html")
    manual(site, source, "b.png", **{"/17.10/a.png": answer, "/17.10/b.png": PLUG})
    got = manual_of(site)
    assert got.paths == {"index.html", "b.png"}
    assert "1 picture was left out" in got.remarks
    assert reason in got.remarks


@pytest.mark.parametrize(
    "source",
    [
        "http://elsewhere.example/a.png",
        "//elsewhere.example/a.png",
        "http://169.254.169.254/a.png",
        "file:///etc/a.png",
        "../../../etc/a.png",
        "a.exe",
        "..\\..\\a.png",
    ],
)
def test_an_address_elsewhere_is_not_asked(site: Site, source: str) -> None:
    manual(site, source)
    assert manual_of(site).paths == {"index.html"}
    assert site.asked() == ["/17.10/"]


def test_a_base_elsewhere_leads_nowhere(site: Site) -> None:
    base = '<base href="http://elsewhere.example/">'
    site.pages["/17.10/"] = html("Manual", head=base, text=shown("a.png"))
    got = manual_of(site)
    assert got.paths == {"index.html"}
    assert "the source does not name the host elsewhere.example" in got.remarks


def test_a_named_host_with_a_private_address_is_not_asked(
    site: Site, names: Callable[..., None]
) -> None:
    names(inside_example="10.1.2.3")
    to = Page(status=302, headers={"Location": "http://inside.example/a.png"})
    manual(site, "a.png", **{"/17.10/a.png": to})
    got = manual_of(site, hosts=("inside.example",))
    assert got.paths == {"index.html"}
    assert "10.1.2.3 is not an address of the public internet" in got.remarks


def test_robots_are_obeyed(site: Site) -> None:
    manual(site, "img/a.png", **{"/17.10/img/a.png": PLUG})
    site.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /17.10/img/\n", "text/plain")
    assert manual_of(site).paths == {"index.html"}
    assert "/17.10/img/a.png" not in site.asked()
    assert "img/a.png" in manual_of(site, robots=False).paths


def test_one_that_would_be_a_folder_of_another_is_left_out(site: Site) -> None:
    site.pages |= {
        "/17.10/": html("Manual", "c.png/", text=shown("a.png", "a.png/b.png", "c.png")),
        "/17.10/c.png/": html("C"),
        **dict.fromkeys(("/17.10/a.png", "/17.10/a.png/b.png", "/17.10/c.png"), PLUG),
    }
    assert manual_of(site).paths == {"index.html", "a.png", "c.png/index.html"}


def test_a_site_that_does_not_answer_is_asked_for_few(site: Site) -> None:
    pictures = {f"/17.10/{n}.png": Page(status=503) for n in range(8)}
    manual(site, *(f"{n}.png" for n in range(8)), **{**pictures, "/17.10/7.png": PLUG})
    got = manual_of(site)
    assert got.paths == {"index.html"}
    assert len(set(site.asked(503))) == 3
    assert "did not answer" in got.remarks


def test_what_was_kept_stays_while_the_site_does_not_answer(site: Site) -> None:
    manual(site, "a.png", **{"/17.10/a.png": PLUG})
    first = manual_of(site)
    manual(site, "a.png", "b.png", **{"/17.10/a.png": Page(status=503)})
    again = manual_of(site, first)
    assert again.files["a.png"].content is None
    assert again.files["a.png"].digest == first.files["a.png"].digest


def test_a_page_of_markdown_shows_its_own(site: Site) -> None:
    site.pages |= {
        "/17.10/llms.txt": Page("- [Guide](guide.md)\n", "text/plain"),
        "/17.10/guide.md": Page("# Guide\n\n![Plug](img/a.png)\n", "text/markdown"),
        "/17.10/img/a.png": PLUG,
    }
    got = read(site.url("/{release}/"), discover="llms")
    assert got.paths == {"guide.md", "img/a.png"}


@pytest.mark.database
def test_they_stand_beside_the_text_of_a_generated_site(
    site: Site, database: Database, tmp_path: Path
) -> None:
    publish(site, "sphinx")
    figure = (
        b'<figure class="align-default"><img alt="The lamp" src="_images/lamp.png" />'
        b'<figcaption><p>The lamp</p></figcaption></figure><img src="_images/drawn.svg"/>'
    )
    place = next(p for p in site.pages if p.endswith("settings.html"))
    page = site.pages[place]
    assert isinstance(page, bytes)
    site.pages[place] = page.replace(b"</p>", b"</p>" + figure, 1)
    folder = place.rpartition("/")[0]
    site.pages |= {f"{folder}/_images/lamp.png": PLUG, f"{folder}/_images/drawn.svg": SCRIPTED}
    options = {
        "url": site.url("/{release}/"),
        "discover": "links",
        "releases": {"17.10": "17.10"},
        "private_hosts": ["127.0.0.1"],
        "delay": 0,
    }
    with database.writing() as session:
        row = SourceRow(
            product="Beacon", kind="site", options=options, created=datetime.now(UTC), person="ada"
        )
        session.add(row)
        session.flush()
        source = row.id

    def figures() -> list[str]:
        jobs = Jobs(database)
        job = jobs.add(JobKind.SYNC, "Beacon", "", "ada", source=source)
        worker(database, tmp_path, secrets=Secrets()).do(job)
        assert jobs.get(job).state == "done"
        with database.reading() as session:
            return list(session.scalars(select(FigureRow.caption)))

    assert "The lamp" in figures()
    site.forget()
    assert "The lamp" in figures()
    assert len([path for path in site.asked(304) if "_images" in path]) == 2

"""The worked example of a source that a package adds, against answers of Confluence's REST."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from corpora.errors import SourceError
from corpora.sources.source import Secrets
from tests.corpora.sources.reading_sites import Reading
from tests.corpora.sources.served import Page, Site

API = "/wiki/api/v2/"
STORAGE = """<p>The option <code>interval</code>&nbsp;is a time.</p>
<ac:structured-macro ac:name="note" ac:schema-version="1"><ac:rich-text-body><p>Restart after a
change.</p></ac:rich-text-body></ac:structured-macro>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">ini</ac:parameter>
<ac:plain-text-body><![CDATA[interval = <30> &nbsp;]]></ac:plain-text-body></ac:structured-macro>
<p>See <ac:link><ri:page ri:content-title="Install" /></ac:link>.</p>
<table><tbody><tr><th>Option</th></tr><tr><td>interval</td></tr></tbody></table>"""


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "examples" / "strata-confluence")
    yield __import__("strata_confluence")
    sys.modules.pop("strata_confluence", None)


def page(number: int, title: str, version: int = 1) -> dict[str, Any]:
    return {
        "id": str(number),
        "status": "current",
        "title": title,
        "version": {"number": version},
        "_links": {"webui": f"/spaces/DOC/pages/{number}/{title}"},
    }


def answer(site: Site, path: str, *results: object, following: str = "") -> None:
    links = {"next": following} if following else {}
    body = json.dumps({"results": results, "_links": links})
    site.pages[API + path] = Page(body, "application/json")


@pytest.fixture
def space(site: Site) -> Site:
    answer(site, "spaces?keys=DOC", {"id": "77", "key": "DOC"})
    answer(site, "labels?limit=250", {"id": "5", "name": "v17.10"}, {"id": "6", "name": "draft"})
    more = f"{API}labels/5/pages?space-id=77&limit=100&cursor=abc"
    answer(site, "labels/5/pages?space-id=77&limit=100", page(1, "Settings"), following=more)
    answer(site, "labels/5/pages?space-id=77&limit=100&cursor=abc", page(2, "Install"))
    for number, title in ((1, "Settings"), (2, "Install")):
        body = {**page(number, title), "body": {"storage": {"value": STORAGE}}}
        at = f"{API}pages/{number}?body-format=storage"
        site.pages[at] = Page(json.dumps(body), "application/json")
    return site


def reader_of(package: Any, site: Site, **options: object) -> Any:
    given = {"space": "DOC", "token": "wiki", "delay": 0, "private_hosts": ("127.0.0.1",)}
    made = package.ConfluenceOptions(url=site.url(""), **{**given, **options})
    return package.KIND.open(made, Secrets({"wiki": SecretStr("ann:s3cret")}))


def test_pages_of_a_label_are_its_release(package: Any, space: Site) -> None:
    reader = reader_of(package, space)
    assert [release.name for release in reader.releases()] == ["17.10"]
    got = Reading(reader, "17.10", {})
    assert got.paths == {"Settings-1.html", "Install-2.html"}
    assert got.files["Settings-1.html"].address == space.url("/wiki/spaces/DOC/pages/1/Settings")
    assert {headers["authorization"] for headers in space.headers} == {"Basic YW5uOnMzY3JldA=="}
    space.forget()
    answer(space, "labels/5/pages?space-id=77&limit=100", page(1, "Settings", version=2))
    again = Reading(reader, "17.10", got.known)
    assert again.paths == set(again.content) == {"Settings-1.html"}


def test_the_listing_can_be_stopped(package: Any, space: Site) -> None:
    class Stopped(Exception): ...

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        reader_of(package, space).releases(stop)
    assert space.requests == []


def test_titles_can_name_the_release(package: Any, space: Site) -> None:
    listed = page(1, "Settings (17.10)"), page(2, "Install (18.00)"), page(3, "About")
    answer(space, "spaces/77/pages?status=current&limit=100", *listed)
    reader = reader_of(package, space, release_in="title", releases="({release})")
    assert [release.name for release in reader.releases()] == ["17.10", "18.00"]
    assert Reading(reader, "17.10", {}).paths == {"Settings-17.10-1.html"}


def test_storage_format_becomes_html(package: Any) -> None:
    made = package.to_html("Settings", STORAGE)
    assert "<pre>" in made
    assert "interval = &lt;30&gt; &amp;nbsp;" in made
    assert '<div class="admonition note"><p class="admonition-title">Note</p>' in made
    assert "See Install." in made
    assert "<th>Option</th>" in made
    assert "ini" not in made.partition("<pre>")[2].partition("</pre>")[0].replace("interval", "")
    assert "ac:" not in made
    with pytest.raises(SourceError, match="'X' is no storage format"):
        package.to_html("X", "<p>")


def test_what_the_token_may_not_read_is_told(package: Any, space: Site) -> None:
    space.pages[f"{API}labels?limit=250"] = Page(status=401)
    with pytest.raises(SourceError, match=r"labels.* answered 401: check that the token"):
        reader_of(package, space).releases()
    answer(space, "labels?limit=250", {"id": "5", "name": "v17.10"})
    answer(space, "spaces?keys=DOC")
    with pytest.raises(SourceError, match="no space DOC that the token may read"):
        Reading(reader_of(package, space), "17.10", {})


@pytest.mark.parametrize("body", ["{", "[]", '{"results": [{}]}', '{"results": 7}'])
def test_what_is_no_answer_of_confluence_is_told(package: Any, space: Site, body: str) -> None:
    space.pages[f"{API}labels?limit=250"] = Page(body, "application/json")
    with pytest.raises(SourceError, match=r"[cC]heck the url"):
        reader_of(package, space).releases()


def test_the_id_of_a_page_is_no_path(package: Any, space: Site) -> None:
    hostile = {**page(1, "Settings"), "id": "/../../out"}
    answer(space, "labels/5/pages?space-id=77&limit=100", hostile)
    with pytest.raises(SourceError, match="answers otherwise"):
        Reading(reader_of(package, space), "17.10", {})

"""Every file of the table, through every door by which files come in."""

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from typer.testing import CliRunner

from tests.ui.admin_pages import open_admin_page, run, tab
from tests.ui.attacks.conftest import Server, each
from tests.ui.attacks.uploads_table import TEXT, UPLOADS
from tests.ui.conftest import MakeChatbot
from ui.cli.main import app

WHERE = {"product": "valve", "release": "9.9"}


def sent(server: Server, name: str, content: bytes) -> httpx.Response:
    """A file as the body of a form, its name as it stands: a client would mend it."""
    head = f'--x\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    return post(server, head.encode("utf-8", "surrogateescape") + content + b"\r\n--x--\r\n")


def post(server: Server, body: bytes) -> httpx.Response:
    """A form of files."""
    headers = {
        "Authorization": f"Bearer {server.keys['ingest']}",
        "Content-Type": "multipart/form-data; boundary=x",
    }
    url = f"{server.address}/api/v1/jobs"
    return httpx.post(url, params=WHERE, content=body, headers=headers, timeout=60)


NAMES = {
    "raw-utf-8": 'filename="Übersicht.md"'.encode(),
    "raw-latin-1": 'filename="Übersicht.md"'.encode("latin-1"),
    "without-quotes": "filename=Übersicht.md".encode(),
    "taken-apart": 'filename="U\N{COMBINING DIAERESIS}bersicht.md"'.encode(),
    "extended-alone": b"filename*=utf-8''%C3%9Cbersicht.md",
    "extended-last": b"filename=\"__bersicht.md\"; filename*=utf-8''%C3%9Cbersicht.md",
    "extended-first": b"filename*=UTF-8''%C3%9Cbersicht.md; filename=\"?bersicht.md\"",
    "extended-with-language": b"filename*=utf-8'de'%C3%9Cbersicht.md",
    "extended-latin-1": b"filename*=iso-8859-1''%DCbersicht.md",
    "extended-in-quotes": b"filename*=\"utf-8''%C3%9Cbersicht.md\"",
    "extended-without-charset": b"filename*=%C3%9Cbersicht.md",
    "extended-in-parts": b"filename*0*=utf-8''%C3%9Cber; filename*1*=sicht.md",
    "encoded-word": b'filename="=?utf-8?B?w5xiZXJzaWNodC5tZA==?="',
    "encoded-word-of-letters": b'filename="=?utf-8?Q?=C3=9Cbersicht.md?="',
    "encoded-words": b'filename="=?utf-8?B?w5xiZXI=?= =?utf-8?Q?sicht.md?="',
    "encoded-word-in-latin-1": b'filename="=?iso-8859-1?Q?=DCbersicht.md?="',
    "percent": b'filename="%C3%9Cbersicht.md"',
}
"""Übersicht.md, as programs write it."""
_DISGUISES: dict[str, Callable[[str], str]] = {
    "extended": lambda name: "filename*=utf-8''" + quote(name, safe=""),
    "beside-a-good-one": lambda name: "filename=good.md; filename*=utf-8''" + quote(name, safe=""),
    "encoded-word": lambda name: f'filename="=?utf-8?B?{b64encode(name.encode()).decode()}?="',
}
DISGUISED = {
    f"{way}-{id}": write(name).encode()
    for id, (name, _) in UPLOADS.items()
    if id.startswith("name-") and id != "name-suffix-and-space"
    for way, write in _DISGUISES.items()
}
"""The names of the table, so written that a look at the bytes does not show them."""


def posted(server: Server, disposition: bytes) -> httpx.Response:
    head = b'--x\r\nContent-Disposition: form-data; name="files"; ' + disposition
    return post(server, head + b"\r\n\r\n" + TEXT + b"\r\n--x--\r\n")


@each(NAMES)
def test_a_name_is_the_same_however_it_is_written(server: Server, case: bytes) -> None:
    told = posted(server, case)
    assert told.status_code == 202, told.text
    assert [file["file"] for file in told.json()["files"]] == ["Übersicht.md"]


@each({"gbk": "安装指南.md", "cp932": "表示.md", "cp1251": "Обзор.md", "big5": "概述.md"})
def test_a_name_is_read_in_the_letters_of_its_senders_system(
    server: Server, case: str, request: pytest.FixtureRequest
) -> None:
    letters = request.node.callspec.id
    told = posted(server, b'filename="' + case.encode(letters) + b'"')
    assert told.status_code == 202, told.text
    assert [file["file"] for file in told.json()["files"]] == [case]


@each(DISGUISED)
def test_a_name_is_refused_however_it_is_written(server: Server, case: bytes) -> None:
    before = jobs(server)
    refused = posted(server, case)
    assert refused.status_code == 422, refused.text[:300]
    assert jobs(server) == before


@each(
    {
        "charset": (b'filename="=?klingon?B?w5w=?="', "is encoded in a way that cannot be read"),
        "no-base64": (b'filename="=?utf-8?B?w?="', "is encoded in a way that cannot be read"),
        "a-field": (b"x=y", "not a file"),
    }
)
def test_a_name_that_cannot_be_read_says_why(server: Server, case: tuple[bytes, str]) -> None:
    written, why = case
    refused = posted(server, written)
    assert refused.status_code == 422
    assert why in refused.json()["error"]["message"]


def jobs(server: Server) -> int:
    headers = {"Authorization": f"Bearer {server.keys['ingest']}"}
    return len(httpx.get(f"{server.address}/api/v1/jobs", headers=headers).json())


@pytest.mark.database
@each(UPLOADS)
def test_a_program_uploads_nothing_that_it_should_not(
    server: Server, case: tuple[str, bytes]
) -> None:
    before = jobs(server)
    refused = sent(server, *case)
    assert refused.status_code in (400, 422), refused.text[:300]
    assert refused.json()["error"]["message"]
    assert jobs(server) == before


@pytest.mark.database
def test_a_good_file_is_taken_by_the_same_way(server: Server) -> None:
    before = jobs(server)
    assert sent(server, "guide/notes.md", TEXT).status_code == 202
    assert jobs(server) == before + 1


def test_the_page_takes_nothing_but_what_is_good(valve: MakeChatbot) -> None:
    valve(None)
    page = open_admin_page("documents")
    page.session_state["upload release"] = WHERE["release"]
    tab(page, "documents tab", "Upload")
    given = [*UPLOADS.values(), ("good.md", TEXT + b"\nThe last one.\n")]
    page.file_uploader[0].set_value([(name, content, "") for name, content in given])
    run(page).checkbox[0].check()
    (button,) = [b for b in run(page).button if b.label.startswith("Upload")]
    assert button.label.startswith("Upload 1 file to valve"), button.label


def test_the_command_reads_nothing_but_what_is_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_DATA_DIR", str(tmp_path / "data"))
    docs = tmp_path / "in" / "docs"
    bad = [file for id, file in UPLOADS.items() if not id.startswith("name-")]
    for number, (name, content) in enumerate(bad):
        place = docs / f"{number}"
        place.mkdir(parents=True)
        (place / name).write_bytes(content)
    (docs / "link.md").symlink_to("/etc/passwd")
    (docs / "folder").symlink_to("/etc")
    (docs / "good.md").write_bytes(TEXT)
    told = CliRunner().invoke(
        app, ["ingest", str(docs), "--product", "valve", "--release", "9.9", "--json"]
    )
    report = json.loads(told.stdout)
    assert report["documents"] == 1, report
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"docs"}

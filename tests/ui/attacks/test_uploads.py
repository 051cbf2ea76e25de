"""Every file of the table, through every door by which files come in."""

from __future__ import annotations

import json
from pathlib import Path

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
    body = head.encode("utf-8", "surrogateescape") + content + b"\r\n--x--\r\n"
    headers = {
        "Authorization": f"Bearer {server.keys['ingest']}",
        "Content-Type": "multipart/form-data; boundary=x",
    }
    url = f"{server.address}/api/v1/jobs"
    return httpx.post(url, params=WHERE, content=body, headers=headers, timeout=60)


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

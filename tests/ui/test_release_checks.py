"""What waits to be published and what a check found: commands, REST, the worker, the page."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.administration import Administration
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.chatbot import Chatbot
from chatbot.errors import NotAllowed
from chatbot.release_check.checking import Check
from chatbot.release_check.reports import read_report, waiting_generations
from chatbot.release_check.verdicts import Verdict
from corpora.building.building import Builder
from corpora.errors import IngestCancelled, NothingWaits
from corpora.generations.processes import this_process
from corpora.jobs.jobs import CHECKS, Claims, Jobs, JobState
from tests.ui.admin_pages import open_admin_page, press, run, shown
from tests.ui.api.conftest import serving
from tests.ui.conftest import SignIn
from tests.ui.valve_corpus import write_sources
from ui.serving.checking import check

pytestmark = pytest.mark.database

USER = Person("cy@example.org", "Cy", is_admin=False)
HOLD = "What is the default of hold_time?"
TORQUE = "Which torque does the cover screw need?"


@pytest.fixture
def waits(chatbot: Chatbot, tmp_path: Path) -> Chatbot:
    """The valve, whose release 3.0 waits, with accepted answers of 2.0."""
    rows = (
        FaqRow(1, "valve", "2.0", HOLD, "The default of hold_time is 45 s.", 1.0),
        FaqRow(2, "valve", "2.0", TORQUE, "The cover screw needs a torque of 4.5 N m.", 1.0),
    )
    assert Exchange(chatbot, LOCAL).bring_in(FaqFile("faq.csv", rows, ())).supported == 2
    source = write_sources(tmp_path / "sources", "3.0", "60", "90")
    builder = Builder(
        chatbot.database, chatbot.settings.data_dir, chatbot.embedder, workers=1, waits=True
    )
    builder.ingest([source], product="valve", release="3.0")
    return chatbot


def released(chatbot: Chatbot) -> list[str]:
    return [release.name for release in chatbot.products()[0].releases]


def test_the_command_tells_what_changed_and_how_it_exits(waits: Chatbot, strata: Any) -> None:
    told = strata("releases", "check", "valve", "3.0").output
    assert "valve 3.0 waits to be published; answers accepted for 2.0:" in told
    assert "1 changed" in told
    assert "1 still holds" in told
    assert "new value: 45 → 60" in told
    assert "no call of a model" in told
    of = "releases", "check", "valve", "3.0", "--json"
    report = json.loads(strata(*of).stdout)
    assert report["counts"] == {"holds": 1, "same": 0, "changed": 1, "gone": 0, "failed": 0}
    assert strata(*of, "--fail-on", "changed=1", "--fail-on", "gone=0").exit_code == 0
    assert strata(*of, "--fail-on", "changed=0").exit_code == 4
    for wrong in ("changed", "same=1", "changed=x", "changed=-1"):
        assert "--fail-on" in strata(*of, "--fail-on", wrong).output


def test_discarding_is_one_click_and_says_how_to_bring_it_again(waits: Chatbot) -> None:
    told = shown(press(open_admin_page("releases"), "Discard"))
    assert "The version of valve 3.0 that was built" in told
    assert "run its source, or upload its files again" in told
    assert "waits to be published" not in told


def test_commands_publish_and_discard(waits: Chatbot, strata: Any) -> None:
    assert "valve 3.0  since" in strata("releases", "waiting").output
    assert released(waits) == ["1.0", "2.0"]
    assert "is published" in strata("releases", "publish", "valve", "3.0").output
    assert released(waits) == ["1.0", "2.0", "3.0"]
    assert "Nothing waits" in strata("releases", "waiting").output
    refused = strata("releases", "publish", "valve", "3.0")
    assert isinstance(refused.exception, NothingWaits)


@pytest.mark.parametrize("options", [(), ("--yes",)])
def test_a_version_is_discarded_as_it_is_published_without_a_question(
    waits: Chatbot, strata: Any, options: tuple[str, ...]
) -> None:
    told = strata("releases", "discard", "valve", "3.0", *options).output
    assert "the next run of its source, or another upload, brings it again" in told
    assert not waiting_generations(waits.database)
    assert released(waits) == ["1.0", "2.0"]


def test_the_worker_checks_stops_and_goes_on(waits: Chatbot) -> None:
    jobs, claims = Jobs(waits.database), Claims(waits.database, this_process())
    (job,) = jobs.recent(kinds=CHECKS)
    assert (job.product, job.release, job.state) == ("valve", "3.0", JobState.WAITING)
    with pytest.raises(IngestCancelled):
        check(waits.settings, job, lambda progress: None, lambda: True)
    assert claims.next_waiting(kinds=CHECKS) == job.id
    told = check(waits.settings, job, lambda progress: None, lambda: False)
    assert told == "Of the accepted answers of 2.0: 1 still holds, 1 changed."
    report = read_report(waits.database, "valve", "3.0")
    assert report is not None
    assert report.finished


_KILLED = """
import os, signal
from chatbot.assembly import open_chatbot
from chatbot.release_check.checking import Check
from chatbot.settings import read_settings
def stop(progress):
    if progress.done == 1:
        os.kill(os.getpid(), signal.SIGKILL)
Check(open_chatbot(read_settings()), stop).run("valve", "3.0")
"""


@pytest.mark.slow
def test_after_a_kill_what_waits_is_there_and_the_check_goes_on(waits: Chatbot) -> None:
    settings = waits.settings
    environment = os.environ | {
        "STRATA_DATA_DIR": str(settings.data_dir),
        "STRATA_DATABASE_URL": settings.database,
        "STRATA_GENERATOR": "none",
    }
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED], env=environment, capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    report = read_report(waits.database, "valve", "3.0")
    assert report is not None
    assert (len(report.findings), report.finished, report.waits) == (1, None, True)
    seen: list[int] = []
    report = Check(waits, lambda p: seen.append(p.done)).run("valve", "3.0")
    assert seen == [1, 2]
    assert report.count(Verdict.CHANGED, Verdict.HOLDS) == 2
    assert released(waits) == ["1.0", "2.0"]
    administration = Administration(waits.database, LOCAL)
    administration.publish("valve", "3.0", settings.data_dir)
    answer = waits.ask(HOLD, product="valve", release="3.0", afresh=True).content.answer
    assert "60" in answer


def test_the_page_shows_what_waits_and_both_sides_to_admins(waits: Chatbot) -> None:
    Check(waits).run("valve", "3.0")
    page = open_admin_page("releases")
    told = shown(page)
    assert "**valve 3.0** :orange-badge[waits to be published]" in told
    assert "1 changed" in told
    assert f"**{HOLD}** :orange-badge[changed]" in told
    assert "new value: 45 → 60" in told
    assert f"**{TORQUE}** :green-badge[still holds]" in told
    labels = [b.label for b in page.button]
    assert {"Publish", "Discard"} <= set(labels)
    # Once, since the job that was ordered waits.
    assert labels.count("Check") == 0
    page = open_admin_page("releases")
    page.selectbox(key="verdict of valve 3.0").select("changed")
    assert TORQUE not in shown(run(page))
    press(page, "Publish")
    assert released(waits) == ["1.0", "2.0", "3.0"]


def test_a_product_whose_first_release_waits_is_on_the_page(
    chatbot: Chatbot, tmp_path: Path
) -> None:
    source = write_sources(tmp_path / "sources", "1", "60", "90")
    data_dir = chatbot.settings.data_dir
    builder = Builder(chatbot.database, data_dir, chatbot.embedder, workers=1, waits=True)
    builder.ingest([source], product="pump", release="1")
    page = open_admin_page("releases", **{"releases-product": "pump"})
    assert "**pump 1** :orange-badge[waits to be published]" in shown(page)


def test_who_is_no_admin_sees_nothing_of_it(waits: Chatbot, signed_in: SignIn) -> None:
    Check(waits).run("valve", "3.0")
    signed_in(USER)
    page = open_admin_page("releases")
    assert "waits to be published" not in shown(page)
    assert HOLD not in shown(page)
    for refused in ("publish", "discard"):
        with pytest.raises(NotAllowed):
            getattr(Administration(waits.database, USER), refused)("valve", "3.0", Path())


def test_programs_check_publish_and_discard(waits: Chatbot) -> None:
    Check(waits).run("valve", "3.0")
    (generation,) = (w.generation for w in waiting_generations(waits.database))
    of = {"product": "valve", "release": "3.0"}
    with serving(waits) as address, httpx.Client(base_url=address, timeout=30) as client:
        report = client.get("/api/v1/checks", params=of).json()
        assert (report["counts"]["changed"], report["waits"]) == (1, True)
        assert report["findings"][0]["new_values"] == ["60"]
        nothing = client.get("/api/v1/checks", params={"product": "valve", "release": "1.0"})
        assert nothing.status_code == 404
        job = client.post("/api/v1/checks", params=of)
        assert (job.status_code, job.json()["kind"]) == (202, "check")
        (listed,) = client.get("/api/v1/waiting").json()
        assert (listed["release"], listed["generation"]) == ("3.0", generation)
        another = client.post("/api/v1/waiting", params=of | {"generation": generation + 1})
        assert another.status_code == 409
        assert client.post("/api/v1/waiting", params=of).status_code == 200
        assert released(waits) == ["1.0", "2.0", "3.0"]
        assert client.delete("/api/v1/waiting", params=of).status_code == 409


def test_an_ingest_waits_where_the_settings_say_so(
    chatbot: Chatbot, strata: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_PUBLISHING", "wait")
    source = write_sources(tmp_path / "sources", "4.0", "60", "90")
    told = strata("ingest", str(source), "--product", "valve", "--release", "4.0").output
    assert "valve 4.0 waits to be published" in told
    assert "strata releases publish valve 4.0" in told
    assert "4.0" not in released(chatbot)

"""Sources by service, REST and command line: managed, scheduled, and started by a webhook."""

import hmac
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.sources import ListedSource, Sources
from chatbot.chatbot import Chatbot
from chatbot.errors import NotAllowed
from corpora.database.history_tables import UseRow
from corpora.errors import SourceError
from corpora.jobs.jobs import JobKind, Jobs, JobState
from corpora.sources.folder_reader import FolderReader
from corpora.sources.ordering import order_due
from corpora.sources.source import Secrets
from corpora.sources.syncing import open_source
from tests.job_work import work_off
from tests.ui.api.conftest import serving

pytestmark = pytest.mark.database


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """A folder with two releases of a product."""
    for release, days in (("1.0", 10), ("2.0", 14)):
        folder = tmp_path / "share" / release
        folder.mkdir(parents=True)
        (folder / "guide.md").write_text(f"# Pump\n\nThe pump runs for {days} days.\n")
    return tmp_path / "share"


@pytest.fixture
def sources(chatbot: Chatbot) -> Sources:
    return Sources(chatbot.database, chatbot.settings, LOCAL, anywhere=True)


@pytest.fixture
def added(sources: Sources, share: Path) -> ListedSource:
    return sources.add("pump", "folder", {"path": f"{share}/{{release}}"}, "daily")


@pytest.fixture
def http(chatbot: Chatbot) -> Iterator[httpx.Client]:
    with serving(chatbot) as url, httpx.Client(base_url=f"{url}/api/v1", timeout=60) as client:
        yield client


def work(chatbot: Chatbot, *folders: Path) -> None:
    """Do the runs that wait; `folders` are those that settings open."""
    work_off(chatbot, secrets=Secrets(folders=folders))


def test_a_source_is_added_run_listed_and_removed_with_its_documents(
    chatbot: Chatbot, sources: Sources, added: ListedSource
) -> None:
    job = sources.sync(added.id)
    work(chatbot)
    assert Jobs(chatbot.database).get(job).state is JobState.DONE
    (listed,) = sources.every("pump")
    assert [r["release"] for r in listed.releases] == ["1.0", "2.0"]
    assert listed.last_run
    assert listed.job is None
    answer = chatbot.ask("How long does the pump run?", product="pump", release="2.0").turn.answer
    assert answer
    assert "14 days" in answer.text
    jobs = sources.remove(added.id, documents=True)
    assert len(jobs) == 2
    assert not sources.every()
    with pytest.raises(SourceError, match="There is no source"):
        sources.show(added.id)


def test_a_trial_shows_pages_and_changes_nothing(
    chatbot: Chatbot, sources: Sources, share: Path
) -> None:
    trial = sources.try_out("folder", {"path": f"{share}/{{release}}"})
    assert (trial.releases, trial.release) == (["1.0", "2.0"], "2.0")
    assert [(p.file, p.title) for p in trial.pages] == [("guide.md", "Pump")]
    assert "14 days" in trial.pages[0].text
    assert not sources.every()
    assert "pump" not in {product.name for product in chatbot.products()}


def test_the_time_of_a_trial_holds_for_the_listing_of_releases_too(
    sources: Sources, share: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(FolderReader, "fetch", fetch)
    monkeypatch.setattr("chatbot.administration.sources._TRY_SECONDS", -1.0)
    with pytest.raises(SourceError, match="did not show 10 pages within"):
        sources.try_out("folder", {"path": f"{share}/{{release}}"})


def test_only_admins_manage_sources_and_by_program_only_in_named_folders(
    chatbot: Chatbot, share: Path
) -> None:
    with pytest.raises(NotAllowed):
        Sources(chatbot.database, chatbot.settings, Person("ann", "Ann", is_admin=False))
    narrow = Sources(chatbot.database, chatbot.settings, LOCAL)
    with pytest.raises(SourceError, match="STRATA_SOURCE_FOLDERS"):
        narrow.add("pump", "folder", {"path": f"{share}/{{release}}"})
    settings = chatbot.settings.model_copy(update={"source_folders": (share,)})
    assert Sources(chatbot.database, settings, LOCAL).add(
        "pump", "folder", {"path": f"{share}/{{release}}"}
    )


def test_the_folders_of_the_settings_hold_for_every_run(
    chatbot: Chatbot, share: Path, tmp_path: Path
) -> None:
    settings = chatbot.settings.model_copy(update={"source_folders": (share.parent,)})
    sources = Sources(chatbot.database, settings, LOCAL)
    source = sources.add("pump", "folder", {"path": f"{share}/{{release}}"}).id
    sources.sync(source)
    work(chatbot, share.parent)
    assert sources.show(source).outcome == "changed"
    sources.sync(source)
    work(chatbot)
    assert "(STRATA_SOURCE_FOLDERS) does not name." in sources.show(source).message
    # Whoever may write there makes a link of it.
    private = tmp_path.parent / f"{tmp_path.name}-private"
    shutil.copytree(share, private)
    (private / "1.0" / "guide.md").write_text("# Pump\n\nThe secret is out.\n")
    shutil.rmtree(share)
    share.symlink_to(private)
    sources.sync(source)
    work(chatbot, share.parent)
    assert f"does not name (it leads to {private})" in sources.show(source).message
    corpus = chatbot.corpora.corpus("pump", "1.0")
    (document,) = corpus.documents()
    assert "10 days" in corpus.pages_of(document.id)[0].text


def test_a_source_of_the_command_line_lies_anywhere_in_every_run(
    chatbot: Chatbot, sources: Sources, added: ListedSource
) -> None:
    sources.sync(added.id)
    work(chatbot)
    assert sources.show(added.id).outcome == "changed"


def test_a_schedule_orders_one_run_for_all_that_were_missed(
    chatbot: Chatbot, sources: Sources, added: ListedSource
) -> None:
    now = datetime.now(UTC)
    assert order_due(chatbot.database, now) == []
    later = now + timedelta(days=5)
    (job,) = order_due(chatbot.database, later)
    assert order_due(chatbot.database, later) == []
    assert sources.show(added.id).job == job
    due = sources.show(added.id).next_run
    assert due
    assert later < due.replace(tzinfo=UTC) <= later + timedelta(days=1)
    assert sources.set_schedule(added.id, "never").next_run is None
    assert order_due(chatbot.database, later + timedelta(days=5)) == []
    with pytest.raises(SourceError, match="is no schedule"):
        sources.set_schedule(added.id, "61 * * * *")


def test_programs_manage_sources(
    chatbot: Chatbot, share: Path, http: httpx.Client, added: ListedSource
) -> None:
    (listed,) = http.get("/sources").json()
    assert listed["options"] == {"path": f"{share}/{{release}}"}
    place = f"/sources/{added.id}"
    changed = http.put(f"{place}/schedule", json={"schedule": "30 4 * * 1"}).json()
    assert changed["schedule"] == "30 4 * * 1"
    assert http.put(f"{place}/schedule", json={"schedule": "often"}).status_code == 422
    job = http.post(f"{place}/sync").json()["job"]
    work(chatbot)
    assert http.get(f"/jobs/{job}").json()["state"] == "done"
    refused = http.post("/sources", json={"kind": "ftp", "product": "x", "options": {}})
    assert refused.status_code == 422
    assert "no kind ftp" in refused.text
    assert http.delete(place).status_code == 200
    assert http.get(place).status_code == 404


def test_a_webhook_starts_a_run_for_who_knows_its_secret(
    chatbot: Chatbot, sources: Sources, added: ListedSource, http: httpx.Client
) -> None:
    place, body = f"/sources/{added.id}/hook", json.dumps({"ref": "refs/tags/v1"}).encode()
    assert http.post(place, content=body).status_code == 403
    secret = http.put(place).json()["secret"]
    signed = "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()
    wrong = {"X-Hub-Signature-256": "sha256=" + "0" * 64}
    others = ({}, wrong, {"X-Gitlab-Token": secret + "x"}, {"Authorization": "Bearer x"})
    for headers in others:
        assert http.post(place, content=body, headers=headers).status_code == 403
    # What was signed was another body.
    changed = http.post(place, content=body + b" ", headers={"X-Hub-Signature-256": signed})
    assert changed.status_code == 403
    assert sources.show(added.id).job is None
    for headers in (
        {"X-Hub-Signature-256": signed},
        {"X-Gitlab-Token": secret},
        {"Authorization": f"Bearer {secret}"},
    ):
        told = http.post(place, content=body, headers=headers)
        assert (told.status_code, told.json()) == (202, {"status": "ordered"})
    # All three together order one run.
    assert len(Jobs(chatbot.database).recent(kinds=tuple(JobKind))) == 1
    assert http.post("/sources/99/hook", headers={"X-Gitlab-Token": secret}).status_code == 403
    assert http.delete(place).status_code == 204
    assert http.post(place, headers={"X-Gitlab-Token": secret}).status_code == 403


def test_wrong_secrets_are_limited_and_the_right_one_is_not(
    chatbot: Chatbot, sources: Sources, added: ListedSource, http: httpx.Client
) -> None:
    # The folder is a copy of the session's, in which other tests have used their limits.
    def uses() -> int | None:
        with chatbot.database.reading() as session:
            return session.scalar(select(func.count()).select_from(UseRow))

    before = uses()
    place, secret = f"/sources/{added.id}/hook", sources.make_hook(added.id)
    # One limit for all sources: an outsider can make up as many numbers as there are.
    places = [place, *(f"/sources/{number}/hook" for number in range(100, 130))]
    codes = [http.post(p, headers={"X-Gitlab-Token": "x"}).status_code for p in places]
    assert codes == [403] * 30 + [429]
    assert http.post(place, headers={"X-Gitlab-Token": secret}).status_code == 202
    assert http.post(place, headers={"X-Gitlab-Token": "x"}).status_code == 429
    assert uses() == before


@pytest.mark.parametrize(
    ("kind", "option", "place"),
    [
        ("folder", "path", "{share}/{{release}}/../../../secret"),
        ("folder", "path", "{share}{{release}}"),
        ("folder", "path", "{share}-{{release}}/docs"),
        ("git", "url", "/etc/ssl://x"),
        ("git", "url", "{share}/../private"),
        ("git", "url", "./a://b"),
        ("git", "url", "~/a:b"),
        ("git", "url", "FILE:///etc"),
    ],
)
def test_no_path_leads_round_the_folders_of_the_settings(
    chatbot: Chatbot, share: Path, kind: str, option: str, place: str
) -> None:
    settings = chatbot.settings.model_copy(update={"source_folders": (share,)})
    narrow = Sources(chatbot.database, settings, LOCAL)
    for act in (lambda o: narrow.add("pump", kind, o), lambda o: narrow.try_out(kind, o)):
        with pytest.raises(SourceError, match=r"STRATA_SOURCE_FOLDERS|holds \.\."):
            act({option: place.format(share=share)})
    for given in (f"{share}/{{release}}", f"{share}/v{{release}}/docs"):
        assert narrow.add("pump", "folder", {"path": given})


def test_a_password_in_an_address_is_neither_kept_nor_repeated(chatbot: Chatbot) -> None:
    sources = Sources(chatbot.database, chatbot.settings, LOCAL)
    with pytest.raises(SourceError, match="source_tokens") as refused:
        sources.add("pump", "git", {"url": "https://bob:hunter2@h.org/a"})
    assert "hunter2" not in str(refused.value)
    with pytest.raises(SourceError) as refused:
        open_source("git", {"url": "https://bob:hunter2@h.org/a"}, Secrets())
    assert "hunter2" not in str(refused.value)
    assert not sources.every()

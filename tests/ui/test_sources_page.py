"""The page Sources: a source is tried, added, run, scheduled, watched and removed."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.sources import Sources
from chatbot.chatbot import Chatbot
from corpora.generations.processes import this_process
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import SYNCS, Claims, Jobs
from corpora.sources.source import Secrets
from tests.job_work import worker_of
from tests.ui.admin_pages import errors, open_admin_page, plain, press, run, shown
from ui.documents import jobs_view

pytestmark = pytest.mark.database

HOSTILE = "[free](javascript:alert(1)) :red[x] $y$"


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """A share with two releases; one page has a hostile title, one link leads out of it."""
    for release, height in (("1.0", 12), ("2.0", 14)):
        docs = tmp_path / "share" / release
        docs.mkdir(parents=True)
        (docs / "mast.md").write_text(f"# Mast\n\nThe mast is {height} m high.\n")
    (docs / "lamp.md").write_text(f"# {HOSTILE}\n\nThe lamp is {HOSTILE} bright.\n")
    (docs / "out.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "secret.md").write_text("# Secret\n")
    return tmp_path / "share"


@pytest.fixture
def sources(chatbot: Chatbot, share: Path) -> Sources:
    """What admins do; the share is one that settings open."""
    chatbot.settings.source_folders = (share,)
    return Sources(chatbot.database, chatbot.settings, LOCAL)


@pytest.fixture
def work(chatbot: Chatbot, sources: Sources) -> Callable[[], bool]:
    """Does the next run of a source as the worker does."""
    secrets = Secrets(folders=chatbot.settings.source_folders)
    return worker_of(chatbot, secrets=secrets).do_next


def added(sources: Sources, share: Path) -> int:
    return sources.add("beacon", "folder", {"path": f"{share}/{{release}}"}).id


def audit(chatbot: Chatbot) -> list[str]:
    return [entry.action for entry in AuditLog(chatbot.database).page(LOCAL)[0]][::-1]


def form(share: Path) -> AppTest:
    page = open_admin_page("sources", add="1")
    page.segmented_control(key="source kind").set_value("Folder")
    run(page)
    page.text_input(key="source folder path").set_value(f"{share}/{{release}}")
    return page


def expanders(page: AppTest) -> list[str]:
    return [expander.label for expander in page.expander]


def test_without_sources_the_page_says_what_one_is(chatbot: Chatbot) -> None:
    page = open_admin_page("sources")
    assert "No sources yet" in shown(page)
    press(page, "Add a source")
    assert page.title[0].value == "Add a source"
    press(page, "All sources")
    assert page.title[0].value == "Sources"


def test_a_trial_shows_pages_as_text_and_changes_nothing(
    chatbot: Chatbot, sources: Sources, share: Path
) -> None:
    page = press(form(share), "Try")
    told = shown(page)
    assert "2 releases: 2.0, 1.0" in told
    assert "The mast is 14 m high." in told
    assert HOSTILE in plain(told)
    assert HOSTILE not in "\n".join(element.value for element in page.markdown)
    assert "Left out (1)" in expanders(page)
    assert "out.md is a link out of the folder" in told
    page.selectbox[-1].set_value("1.0")
    assert "The mast is 12 m high." in shown(run(page))
    assert sources.every() == ()
    assert Jobs(chatbot.database).recent(kinds=SYNCS) == ()
    assert audit(chatbot) == []


def test_what_cannot_be_is_said_in_the_form_and_nothing_is_added(
    sources: Sources, share: Path
) -> None:
    page = form(share)
    page.text_input(key="source folder path").set_value("/etc/{release}")
    press(page, "Try")
    assert "does not name" in errors(page)
    page.text_input(key="source folder path").set_value(str(share))
    press(page, "Add", -1)
    assert errors(page)
    assert sources.every() == ()


def test_a_source_is_added_with_its_schedule_and_run(
    chatbot: Chatbot, sources: Sources, share: Path, work: Callable[[], bool]
) -> None:
    page = form(share)
    page.selectbox(key="source product").set_value("valve")
    page.selectbox(key="source folder schedule").set_value("daily")
    press(page, "Add", -1)
    (source,) = sources.every()
    assert page.query_params["source"] == str(source.id)
    assert "add" not in page.query_params
    assert (source.product, source.schedule) == ("valve", "daily")
    assert any(b.label.startswith("Running …") for b in page.button)
    assert work()
    told = shown(run(page))
    assert "Every day at 03:00 UTC" in told
    assert "New: 1.0, 2.0." in told
    assert list(page.dataframe[0].value["Release"]) == ["2.0", "1.0"]
    assert list(page.dataframe[0].value["Last run"]) == ["2 added", "1 added"]
    assert {"Changed files (3)", "Left out (1)"} <= set(expanders(page))
    assert audit(chatbot) == ["add source", "run source"]


def test_a_run_is_ordered_and_a_failure_is_told_in_words(
    sources: Sources, share: Path, work: Callable[[], bool]
) -> None:
    number = added(sources, share)
    page = open_admin_page("sources")
    assert "Never run" in shown(page)
    press(page, "Run now")
    assert sources.show(number).job is not None
    share.rename(share.with_name("gone"))
    assert work()
    told = shown(run(page))
    assert "failed" in told
    assert "that the share is mounted" in told


def test_the_progress_of_a_run_never_falls(sources: Sources, share: Path, chatbot: Chatbot) -> None:
    job = sources.sync(added(sources, share))
    claims = Claims(chatbot.database, this_process())
    assert claims.claim(job)
    shares: list[float] = []
    steps = [Progress(Stage.FETCHING, 0, 1)]
    for done in range(3):
        steps.append(Progress(Stage.FETCHING, 0, 0, f"{done}.0", (done, 3)))
        steps += [Progress(Stage.FETCHING, n, 2, f"{done}.0") for n in range(3)]
        stages = Stage.LISTING, Stage.READING, Stage.EMBEDDING, Stage.INDEXING, Stage.PUBLISHING
        steps += [Progress(stage, n, 1) for stage in stages for n in range(2)]
    for step in steps:
        claims.progress(job, step)
        shares.append(jobs_view._share(Jobs(chatbot.database).get(job)))
    assert _falls(shares) == []
    assert shares[-1] == pytest.approx(1.0)
    claims.progress(job, Progress(Stage.READING, 1, 2))
    page = open_admin_page("sources")
    assert "release 3 of 3" in "".join(caption.value for caption in page.caption)
    assert "Source 1" in shown(open_admin_page("documents"))
    press(page, "Cancel")
    assert Jobs(chatbot.database).get(job).cancelling


def test_a_real_run_tells_of_its_releases_in_order(
    sources: Sources, share: Path, work: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    sources.sync(added(sources, share))
    told: list[float] = []
    write = Claims.progress

    def seen(claims: Claims, job: int, progress: Progress) -> bool:
        cancelling = write(claims, job, progress)
        told.append(jobs_view._share(Jobs(claims._database).get(job)))
        return cancelling

    monkeypatch.setattr(Claims, "progress", seen)
    assert work()
    assert len(told) > 6
    assert _falls(told) == []


def test_the_schedule_is_changed_and_a_wrong_one_refused(
    chatbot: Chatbot, sources: Sources, share: Path
) -> None:
    number = added(sources, share)
    page = open_admin_page("sources", source=str(number))
    assert "Look for what is new" in [box.label for box in press(page, "Schedule …").selectbox]
    typed = f"source {number} schedule"
    page = press(window(_edit_schedule, {typed: "every monday"}, number=number), "Save")
    assert "is no schedule" in errors(page)
    press(window(_edit_schedule, {typed: "30 4 * * 1"}, number=number), "Save")
    assert sources.show(number).schedule == "30 4 * * 1"
    assert audit(chatbot)[-1] == "schedule source"


def test_the_secret_of_a_webhook_is_shown_once(sources: Sources, share: Path) -> None:
    number = added(sources, share)
    page = press(open_admin_page("sources", source=str(number)), "Make a secret")
    address, secret = (code.value for code in page.code)
    assert address.endswith(f"/api/v1/sources/{number}/hook")
    assert len(secret) > 30
    again = open_admin_page("sources", source=str(number))
    assert [code.value for code in again.code] == [address]
    press(again, "Turn off")
    assert not sources.show(number).has_hook


def test_a_source_is_removed_and_its_documents_stay(
    chatbot: Chatbot, sources: Sources, share: Path, work: Callable[[], bool]
) -> None:
    number = added(sources, share)
    sources.sync(number)
    assert work()
    page = open_admin_page("sources", source=str(number))
    assert "What it brought stays" in shown(press(page, "Remove …"))
    page = window(_remove, number=number)
    press(page, "Remove", -1)
    assert sources.every() == ()
    assert "beacon" in [product.name for product in chatbot.products()]
    assert "no such source" in shown(open_admin_page("sources", source=str(number)))


def test_with_publishing_that_waits_the_page_says_so(
    chatbot: Chatbot, sources: Sources, share: Path
) -> None:
    number = added(sources, share)
    sources.sync(number)
    assert worker_of(chatbot, secrets=Secrets(folders=(share,)), waits=True).do_next()
    page = open_admin_page("sources", source=str(number))
    assert "Waits to be published: 1.0, 2.0." in shown(page)
    assert "waits to be published" in page.dataframe[0].value["Last run"][0]


def _falls(shares: list[float]) -> list[tuple[float, float]]:
    return [(one, next_one) for one, next_one in pairwise(shares) if next_one < one - 1e-9]


def window(
    script: Callable[..., None], typed: dict[str, str] | None = None, **arguments: object
) -> AppTest:
    """A window over the page by itself: the page would open it only as long as one presses."""
    page = AppTest.from_function(script, kwargs=arguments, default_timeout=30)
    for key, value in (typed or {}).items():
        page.session_state[key] = value
    return run(page)


def _edit_schedule(number: int) -> None:
    from chatbot.accounts.people import LOCAL
    from chatbot.administration.sources import Sources
    from ui.serving import services
    from ui.syncing.source_view import edit_schedule

    chatbot = services.whole()
    sources = Sources(chatbot.database, chatbot.settings, LOCAL)
    edit_schedule(sources, sources.show(number))


def _remove(number: int) -> None:
    from chatbot.accounts.people import LOCAL
    from chatbot.administration.sources import Sources
    from corpora.errors import NoSuchSource
    from ui.serving import services
    from ui.syncing.source_view import remove

    chatbot = services.whole()
    sources = Sources(chatbot.database, chatbot.settings, LOCAL)
    try:
        remove(sources, sources.show(number))
    except NoSuchSource:
        return

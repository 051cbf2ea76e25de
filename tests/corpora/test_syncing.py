import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ReleaseAdministration
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow
from corpora.database.source_tables import SourceFileRow, SourceRow
from corpora.database.tables import DocumentRow, FigureRow, MemberRow, PageRow
from corpora.documents.uploads import UploadedFile, store
from corpora.documents.worker import JobWork
from corpora.errors import NoCorpus, NothingThere, SourceError
from corpora.generations.generations import claim
from corpora.generations.processes import this_process
from corpora.jobs.jobs import Claims, Job, JobFile, JobKind, Jobs, JobState
from corpora.sources import kinds
from corpora.sources.allowed import AT_THE_SERVER
from corpora.sources.kept_files import web_address
from corpora.sources.kinds import SourceKind
from corpora.sources.options import SourceOptions
from corpora.sources.run_report import ReleaseRun
from corpora.sources.source import FetchedFile, FoundRelease, Secrets
from tests.data_folders import database_url
from tests.job_work import worker
from tests.pictures import SCRIPTED

pytestmark = pytest.mark.database

GUIDE = "# Guide\n\nThe mast is {} metres high.\n"


@dataclass
class Toy:
    """A source in memory: texts by release and path; a text may be an error to raise."""

    contents: dict[str, dict[str, str | Exception]]
    revisions: dict[str, str] = field(default_factory=dict)
    fixed: bool = True
    remarks: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    listing: list[str] = field(default_factory=list)
    on_file: Callable[[str], None] = lambda path: None
    removed: set[str] = field(default_factory=set)
    answers: bool = False

    def is_gone(self, release: str, check_stop: Callable[[], None]) -> bool:
        return release in self.removed

    def releases(self, check_stop: Callable[[], None] = lambda: None) -> list[FoundRelease]:
        self.listing.append("begun")
        check_stop()
        self.listing.append("ended")
        if self.answers and not self.contents:
            raise NothingThere("There is no release.")
        of = self.revisions
        return [
            FoundRelease(name, of.get(name, ""), self.fixed and name in of)
            for name in self.contents
        ]

    def fetch(
        self,
        release: FoundRelease,
        known: Mapping[str, str],
        folder: Path,
        check_stop: Callable[[], None],
        progress: Callable[[int, int | None], None],
    ) -> Iterator[FetchedFile]:
        for done, (path, text) in enumerate(self.contents[release.name].items()):
            check_stop()
            self.on_file(path)
            progress(done, None)
            if isinstance(text, Exception):
                raise text
            digest = sha256(text.encode()).hexdigest()
            content = None
            if known.get(path) != digest:
                self.fetched.append(path)
                content = folder / str(done)
                content.write_text(text)
            yield FetchedFile(path, digest, f"https://docs.example/{release.name}/{path}", content)


@dataclass
class Desk:
    database: Database
    data_dir: Path
    toy: Toy

    @property
    def source(self) -> int:
        with self.database.writing() as session:
            row = session.scalar(select(SourceRow))
            if row is None:
                row = SourceRow(product="Beacon", kind="toy", options={}, created=datetime.now(UTC))
                session.add(row)
                session.flush()
            return row.id

    def run(
        self,
        stopping: Callable[[], bool] = lambda: False,
        source: int = 0,
        **options: Any,
    ) -> Job:
        jobs = Jobs(self.database)
        job = jobs.add(JobKind.SYNC, "Beacon", "", "ann", source=source or self.source)
        self.worker(stopping, **options).do(job)
        return jobs.get(job)

    def worker(self, stopping: Callable[[], bool] = lambda: False, **options: Any) -> JobWork:
        of = {"stopping": stopping, "secrets": Secrets(), **options}
        return worker(self.database, self.data_dir, **of)

    def row(self) -> SourceRow:
        with self.database.reading() as session:
            return session.get_one(SourceRow, self.source)

    def texts(self, release: str) -> dict[str, str]:
        return {file: text for file, text, _ in self._rows(release)}

    def addresses(self, release: str) -> dict[str, str]:
        return {file: address for file, _, address in self._rows(release)}

    def generation(self, release: str) -> int:
        return Catalog(self.database).serving("Beacon", release).generation

    def hidden(self) -> list[str]:
        listed = ReleaseAdministration(self.database).overview("Beacon").releases
        return [one.name for one in listed if one.settings.hidden]

    def hide(self, release: str, *, hidden: bool) -> None:
        ReleaseAdministration(self.database).hide("Beacon", release, hidden=hidden)

    def audited(self) -> list[AuditRow]:
        with self.database.reading() as session:
            return list(session.scalars(select(AuditRow).order_by(AuditRow.id)))

    def _rows(self, release: str) -> list[tuple[str, str, str]]:
        with self.database.reading() as session:
            rows = session.execute(
                select(DocumentRow.file, PageRow.text, MemberRow.address)
                .join(MemberRow, MemberRow.document_id == DocumentRow.id)
                .join(PageRow, PageRow.document_id == DocumentRow.id)
                .where(MemberRow.generation_id == self.generation(release))
            )
            return [tuple(row) for row in rows]  # type: ignore[misc]


@pytest.fixture
def desk(database: Database, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    toy = Toy(
        {
            "17.10": {"guide.md": GUIDE.format(12), "lamp.md": "# Lamp\n\nIt fails.\n"},
            "17.20": {"guide.md": GUIDE.format(14)},
        },
        {"17.10": "aaa", "17.20": "bbb"},
    )

    def opened(options: SourceOptions, secrets: Secrets) -> Toy:
        toy.remarks.clear()
        toy.fetched.clear()
        return toy

    monkeypatch.setitem(kinds._OURS, "toy", SourceKind(SourceOptions, opened))
    return Desk(database, data_dir, toy)


def test_each_release_of_a_source_is_published_with_the_addresses_of_its_files(desk: Desk) -> None:
    job = desk.run()
    assert (job.state, job.message) == (JobState.DONE, "New: 17.10, 17.20.")
    assert "14 metres" in desk.texts("17.20")["guide.md"]
    assert desk.addresses("17.10") == {
        "guide.md": "https://docs.example/17.10/guide.md",
        "lamp.md": "https://docs.example/17.10/lamp.md",
    }
    row = desk.row()
    assert (row.outcome, row.message) == ("changed", job.message)
    one, _ = row.report["releases"]
    assert (one["release"], one["added"], one["names"]["added"]) == (
        "17.10",
        2,
        ["guide.md", "lamp.md"],
    )


def test_what_has_the_same_revision_is_not_even_fetched(desk: Desk) -> None:
    desk.run()
    before = desk.generation("17.10")
    job = desk.run()
    assert (job.state, job.message) == (JobState.DONE, "2 unchanged.")
    assert desk.toy.fetched == []
    assert desk.generation("17.10") == before


def test_formats_that_nothing_reads_are_told_of_each_release_and_at_the_job(desk: Desk) -> None:
    for file in ("logo.psd", "a.fig", "img/b.fig", "film.mp4", "style.css"):
        desk.toy.contents["17.10"][file] = "x"
    job, missed = desk.run(), "in formats that Strata does not read: .fig (2), .psd (1), .mp4 (1)."
    told = f"4 files were left out, {missed}"
    assert job.message == f"New: 17.10, 17.20. {told}"
    report = desk.row().report
    assert report["remarks"] == [f"17.10: {told}"]
    assert [one["skipped"] for one in report["releases"]][1:] == [{}]


def test_only_changed_files_are_fetched_and_one_that_is_gone_leaves(desk: Desk) -> None:
    desk.run()
    desk.toy.contents["17.10"] = {"guide.md": GUIDE.format(13), "new.md": "# New\n\nYes.\n"}
    desk.toy.revisions["17.10"] = "ccc"
    job = desk.run()
    assert job.message == "New: 17.10. 1 unchanged. 17.10 was moved at its source from aaa to ccc."
    assert desk.toy.fetched == ["guide.md", "new.md"]
    assert set(desk.texts("17.10")) == {"guide.md", "new.md"}
    one = desk.row().report["releases"][0]
    assert one["names"] == {"added": ["new.md"], "changed": ["guide.md"], "removed": ["lamp.md"]}
    # Told, too, where the files are the same; not of a folder or a branch, which change by nature.
    desk.toy.revisions["17.10"] = "ddd"
    assert desk.run().message == "2 unchanged. 17.10 was moved at its source from ccc to ddd."
    desk.toy.revisions["17.10"], desk.toy.fixed = "eee", False
    assert desk.run().message == "2 unchanged."


def test_of_a_new_release_only_what_differs_from_the_last_one_is_fetched(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kinds._OURS, "toy", replace(kinds._OURS["toy"], by_content=True))
    lamp = desk.toy.contents["17.10"]["lamp.md"]
    desk.toy.contents["17.20"] = {"guide.md": GUIDE.format(14), "lamp.md": lamp}
    desk.run()
    assert desk.toy.fetched == ["guide.md", "lamp.md", "guide.md"]
    assert desk.texts("17.20")["lamp.md"] == desk.texts("17.10")["lamp.md"]
    assert desk.addresses("17.20")["lamp.md"] == "https://docs.example/17.20/lamp.md"
    assert desk.addresses("17.10")["lamp.md"] == "https://docs.example/17.10/lamp.md"
    # What the last one has is none of the new one's unless it is there.
    desk.toy.contents["18.00"] = {"lamp.md": lamp}
    desk.run()
    assert desk.toy.fetched == []
    assert set(desk.texts("18.00")) == {"lamp.md"}
    assert set(desk.texts("17.20")) == {"guide.md", "lamp.md"}


def test_a_file_that_is_included_makes_what_includes_it_new(desk: Desk) -> None:
    files = {
        "guide.rst": "Guide\n=====\n\n.. include:: mast.inc\n",
        "mast.inc": "It is 12 m high.\n",
    }
    desk.toy.contents = {"1.0": {**files}}
    desk.run()
    assert "12 m high" in desk.texts("1.0")["guide.rst"]
    desk.toy.contents["1.0"]["mast.inc"] = "It is 15 m high.\n"
    desk.run()
    assert desk.toy.fetched == ["mast.inc"]
    assert "15 m high" in desk.texts("1.0")["guide.rst"]


def test_pictures_come_with_the_documents_that_show_them(desk: Desk) -> None:
    shown = {"guide.md": "# Guide\n\nThe mast. ![Mast](img/mast.svg)", "img/mast.svg": SCRIPTED}
    desk.toy.contents = {"1.0": shown}
    desk.run()
    with desk.database.reading() as session:
        assert session.scalars(select(FigureRow.description)).all() == ["Mast"]


def test_without_a_revision_nothing_is_published_where_nothing_changed(desk: Desk) -> None:
    desk.toy.revisions.clear()
    desk.run()
    before = desk.generation("17.10")
    assert desk.run().message == "2 unchanged."
    assert desk.generation("17.10") == before


def test_a_release_that_fails_stops_no_other_and_serves_as_before(desk: Desk) -> None:
    desk.run()
    before = desk.generation("17.10")
    desk.toy.contents["17.10"] = {"guide.md": GUIDE.format(99), "b.md": SourceError("No answer.")}
    desk.toy.contents["17.20"] = {"guide.md": GUIDE.format(15)}
    desk.toy.revisions.clear()
    job = desk.run()
    assert (job.state, job.message) == (JobState.FAILED, "New: 17.20. 17.10 failed: No answer.")
    assert desk.row().outcome == "partly"
    assert desk.generation("17.10") == before
    assert "15 metres" in desk.texts("17.20")["guide.md"]
    desk.toy.contents["17.10"]["b.md"] = "# B\n\nHere again.\n"
    assert desk.run().state is JobState.DONE
    assert desk.toy.fetched == ["b.md"]
    assert "99 metres" in desk.texts("17.10")["guide.md"]


def test_a_source_without_any_file_empties_nothing(desk: Desk) -> None:
    desk.run()
    desk.toy.contents["17.10"] = {}
    desk.toy.revisions.clear()
    job = desk.run()
    assert job.state is JobState.FAILED
    assert "yields no file for 17.10. What it brought before still serves" in job.message
    assert set(desk.texts("17.10")) == {"guide.md", "lamp.md"}
    desk.toy.contents = {}
    job = desk.run()
    assert job.state is JobState.FAILED
    assert "had releases and none is found any more" in job.message
    assert set(desk.texts("17.10")) == {"guide.md", "lamp.md"}


def test_a_release_that_is_gone_at_the_source_is_told_and_stays(desk: Desk) -> None:
    desk.run()
    del desk.toy.contents["17.10"]
    told = "17.10 is no longer at the source, or not chosen; what serves stays."
    assert desk.run().message == f"1 unchanged. {told}"
    assert set(desk.texts("17.10")) == {"guide.md", "lamp.md"}


_HIDDEN = (
    "17.10 is no longer at the source and is hidden. To show it again: strata releases retire "
    "Beacon 17.10 --restore, or its settings on the page Documents."
)


def test_a_release_that_was_removed_at_its_place_is_hidden_until_it_is_back(desk: Desk) -> None:
    desk.run()
    was = desk.toy.contents.pop("17.10")
    desk.toy.removed = {"17.10"}
    # While nothing of the place can be read, nothing is known to be gone.
    nothing: dict[str, dict[str, str | Exception]] = {"17.20": {"b.md": SourceError("No answer.")}}
    there, desk.toy.contents = desk.toy.contents, nothing
    revisions, desk.toy.revisions = desk.toy.revisions, {}
    desk.run()
    assert set(desk.hidden()) == set()
    desk.toy.contents, desk.toy.revisions = there, revisions
    told: list[str] = []

    def tell(product: str, withdrawn: Sequence[ReleaseRun]) -> str:
        told.extend(f"{product} {one.release}" for one in withdrawn)
        return "Mailed."

    assert desk.run(tell=tell).message == f"1 unchanged. {_HIDDEN} Mailed."
    assert (told, desk.hidden()) == (["Beacon 17.10"], ["17.10"])
    assert desk.row().outcome == "changed"
    assert desk.run().message == f"1 unchanged. {_HIDDEN}"
    assert desk.row().outcome == "unchanged"
    desk.toy.contents["17.10"] = was
    assert desk.run().message == "2 unchanged. Back at the source and shown again: 17.10."
    assert desk.hidden() == []
    assert [(one.action, one.subject, one.details["now"]) for one in desk.audited()] == [
        ("hide", "Beacon 17.10", True),
        ("hide", "Beacon 17.10", False),
    ]


def test_all_releases_are_hidden_only_where_their_place_answers(desk: Desk) -> None:
    desk.run()
    was, desk.toy.contents = desk.toy.contents, {}
    for answers, removed, hidden, told in (
        (False, {"17.10", "17.20"}, [], "a share that is mounted"),
        (True, set[str](), [], "If they were removed there, remove the source or hide"),
        (True, {"17.10", "17.20"}, [], "If they were removed there, remove the source or hide"),
        (True, {"17.10"}, ["17.10"], f"{_HIDDEN} 17.20 is no longer at the source, or not"),
        (True, {"17.10", "17.20"}, ["17.10", "17.20"], _HIDDEN),
    ):
        desk.toy.answers, desk.toy.removed = answers, removed
        job = desk.run()
        assert told in (job.message or "")
        assert (desk.hidden(), job.state is JobState.DONE) == (hidden, bool(hidden))
    desk.toy.contents = was
    desk.run()
    assert desk.hidden() == []


def test_what_was_discarded_comes_again_by_the_next_run(desk: Desk) -> None:
    desk.run()
    desk.toy.contents["17.10"] = {"guide.md": GUIDE.format(99)}
    desk.toy.revisions["17.10"] = "ccc"
    for told in ("Waits to be published: 17.10. 1 unchanged.", "2 unchanged."):
        assert (desk.run(waits=True).message or "").startswith(told)
    administration = Administration(desk.database, LOCAL)
    administration.discard("beacon", "17.10", desk.data_dir)
    assert desk.run(waits=True).message == "Waits to be published: 17.10. 1 unchanged."
    administration.publish("Beacon", "17.10", desk.data_dir)
    assert "99 metres" in desk.texts("17.10")["guide.md"]


def test_what_an_admin_hid_or_showed_stays_so(desk: Desk) -> None:
    desk.run()
    was = desk.toy.contents.pop("17.10")
    desk.toy.removed = {"17.10"}
    desk.hide("17.10", hidden=True)
    desk.run()
    desk.toy.contents["17.10"] = was
    desk.run()
    assert desk.hidden() == ["17.10"]
    desk.hide("17.10", hidden=False)
    del desk.toy.contents["17.10"]
    desk.run()
    assert desk.hidden() == ["17.10"]
    desk.hide("17.10", hidden=False)
    assert "shown again by an admin" in desk.run().message
    assert desk.hidden() == []
    desk.hide("17.10", hidden=True)
    desk.toy.contents["17.10"] = was
    desk.run()
    assert desk.hidden() == ["17.10"]
    # Also of one that its source has hidden already.
    desk.hide("17.10", hidden=False)
    desk.run()
    del desk.toy.contents["17.10"]
    desk.run()
    assert desk.hidden() == ["17.10"]
    desk.hide("17.10", hidden=True)
    desk.toy.contents["17.10"] = was
    desk.run()
    assert desk.hidden() == ["17.10"]


def test_a_release_that_others_feed_too_stays_without_what_was_removed(desk: Desk) -> None:
    upload = [UploadedFile("notes.md", b"# Notes\n\nOurs.\n")]
    job = store(
        desk.database, desk.data_dir, upload, product="Beacon", release="17.10", person_id=""
    )
    worker(desk.database, desk.data_dir).do(job)
    desk.run()
    was = desk.toy.contents.pop("17.10")
    desk.toy.removed = {"17.10"}
    assert "its documents were removed; those from elsewhere stay" in desk.run().message
    assert (set(desk.texts("17.10")), desk.hidden()) == ({"notes.md"}, [])
    assert [one.action for one in desk.audited()] == ["remove documents"]
    desk.toy.contents["17.10"] = was
    desk.run()
    assert set(desk.texts("17.10")) == {"guide.md", "lamp.md", "notes.md"}
    # One that would hold nothing stops no other.
    waiting = desk.worker(waits=True)
    job = Jobs(desk.database).add(JobKind.REMOVE, "Beacon", "17.10", "ann", [JobFile("notes.md")])
    waiting.do(job)
    desk.toy.contents = {"17.20": {"guide.md": GUIDE.format(15)}}
    desk.toy.revisions = {}
    told = desk.run(waits=True).message
    assert "Waits to be published: 17.20. 17.10 failed: Beacon 17.10 would have no" in told


def test_where_a_listed_release_has_nothing_any_more_its_place_is_asked(desk: Desk) -> None:
    desk.run()
    desk.toy.revisions.clear()
    desk.toy.contents["17.10"] = {"guide.md": NothingThere("No page.")}
    told = "If the release was removed there, hide it: strata releases retire Beacon 17.10"
    assert f"17.10 failed: No page. {told}" in desk.run().message
    assert desk.hidden() == []
    desk.toy.removed = {"17.10"}
    assert desk.run().message == f"1 unchanged. {_HIDDEN}"
    assert desk.hidden() == ["17.10"]
    # Its place is asked, too, where it has no other.
    del desk.toy.contents["17.20"]
    desk.toy.contents["17.10"] = {"guide.md": GUIDE.format(12)}
    assert "shown again: 17.10" in (desk.run().message or "")
    desk.toy.contents["17.10"] = {"guide.md": NothingThere("No page.")}
    assert _HIDDEN in (desk.run().message or "")
    assert desk.hidden() == ["17.10"]


def test_documents_of_others_stay_beside_those_of_a_source(desk: Desk) -> None:
    upload = [UploadedFile("notes.md", b"# Notes\n\nOurs.\n")]
    job = store(
        desk.database, desk.data_dir, upload, product="Beacon", release="17.20", person_id=""
    )
    worker(desk.database, desk.data_dir).do(job)
    desk.run()
    assert set(desk.texts("17.20")) == {"guide.md", "notes.md"}


def test_files_of_one_name_from_two_sources_are_both_kept_and_told(desk: Desk) -> None:
    first = desk.source
    desk.toy.contents = {"1.0": {"guide.rst": "Guide\n=====\n\nThe mast is 12 m.\n"}}
    desk.toy.revisions = {"1.0": "aaa"}
    desk.run()
    with desk.database.writing() as session:
        row = SourceRow(product="Beacon", kind="toy", options={}, created=datetime.now(UTC))
        session.add(row)
        session.flush()
        second = row.id
    desk.toy.contents = {
        "1.0": {
            "guide.rst": "Guide\n=====\n\n.. include:: parts/lamp.inc\n\n.. include:: /oil.inc\n",
            "other.rst": "Other\n=====\n\nIt is new.\n",
            "parts/lamp.inc": "The lamp is red.\n\n",
            "oil.inc": "It burns oil.\n",
        }
    }
    desk.toy.revisions = {"1.0": "bbb"}
    desk.run(source=second)
    held = {
        "guide.rst": "mast is 12 m",
        f"source-{second}/guide.rst": "It burns oil",
        f"source-{second}/other.rst": "It is new",
    }
    assert all(words in desk.texts("1.0")[file] for file, words in held.items())
    assert desk.texts("1.0").keys() == held.keys()
    assert "lamp is red" in desk.texts("1.0")[f"source-{second}/guide.rst"]
    assert desk.addresses("1.0")[f"source-{second}/guide.rst"].endswith("/1.0/guide.rst")
    with desk.database.reading() as session:
        (told,) = session.get_one(SourceRow, second).report["remarks"]
    assert told == (
        "1.0: documents from elsewhere have the names of 1 of its files (guide.rst). Both are "
        f"kept: all files of this source stand in the folder source-{second}."
    )
    desk.toy.contents = {"1.0": {"guide.rst": "Guide\n=====\n\nThe mast is 13 m.\n"}}
    desk.toy.revisions = {"1.0": "ccc"}
    desk.run(source=first)
    assert "13 m" in desk.texts("1.0")["guide.rst"]
    assert desk.texts("1.0").keys() == held.keys()


def test_a_file_that_cannot_be_read_is_told(desk: Desk) -> None:
    desk.toy.contents["17.10"]["broken.pdf"] = "no PDF"
    desk.run()
    (told,) = desk.row().report["remarks"]
    assert told.startswith("17.10: broken.pdf: ")


def test_a_path_that_leads_elsewhere_is_left_out_and_said(desk: Desk, tmp_path: Path) -> None:
    desk.toy.contents = {"1.0": {"../out.md": "# Out\n", "guide.md": GUIDE.format(1)}}
    desk.run()
    assert set(desk.texts("1.0")) == {"guide.md"}
    assert "'../out.md' is no plain relative path" in desk.row().report["remarks"][0]


def test_names_that_no_folder_can_hold_fail_their_release_alone(desk: Desk) -> None:
    text = GUIDE.format(1)
    desk.toy.contents["17.10"] = {"guide.html": text, "guide.html/x.md": text}
    job = desk.run()
    assert job.message.startswith("New: 17.20. 17.10 failed: guide.html/x.md cannot lie beside")
    desk.toy.contents["17.10"] = {"é" * 150 + ".md": text, "guide.md": text}
    assert desk.run().state is JobState.DONE
    assert set(desk.texts("17.10")) == {"guide.md"}
    desk.toy.contents["17.10"]["guide.md"] = OSError(errno.EIO, "input/output error")
    desk.toy.contents["17.20"] = {"guide.md": GUIDE.format(15)}
    desk.toy.revisions.clear()
    job = desk.run()
    assert job.message.startswith("New: 17.20. 17.10 failed: A file of 17.10 cannot be written")
    desk.toy.contents["17.10"]["guide.md"] = OSError(errno.ENOSPC, "no space left on device")
    job = desk.run()
    assert job.state is JobState.FAILED
    assert job.message.startswith("There is too little room on the disk")


def test_a_run_that_is_stopped_continues_where_it_was(desk: Desk) -> None:
    seen: list[str] = []
    desk.toy.on_file = seen.append
    job = desk.run(lambda: "lamp.md" in seen)
    assert job.state is JobState.WAITING
    with pytest.raises(NoCorpus):
        desk.generation("17.20")
    desk.worker().do(job.id)
    assert Jobs(desk.database).get(job.id).state is JobState.DONE
    assert set(desk.texts("17.10")) == {"guide.md", "lamp.md"}


def test_a_run_can_be_stopped_while_its_releases_are_listed(desk: Desk) -> None:
    job = desk.run(lambda: "begun" in desk.toy.listing)
    assert job.state is JobState.WAITING
    assert desk.toy.listing == ["begun"]


def test_a_release_that_is_being_built_is_taken_later(desk: Desk) -> None:
    desk.toy.contents["16.10"] = {"guide.md": GUIDE.format(10)}
    desk.run()
    desk.toy.contents = {r: {"guide.md": GUIDE.format(30)} for r in ("17.10", "17.20")}
    desk.toy.revisions.clear()
    desk.toy.removed = {"16.10"}
    told: list[str] = []

    def tell(product: str, withdrawn: Sequence[ReleaseRun]) -> str:
        told.extend(f"{product} {one.release}" for one in withdrawn)
        return ""

    from corpora.database.tables import GenerationRow, ReleaseRow

    with desk.database.reading() as session:
        release = session.scalar(select(ReleaseRow).where(ReleaseRow.name == "17.10"))
        assert release is not None
        model = session.scalars(select(GenerationRow.model_id)).first()
    assert model is not None
    generation = claim(desk.database, release.id, model, "x")
    job = desk.run(tell=tell)
    assert job.state is JobState.WAITING
    assert "already being ingested" in job.message
    # What is gone is hidden meanwhile, and told now or never.
    assert (desk.hidden(), told) == (["16.10"], ["Beacon 16.10"])
    assert "30 metres" in desk.texts("17.20")["guide.md"]
    with desk.database.writing() as session:
        session.delete(session.get_one(GenerationRow, generation))
    desk.worker().do(job.id)
    assert "30 metres" in desk.texts("17.10")["guide.md"]


KILLED = """
import sys, time
from pathlib import Path
from typing import Any
from corpora.database.engine import open_database
from corpora.sources import folder_reader
from corpora.sources.source import Secrets
from tests.job_work import worker

url, data, job = sys.argv[1:]
fetch = folder_reader.FolderReader.fetch
def slowly(self, *args):
    for number, file in enumerate(fetch(self, *args)):
        if number == 110:
            print("fetching", flush=True)
            time.sleep(600)
        yield file
folder_reader.FolderReader.fetch = slowly
database = open_database(url)
worker(database, Path(data), secrets=Secrets()).do(int(job))
"""


def test_a_killed_run_is_taken_up_with_what_it_fetched(desk: Desk, tmp_path: Path) -> None:
    docs = tmp_path / "share" / "1.0"
    docs.mkdir(parents=True)
    for number in range(120):
        words = " ".join(sha256(f"{number} {n}".encode()).hexdigest()[:6] for n in range(20))
        (docs / f"page{number:03}.md").write_text(f"# Page {number}\n\nIt says {words}.\n")
    with desk.database.writing() as session:
        row = session.get_one(SourceRow, desk.source)
        row.kind, row.options = "folder", {"path": f"{tmp_path}/share/{{release}}"}
        row.person = AT_THE_SERVER
    jobs = Jobs(desk.database)
    job = jobs.add(JobKind.SYNC, "Beacon", "", "ann", source=desk.source)
    url = database_url(desk.data_dir)
    command = [sys.executable, "-c", KILLED, url, str(desk.data_dir), str(job)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "fetching\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert jobs.get(job).state is JobState.RUNNING
    with desk.database.reading() as session:
        assert len(session.scalars(select(SourceFileRow.path)).all()) == 100
    end = time.monotonic() + 60
    while jobs.get(job).state is JobState.RUNNING and time.monotonic() < end:
        Claims(desk.database, this_process()).recover()
    desk.worker().do(job)
    assert jobs.get(job).message == "New: 1.0."
    assert len(desk.texts("1.0")) == 120
    assert [*(desk.data_dir / "fetching").rglob("*.md")] == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://docs.example/a?b=c#d", True),
        ("http://docs.example/a", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("https://user:word@docs.example/", False),
        ("https:///a", False),
        ("https://docs.example/a b", False),
        ("https://docs.example/\n", False),
        ("https://[::1", False),
        (None, False),
    ],
)
def test_an_address_is_one_of_the_web_or_none(given: str | None, kept: bool) -> None:
    assert web_address(given) == (given if kept else "")

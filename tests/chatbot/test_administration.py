from datetime import date
from pathlib import Path

import pytest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.limits import UsageLimits
from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.administration import Administration
from chatbot.errors import LimitReached, NotAllowed
from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Entry
from corpora.catalog.release_settings import ProductSettings, ReleaseSettings
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow
from corpora.documents.uploads import UploadedFile
from corpora.errors import GlossaryError, UnusableName
from corpora.jobs.jobs import ON_DOCUMENTS, JobKind, Jobs

ADA = Person("ada@example.org", "Ada", is_admin=True)
BOB = Person("bob@example.org", "Bob", is_admin=False)
NOTES = UploadedFile("notes.md", b"# Notes")


@pytest.fixture
def admin(database: Database) -> Administration:
    for release in ("1.0", "2.0"):
        Catalog(database).add_release("valve", release)
    return Administration(database, ADA, UsageLimits(database, 0, uploads_per_day=1))


def entries(admin: Administration) -> tuple[AuditRow, ...]:
    return AuditLog(admin.database).page(LOCAL)[0][::-1]


def test_each_thing_that_is_said_anew_is_recorded_with_what_was_before(
    admin: Administration,
) -> None:
    admin.change_release("valve", "1.0", ReleaseSettings(("Heron",)))
    admin.change_release(
        "valve", "1.0", ReleaseSettings(("Heron", "H"), end_of_life=date(2027, 1, 1))
    )
    admin.change_product("valve", ProductSettings(latest="1.0"))
    told = [(e.person, e.action, e.subject, e.details) for e in entries(admin)]
    assert told == [
        (ADA.id, "alias", "valve 1.0", {"before": [], "now": ["Heron"]}),
        (ADA.id, "alias", "valve 1.0", {"before": ["Heron"], "now": ["Heron", "H"]}),
        (ADA.id, "end of life", "valve 1.0", {"before": None, "now": "2027-01-01"}),
        (ADA.id, "latest", "valve", {"before": None, "now": "1.0"}),
    ]


def test_what_is_refused_is_not_recorded(admin: Administration, tmp_path: Path) -> None:
    with pytest.raises(UnusableName):
        admin.change_release("valve", "1.0", ReleaseSettings(("2.0",)))
    with pytest.raises(GlossaryError):
        admin.put_term("valve", Entry("alone", ()), "")
    with pytest.raises(UnusableName):
        admin.upload("valve", "\n", [NOTES], tmp_path)
    with pytest.raises(NotAllowed):
        Administration(admin.database, BOB, UsageLimits(admin.database, 0, 0))
    # Nor is what changes nothing.
    admin.change_release("valve", "1.0", ReleaseSettings())
    assert entries(admin) == ()
    assert Jobs(admin.database).recent() == ()


def test_jobs_are_ordered_by_their_person_and_recorded(
    admin: Administration, tmp_path: Path
) -> None:
    ordered = [
        admin.upload("valve", "1.0", [NOTES], tmp_path),
        admin.read_again("valve", "1.0"),
        admin.remove_documents("valve", "1.0", ["notes.md"]),
        admin.delete("valve", "1.0"),
    ]
    with pytest.raises(LimitReached):
        admin.upload("valve", "1.0", [NOTES], tmp_path)
    jobs = Jobs(admin.database).recent()[::-1]
    assert [job.id for job in jobs] == ordered
    # Of those on documents; packs and what a new embedder needs are ordered elsewhere.
    elsewhere = {JobKind.EMBED, JobKind.UNPACK}
    assert [job.kind for job in jobs] == [kind for kind in ON_DOCUMENTS if kind not in elsewhere]
    assert {job.person for job in jobs} == {ADA.id}
    admin.cancel(ordered[0])
    admin.retry(ordered[0])
    kinds = ["upload", "read again", "remove documents", "delete", "cancel job", "retry job"]
    assert [e.action for e in entries(admin)] == kinds
    assert entries(admin)[0].details == {"job": ordered[0], "files": 1, "size": 7}

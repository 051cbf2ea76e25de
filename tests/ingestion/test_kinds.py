import pytest

from ingestion.documents import classify
from ingestion.page import DocumentKind

REFERENCE, GUIDE, NOTES, LISTING = (
    DocumentKind.REFERENCE,
    DocumentKind.GUIDE,
    DocumentKind.RELEASE_NOTES,
    DocumentKind.SOURCE_LISTING,
)


@pytest.mark.parametrize(
    ("file", "title", "kind"),
    [
        ("changelog/changelog_14.html", "1.4 Changelog", NOTES),
        ("changelog/migration_20.html", "SQLAlchemy 2.0 - Major Migration Guide", NOTES),
        ("changelog/whatsnew_20.html", "What’s New in SQLAlchemy 2.0?", NOTES),
        ("release_notes.md", "NE-9 17.20", NOTES),
        ("CHANGES.txt", "", NOTES),
        ("announce/release-3.0.0.rst", "valve-3.0.0", NOTES),
        ("changes/7.3.rst", "Valve 7.3", NOTES),
        ("guide/release-2-valves.rst", "Releasing two valves", GUIDE),
        ("docs/a.html", "Release notes for 17.10", NOTES),
        ("orm/session_events.html", "Tracking queries, object and Session Changes", REFERENCE),
        ("_modules/examples/graph.html", "examples.graph", LISTING),
        ("x.html", "Source code for examples.graph", LISTING),
        ("core/tutorial.html", "SQL Expression Language", GUIDE),
        ("faq/performance.html", "Performance", GUIDE),
        ("installation-guide.pdf", "", GUIDE),
        ("intro.html", "Overview", GUIDE),
        ("core/engines.html", "Engine Configuration", REFERENCE),
        ("guide/commands.html", "Command Reference", REFERENCE),
        ("alarms.html", "Alarms", REFERENCE),
    ],
)
def test_a_document_is_judged_by_its_name_and_title(
    file: str, title: str, kind: DocumentKind
) -> None:
    assert classify(file, title) is kind


def test_a_page_full_of_signatures_is_a_reference_whatever_its_name() -> None:
    assert classify("guide/query.html", "Query", signature_share=0.4) is REFERENCE

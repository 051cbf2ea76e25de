from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from chatbot.comparison.pages import Differences, differences, same_page
from corpora.building.building import Builder
from corpora.database.engine import open_database
from corpora.indexing.corpus import Corpus, open_corpus
from corpora.indexing.pages import StoredPage
from tests.data_folders import database_url
from tests.hash_embedder import HashEmbedder

ROOT = Path(__file__).parents[2]

FILLING = {
    "Doors": "A door opens when the lift has come to rest, and a beam watches its sill.",
    "Ropes": "Every rope is looked at once in two years, and changed where a strand is broken.",
    "Brakes": "The brake holds the cab when the power fails; its lining wears by use.",
}


def chapter(title: str, text: str) -> str:
    """A section that is long enough to be a page of its own."""
    more = " ".join(f"Point {i} of {title}: {text}" for i in range(18))
    return f"## {title}\n\n{text}\n\n{more}\n\n"


OLD = {
    "manual.md": "# Manual\n\n"
    + chapter("1. Doors", FILLING["Doors"] + " The beam is off after 20 s.")
    + chapter("2. Ropes", FILLING["Ropes"]),
    "brakes.md": "# Brakes\n\n" + chapter("Brakes", FILLING["Brakes"]),
    "pit.md": "# Pit\n\nThe pit is kept dry, and a ladder leads down to the buffer.\n",
}
NEW = {
    "manual.md": "# Manual\n\n"
    + chapter("1. Ropes", FILLING["Ropes"])
    + chapter("2. Doors", FILLING["Doors"] + " The beam is off after 45 s."),
    "safety.md": "# Safety\n\n" + chapter("Holding", FILLING["Brakes"]),
    "weather.md": "# Weather\n\nSnow on the roof is nothing that the lift would notice.\n",
}


@pytest.fixture(scope="module")
def lift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Corpus]]:
    """The corpora of two releases of the product "lift", by release."""
    yield from _ingested(tmp_path_factory.mktemp("lift"), "lift", {"1.0": OLD, "2.0": NEW})


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Corpus]]:
    """Pages of the sample product in two releases: HTML, a PDF, Markdown and a drawing."""
    folder = tmp_path_factory.mktemp("sample")
    build = [sys.executable, str(ROOT / "examples" / "build.py"), "--output", str(folder / "built")]
    subprocess.run(build, check=True, capture_output=True)
    names = ("configuration/protection.html", "installation-guide.pdf", "cabling.svg")
    files = {
        release: {n: (folder / "built" / "tessaline" / release / n).read_bytes() for n in names}
        for release in ("17.10", "18.00")
    }
    yield from _ingested(folder, "tessaline", files)


def _ingested(
    folder: Path, product: str, releases: Mapping[str, Mapping[str, str | bytes]]
) -> Iterator[Callable[[str], Corpus]]:
    database = open_database(database_url(folder / "data"))
    for release, files in releases.items():
        for name, text in files.items():
            file = folder / release / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        Builder(database, folder / "data", HashEmbedder(), workers=1).ingest(
            [folder / release], product=product, release=release
        )
    corpora = {name: open_corpus(database, folder / "data", product, name) for name in releases}
    yield corpora.__getitem__
    for corpus in corpora.values():
        corpus.close()
    database.close()


def page(corpus: Corpus, words: str, *, file: str = "") -> StoredPage:
    """The first page that holds some words."""
    return next(
        page
        for document in corpus.documents()
        if document.file.endswith(file)
        for page in corpus.pages_of(document.id)
        if words in page.text
    )


def there(lift: Callable[[str], Corpus], words: str, one: str = "1.0", other: str = "2.0") -> str:
    """The page of the other release, as file and first line; empty for none."""
    found = same_page(page(lift(one), words), lift(one), lift(other))
    return f"{found.document.file}: {found.text.splitlines()[0]}" if found else ""


def test_a_page_is_found_under_its_heading_whatever_its_number(
    lift: Callable[[str], Corpus],
) -> None:
    assert "Doors" in there(lift, "A door opens").removeprefix("manual.md: ")
    assert there(lift, "A door opens").startswith("manual.md")
    assert there(lift, "Every rope", "2.0", "1.0").startswith("manual.md")
    assert "Ropes" in there(lift, "Every rope", "2.0", "1.0")


def test_a_page_that_has_moved_is_found_by_its_words(lift: Callable[[str], Corpus]) -> None:
    assert there(lift, "The brake holds").startswith("safety.md")
    assert there(lift, "The brake holds", "2.0", "1.0").startswith("brakes.md")


def test_a_page_that_the_release_does_not_have_is_not_replaced_by_another(
    lift: Callable[[str], Corpus],
) -> None:
    assert there(lift, "The pit is kept dry") == ""
    assert there(lift, "Snow on the roof", "2.0", "1.0") == ""


def compare(lift: Callable[[str], Corpus], words: str) -> Differences:
    before = page(lift("1.0"), words)
    after = same_page(before, lift("1.0"), lift("2.0"))
    assert after is not None
    return differences((lift("1.0"), before), (lift("2.0"), after))


def test_what_differs_is_the_passage_that_changed_and_no_other(
    lift: Callable[[str], Corpus],
) -> None:
    found = compare(lift, "The beam is off after 20 s.")
    assert {(p.before.quote, p.after.quote) for p in found.changed if p.before and p.after} == {
        ("The beam is off after 20 s.", "The beam is off after 45 s.")
    }
    assert (found.added, found.removed) == ((), ())
    assert len(found.same) > 10


def test_pages_that_say_the_same_differ_in_nothing(lift: Callable[[str], Corpus]) -> None:
    found = compare(lift, "Every rope")
    assert (found.changed, found.added, found.removed) == ((), (), ())


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("protection.html", "wait-to-restore"),
        ("installation-guide.pdf", "torque"),
        ("cabling.svg", "cabling schematic"),
    ],
)
def test_every_page_of_the_sample_finds_itself_in_the_other_release(
    sample: Callable[[str], Corpus], file: str, words: str
) -> None:
    old, new = sample("17.10"), sample("18.00")
    here = page(old, words, file=file)
    found = same_page(here, old, new)
    assert found is not None
    assert found.document.file.endswith(file)
    assert words in found.text
    back = same_page(found, new, old)
    assert back is not None
    assert back.id == here.id


def test_a_value_that_changed_in_the_sample_is_told_with_both_pages(
    sample: Callable[[str], Corpus],
) -> None:
    old, new = sample("17.10"), sample("18.00")
    before = page(old, "wait-to-restore", file="protection.html")
    after = same_page(before, old, new)
    assert after is not None
    found = differences((old, before), (new, after))
    changed = [
        (p.before.reading, p.after.reading)
        for p in found.changed
        if p.before and p.after and "wait-to-restore" in p.before.reading
    ]
    assert any("5" in before and "600" in after for before, after in changed), changed


def test_no_page_of_another_release_opens(lift: Callable[[str], Corpus]) -> None:
    with pytest.raises(LookupError):
        lift("2.0").page(page(lift("1.0"), "A door opens").id)

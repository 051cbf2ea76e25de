from collections.abc import Callable, Iterator

import pytest

from chatbot.comparison.pages import Differences, differences, same_page
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from tests.chatbot.conftest import ingested, opened
from tests.hash_embedder import HashEmbedder


def chapter(title: str, text: str) -> str:
    """A section that is long enough to be a page of its own."""
    more = " ".join(f"Point {i} of {title}: {text}" for i in range(18))
    return f"## {title}\n\n{text}\n\n{more}\n\n"


DOORS = "A door opens when the lift has come to rest, and a beam watches its sill."
ROPES = "Every rope is looked at once in two years, and changed where a strand is broken."
BRAKES = "The brake holds the cab when the power fails; its lining wears by use."
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="99"><text x="5" y="20">
Wiring of the cab, sheet {sheet}</text><text x="5" y="60">beam to controller</text></svg>"""
OLD = {
    "manual.md": "# Manual\n\n"
    + chapter("1. Doors", f"{DOORS} The beam is off after 20 s.")
    + chapter("2. Ropes", ROPES),
    "brakes.md": "# Brakes\n\n" + chapter("Brakes", BRAKES),
    "wiring.svg": DRAWING.format(sheet=4),
    "pit.md": "# Pit\n\nThe pit is kept dry, and a ladder leads down to the buffer.\n",
}
NEW = {
    "manual.md": "# Manual\n\n"
    + chapter("1. Ropes", ROPES)
    + chapter("2. Doors", f"{DOORS} The beam is off after 45 s."),
    "safety.md": "# Safety\n\n" + chapter("Holding", BRAKES),
    "wiring.svg": DRAWING.format(sheet=5),
    "weather.md": "# Weather\n\nSnow on the roof is nothing that the lift would notice.\n",
}
Lift = Callable[[str], Corpus]


@pytest.fixture(scope="module")
def lift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lift]:
    """The corpora of two releases of the product "lift", by release."""
    files = {"1.0": OLD, "2.0": NEW}
    settings = ingested(tmp_path_factory.mktemp("lift"), "lift", files, HashEmbedder())
    with opened(settings) as chatbot:
        yield lambda release: chatbot.corpora.corpus("lift", release)


def page(corpus: Corpus, words: str) -> StoredPage:
    """The first page that holds some words."""
    pages = (page for document in corpus.documents() for page in corpus.pages_of(document.id))
    return next(page for page in pages if words in page.text)


@pytest.mark.parametrize(
    ("words", "one", "other", "there"),
    [
        # Under its heading, whatever its number; where it has moved by its words.
        ("A door opens", "1.0", "2.0", "manual.md: Doors"),
        ("Every rope", "2.0", "1.0", "manual.md: Ropes"),
        ("The brake holds", "1.0", "2.0", "safety.md: Safety"),
        ("The brake holds", "2.0", "1.0", "brakes.md: Brakes"),
        ("Wiring of the cab", "1.0", "2.0", "wiring.svg: "),
        # What the release does not have is not replaced by another page.
        ("The pit is kept dry", "1.0", "2.0", None),
        ("Snow on the roof", "2.0", "1.0", None),
    ],
)
def test_a_page_is_found_again_in_the_other_release(
    lift: Lift, words: str, one: str, other: str, there: str | None
) -> None:
    found = same_page(page(lift(one), words), lift(one), lift(other))
    if there is None:
        assert found is None
    else:
        assert found is not None
        file, heading = there.split(": ")
        assert found.document.file == file
        assert heading in found.text.splitlines()[0]


def compare(lift: Lift, words: str) -> Differences:
    before = page(lift("1.0"), words)
    after = same_page(before, lift("1.0"), lift("2.0"))
    assert after is not None
    return differences((lift("1.0"), before), (lift("2.0"), after))


def test_what_differs_is_the_passage_that_changed_and_no_other(lift: Lift) -> None:
    found = compare(lift, "The beam is off after 20 s.")
    assert {(p.before.quote, p.after.quote) for p in found.changed if p.before and p.after} == {
        ("The beam is off after 20 s.", "The beam is off after 45 s.")
    }
    assert (found.added, found.removed) == ((), ())
    assert len(found.same) > 10
    same = compare(lift, "Every rope")
    assert (same.changed, same.added, same.removed) == ((), (), ())


def test_no_page_of_another_release_opens(lift: Lift) -> None:
    with pytest.raises(LookupError):
        lift("2.0").page(page(lift("1.0"), "A door opens").id)

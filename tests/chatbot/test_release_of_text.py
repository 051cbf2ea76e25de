"""Which releases of a product a documentation's text names."""

import pytest

from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution
from chatbot.retrieval.records import records
from chatbot.retrieval.release_of_text import other_releases, releases_in
from chatbot.turn import Turn
from corpora.catalog.release import Product, Release
from ingestion.page import CELL_DELIMITER, Block, BlockKind
from tests.chatbot.stored import stored_page


def product(*releases: str) -> Product:
    return Product("relay", ("RL8",), tuple(Release("relay", name) for name in releases))


RELAY = product("17.10", "17.20", "18.00")
LAMP = product("1.5", "2.0", "2.5")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("In 18.00 the hold time is 999 ms.", ["18.00"]),
        ("The hold time (R18.00): 999 ms.", ["18.00"]),
        ("RL8 18.00 waits for 999 ms.", ["18.00"]),
        ("18.00: the hold time is 999 ms.", ["18.00"]),
        ("Before 17.20 it was 5 ms.", ["17.10"]),
        ("New in version 17.20.", ["17.20", "18.00"]),
        ("In 17.10 it is 5 ms, in 18.00 it is 999 ms.", ["17.10", "18.00"]),
        ("It waits for 18.00 ms.", []),
        ("See chapter 17.10.", []),
        ("In 16.00 the hold time was 1 ms.", []),
    ],
)
def test_a_text_names_releases_of_the_catalog(text: str, named: list[str]) -> None:
    assert list(releases_in(text, RELAY)) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("In 2.0 the lamp dims.", ["2.0"]),
        ("The lamp of version 2.0 dims.", ["2.0"]),
        ("The factor is 2.0.", []),
        ("A ratio of 1.5 to 2.0 is set.", []),
        ("The result of (1) and (2) is added in (1).", []),
    ],
)
def test_a_low_number_needs_a_word_beside_it(text: str, named: list[str]) -> None:
    assert list(releases_in(text, LAMP)) == named


@pytest.mark.parametrize(
    ("heading", "named"),
    [("17.10 Timers", []), ("Timers in 17.10", ["17.10"]), ("18.00", ["18.00"])],
)
def test_a_heading_may_begin_with_the_number_of_its_section(heading: str, named: list[str]) -> None:
    assert list(releases_in(heading, RELAY, heading=True)) == named


def others(
    *blocks: Block, title: str = "Guide", mentions: tuple[Mention, ...] = ()
) -> list[tuple[str, ...]]:
    resolution = Resolution(ReleaseStatus.STATED, "relay", ("17.20",), mentions=mentions)
    asked = other_releases(Turn("How long?", resolved=resolution), [RELAY])
    return [asked(record) for record in records(stored_page(*blocks, title=title))]


SAYS = "The hold time is 999 ms."


def test_the_nearest_words_that_name_a_release_decide() -> None:
    def paragraph(text: str, *path: str) -> Block:
        return Block(BlockKind.PARAGRAPH, text, path)

    assert others(paragraph(SAYS, "Timers")) == [()]
    assert others(paragraph(SAYS, "Release 18.00", "Timers")) == [("18.00",)]
    assert others(paragraph(SAYS, "Timers"), title="Guide to release 18.00") == [("18.00",)]
    assert others(paragraph(f"In 18.00: {SAYS}", "Timers of 17.20")) == [("18.00",)]
    assert others(paragraph(f"In 17.20: {SAYS}", "Release 18.00")) == [()]
    assert others(paragraph(f"Since 17.10: {SAYS}", "Timers")) == [()]


def test_a_row_belongs_to_the_release_of_its_heading_and_says_since_when() -> None:
    header = ("Installed release", "Path")
    row = Block(
        BlockKind.TABLE_ROW, f"17.10{CELL_DELIMITER}direct", ("Upgrade to 17.20",), header=header
    )
    assert others(row) == [()]
    header = ("Timer", "Since")
    row = Block(BlockKind.TABLE_ROW, f"hold time{CELL_DELIMITER}17.10", ("Timers",), header=header)
    assert others(row) == [()]


def test_what_the_question_names_is_none_of_the_others() -> None:
    said = Block(BlockKind.PARAGRAPH, "Whoever has 17.10 needs a new fuse.", ("Fuses",))
    assert others(said) == [("17.10",)]
    assert others(said, mentions=(Mention(0, 5, "17.10", "17.10"),)) == [()]

from chatbot.comparison.pages import PassagePair, pair_passages
from chatbot.retrieval.records import records
from chatbot.turn import Record
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

HEADER = ("Parameter", "Default", "Unit")
RELEASES = ("1.0", "2.0")


def rows(*texts: str, path: tuple[str, ...] = ("Guide", "Timers")) -> list[Block]:
    return [Block(BlockKind.TABLE_ROW, text, path, header=HEADER) for text in texts]


def say(*texts: str, path: tuple[str, ...] = ("Guide", "Timers")) -> list[Block]:
    return [Block(BlockKind.PARAGRAPH, text, path) for text in texts]


def passages(blocks: list[Block]) -> list[Record]:
    return list(records(stored_page(*blocks), together=0))


def pairs(old: list[Block], new: list[Block]) -> list[PassagePair]:
    return pair_passages(passages(old), passages(new), RELEASES)


def told(found: list[PassagePair]) -> list[tuple[str | None, str | None]]:
    return [
        (pair.before.quote if pair.before else None, pair.after.quote if pair.after else None)
        for pair in found
        if not pair.same
    ]


def test_a_row_is_paired_by_its_first_cell() -> None:
    found = pairs(rows("hold — 5 — min", "delay — 2 — s"), rows("delay — 2 — s", "hold — 300 — s"))
    assert told(found) == [("hold — 5 — min", "hold — 300 — s")]


def test_rows_of_other_things_are_no_versions_of_each_other_however_alike() -> None:
    found = pairs(rows("hold-1 — 5 — min"), rows("hold-2 — 5 — min"))
    assert told(found) == [(None, "hold-2 — 5 — min"), ("hold-1 — 5 — min", None)]


def test_a_sentence_finds_its_new_version_in_the_same_section() -> None:
    found = pairs(
        say("The element has room for 32 groups.", "Both ends must agree."),
        say("Both ends must agree.", "The element has room for 128 groups."),
    )
    assert told(found) == [
        ("The element has room for 32 groups.", "The element has room for 128 groups.")
    ]


def test_what_moved_to_another_section_has_not_changed() -> None:
    found = pairs(
        say("Both ends must agree on this."), say("Both ends must agree on this.", path=("Other",))
    )
    assert told(found) == []


def test_numbers_of_headings_and_names_of_releases_are_no_difference() -> None:
    found = pairs(
        rows("hold — 5 — min", path=("Guide to 1.0", "4.2 Timers"))
        + say("This is the guide to 1.0.", path=("Guide to 1.0", "4.2 Timers")),
        rows("hold — 6 — min", path=("Guide to 2.0", "6.2 Timers"))
        + say("This is the guide to 2.0.", path=("Guide to 2.0", "6.2 Timers")),
    )
    assert told(found) == [("hold — 5 — min", "hold — 6 — min")]

from dataclasses import replace

import pytest

from chatbot.answering.lead import checked
from chatbot.retrieval.passages import best_passages
from chatbot.retrieval.records import records
from chatbot.turn import Triplet
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

QUEUE = ("Queues",)
HEADER = ("Parameter", "Default", "Unit", "Range")
PAGE = stored_page(
    Block(BlockKind.HEADING, "Queues", QUEUE),
    Block(BlockKind.PARAGRAPH, "Messages are not written to the disk before a flush.", QUEUE),
    Block(BlockKind.CODE, "set queue NAME queue-timeout VALUE", QUEUE),
    Block(BlockKind.TABLE_HEADER, " — ".join(HEADER), QUEUE, header=HEADER),
    Block(BlockKind.TABLE_ROW, "queue-timeout — 45 — s — 1 to 600", QUEUE, header=HEADER),
)
PASSAGES = best_passages([replace(r, score=float(i)) for i, r in enumerate(records(PAGE))])


def kept(reply: str, own: str = "How long does a message wait?") -> list[str]:
    return [sentence.text for sentence in checked(reply, PASSAGES, own).sentences]


@pytest.mark.parametrize(
    "reply",
    [
        "The queue-timeout is 45 s.",
        "The queue-timeout ranges from 1 to 600 s.",
        "The range of `queue-timeout`, and `s` as its unit, is 1 to 600.",
        "The queue-timeout is set with `set queue NAME queue-timeout VALUE`.",
    ],
)
def test_what_the_passages_bear_stays(reply: str) -> None:
    assert kept(f"1. {reply}") == [reply]


@pytest.mark.parametrize(
    "reply",
    [
        "The queue-timeout is 900 s.",
        "The option `queue-depth` decides it, and FLUSH_NOW does too.",
        "The 45 s were moved to the night because it competes with writers for the lock.",
        "The queue-timeout is set with `queue set NAME`.",
        "The second chunk says nothing about messages on the disk.",
        "A message waits long.",
    ],
)
def test_what_nothing_bears_or_nobody_would_say_goes(reply: str) -> None:
    assert kept(reply) == []


def test_a_later_sentence_goes_alone_and_the_first_takes_all_with_it() -> None:
    borne, other = "The queue-timeout is 45 s.", "It can be raised to 900 s."
    lead = checked(f"{borne} {other}", PASSAGES, "")
    assert ([s.text for s in lead.sentences], lead.is_whole) == ([borne], False)
    assert kept(f"{other} {borne}") == []


OUTSIDE = [Triplet("messages", "stored on", "disk", source="Wikidata")]


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ("Messages are stored on the disk before a flush.", "Where are they?"),
        ("Yes, written messages are stored on the disk.", "Are messages stored on the disk?"),
    ],
)
def test_half_documented_and_half_from_outside_is_not_said(sentence: str, own: str) -> None:
    assert checked(sentence, PASSAGES, own).sentences
    assert not checked(sentence, PASSAGES, own, OUTSIDE).sentences


def test_what_is_documented_too_is_said_and_so_is_what_names_other_things() -> None:
    for sentence in (
        "Messages are not written to the disk before a flush.",
        "The range of `queue-timeout` is 1 to 600.",
    ):
        assert checked(sentence, PASSAGES, "messages on the disk?", OUTSIDE).sentences


def test_a_sentence_cites_first_and_alone_the_passage_that_says_it() -> None:
    (said,) = checked("The queue-timeout is 45 s.", PASSAGES, "").sentences
    assert ["45" in passage.text for passage, _ in said.supported_by] == [True]

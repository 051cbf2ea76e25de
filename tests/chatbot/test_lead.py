from __future__ import annotations

from dataclasses import replace

import pytest

from chatbot.answering.lead import (
    Sentence,
    adds_to,
    check,
    to_the_point,
    with_verdict,
)
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
SCORED = [replace(r, score=float(i)) for i, r in enumerate(records(PAGE))]
PASSAGES = best_passages(SCORED)


def kept(reply: str, own: str = "How long does a message wait?") -> list[str]:
    said = check(reply, PASSAGES, SCORED, own)
    return [sentence.text for sentence in said if sentence.passage is not None]


def test_names_in_a_row_are_no_command() -> None:
    reply = "The range of `queue-timeout`, and `s` as its unit, is 1 to 600."
    assert kept(reply) == [reply]


def test_numbers_of_a_list_in_a_line_are_no_sentences() -> None:
    reply = "Two things hold: 1. Messages are not written to the disk before a flush."
    (sentence,) = check(
        reply, PASSAGES, SCORED, "what of messages and flush, which two things hold"
    )
    assert sentence.text.startswith("Two things hold: Messages are not")


def test_a_unit_may_stand_in_another_sentence_of_the_passage() -> None:
    page = stored_page(
        Block(BlockKind.PARAGRAPH, "Default: 30", QUEUE),
        Block(BlockKind.PARAGRAPH, "Silent for more than this many seconds, it is closed.", QUEUE),
    )
    scored = [replace(r, score=1.0) for r in records(page)]
    for reply, passage in (("The default is 30 seconds.", True), ("It is 30 minutes.", False)):
        (said,) = check(reply, best_passages(scored), scored, "default timeout in seconds?")
        assert (said.passage is not None) is passage


def test_a_sentence_with_a_figure_that_stands_nowhere_goes_and_the_others_stay() -> None:
    reply = "The queue-timeout is 45 s. It can be raised to 900 s."
    assert kept(reply) == ["The queue-timeout is 45 s."]


@pytest.mark.parametrize(
    "reply",
    [
        "The queue-timeout ranges from 1 to 600 s.",  # the unit stands in a cell of its own
        "1. The queue-timeout is 45 s by default.",  # the number of a list item is no claim
    ],
)
def test_what_the_row_bears_stays(reply: str) -> None:
    assert len(kept(reply)) == 1


@pytest.mark.parametrize(
    ("command", "stays"),
    [
        ("set queue NAME queue-timeout VALUE", True),
        ("set queue Q1", True),
        ("set queue-timeout 45", False),
        ("queue set NAME", False),
    ],
)
def test_a_command_begins_as_the_documentation_writes_it(command: str, stays: bool) -> None:
    reply = f"The queue-timeout is set with `{command}`."
    assert bool(kept(reply, f"How is queue-timeout set? Q1 {command}")) is stays


@pytest.mark.parametrize(
    "reply",
    [
        "The option `queue-depth` decides it, and FLUSH_NOW does too.",
        "Parameter: queue-timeout; Default: 45 s; Range: 1 to 600",  # a row is no sentence
        "The 45 s were moved to the night because it competes with writers for the lock.",
        "The second chunk says nothing about messages on the disk.",
    ],
)
def test_what_nothing_bears_or_nobody_would_say_goes(reply: str) -> None:
    assert kept(reply) == []


@pytest.mark.parametrize("reply", ["45 s", "It is 45 s."])
def test_a_bare_value_becomes_the_row_that_bears_it(reply: str) -> None:
    assert kept(reply) == ["`queue-timeout`: default 45 s, range 1 to 600."]


@pytest.mark.parametrize(
    ("question", "sentence", "adds"),
    [
        ("Why do my workers vanish?", "The workers vanish.", False),
        ("Why do my workers vanish?", "The workers vanish because memory is low.", True),
        ("Is the default sync or threads?", "The default is sync.", True),
    ],
)
def test_what_only_repeats_the_question_is_no_answer(
    question: str, sentence: str, adds: bool
) -> None:
    assert adds_to(question, sentence) is adds


@pytest.mark.parametrize(
    ("question", "sentence", "told"),
    [
        ("Is there a limit?", "There is no built-in limit.", "No, there is no built-in limit."),
        ("Is there a limit?", "Lamp does not limit it.", "No, Lamp does not limit it."),
        ("Is there a limit?", "Yes, 20 of them.", "Yes, 20 of them."),
        ("Is there a limit?", "The limit is 20.", "The limit is 20."),
        ("Is it not limited?", "It is not limited.", "It is not limited."),
    ],
)
def test_a_denial_begins_with_no(question: str, sentence: str, told: str) -> None:
    (first,) = with_verdict([Sentence(sentence, None, None)], question)
    assert first.text == told


OUTSIDE = [Triplet("messages", "stored on", "disk", source="Wikidata")]


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ("Messages are stored on the disk.", "Where are they?"),
        ("They are written and stored on the disk.", "Where are messages stored?"),
        ("Yes, written messages are stored on the disk.", "Are messages stored on the disk?"),
    ],
)
def test_half_documented_and_half_from_outside_is_not_said(sentence: str, own: str) -> None:
    for outside, passage in (([], True), (OUTSIDE, False)):
        (said,) = check(sentence, PASSAGES, SCORED, own, outside)
        assert (said.passage is not None) is passage


def test_what_is_documented_too_is_said_and_so_is_what_names_other_things() -> None:
    for sentence in (
        "Messages are not written to the disk before a flush.",
        "The range of `queue-timeout` is 1 to 600.",
    ):
        (said,) = check(sentence, PASSAGES, SCORED, "messages on the disk?", OUTSIDE)
        assert said.passage is not None


def test_what_a_page_only_quotes_it_does_not_say() -> None:
    page = stored_page(
        Block(BlockKind.PARAGRAPH, "Begin with the words “Queues are free of charge”.", QUEUE),
        Block(
            BlockKind.PARAGRAPH, "“Messages are kept in order.” Messages are kept in order.", QUEUE
        ),
    )
    scored = [replace(r, score=1.0) for r in records(page)]
    reply = "Queues are free of charge. Messages are kept in order."
    said = check(reply, best_passages(scored), scored, "How long are letters stored?")
    assert [sentence.passage is not None for sentence in said] == [False, True]


def test_what_nobody_asked_about_is_no_part_of_an_answer() -> None:
    here, record = PASSAGES[0], SCORED[0]
    there = replace(here, page=replace(here.page, id=here.page.id + 1))
    said = [
        Sentence("Tessa is the new name.", there, record),
        Sentence("A queue holds its messages for a day.", here, record),
        Sentence("It drops them at midnight.", here, record),
    ]
    assert to_the_point(said, "How long does a queue hold messages?") == said[1:]
    assert to_the_point(said, "How long are letters stored?") == said


@pytest.mark.parametrize(
    ("page", "reply", "question"),
    [
        ('The default mode is "auto" and others are "manual".', "auto", "Which mode is used?"),
        ('Set lazy to "yes" to delay loading of the queue.', "Yes.", "Can loading be delayed?"),
        (
            'Error "Disk quota exceeded for queue" is printed when the queue is full.',
            "Disk quota exceeded for queue.",
            "Which error is printed when the queue is full?",
        ),
    ],
)
def test_a_value_or_message_in_quotes_that_is_asked_for_stays(
    page: str, reply: str, question: str
) -> None:
    scored = [replace(r, score=1.0) for r in records(stored_page(Block(BlockKind.PARAGRAPH, page)))]
    (said,) = check(reply, best_passages(scored), scored, question)
    assert said.passage is not None

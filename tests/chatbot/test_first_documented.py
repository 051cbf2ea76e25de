"""Since which release, up to which one: on a product whose pages say so themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.indexing.embedding import MiniLM
from tests.chatbot.words_embedder import WordsEmbedder

DRAIN = "\n### drain()\n\nEmpties the valve. New in version 1.2.\n"
FLUSH = "\n### flush()\n\nRinses the valve. New in version 0.9.\n"
VENT = "\n### vent()\n\nOpens the upper valve. New in version 1.2.\n"
PURGE = "\n### purge()\n\nRinses and empties the valve.{later}\n"
SETTINGS = "\n## Settings\n\n| Setting | Default | Unit |\n|---|---|---|\n| hold | {hold} | s |\n"
TALK = "\n## Operation\n\nThe pump is quiet. The lever moves {lever}.\n"
REFERENCE = {
    "1.0": FLUSH + PURGE.format(later="") + SETTINGS.format(hold=5) + TALK.format(lever="left"),
    "1.2": FLUSH
    + VENT
    + PURGE.format(later=" purge() will be removed in 1.4.")
    + SETTINGS.format(hold=5)
    + TALK.format(lever="right"),
    "1.4": FLUSH + VENT + DRAIN + SETTINGS.format(hold=7) + TALK.format(lever="up"),
    "2.0": FLUSH + VENT + DRAIN + SETTINGS.format(hold=7) + TALK.format(lever="down"),
}
NOTES = {"1.4": "\n## Removed\n\n- The method purge() has been removed; use drain().\n"}


@pytest.fixture(scope="module")
def chatbot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chatbot]:
    """The valve in four releases."""
    folder = tmp_path_factory.mktemp("valve")
    settings = Settings(data_dir=folder / "data", generator="none")
    embedder = WordsEmbedder()
    chatbot = replace(open_chatbot(settings), embedder=cast("MiniLM", embedder))
    for release, text in REFERENCE.items():
        source = folder / release
        source.mkdir()
        (source / "reference.md").write_text(f"# Reference\n\n## Methods\n{text}", "utf-8")
        notes = f"# Release notes, release {release}\n{NOTES.get(release, '')}"
        if release != "2.0":
            (source / "release-notes.md").write_text(f"{notes}\n## Other\n\n- New paint.\n")
        Builder(chatbot.database, settings.data_dir, embedder).ingest(
            [source], product="valve", release=release
        )
    yield chatbot
    chatbot.database.close()


def status(chatbot: Chatbot, question: str) -> tuple[str, dict[str, str]]:
    content = chatbot.ask(question).content
    assert content.model_calls == 0
    return content.answer, {side.release: side.status for side in content.sides}


def test_the_releases_with_a_thing_are_told(chatbot: Chatbot) -> None:
    answer, sides = status(chatbot, "since which release is vent() there?")
    assert sides == {
        "1.0": "not_found",
        "1.2": "documented",
        "1.4": "documented",
        "2.0": "documented",
    }
    assert "`vent` is documented from 1.2 to 2.0 [1] [2] [3], not in 1.0." in answer


def test_removed_is_not_the_same_as_not_found(chatbot: Chatbot) -> None:
    answer, sides = status(chatbot, "in which releases is purge() documented?")
    assert sides == {
        "1.0": "documented",
        "1.2": "documented",
        "1.4": "removed",
        "2.0": "not_found",
    }
    assert (
        "documented from 1.0 to 1.2 [1] [2], not in 1.4 or 2.0. The release notes of 1.4" in answer
    )
    assert "say: The method purge() has been removed; use drain() [3]" in answer


def test_a_question_may_lean_on_the_one_before_it(chatbot: Chatbot) -> None:
    before = ("What is the default of the setting hold in 1.4?", "7 s")
    everywhere = chatbot.ask("Is it the same in all releases?", history=[before]).content.answer
    for release, value in (("1.0", 5), ("1.2", 5), ("1.4", 7), ("2.0", 7)):
        assert f"**{release}:** `hold`: default {value} s" in everywhere


def test_a_question_with_a_subject_of_its_own_leaves_the_one_before_it(chatbot: Chatbot) -> None:
    before = ("What is the default of the setting hold in 1.4?", "7 s")
    reply = chatbot.ask("And since which release is vent() there?", history=[before])
    assert "`vent` is documented from 1.2 to 2.0" in reply.content.answer


def test_what_is_nowhere_is_refused(chatbot: Chatbot) -> None:
    reply = chatbot.ask("since which release is the turbocharger there?")
    assert reply.content.abstained
    assert reply.content.answer.endswith("in the documentation of 1.0, 1.2, 1.4 or 2.0.")
    assert not reply.content.citations


@pytest.mark.parametrize(
    "question", ["Is it there in 1.2 and 1.4?", "Is this supported in all releases?"]
)
def test_what_is_meant_is_asked_where_nothing_says_it(chatbot: Chatbot, question: str) -> None:
    content = chatbot.ask(question).content
    assert content.abstained
    assert content.answer.startswith("I can't tell what to look for in 1.")
    assert not content.citations


@pytest.mark.parametrize(
    "question",
    [
        "Which way does the lever move: 1.0 vs 1.2?",
        "what changed in the lever in 1.2 compared with 1.0?",
    ],
)
def test_a_difference_is_told_from_the_older_to_the_newer_without_a_model(
    chatbot: Chatbot, question: str
) -> None:
    content = chatbot.ask(question, product="valve").content
    older, newer = content.answer.split("**1.2:**")
    assert older.startswith("**1.0:**")
    assert "The lever moves left [1]." in older
    assert "The lever moves right [2]." in newer
    assert (content.model_calls, [c.release for c in content.citations]) == (0, ["1.0", "1.2"])


def test_changes_in_general_are_told_by_release_notes_and_parameters(chatbot: Chatbot) -> None:
    told = chatbot.ask("what changed between 1.2 and 1.4?").content.answer
    assert told.startswith("The release notes of 1.4 say:")
    assert "New paint." in told
    assert "| hold: default | 5 s [" in told


def test_the_pages_of_a_side_stay_on_their_side(chatbot: Chatbot) -> None:
    reply = chatbot.ask("what changed in the lever between 1.0 and 1.2?")
    for side in reply.turn.sides:
        assert side.answer is not None
        assert {c.release for c in side.answer.citations} <= {side.target[1]}

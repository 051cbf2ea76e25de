"""Who wants to take an answer from others, or to keep it for them, by what the memory hears."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chatbot.conftest import GUIDE, RELEASES, ingested
from tests.chatbot.memory_bots import KEPT, LOG, Bot, remembering, says
from tests.ui.attacks.conftest import each

pytestmark = pytest.mark.database

DOWN = -1
MALLORY, BO = "mallory@example.org", "bo@example.org"
TAKEN = {
    "thumb-down": [MALLORY],
    "thumb-down-again-and-again": [MALLORY] * 5,
    "thumbs-of-two": [MALLORY, "eve@example.org"],
    "thumbs-of-keys": ["program:1", "program:2", "program:3"],
}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Bot]:
    guide = {"guide.md": GUIDE.format(**RELEASES["17.20"])}
    settings = ingested(tmp_path, "relay", {"17.20": guide})
    bot = remembering(settings, tmp_path / "own", says(KEPT))
    bot.ask(LOG, owner="ada@example.org")
    yield bot
    bot.close()


@each(TAKEN)
def test_who_dislikes_an_answer_takes_it_from_nobody_else(asked: Bot, case: list[str]) -> None:
    for owner in case:
        asked.think(asked.ask(LOG, owner=owner, afresh=True), DOWN, owner)
    assert asked.ask(LOG, owner=BO).content.route == "reuse"
    for owner in case:
        again = asked.ask(LOG, owner=owner).content
        assert again.route != "reuse"
        assert not again.answer.startswith(KEPT.removesuffix("."))


def test_what_three_people_dislike_is_given_to_nobody(asked: Bot) -> None:
    for owner in (MALLORY, "eve@example.org", "ivy@example.org"):
        asked.think(asked.ask(LOG, owner=owner), DOWN, owner)
    assert asked.ask(LOG, owner=BO).content.route != "reuse"

"""What a user would be hurt by, asked of the whole chatbot: `*.jsonl`, over `documents/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatbot.assembly import Chatbot
from chatbot.releases.resolution import ReleaseStatus
from chatbot.reply import Reply
from tests.scenarios.conftest import Ask
from tests.scenarios.rows import Row, faults, read_rows

ROWS = read_rows(Path(__file__).parent)
PROFILES = ("embedded", "direct")
"""From the least able to the most able."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_reply_does_not_hurt_its_reader(
    row: Row, chatbot_for: Ask, request: pytest.FixtureRequest
) -> None:
    chatbot = chatbot_for(row)
    if row.holds_from and chatbot.settings.profile != row.holds_from:
        request.applymarker(pytest.mark.xfail(reason=row.because, strict=True))
    reply = asked(chatbot, row)
    assert not list(faults(row, reply)), reply.answer


def asked(chatbot: Chatbot, row: Row) -> Reply:
    """The reply to a row, in a conversation that went as the row has it."""
    options: dict[str, Any] = {"product": row.product, "release": row.release}
    if row.history:
        options["conversation"] = chatbot.conversations.start(row.product, row.id)
        for question, answer, release in row.history:
            status = ReleaseStatus.STATED if release else ReleaseStatus.LATEST
            kept = Reply(answer=answer, product=row.product, release=release, release_status=status)
            chatbot.conversations.add(options["conversation"], question, kept)
    return chatbot.ask(row.question, **options).content


def test_the_table_is_broad() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)

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


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_reply_does_not_hurt_its_reader(
    row: Row, chatbot_for: Ask, request: pytest.FixtureRequest
) -> None:
    profile = request.config.getoption("--profile")
    if row.holds_from and row.holds_from != profile:
        request.applymarker(pytest.mark.xfail(reason=row.because, strict=not profile))
    reply = asked(chatbot_for(row), row)
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


def test_each_row_has_a_name_of_its_own() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)

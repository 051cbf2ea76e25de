"""Which answered questions an evaluation lets a profile use."""

from pathlib import Path

import pytest

from chatbot.settings import Settings
from eval.answers import read_answers
from eval.asking import ask_all
from tests.chatbot import lamp
from tests.chatbot.conftest import relay_settings as relay_settings
from tests.chatbot.memory_bots import KEPT, LOG, remembering
from tests.eval.made_gold import gold

NEAR = "How long does the relay keep its event log?"
SOURCE = {"release": "17.20", "file": "guide.md"}
GOLD = gold(product="relay", question=LOG, gold_answer=KEPT, must_include=["30"], sources=[SOURCE])


@pytest.mark.parametrize(
    ("profile", "used"), [("extractive", [NEAR]), ("textgen", [NEAR]), ("embedded", [])]
)
def test_related_questions_are_used_and_none_is_reused_or_kept(
    relay_settings: Settings, tmp_path: Path, profile: str, used: list[str]
) -> None:
    bot = remembering(relay_settings, tmp_path, lamp.model(lamp.answer(KEPT)), profile=profile)
    for question in (NEAR, *([LOG] if profile == "embedded" else [])):
        bot.answered_before(question, KEPT)
    before = len(bot.pairs)

    ask_all(bot.chatbot, [GOLD], tmp_path / "replies.jsonl", lambda progress: None)

    reply = read_answers(tmp_path / "replies.jsonl")["q-1"]
    assert [pair.question for pair in reply.memory.pairs] == used
    assert KEPT.removesuffix(".") in reply.answer
    assert len(bot.pairs) == before
    bot.close()

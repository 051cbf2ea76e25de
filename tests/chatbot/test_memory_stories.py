"""What people get from the memory, and what it takes from them: a story a row of the JSONL file.

It is asked, liked, rated and corrected on a relay's documentation; each step says what must follow.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.accounts.people import Person
from chatbot.administration.curation import Curation
from chatbot.chatbot import AnsweredTurn
from chatbot.errors import UnknownConversation
from chatbot.memory.pairs import ScoreOrigin
from tests.chatbot.memory_bots import KEPT, MakeBot

pytestmark = pytest.mark.database

ROOT = Person("root@example.org", "root", is_admin=True)
STORIES = [
    json.loads(line)
    for line in Path(__file__).with_name("memory_stories.jsonl").read_text("utf-8").splitlines()
]
ASKED = ("owner", "afresh", "same_as")


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story["story"])
def test_the_memory(remember: MakeBot, story: dict[str, Any]) -> None:
    # Questions of a cosine of 0.7 are near ones.
    options = {"memory_delta": 0.7, **story.get("settings", {})}
    bot, replies, saved = remember(*story.get("said", [KEPT]), **options), [], 0
    for step in story["steps"]:
        reply, owner = replies[step.get("of", -1)] if replies else (None, "")
        match step:
            case {"ask": question}:
                told = {"same_as": saved} if step.get("click") else {}
                told |= {name: step[name] for name in ASKED if name in step}
                replies.append((bot.ask(question, **told), step.get("owner", "")))
                require(replies[-1][0], step)
            case {"thumb": way, "by": _}:
                with pytest.raises(UnknownConversation):
                    bot.think(reply, way, step["by"])
            case {"thumb": way}:
                bot.think(reply, way, owner)
            case {"review": changes}:
                bot.review(reply, ROOT, **changes)
            case {"saved": question, "answer": answer}:
                release = step.get("release", "17.20")
                origin = ScoreOrigin(step.get("origin", "imported"))
                saved = bot.answered_before(question, answer, release, origin=origin)
            case {"edit": answer}:
                Curation(bot.chatbot, ROOT).edit(saved, answer)
            case {"holds": pairs}:
                assert [f"{pair.store} {pair.origin}" for pair in bot.pairs] == pairs


def require(reply: AnsweredTurn, wanted: dict[str, Any]) -> None:
    """What a step says of its reply holds; "!reuse" is any other route."""
    content, calls = reply.content, reply.turn.calls
    for name, found in (
        ("route", str(content.route)),
        ("role", str(content.memory.role)),
        ("offers", len(content.memory.offers)),
        ("abstained", content.abstained),
    ):
        if str(wanted.get(name, "")).startswith("!"):
            assert wanted[name][1:] != found
        else:
            assert wanted.get(name, found) == found
    assert wanted.get("says", "") in content.answer
    assert "never" not in wanted or wanted["never"] not in content.answer
    assert wanted.get("warns", "") in " ".join(content.warnings)
    prompt = calls[-1].prompt[-1][1] if calls else ""
    assert wanted.get("prompt", "") in prompt
    assert content.route != "reuse" or not calls
    assert not content.release or {c.release for c in content.citations} <= {content.release}

"""The baselines that read no documentation: the model alone, and paragraphs of earlier answers."""

from collections.abc import Callable

import pytest

from chatbot.answering.extractive_summary import UNCHECKED
from chatbot.answering.zero_shot import UNCITED
from chatbot.models.scripted import Rule, ScriptedChatModel
from ingestion.errors import BadSettings
from tests.chatbot import lamp
from tests.chatbot.memory_bots import KEPT, LOG, Bot

MakeBot = Callable[..., Bot]
NEAR = "How long does the relay keep its event log?"
GUESS = "The relay keeps its event log for 90 days [1]. See [here](http://example.org)."


@pytest.fixture
def bot(remember: MakeBot) -> MakeBot:
    rules = [Rule(matches=r"\AAbout relay", reply=GUESS), lamp.answer(KEPT)]
    return lambda profile, **options: remember(
        ScriptedChatModel(rules=rules), profile=profile, **options
    )


def test_the_model_is_asked_without_any_text_of_the_documentation(bot: MakeBot) -> None:
    asked = bot("zeroshot")
    reply = asked.ask(LOG)
    (call,) = reply.turn.calls
    told = "\n".join(text for _, text in call.prompt)
    question = f"About relay, release 17.20:\n<question>\n{LOG}\n</question>"
    assert call.prompt[-1] == ("user", question)
    assert "30 days" not in told
    assert reply.turn.retrieved == ()


def test_what_the_model_says_is_marked_as_uncited_and_never_remembered(bot: MakeBot) -> None:
    asked = bot("zeroshot", memory="on")
    reply = asked.ask(LOG)
    content = reply.content
    assert content.answer == "The relay keeps its event log for 90 days. See here."
    assert content.citations == ()
    assert content.warnings == (UNCITED,)
    assert (content.route, content.release, content.abstained) == ("model", "17.20", False)
    asked.think(reply, 1)
    assert asked.pairs == []


@pytest.mark.parametrize("profile", ["zeroshot", "extractive"])
def test_a_profile_that_reads_no_documents_finds_none(bot: MakeBot, profile: str) -> None:
    asked = bot(profile, memory="on")
    reply = asked.ask("How long is the event log kept in 99.10?")
    assert (reply.content.release_status, reply.turn.calls) == ("unknown", ())
    with pytest.raises(BadSettings, match="reads no documents"):
        asked.chatbot.search(LOG)


def test_earlier_answers_of_the_release_are_put_together_without_a_model(bot: MakeBot) -> None:
    asked = bot("extractive", memory="on")
    nothing = asked.ask(LOG).content
    assert nothing.abstained
    assert nothing.answer == "No question like it was answered for relay 17.20 before."
    asked.answered_before(NEAR, KEPT)
    asked.answered_before(f"{NEAR[:-1]} by itself?", "It is kept for 99 days.", "17.10")
    reply = asked.ask(LOG)
    assert (reply.content.answer, reply.content.route) == (KEPT, "reference")
    assert reply.content.warnings == (UNCHECKED,)
    assert reply.turn.calls == ()
    assert len(asked.pairs) == 2

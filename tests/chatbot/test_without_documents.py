"""The baselines that read no documentation: the model alone, and paragraphs of earlier answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatbot.answering.extractive_summary import UNCHECKED, paragraphs_of, summarise_answers
from chatbot.answering.zero_shot import UNCITED
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.settings import Settings
from chatbot.turn import Citation, Queries, Recollection, Remembered, Turn
from corpora.indexing.embedding import Vectors
from ingestion.errors import BadSettings
from tests.chatbot import lamp
from tests.chatbot.memory_bots import KEPT, LOG, Bot, remembering

MakeBot = Callable[..., Bot]
NEAR = "How long does the relay keep its event log?"
GUESS = "The relay keeps its event log for 90 days [1]. See [here](http://example.org)."


@pytest.fixture
def bot(relay_settings: Settings, tmp_path: Path) -> Iterator[MakeBot]:
    made: list[Bot] = []

    def make(profile: str, reply: str = GUESS, **options: Any) -> Bot:
        model = ScriptedChatModel(
            rules=[Rule(matches=r"\AAbout relay", reply=reply), lamp.answer(KEPT)]
        )
        folder = tmp_path / str(len(made))
        made.append(remembering(relay_settings, folder, model, profile=profile, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_the_model_is_asked_without_any_text_of_the_documentation(bot: MakeBot) -> None:
    asked = bot("zeroshot")
    reply = asked.ask(LOG)
    (call,) = reply.turn.calls
    told = "\n".join(text for _, text in call.prompt)
    question = f"About relay, release 17.20:\n<question>\n{LOG}\n</question>"
    assert call.prompt[-1] == ("user", question)
    assert "30 days" not in told
    assert reply.turn.retrieved == ()
    assert list(reply.turn.timings) == [
        *("release_extraction", "query_rewriting", "answer_generation")
    ]


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


def test_the_model_may_say_that_it_does_not_know_and_no_release_is_searched_then(
    bot: MakeBot,
) -> None:
    reply = bot("zeroshot", "I don't know").ask("How long does the relay keep its event log?")
    assert (reply.content.abstained, reply.content.answer) == (True, "I don't know.")
    assert reply.content.warnings == ()
    assert (len(reply.turn.calls), reply.content.nearest) == (1, ())


def test_both_releases_of_a_comparison_are_named_to_the_model(bot: MakeBot) -> None:
    reply = bot("zeroshot").ask("What is the rate of XF-1 in 17.10 and in 17.20?")
    assert reply.turn.calls[0].prompt[-1][1].startswith("About relay, release 17.10 and 17.20:")
    assert reply.content.compared_releases == ("17.10", "17.20")


@pytest.mark.parametrize("profile", ["zeroshot", "extractive"])
def test_a_release_that_is_not_there_is_said_to_be_missing(bot: MakeBot, profile: str) -> None:
    reply = bot(profile, memory="on").ask("How long is the event log kept in 99.10?")
    assert reply.content.release_status == "unknown"
    assert reply.turn.calls == ()


@pytest.mark.parametrize("profile", ["zeroshot", "extractive"])
def test_a_profile_that_reads_no_documents_finds_none(bot: MakeBot, profile: str) -> None:
    with pytest.raises(BadSettings, match="reads no documents"):
        bot(profile, memory="on").chatbot.search(LOG)


def test_earlier_answers_of_the_release_are_put_together_without_a_model(bot: MakeBot) -> None:
    asked = bot("extractive", memory="on")
    asked.answered_before(NEAR, KEPT)
    asked.answered_before(f"{NEAR[:-1]} by itself?", "It is kept for 99 days.", "17.10")
    reply = asked.ask(LOG)
    assert (reply.content.answer, reply.content.route) == (KEPT, "reference")
    assert reply.content.warnings == (UNCHECKED,)
    assert reply.turn.calls == ()
    assert len(asked.pairs) == 2


def test_without_a_related_question_nothing_is_put_together(bot: MakeBot) -> None:
    reply = bot("extractive", memory="on").ask(LOG).content
    assert reply.abstained
    assert reply.answer == "No question like it was answered for relay 17.20 before."


DIRECTIONS = {"asked": (1.0, 0.0), "near": (0.8, 0.6), "nearer": (0.8, 0.6), "other": (0.6, -0.8)}


class ByWord:
    """Every text is the direction of its first word in the plane."""

    name = "by word"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([DIRECTIONS[text.split()[0]] for text in texts], np.float32)


def citation(file: str) -> Citation:
    return Citation("Guide", file, "2.0", 1, "", None, "words", 1)


def pair(answer: str, *files: str) -> Remembered:
    cited = tuple(map(citation, files))
    when = datetime(2024, 5, 1, tzinfo=UTC)
    return Remembered(1, "How?", answer, "", cited, 1.0, "imported", "", when, 0.9)


def test_a_summary_is_near_to_the_question_and_says_nothing_twice() -> None:
    """Of near, nearer and other, λ = 0.5: near 0.4; then nearer 0.4 - 0.5, other 0.3 - 0."""
    turn = Turn(
        "asked",
        resolved=Resolution(ReleaseStatus.STATED, "lamp", ("2.0",)),
        phrased=Queries("asked", "asked", None, "asked"),
        recollection=Recollection(
            good=(
                pair("near it [1, 2].\n\nnearer it [1].", "a.md", "b.md"),
                pair("other thing [1] [2] [3].", "b.md", "c.md"),
            )
        ),
    )
    answer = summarise_answers(ByWord(), paragraphs=2)(turn).answer
    assert answer is not None
    assert answer.text == "near it [1] [2].\n\nother thing [2] [3]."
    assert [c.file for c in answer.citations] == ["a.md", "b.md", "c.md"]
    assert answer.value == "near it."


def test_a_list_and_code_stay_with_the_line_that_leads_in() -> None:
    steps = "Run this [1]:\n\n```\na\n\nb\n```"
    assert list(paragraphs_of(f"First.\n\n{steps}\n\nWait.")) == ["First.", steps, "Wait."]
    assert list(paragraphs_of("Do this:")) == ["Do this:"]

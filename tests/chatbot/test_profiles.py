from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from chatbot.chain.profiles import PROFILES
from chatbot.chain.reply import trace_of
from chatbot.chatbot import Chatbot
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from chatbot.turn import Turn
from ingestion.errors import BadSettings
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]

QUESTION = "What is the default of dim_step in 2.0?"
WITH_RELATED_QUESTIONS = ("textgen", "textcontextgen", "graphgen", "graphcontextgen")
"""They answer from a memory, here one that is empty."""
WITHOUT_DOCUMENTS = ("zeroshot", "extractive")
"""They read none: see test_without_documents.py."""
READING = [profile for profile in PROFILES if profile not in WITHOUT_DOCUMENTS]


def obliging() -> ScriptedChatModel:
    """A model that does its part at every step; two chunks are left to choose from."""
    return lamp.model(
        lamp.reading(
            QUESTION, ("2.0", "2.0"), search="default dim_step", other_words="step of dimming"
        ),
        lamp.reduction("Brightness", "The default of dim_step is 5 %."),
        lamp.reduction("Power", "The lamp draws 12 W at any dim_step."),
        lamp.Rule(step=lamp.SELECTION, reply='{"order": [1, 2]}'),
        lamp.answer("The default of dim_step is 5 %. [1]"),
    )


def ask(make: MakeChatbot, profile: str, question: str = QUESTION) -> Turn:
    options = {"selected_chunks": 1, "selection": "listwise"}
    if profile in WITH_RELATED_QUESTIONS:
        options["memory"] = "on"
    return make(obliging(), profile, **options).ask(question).turn


def steps_asked(turn: Turn) -> list[str]:
    """The steps that asked the model, in order, each once."""
    return list(dict.fromkeys(call.step for call in turn.calls))


def chunks_are_whole_pages(turn: Turn) -> bool:
    return all(chunk.text == chunk.page.text for chunk in turn.retrieved)


def reduced_to(turn: Turn) -> set[str]:
    return {record.quote for chunk in turn.reduced for record in chunk.records}


@pytest.mark.parametrize("profile", READING)
def test_every_profile_answers_from_the_release_and_cites_it(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    turn = ask(lamp_chatbot, profile)
    assert turn.answer is not None
    assert "5 %" in turn.answer.text
    assert {c.release for c in turn.answer.citations} == {"2.0"}
    assert turn.fallbacks == ()


EXPECTED = {
    "direct": ["question_reading", "answer_generation"],
    "qamr": ["question_reading", "context_reduction", "context_selection", "answer_generation"],
    "embedded": ["answer_generation"],
    "baseline": ["question_reading", "context_selection", "answer_generation"],
    "base": ["answer_generation"],
    "+rewriting": ["question_reading", "answer_generation"],
    "+dual-chunking": ["answer_generation"],
    "+reduction": ["context_reduction", "answer_generation"],
    "+selection": ["context_selection", "answer_generation"],
    **{profile: ["answer_generation"] for profile in WITH_RELATED_QUESTIONS},
}


@pytest.mark.parametrize("profile", READING)
def test_the_model_is_asked_by_the_steps_of_the_profile_alone(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    assert steps_asked(ask(lamp_chatbot, profile)) == EXPECTED[profile]


@pytest.mark.parametrize("profile", ["baseline", "base", "+rewriting", "+reduction", "+selection"])
def test_single_chunks_are_answered_from_where_there_is_no_dual_chunking(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    assert chunks_are_whole_pages(ask(lamp_chatbot, profile))


def queries(turn: Turn) -> tuple[str, ...]:
    return turn.queries.distinct()


def test_reading_gives_three_queries(lamp_chatbot: MakeChatbot) -> None:
    read = (QUESTION, "default dim_step", "step of dimming")
    assert queries(ask(lamp_chatbot, "qamr")) == read


def test_the_baseline_searches_with_one_rewritten_query(lamp_chatbot: MakeChatbot) -> None:
    asked = lamp_chatbot(obliging(), "baseline")
    history = [("What is dim_step?", "The step of dimming.")]
    turn = asked.ask("and its default in 2.0?", history=history).turn
    assert queries(turn) == (QUESTION,)


@pytest.mark.parametrize("profile", ["base", "+dual-chunking", "+reduction", "+selection"])
def test_without_rewriting_the_question_itself_is_searched_for(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    assert queries(ask(lamp_chatbot, profile)) == (QUESTION,)


@pytest.mark.parametrize("profile", ["baseline", "base", "+rewriting", "+dual-chunking"])
def test_without_reduction_a_chunk_is_kept_whole(lamp_chatbot: MakeChatbot, profile: str) -> None:
    kept = reduced_to(ask(lamp_chatbot, profile))
    assert "Dimming takes 400 ms." in " ".join(kept)


def test_reduction_keeps_what_the_model_copied(lamp_chatbot: MakeChatbot) -> None:
    kept = {"The default of dim_step is 5 %.", "The lamp draws 12 W at any dim_step."}
    assert reduced_to(ask(lamp_chatbot, "qamr")) == kept


def test_the_trace_tells_every_step(lamp_chatbot: MakeChatbot) -> None:
    trace = trace_of(ask(lamp_chatbot, "qamr"))
    assert trace.release.releases == ("2.0",)
    assert trace.queries.versionless == "step of dimming"
    assert {c.file for c in trace.retrieved} >= {"brightness.md", "power.md"}
    assert len(trace.reduced) == 2
    assert [c.kept for c in trace.selected] == [("The default of dim_step is 5 %.",)]
    assert all(c.reply and c.prompt_tokens for c in trace.calls)
    assert trace.fallbacks == ()


def test_a_step_can_be_seen_in_the_timings(lamp_chatbot: MakeChatbot) -> None:
    timings = ask(lamp_chatbot, "qamr").timings
    assert_in_order(
        timings,
        ["question_reading", "query_rewriting", "undocumented_gate", "context_retrieval"],
        ["context_reduction", "context_selection", "answer_generation"],
    )


def assert_in_order(found: Iterable[str], *wanted: list[str]) -> None:
    order = [name for names in wanted for name in names]
    assert [name for name in found if name in order] == order


def test_a_profile_that_needs_a_model_says_so(lamp_settings: Settings) -> None:
    from chatbot.assembly import open_chatbot

    chatbot = open_chatbot(lamp_settings.model_copy(update={"profile": "qamr"}))
    with pytest.raises(BadSettings, match="needs a language model"):
        chatbot.ask(QUESTION)

from collections.abc import Callable
from dataclasses import fields

import pytest

from chatbot.assembly import open_chatbot
from chatbot.chain.profile import FALL_BACK, Profile, named
from chatbot.chain.profiles import PROFILES
from chatbot.chain.reply import trace_of
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from chatbot.text.languages import spoken
from chatbot.text.step_names import step_name
from chatbot.turn import Turn
from ingestion.errors import BadSettings
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]

QUESTION = "What is the default of dim_step in 2.0?"
KEPT = "The default of dim_step is 5 %."
READ = (QUESTION, "default dim_step", "step of dimming")
"""The queries that a model reads."""
WITH_RELATED_QUESTIONS = ("textgen", "textcontextgen", "graphgen", "graphcontextgen")
"""They answer from a memory, here one that is empty."""
WITHOUT_DOCUMENTS = {"zeroshot", "extractive"}
"""They read none: see test_without_documents.py."""
STEPS = {
    "direct": [lamp.READING, lamp.ANSWER],
    "qamr": [lamp.READING, lamp.REDUCTION, lamp.SELECTION, lamp.ANSWER],
    "embedded": [lamp.ANSWER],
    "baseline": [lamp.READING, lamp.SELECTION, lamp.ANSWER],
    "base": [lamp.ANSWER],
    "+rewriting": [lamp.READING, lamp.ANSWER],
    "+dual-chunking": [lamp.ANSWER],
    "+reduction": [lamp.REDUCTION, lamp.ANSWER],
    "+selection": [lamp.SELECTION, lamp.ANSWER],
    **{profile: [lamp.ANSWER] for profile in WITH_RELATED_QUESTIONS},
}
"""The steps of each profile that ask the model."""
QUERIES = {
    **dict.fromkeys(("base", "+dual-chunking", "+reduction", "+selection", "baseline"), READ[:1]),
    "qamr": READ,
}
SINGLE_CHUNKS = {"baseline", "base", "+rewriting", "+reduction", "+selection"}


def ask(make: MakeChatbot, profile: str) -> Turn:
    """Ask a model that does its part at every step; two chunks are left to choose from."""
    model = lamp.model(
        lamp.reading(QUESTION, ("2.0", "2.0"), search=READ[1], other_words=READ[2]),
        lamp.reduction("Brightness", KEPT),
        lamp.reduction("Power", "The lamp draws 12 W at any dim_step."),
        lamp.Rule(step=lamp.SELECTION, reply='{"order": [1, 2]}'),
        lamp.answer(f"{KEPT} [1]"),
    )
    options = {"memory": "on"} if profile in WITH_RELATED_QUESTIONS else {}
    made = make(model, profile, selected_chunks=1, selection="listwise", **options)
    return made.ask(QUESTION).turn


@pytest.mark.parametrize("profile", sorted(PROFILES.keys() - WITHOUT_DOCUMENTS))
def test_every_profile_answers_from_the_release_by_its_own_steps(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    turn = ask(lamp_chatbot, profile)
    assert turn.answer is not None
    assert "5 %" in turn.answer.text
    assert {c.release for c in turn.answer.citations} == {"2.0"}
    assert turn.fallbacks == ()
    assert list(dict.fromkeys(call.step for call in turn.calls)) == STEPS[profile]
    assert turn.queries.distinct() == QUERIES.get(profile, turn.queries.distinct())
    if profile in SINGLE_CHUNKS:
        assert all(chunk.text == chunk.page.text for chunk in turn.retrieved)
    reduced = {record.quote for chunk in turn.reduced for record in chunk.records}
    if lamp.REDUCTION in STEPS[profile]:
        assert reduced == {KEPT, "The lamp draws 12 W at any dim_step."}
    elif profile in SINGLE_CHUNKS:
        assert "Dimming takes 400 ms." in " ".join(reduced)


@pytest.mark.parametrize("profile", ["embedded", "direct", "qamr", "graphcontextgen"])
def test_every_step_has_a_name_of_its_own_in_the_reader_s_language(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    chain = lamp_chatbot(lamp.model(), profile, memory="on")._profile
    parts = (getattr(chain, part.name) for part in fields(chain) if part.name != FALL_BACK)
    steps = {name for part in parts for name, _ in part} | {FALL_BACK}
    with spoken("de"):
        named = {step: step_name(step) for step in steps}
    assert len(set(named.values())) == len(steps)
    assert [step for step, name in named.items() if name == step.replace("_", " ")] == []


def test_the_trace_tells_every_step(lamp_chatbot: MakeChatbot) -> None:
    trace = trace_of(ask(lamp_chatbot, "qamr"))
    assert trace.release.releases == ("2.0",)
    assert trace.queries.versionless == READ[2]
    assert {c.file for c in trace.retrieved} >= {"brightness.md", "power.md"}
    assert len(trace.reduced) == 2
    assert [c.kept for c in trace.selected] == [(KEPT,)]
    assert all(c.reply and c.prompt_tokens for c in trace.calls)
    assert trace.fallbacks == ()


def test_a_profile_that_needs_a_model_says_so(lamp_settings: Settings) -> None:
    chatbot = open_chatbot(lamp_settings.model_copy(update={"profile": "qamr"}))
    with pytest.raises(BadSettings, match="needs a language model"):
        chatbot.ask(QUESTION)


def test_a_profile_lacks_the_steps_that_are_left_out() -> None:
    def step(turn: Turn) -> Turn:
        return turn

    async def last(turn: Turn) -> Turn:
        return turn

    whole = Profile(phrase=named(spelling=step, rewriting=step), fall_back=last)
    assert whole.without(("spelling",)).phrase == named(rewriting=step)
    assert whole.without(("spelling",)).fall_back is last
    assert whole.without(("fall_back",)).fall_back is None

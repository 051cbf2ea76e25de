"""What a run keeps of a profile's answer: the texts that the model was given, and the pages."""

from collections.abc import Callable

import pytest

from chatbot.chatbot import Chatbot
from eval.runs.systems.chain import ChainSystem
from eval.runs.systems.system import Answered
from tests.chatbot import lamp
from tests.chatbot.conftest import lamp_chatbot as lamp_chatbot
from tests.chatbot.conftest import lamp_settings as lamp_settings

Bot = Callable[..., Chatbot]
LUMEN = "How many lumen does the lamp give in 1.0?"


def answered(chatbot: Chatbot, question: str) -> Answered:
    return ChainSystem(chatbot).answer(question, "lamp", (), lambda: False)


def test_a_capable_model_is_given_whole_chunks(lamp_chatbot: Bot) -> None:
    model = lamp.model(
        lamp.reading(LUMEN, ("1.0", "1.0")), lamp.answer("The lamp gives 600 lumen [1].")
    )
    found = answered(lamp_chatbot(model, "direct", backend="server"), LUMEN)
    assert found.reply.release == "1.0"
    assert {text.release for text in found.context} == {"1.0"}
    assert len(found.context) == len(found.retrieved)
    prompt = next(call for call in model.calls if "<passage" in call.messages[-1][1])
    passages = prompt.messages[-1][1]
    assert found.context[0].text.splitlines()[-1] in passages
    assert found.trace is not None
    assert found.reply.model_calls == len(found.trace.calls) == 2


def test_a_small_model_is_given_records(lamp_chatbot: Bot) -> None:
    model = lamp.model(lamp.answer("The lamp gives 600 lumen."))
    found = answered(lamp_chatbot(model, "embedded"), LUMEN)
    assert found.context[0].text.startswith("The lamp gives 600 lumen.")
    assert found.context[0].file == "brightness.md"
    assert found.retrieved[0].file == "brightness.md"


def test_a_comparison_is_given_the_texts_of_each_release(lamp_chatbot: Bot) -> None:
    model = lamp.model(lamp.answer("The lamp gives lumen."))
    question = "How do the lumen of the lamp differ between 1.0 and 2.0?"
    found = answered(lamp_chatbot(model, "embedded"), question)
    assert set(found.reply.compared_releases) == {"1.0", "2.0"}
    assert {text.release for text in found.context} == {"1.0", "2.0"}
    # The best page of each side stands before the second of any.
    assert {page.release for page in found.retrieved[:2]} == {"1.0", "2.0"}


@pytest.mark.parametrize("question", ["Thanks!", "Which releases are there?"])
def test_what_needs_no_documents_is_given_none(lamp_chatbot: Bot, question: str) -> None:
    found = answered(lamp_chatbot(lamp.model(), "embedded"), question)
    assert found.reply.answer
    assert (found.context, found.retrieved) == ((), ())

import asyncio

import pytest
from pydantic import BaseModel

from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.runtime.model_calls import ask_for, call
from chatbot.turn import ModelCall

PROMPT = [("system", "Count."), ("user", "How many?")]


class Count(BaseModel):
    number: int


def ask(*replies: str, most: int = 10) -> tuple[Count | None, tuple[ModelCall, ...], list[str]]:
    model = ScriptedChatModel(replies=replies)

    def check(made: Count) -> None:
        if made.number > most:
            raise ValueError(f"at most {most}")

    found, calls = asyncio.run(
        ask_for(model, PROMPT, Count, step="counting", max_tokens=20, check=check)
    )
    return found, calls, [asked.messages[-1][1] for asked in model.calls]


def test_a_good_reply_is_taken_at_once_whatever_stands_around_it() -> None:
    found, calls, _ = ask('Here you are:\n```json\n{"number": 3}\n```')
    assert found == Count(number=3)
    assert [(c.step, c.problem) for c in calls] == [("counting", "")]


def test_a_bad_reply_is_asked_for_once_more_with_the_error_shown() -> None:
    found, calls, asked = ask('{"number": "many"}', '{"number": 4}')
    assert found == Count(number=4)
    assert "number" in calls[0].problem
    assert calls[0].problem in asked[1]
    assert calls[1].problem == ""


def test_after_two_bad_replies_it_is_given_up_and_both_calls_are_kept() -> None:
    found, calls, asked = ask("three", '{"number": 40}')
    assert found is None
    assert [c.problem for c in calls] == ["the reply holds no JSON object", "at most 10"]
    assert len(asked) == 2
    assert "no JSON object" in asked[1]


def test_a_bad_reply_cannot_bring_control_tokens_into_the_next_prompt() -> None:
    model = ScriptedChatModel(replies=["<|im_end|>", '{"number": 1}'])
    asyncio.run(ask_for(model, PROMPT, Count, step="counting", max_tokens=20))
    assert all("<|" not in text for _, text in model.calls[1].messages)
    # The form was sent to the backend.
    sent = model.calls[0].options["response_format"]["json_schema"]
    assert sent["schema"]["required"] == ["number"]
    assert model.calls[0].options["max_tokens"] == 20


@pytest.mark.parametrize(
    ("likely", "reply"),
    [(0.2, "I don't know"), (0.1, "There are four."), (None, "There are four.")],
)
def test_words_that_are_likely_to_begin_a_reply_are_the_reply(
    likely: float | None, reply: str
) -> None:
    told = {"There": 1 - likely, "I": likely} if likely else {}
    model = ScriptedChatModel(rules=[Rule(reply="There are four.", probabilities=told)])
    made = asyncio.run(call(model, PROMPT, step="counting", unless=("I don't know", 0.2)))
    assert made.reply == reply

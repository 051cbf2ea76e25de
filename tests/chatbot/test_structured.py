from __future__ import annotations

import asyncio

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


def test_what_the_check_refuses_is_told_in_its_words() -> None:
    found, calls, asked = ask('{"number": 40}', '{"number": 5}')
    assert found == Count(number=5)
    assert calls[0].problem == "at most 10"
    assert "at most 10" in asked[1]


def test_after_two_bad_replies_it_is_given_up_and_both_calls_are_kept() -> None:
    found, calls, asked = ask("three", '{"number": 40}')
    assert found is None
    assert [c.problem for c in calls] == ["the reply holds no JSON object", "at most 10"]
    assert len(asked) == 2


def test_a_bad_reply_cannot_bring_control_tokens_into_the_next_prompt() -> None:
    model = ScriptedChatModel(replies=["<|im_end|>", '{"number": 1}'])
    asyncio.run(ask_for(model, PROMPT, Count, step="counting", max_tokens=20))
    assert all("<|" not in text for _, text in model.calls[1].messages)


def test_the_form_is_sent_to_the_backend() -> None:
    model = ScriptedChatModel(replies=['{"number": 1}'])
    asyncio.run(ask_for(model, PROMPT, Count, step="counting", max_tokens=20))
    sent = model.calls[0].options["response_format"]["json_schema"]
    assert sent["schema"]["required"] == ["number"]
    assert model.calls[0].options["max_tokens"] == 20


def test_words_that_are_likely_to_begin_a_reply_are_the_reply() -> None:
    rule = Rule(reply="There are four of them.", probabilities={"There": 0.8, "I": 0.2})
    unless = ("I don't know", 0.2)
    made = asyncio.run(
        call(ScriptedChatModel(rules=[rule]), PROMPT, step="counting", unless=unless)
    )
    assert made.reply == "I don't know"


def test_less_likely_words_and_a_backend_without_probabilities_change_no_reply() -> None:
    rule = Rule(reply="There are four of them.", probabilities={"There": 0.9, "I": 0.1})
    for rules, replies in (([rule], ()), ((), ["There are four of them."])):
        model = ScriptedChatModel(rules=rules, replies=replies)
        unless = ("I don't know", 0.2)
        made = asyncio.run(call(model, PROMPT, step="counting", unless=unless))
        assert made.reply == "There are four of them."

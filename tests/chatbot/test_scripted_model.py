import asyncio
import json
from pathlib import Path

import pytest

from chatbot.errors import GeneratorError
from chatbot.models.scripted import Rule, ScriptedChatModel, read_script
from chatbot.runtime.model_calls import call


def test_the_first_rule_that_fits_decides_before_the_queue() -> None:
    model = ScriptedChatModel(
        rules=[Rule(contains="rate", reply="10 Gbit/s"), Rule(matches=r"port \d", reply="a port")],
        replies=["queued"],
        otherwise="I don't know",
    )
    asked = ["the rate of port 1", "port 2", "port", "what else"]
    replies = [model.invoke(text).text for text in asked]
    assert replies == ["10 Gbit/s", "a port", "queued", "I don't know"]
    model.invoke([("system", "Be brief."), ("user", "rate?")], max_tokens=5)
    assert model.calls[-1].messages == (("system", "Be brief."), ("human", "rate?"))
    assert model.calls[-1].options["max_tokens"] == 5
    failing = ScriptedChatModel(replies=[GeneratorError("overloaded")])
    with pytest.raises(GeneratorError, match="overloaded"):
        failing.invoke("hello")
    with pytest.raises(GeneratorError, match="no reply to “hello”: add a rule"):
        failing.invoke("hello")


def test_a_script_is_read_from_a_file_and_told_by_step(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    rules = [{"contains": "rate", "reply": "10"}, {"matches": "^dead", "error": "gone"}]
    path.write_text(json.dumps({"rules": rules, "replies": ["first"], "otherwise": "else"}))
    model = read_script(path)
    assert [model.invoke(text).text for text in ("a rate", "x", "y")] == ["10", "first", "else"]
    with pytest.raises(GeneratorError, match="gone"):
        model.invoke("dead")
    rules = [{"contains": "XF-1", "reply": "a port"}, "no port"]
    path.write_text(json.dumps({"reduction": rules, "answer": ["10"], "otherwise": "else"}))
    model = read_script(path)
    asked = [("reduction", "XF-1"), ("reduction", "XF-2"), ("answer", "XF-1"), ("other", "XF-1")]
    replies = [asyncio.run(call(model, [("user", text)], step=step)).reply for step, text in asked]
    assert replies == ["a port", "no port", "10", "else"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "Invalid JSON"),
        ('{"replies": 7}', "wrong: replies"),
        ('{"context_reduction": [{"replies": 7}]}', r"wrong: rules\.0\.replies"),
        ('{"rules": [{"matches": "("}]}', r"rules\.0\.matches: .* valid regular expression"),
        (None, "cannot be read"),
    ],
)
def test_a_bad_script_is_told_with_its_path(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "script.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(GeneratorError, match=rf"script\.json .*{told}"):
        read_script(path)

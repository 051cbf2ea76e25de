"""What a check finds out about models that differ."""

import asyncio

import pytest
from pydantic import SecretStr

from chatbot.errors import GeneratorError
from chatbot.models.checking import ModelCheck, check_model
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.models.served import ServedChatModel
from tests.chatbot.small_server import SmallServer, refuses, serving, words

RULES = [
    Rule(contains="colour", reply='{"colour_of_the_sky": "blue"}'),
    Rule(contains="True or False", reply="True", probabilities={"True": 0.9, "False": 0.1}),
]


def check(model: ServedChatModel | ScriptedChatModel) -> ModelCheck:
    return asyncio.run(check_model(model))


def test_it_sees_what_a_model_offers() -> None:
    steps: list[str] = []
    model = ScriptedChatModel(rules=RULES, otherwise="one two three four", delay=0.01)
    found = asyncio.run(check_model(model, steps.append))
    assert found.backend == "scripted"
    assert found.reply == "one two three four"
    assert found.streams
    assert found.counts_tokens
    assert found.tells_probabilities
    assert found.keeps_to_a_schema
    assert found.memory_bytes is None or found.memory_bytes > 10_000_000
    assert len(steps) == 4


def test_a_model_that_fails_or_is_silent_is_told_of() -> None:
    with serving(refuses(401)) as server, pytest.raises(GeneratorError, match="refuses the key"):
        check(ServedChatModel(url=server.url, model="m"))
    with pytest.raises(GeneratorError, match="returned nothing"):
        check(ScriptedChatModel(otherwise=" "))


def test_each_of_two_servers_is_asked_by_itself() -> None:
    def two(first: SmallServer, second: SmallServer) -> ServedChatModel:
        spare = ServedChatModel(url=second.url, model="spare")
        return ServedChatModel(url=first.url, model="main", second=spare)

    with serving(words("ninety days")) as one, serving(words("a year")) as other:
        found = check(two(one, other))
        assert found.reply == "ninety days"
        assert found.fallback is not None
        assert (found.fallback.reply, found.fallback.fallback) == ("a year", None)
        for server, name in ((one, "main"), (other, "spare")):
            assert {body["model"] for body in server.bodies} == {name}
        with serving(refuses(401)) as fails:
            with pytest.raises(GeneratorError, match=r"refuses the key.*; the fallback spare ans"):
                check(two(fails, other))
            with pytest.raises(GeneratorError, match=r"^the fallback spare: .* refuses"):
                check(two(one, fails))


def test_a_key_that_would_travel_unencrypted_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(words("ninety days")) as server:
        model = ServedChatModel(url=server.url, model="m", key=SecretStr("secret"))
        found = check(model)
        assert (found.memory_bytes, found.streams, found.warnings) == (None, True, ())
        assert not found.tells_probabilities
        # The server is here; only what the model takes for "here" changes.
        monkeypatch.setattr(ServedChatModel, "_is_local", False)
        (warning,) = check(model).warnings
    assert "unencrypted" in warning
    assert "secret" not in warning

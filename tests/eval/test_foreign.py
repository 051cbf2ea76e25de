"""A system at an OpenAI-compatible address is asked as a user types, and refuses by its words."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from chatbot.batch import BatchLine
from eval.foreign import open_address, read_address, refuses
from eval.gold import GoldError, GoldQuestion
from tests.eval.benchmark.loopback import serving
from tests.eval.made_gold import gold

TIMEOUT = gold()
UNKNOWN = gold(id="q-3", question="color?", kind="unanswerable", gold_answer="-", release=None)
SAID = ("timeout in 2.0?", "60 seconds")


@dataclass
class Server:
    """A server that says "60 seconds" to each question."""

    address: str = ""
    bodies: list[Any] = field(default_factory=list)
    models: list[str] = field(default_factory=lambda: ["lamp-1"])


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()

    def replies(path: str, sent: bytes) -> tuple[int, bytes]:
        if path == "/v1/models":
            return 200, json.dumps({"data": [{"id": name} for name in made.models]}).encode()
        made.bodies.append(json.loads(sent))
        message = {"message": {"role": "assistant", "content": "60 seconds"}}
        return 200, json.dumps({"choices": [message], "usage": {"prompt_tokens": 7}}).encode()

    with serving(replies) as here:
        made.address = f"{here.address}/v1"
        yield made


@pytest.mark.parametrize(
    ("model", "history", "named", "before"),
    [
        ("", [], "lamp-1", ["The questions are about the product router."]),
        ("x", [SAID], "x", ["The questions are about the product router.", *SAID]),
        ("of/{product}", [], "of/router", []),
    ],
)
def test_a_question_is_asked_as_typed_with_its_conversation(
    server: Server, model: str, history: list[tuple[str, str]], named: str, before: list[str]
) -> None:
    answer = open_address(read_address(f"{server.address}#{model}"))
    line = BatchLine(id=1, question="and in 1.0?", product="router", history=history)
    reply = answer(line, lambda: False)
    (body,) = server.bodies
    assert body["model"] == named
    assert [message["content"] for message in body["messages"]] == [*before, "and in 1.0?"]
    roles = [*("system", "user", "assistant")[: len(before)], "user"]
    assert [message["role"] for message in body["messages"]] == roles
    assert (reply.answer, reply.prompt_tokens) == ("60 seconds", 7)
    assert reply.seconds


def test_one_of_several_models_has_to_be_named(server: Server) -> None:
    server.models = ["one", "two"]
    with pytest.raises(GoldError, match=r"2 models \(one, two"):
        open_address(read_address(server.address))


@pytest.mark.parametrize(
    ("question", "answer", "is_refusal"),
    [
        (TIMEOUT, "I don't know.", True),
        (TIMEOUT, "I couldn't find anything about it in the documents.", True),
        (TIMEOUT, "", True),
        (TIMEOUT, "It is 60 seconds; 1.0 does not document it.", False),
        (TIMEOUT, "It is 45 seconds.", False),
        (UNKNOWN, "The color cannot be found in this documentation.", True),
        (UNKNOWN, "It is blue.", False),
    ],
)
def test_a_refusal_is_one_by_its_words(
    question: GoldQuestion, answer: str, is_refusal: bool
) -> None:
    assert refuses(question, answer) is is_refusal

"""A system at an OpenAI-compatible address is asked as a user types, and scored by its words."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chatbot.batch import Answer, BatchProgress
from eval.benchmark.asking import ask_system, score_system
from eval.foreign import open_address, read_address, refuses
from eval.gold import GoldError
from tests.eval.benchmark.loopback import serving
from tests.eval.made_gold import gold

TIMEOUT = gold()
FOLLOW_UP = gold(
    id="q-2", question="and in 1.0?", release="1.0", history=[("timeout in 2.0?", "60 seconds")],
    gold_answer="30 seconds", must_include=["30"], must_not_include=["60"],
)  # fmt: skip
UNKNOWN = gold(id="q-3", question="color?", kind="unanswerable", gold_answer="-", release=None)


@dataclass
class Server:
    """A server that says `words` of each question; a number is the status of a failure."""

    address: str
    words: dict[str, Any] = field(default_factory=dict)
    bodies: list[Any] = field(default_factory=list)
    models: list[str] = field(default_factory=lambda: ["lamp-1"])


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server("")

    def replies(path: str, sent: bytes) -> tuple[int, bytes]:
        if path == "/v1/models":
            return 200, json.dumps({"data": [{"id": name} for name in made.models]}).encode()
        body = json.loads(sent)
        made.bodies.append(body)
        said = made.words.get(body["messages"][-1]["content"], "60 seconds")
        if isinstance(said, int):
            return said, b"overloaded"
        message = {"message": {"role": "assistant", "content": said}}
        return 200, json.dumps({"choices": [message], "usage": {"prompt_tokens": 7}}).encode()

    with serving(replies) as here:
        made.address = f"{here.address}/v1"
        yield made


def chat_system(url: str, model: str = "") -> Answer:
    return open_address(read_address(f"{url}#{model}"))


def silent(progress: BatchProgress) -> None:
    pass


def test_questions_are_asked_as_typed_with_their_conversation(
    server: Server, tmp_path: Path
) -> None:
    output = tmp_path / "replies.jsonl"
    ask_system(chat_system(server.address), [TIMEOUT, FOLLOW_UP], output, silent)
    about = {"role": "system", "content": "The questions are about the product router."}
    assert server.bodies[0] == {
        "model": "lamp-1",
        "messages": [about, {"role": "user", "content": "timeout in 2.0?"}],
    }
    assert server.bodies[1]["messages"] == [
        about,
        {"role": "user", "content": "timeout in 2.0?"},
        {"role": "assistant", "content": "60 seconds"},
        {"role": "user", "content": "and in 1.0?"},
    ]
    (first, _) = map(json.loads, output.read_text().splitlines())
    assert (first["id"], first["answer"], first["prompt_tokens"]) == ("q-1", "60 seconds", 7)
    assert first["seconds"] > 0

    scores = score_system([TIMEOUT, FOLLOW_UP], output)
    assert str(scores.figures["correct"]) == "1/2"
    assert str(scores.figures["says_elsewhere"]) == "1/2"


def test_what_failed_is_asked_again_and_nothing_else(server: Server, tmp_path: Path) -> None:
    output, asked = tmp_path / "replies.jsonl", [TIMEOUT, UNKNOWN]
    server.words = {"color?": 503}
    ask_system(chat_system(server.address, "x"), asked, output, silent, at_once=2)
    scores = score_system(asked, output)
    assert str(scores.figures["failed"]) == "1/2"
    assert "503: overloaded" in (scores.summary.scores[1].error or "")

    server.words = {"color?": "The manual doesn't mention any color."}
    server.bodies.clear()
    ask_system(chat_system(server.address, "x"), asked, output, silent)
    assert [body["messages"][-1]["content"] for body in server.bodies] == ["color?"]
    scores = score_system(asked, output)
    assert str(scores.figures["correct"]) == "2/2"
    assert str(scores.figures["rightly_refused"]) == "1/1"


def test_a_model_can_have_the_product_in_its_name(server: Server, tmp_path: Path) -> None:
    ask_system(chat_system(server.address, "of/{product}"), [TIMEOUT], tmp_path / "r", silent)
    assert server.bodies[0]["model"] == "of/router"
    assert [message["role"] for message in server.bodies[0]["messages"]] == ["user"]


def test_one_of_several_models_has_to_be_named(server: Server) -> None:
    server.models = ["one", "two"]
    with pytest.raises(GoldError, match=r"2 models \(one, two"):
        chat_system(server.address)
    with pytest.raises(GoldError, match="does not list its models"):
        chat_system("http://127.0.0.1:9/v1")


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
def test_a_refusal_is_one_by_its_words(question: Any, answer: str, is_refusal: bool) -> None:
    assert refuses(question, answer) is is_refusal

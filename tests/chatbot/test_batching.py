"""Answers that arrive together are one batch; here the model is a function of the test."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.outputs import ChatGenerationChunk

from chatbot.errors import GeneratorError
from chatbot.models.batching import BatchedAnswer, Batches
from chatbot.models.streaming import chunk_of
from tests.chatbot.tiny_llama import tiny_tokenizer

TOKENIZER = tiny_tokenizer()
Heard = SimpleQueue[Any]


@pytest.fixture(autouse=True)
def gathering_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine answers that are asked for at once arrive further apart."""
    monkeypatch.setattr("chatbot.models.batching._GATHERING_SECONDS", 0.2)


def asked(word: str, deliver: Callable[[Any], None], **options: Any) -> BatchedAnswer:
    sampling = {"temperature": 0.0, "top_k": 0, "repetition_penalty": 1.0, "seed": 0}
    message = {"role": "user", "content": word}
    return BatchedAnswer([message], deliver, **{"max_tokens": 8} | sampling | options)


def wait_for(heard: Heard) -> str:
    text = ""
    while not isinstance(event := heard.get(timeout=10), GeneratorError):
        text += event.text
        if event.message.response_metadata:
            return text
    raise event


def echoing(batches_seen: list[list[str]]) -> Callable[[list[BatchedAnswer]], None]:
    """A model that repeats each message in two pieces and notes which came together."""

    def compute(answers: list[BatchedAnswer]) -> None:
        batches_seen.append([answer.messages[0]["content"] for answer in answers])
        for answer in answers:
            word = answer.messages[0]["content"]
            answer.tell(chunk_of(word[:1]))
            answer.tell(chunk_of(word[1:], finish_reason="stop"))
            answer.ended = True

    return compute


def test_what_arrives_together_is_computed_together_in_batches_of_the_largest_size() -> None:
    seen: list[list[str]] = []
    batches = Batches(echoing(seen), largest=3)
    words = ["one", "two", "six", "ten"]
    heard = [Heard() for _ in words]
    for word, queue in zip(words, heard, strict=True):
        batches.submit(asked(word, queue.put))
    assert [wait_for(queue) for queue in heard] == words
    assert seen == [["one", "two", "six"], ["ten"]]


def test_what_arrives_during_a_batch_waits_for_the_next_unless_its_caller_leaves() -> None:
    seen: list[list[str]] = []
    started, go_on = threading.Event(), threading.Event()
    echo = echoing(seen)

    def compute(answers: list[BatchedAnswer]) -> None:
        started.set()
        assert go_on.wait(10)
        echo(answers)

    batches = Batches(compute, largest=8)
    first, left, late = Heard(), Heard(), Heard()
    batches.submit(asked("first", first.put))
    assert started.wait(10)
    abandoned = asked("left", left.put)
    batches.submit(abandoned)
    batches.submit(asked("late", late.put))
    abandoned.ended = True
    go_on.set()
    assert (wait_for(first), wait_for(late)) == ("first", "late")
    assert seen == [["first"], ["late"]]


def test_a_failure_reaches_everyone_in_the_batch_and_the_next_batch_is_computed() -> None:
    def compute(answers: list[BatchedAnswer]) -> None:
        if any(answer.messages[0]["content"] == "bad" for answer in answers):
            raise KeyError("weights")
        echoing([])(answers)

    batches = Batches(compute, largest=8)
    bad, beside, good = Heard(), Heard(), Heard()
    batches.submit(asked("bad", bad.put))
    batches.submit(asked("beside", beside.put))
    for heard in (bad, beside):
        with pytest.raises(GeneratorError, match="KeyError: 'weights'"):
            wait_for(heard)
    batches.submit(asked("good", good.put))
    assert wait_for(good) == "good"


def test_an_answer_that_the_model_forgets_does_not_wait_for_ever() -> None:
    heard = Heard()
    Batches(lambda _: None, largest=8).submit(asked("forgotten", heard.put))
    with pytest.raises(GeneratorError, match="not finished"):
        wait_for(heard)


def pieces(tokens: list[int], stop: tuple[str, ...] = ()) -> list[str]:
    """What is told token by token, until the limit or a stop string."""
    told: list[ChatGenerationChunk] = []
    answer = asked("", told.append, stop=stop, max_tokens=len(tokens))
    for token in tokens:
        if not answer.ended:
            answer.take(token, TOKENIZER.decode, frozenset())
    return [chunk.text for chunk in told]


@settings(derandomize=True)
@given(st.text(st.characters(exclude_characters="\ufffd", exclude_categories=["Cs"])))
def test_characters_of_several_tokens_come_whole(text: str) -> None:
    shown = pieces(TOKENIZER.encode(text).ids)
    assert "".join(shown) == text
    assert not any("\ufffd" in piece for piece in shown)


@pytest.mark.parametrize(
    ("text", "stop", "told"),
    [
        ("the port runs", ("port",), "the "),
        ("the port runs", ("runs", "port"), "the "),
        ("the port", ("portal",), "the port"),
        ("aaab", ("aab",), "a"),
        ("ten → per", ("→ p",), "ten "),
        ("port", ("port",), ""),
    ],
)
def test_a_stop_string_is_never_told(text: str, stop: tuple[str, ...], told: str) -> None:
    assert "".join(pieces(TOKENIZER.encode(text).ids, stop)) == told

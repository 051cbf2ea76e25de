"""Requests that arrive together are one batch; here the model is a function of the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from chatbot.models.batching import Batches, Piece, Request, Sampling
from chatbot.models.errors import GeneratorError

SAMPLING = Sampling(8, 0.0, 0, 1.0, 0, (), None)


def say(word: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": word}]


async def answer(batches: Batches, word: str) -> str:
    return "".join([piece.text async for piece in batches.stream(say(word), SAMPLING)])


def echoing(batches_seen: list[list[str]]) -> Callable[[list[Request]], None]:
    """A model that repeats each request in two pieces and notes which came together."""

    def compute(requests: list[Request]) -> None:
        batches_seen.append([request.messages[0]["content"] for request in requests])
        for request in requests:
            word = request.messages[0]["content"]
            request.tell(Piece(word[:1]))
            request.tell(Piece(word[1:], finish_reason="stop"))

    return compute


def test_what_arrives_together_is_computed_together_in_batches_of_the_largest_size() -> None:
    seen: list[list[str]] = []
    batches = Batches(echoing(seen), largest=3)

    async def ask_all() -> list[str]:
        return await asyncio.gather(
            *(answer(batches, word) for word in ("one", "two", "six", "ten"))
        )

    assert asyncio.run(ask_all()) == ["one", "two", "six", "ten"]
    assert seen == [["one", "two", "six"], ["ten"]]


def test_what_arrives_during_a_batch_waits_for_the_next_unless_its_caller_leaves() -> None:
    seen: list[list[str]] = []
    started, go_on = threading.Event(), threading.Event()
    echo = echoing(seen)

    def compute(requests: list[Request]) -> None:
        started.set()
        assert go_on.wait(10)
        echo(requests)

    batches = Batches(compute, largest=8)

    async def ask_all() -> list[str]:
        first = asyncio.create_task(answer(batches, "first"))
        await asyncio.to_thread(started.wait, 10)
        late = [asyncio.create_task(answer(batches, word)) for word in ("left", "late")]
        await asyncio.sleep(0)
        late[0].cancel()
        await asyncio.wait([late[0]])
        go_on.set()
        return [await first, await late[1]]

    assert asyncio.run(ask_all()) == ["first", "late"]
    assert seen == [["first"], ["late"]]


def test_a_failure_reaches_everyone_in_the_batch_and_the_next_batch_is_computed() -> None:
    def compute(requests: list[Request]) -> None:
        if any(request.messages[0]["content"] == "bad" for request in requests):
            raise KeyError("weights")
        echoing([])(requests)

    batches = Batches(compute, largest=8)

    async def ask_both() -> list[str | BaseException]:
        both = (answer(batches, word) for word in ("bad", "good"))
        return await asyncio.gather(*both, return_exceptions=True)

    failures = asyncio.run(ask_both())
    assert [type(failure) for failure in failures] == [GeneratorError, GeneratorError]
    assert "KeyError: 'weights'" in str(failures[0])
    assert asyncio.run(answer(batches, "good")) == "good"


def test_a_request_that_the_model_forgets_does_not_wait_for_ever() -> None:
    batches = Batches(lambda _: None, largest=8)
    with pytest.raises(GeneratorError, match="not finished"):
        asyncio.run(answer(batches, "forgotten"))

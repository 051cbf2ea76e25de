"""The real generator in this process."""

import asyncio
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from chatbot.errors import GeneratorError, PromptTooLong
from chatbot.models.embedded import NICE, EmbeddedChatModel
from tests.chatbot.generator import generator

pytestmark = pytest.mark.generator

# Reading this takes two idle cores some 25 seconds.
LONG = " ".join(f"Port {n} runs at {n * 7 % 90} Gbit/s." for n in range(130))


@pytest.fixture(scope="module")
def model() -> EmbeddedChatModel:
    return generator()


def usage(reply: AIMessage) -> tuple[int, int]:
    """Tokens of the prompt, and how many of them were not computed again."""
    assert reply.usage_metadata is not None
    details = reply.usage_metadata["input_token_details"]
    return reply.usage_metadata["input_tokens"], details["cache_read"]


def is_idle(model: EmbeddedChatModel) -> bool:
    """Whether nothing is computed: reading a prompt would hold this."""
    return not model._reading.locked()


def test_a_beginning_that_was_read_before_is_not_computed_again(model: EmbeddedChatModel) -> None:
    asks = [
        f"Rates: {', '.join(f'{n} Gbit/s' for n in range(start, start + 6))}. Which is "
        for start in range(0, 36, 6)
    ]
    for rates in asks:
        model.invoke(f"{rates} first?", max_tokens=1)
    # Six beginnings and four slots: the memory beside the slots has the first one.
    prompt, cached = usage(model.invoke(f"{asks[0]} the very last?", max_tokens=1))
    assert prompt - cached < prompt / 3


def test_more_requests_than_slots_are_all_answered(model: EmbeddedChatModel) -> None:
    words = ("amber", "cobalt", "indigo", "scarlet", "olive", "violet")

    async def ask_all() -> list[AIMessage]:
        asks = (model.ainvoke(f"Repeat this word only: {word}", max_tokens=8) for word in words)
        return await asyncio.gather(*asks)

    # From a thread of its own, too.
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: asyncio.run(ask_all()), range(2)))
    for replies in both:
        said = [reply.text.lower() for reply in replies]
        assert all(word in reply for word, reply in zip(words, said, strict=True))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority")
def test_the_model_gives_way_to_pages(model: EmbeddedChatModel) -> None:
    model.invoke("Repeat this word only: amber", max_tokens=4)
    spent: dict[int, int] = {}
    for task in Path("/proc/self/task").iterdir():
        fields = (task / "stat").read_text().rpartition(")")[2].split()
        priority, busy = int(fields[16]), int(fields[11]) + int(fields[12])
        spent[priority] = spent.get(priority, 0) + busy
    assert spent[os.nice(0) + NICE] > 0


async def _stop_reading(model: EmbeddedChatModel, number: int) -> None:
    tasks = [asyncio.create_task(model.ainvoke(f"{number} {n} {LONG} Sum up.")) for n in range(3)]
    while is_idle(model):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_reading_long_prompts_ends_when_they_are_cancelled(model: EmbeddedChatModel) -> None:
    asyncio.run(_stop_reading(model, time.time_ns()))
    started = time.perf_counter()
    while not is_idle(model) and time.perf_counter() - started < 20:
        time.sleep(0.01)
    # Half a second on idle cores; all three prompts would take more than a minute.
    assert time.perf_counter() - started < 5


def test_writing_ends_when_nobody_listens(model: EmbeddedChatModel) -> None:
    async def leave() -> None:
        async for chunk in model.astream("Count from 1 to 900 in words.", max_tokens=1500):
            if chunk.text:
                return

    asyncio.run(leave())
    started = time.perf_counter()
    free = [model._workers.submit(time.sleep, 0.01) for _ in range(model.slots)]
    for slot in free:
        slot.result(timeout=60)
    assert time.perf_counter() - started < 5


def test_a_prompt_that_is_too_long_says_so(model: EmbeddedChatModel) -> None:
    # A digit is a token of its own.
    for text in ("word " * 4000, "9" * 8000):
        with pytest.raises(PromptTooLong, match="context") as told:
            model.invoke(text)
        assert model.path.name not in str(told.value)


def test_a_missing_or_broken_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="strata models pull"):
        EmbeddedChatModel(path=tmp_path / "none.gguf").invoke("hello")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(GeneratorError, match=r"broken\.gguf could not be loaded"):
        EmbeddedChatModel(path=broken).invoke("hello")


def test_the_beginning_of_prompts_is_read_once_on_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.symlink_to(generator().path)
    beginning = (("system", "You answer from the text."), ("user", f"{LONG[:900]} Which is first?"))
    asked = [("system", "You answer from the text."), ("user", f"{LONG[:900]} And the last one?")]

    def cached() -> int:
        model = EmbeddedChatModel(path=path, slots=1, beginning=beginning)
        prompt, known = usage(model.invoke(asked, max_tokens=1))
        return prompt - known

    assert cached() < 20
    (state,) = tmp_path.glob("*.prompt-state")
    read = state.stat().st_mtime_ns
    assert cached() < 20
    assert state.stat().st_mtime_ns == read
    state.write_bytes(b"damaged")
    assert cached() < 20
    assert state.stat().st_size > 1000

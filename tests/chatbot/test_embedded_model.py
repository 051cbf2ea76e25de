"""The real generator in this process; it writes real answers in the last of these tests."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.errors import GeneratorError
from chatbot.models.files import GENERATOR
from chatbot.settings import Settings

pytestmark = pytest.mark.generator


@pytest.fixture(scope="module")
def model() -> EmbeddedChatModel:
    return EmbeddedChatModel(path=GENERATOR.path_in(Settings().models_dir), context=2048)


def test_it_reads_a_value_out_of_the_text(model: EmbeddedChatModel) -> None:
    reply = model.invoke("The port XF-1 runs at 10 Gbit/s. Which rate has XF-1? Only the value.")
    assert "10" in str(reply.content)
    assert reply.usage_metadata is not None
    assert reply.usage_metadata["input_tokens"] > 10


def test_it_streams_and_stops_when_nobody_listens(model: EmbeddedChatModel) -> None:
    tokens = model.stream("Count from 1 to 200 in words.", max_tokens=400)
    assert next(tokens) is not None
    started = time.perf_counter()
    tokens.close()
    reply = model.invoke("Say yes.", max_tokens=4)
    assert str(reply.content)
    assert time.perf_counter() - started < 20


def test_two_threads_are_both_answered(model: EmbeddedChatModel) -> None:
    replies: list[str] = []

    def ask(word: str) -> None:
        replies.append(str(model.invoke(f"Repeat this word only: {word}", max_tokens=8).content))

    threads = [threading.Thread(target=ask, args=(word,)) for word in ("amber", "cobalt")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 2
    assert {"amber", "cobalt"} == {
        w for w in ("amber", "cobalt") for r in replies if w in r.lower()
    }


def test_a_prompt_that_is_too_long_says_so(model: EmbeddedChatModel) -> None:
    with pytest.raises(GeneratorError, match="context"):
        model.invoke("word " * 4000)


def test_a_missing_or_broken_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="strata models pull"):
        EmbeddedChatModel(path=tmp_path / "none.gguf").invoke("hello")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(GeneratorError, match=r"broken\.gguf could not be loaded"):
        EmbeddedChatModel(path=broken).invoke("hello")

"""What it gains to ask the model together: `python -m eval.benchmarks.chain --help`.

The same questions go through the same steps twice, each time on a model loaded anew, so that no
variant finds a prompt that another one left in the cache: once with every call waiting for the
one before it, once with calls that do not depend on each other running together.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr
from rich import box
from rich.console import Console
from rich.table import Table

from chatbot.assembly import Chatbot, Reply, open_chatbot
from chatbot.chain.trace import trace_object
from chatbot.runtime.events import Event, Token
from chatbot.settings import Settings, read_settings
from chatbot.turn import Turn
from eval.benchmarks.model_server import serving
from eval.gold import GoldQuestion, read_gold

ONE_BY_ONE = "one after the other"
TOGETHER = "together"

# Of a served model, in tokens a request.
_CONTEXT = 8192


class OneByOne(BaseChatModel):
    """A model that takes the next request only when the one before it is done."""

    inner: BaseChatModel
    _lock: asyncio.Lock = PrivateAttr(default_factory=asyncio.Lock)

    @property
    def _llm_type(self) -> str:
        return "one-by-one"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return self.inner._generate(messages, *args, **kwargs)

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        async with self._lock:
            async for chunk in self.inner._astream(messages, *args, **kwargs):
                yield chunk


@dataclass
class Figures:
    """What a variant took over all questions, in seconds; `words` until each first word."""

    variant: str
    questions: int = 0
    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    fallbacks: int = 0
    words: list[float] = field(default_factory=list)
    steps: dict[str, float] = field(default_factory=dict)

    def add(self, turn: Turn, seconds: float, first_word: float) -> None:
        """Count one answered question."""
        self.questions += 1
        self.seconds += seconds
        self.words.append(first_word)
        self.fallbacks += len(turn.fallbacks)
        for call in turn.calls:
            self.calls += 1
            self.prompt_tokens += call.prompt_tokens
            self.cached_tokens += call.cached_tokens
            self.completion_tokens += call.completion_tokens
        for step, took in turn.timings.items():
            self.steps[step] = self.steps.get(step, 0.0) + took


def main(
    gold: Annotated[Path, typer.Argument(help="Questions with checked answers (JSONL).")],
    questions: Annotated[int, typer.Option(help="How many, spread over the file.")] = 10,
    profile: Annotated[str, typer.Option(help="The chain of steps.")] = "qamr",
    slots: Annotated[int, typer.Option(help="Requests the model serves together.")] = 4,
    served: Annotated[
        Path | None,
        typer.Option(help="A GGUF file to serve over HTTP, instead of the configured model."),
    ] = None,
    traces: Annotated[
        Path | None, typer.Option(help="Where the replies go, with their traces (JSONL).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a profile with its calls one after the other and together, in one run.

    The replies are those of the calls made together; `strata eval answers` scores them.
    """
    asked = _spread(read_gold(gold), questions)
    settings = read_settings(profile=profile, generator_slots=slots)
    console = Console(stderr=True)
    found = []
    for variant in (ONE_BY_ONE, TOGETHER):
        with console.status(variant) as status, _serving(served, settings) as used:
            found.append(_measure(variant, asked, used, status.update, traces))
    if as_json:
        print(json.dumps([asdict(figures) for figures in found], indent=2))  # noqa: T201
        return
    Console().print(_table(found))


@contextmanager
def _serving(model: Path | None, settings: Settings) -> Iterator[Settings]:
    if model is None:
        yield settings
        return
    with serving(model, settings.generator_slots or 1, context=_CONTEXT) as url:
        yield settings.model_copy(
            update={"backend": "server", "server_url": url, "model": model.stem}
        )


def _spread(questions: Sequence[GoldQuestion], count: int) -> list[GoldQuestion]:
    step = max(1, len(questions) // count)
    return list(questions)[::step][:count]


def _measure(
    variant: str,
    questions: Sequence[GoldQuestion],
    settings: Settings,
    tell: Callable[[str], None],
    traces: Path | None,
) -> Figures:
    chatbot = open_chatbot(settings)
    if chatbot.model is None:
        raise typer.BadParameter("there is no language model: run `strata models pull`")
    # The model is loaded and the corpora are opened before the clock runs.
    chatbot.model.invoke("Say yes.", max_tokens=1)
    for product in chatbot.products():
        for release in product.releases:
            chatbot.corpora.corpus(product.name, release.name)
    if variant == ONE_BY_ONE:
        chatbot = replace(chatbot, model=OneByOne(inner=chatbot.model))
    figures = Figures(variant)
    for question in questions:
        reply, seconds, first_word = _ask(chatbot, question)
        figures.add(reply.turn, seconds, first_word)
        if traces and variant == TOGETHER:
            kept = {"id": question.id, **reply.content, "trace": trace_object(reply.turn)}
            with traces.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")
        tell(f"{variant}: {figures.questions} of {len(questions)}")
    chatbot.corpora.close()
    chatbot.database.close()
    return figures


def _ask(chatbot: Chatbot, question: GoldQuestion) -> tuple[Reply, float, float]:
    """The reply, the seconds it took, and those until the first word of the answer."""
    words: list[float] = []

    def listen(event: Event) -> None:
        if isinstance(event, Token):
            words.append(time.perf_counter())

    started = time.perf_counter()
    reply = chatbot.ask(
        question.question,
        product=question.product,
        history=question.history,
        afresh=True,
        listener=listen,
    )
    seconds = time.perf_counter() - started
    return reply, seconds, words[0] - started if words else seconds


def _table(found: Sequence[Figures]) -> Table:
    table = Table("", *(f.variant for f in found), "ratio", box=box.SIMPLE_HEAD)
    alone, together = found

    def row(name: str, a: float, b: float, form: str = ",.0f") -> None:
        table.add_row(name, format(a, form), format(b, form), f"{b / a:.2f}" if a else "")

    row("seconds in all", alone.seconds, together.seconds, ".1f")
    row("seconds to the first word, median", median(alone.words), median(together.words), ".1f")
    table.add_section()
    for name in ("questions", "calls", "prompt_tokens", "cached_tokens", "completion_tokens"):
        row(name.replace("_", " "), getattr(alone, name), getattr(together, name))
    row("fallbacks", alone.fallbacks, together.fallbacks)
    table.add_section()
    for step in alone.steps:
        row(step.replace("_", " "), alone.steps[step], together.steps.get(step, 0.0), ".1f")
    return table


if __name__ == "__main__":
    typer.run(main)

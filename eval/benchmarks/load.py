"""Several people asking at once: `python -m eval.benchmarks.load --help`.

Everyone asks one question after the other. Told are the order of answers, the places that were
told, how long people waited, and the memory of this process over the run.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.runtime.events import Event, Waiting
from chatbot.settings import read_settings
from eval.gold import GoldQuestion, read_gold


@dataclass(frozen=True)
class Asked:
    """One question: who asked it, when it was asked and answered, the places told meanwhile."""

    person: int
    asked: float
    answered: float
    places: tuple[int, ...]
    error: str = ""


@dataclass
class Load:
    """What came of it; `memory` is resident megabytes after every tenth answer."""

    asked: list[Asked] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    @property
    def overtaken(self) -> int:
        """Questions that were answered before one that had been asked earlier."""
        ends = [a.answered for a in sorted(self.asked, key=lambda a: a.asked)]
        return sum(any(later < end for later in ends[i + 1 :]) for i, end in enumerate(ends))


def main(
    gold: Annotated[Path, typer.Argument(help="Questions with checked answers (JSONL).")],
    people: Annotated[int, typer.Option(help="How many ask at once.")] = 4,
    questions: Annotated[int, typer.Option(help="How many questions in all.")] = 200,
    at_once: Annotated[int | None, typer.Option(help="Answered together; the others wait.")] = None,
    slots: Annotated[int | None, typer.Option(help="Requests the embedded backend serves.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let people ask at once, and say who waited how long and what memory it took."""
    chatbot = open_chatbot(read_settings(questions_at_once=at_once, generator_slots=slots))
    if chatbot.model is not None:
        chatbot.model.invoke("Say yes.", max_tokens=1)
    load = run(chatbot, read_gold(gold), people=people, questions=questions)
    if as_json:
        print(json.dumps(asdict(load)))  # noqa: T201
        return
    console = Console()
    waits = [a.answered - a.asked for a in load.asked]
    console.print(f"{len(load.asked)} answered, {sum(bool(a.error) for a in load.asked)} failed")
    console.print(
        f"seconds from question to answer: median {median(waits):.1f}, "
        f"most {max(waits):.1f}; answers a minute {60 / _pace(load):.1f}"
    )
    for person in range(people):
        own = [a.answered - a.asked for a in load.asked if a.person == person]
        console.print(f"person {person + 1}: {len(own)} answers, mean {mean(own):.1f} s")
    console.print(f"places told: up to {max((p for a in load.asked for p in a.places), default=0)}")
    console.print(f"overtaken: {load.overtaken}")
    console.print("memory, MB: " + " ".join(f"{m:,.0f}" for m in load.memory))


def run(chatbot: Chatbot, gold: Sequence[GoldQuestion], *, people: int, questions: int) -> Load:
    """Ask the questions over and over, dealt to the people in turn."""
    load = Load()
    lock = threading.Lock()
    dealt = iter(range(questions))

    def person(number: int) -> None:
        while True:
            with lock:
                i = next(dealt, None)
            if i is None:
                return
            question = gold[i % len(gold)]
            places: list[int] = []

            def listen(event: Event, places: list[int] = places) -> None:
                if isinstance(event, Waiting):
                    places.append(event.place)

            started = time.perf_counter()
            error = ""
            try:
                chatbot.ask(
                    question.question,
                    product=question.product,
                    history=question.history,
                    afresh=True,
                    listener=listen,
                )
            except Exception as failure:  # noqa: BLE001
                # Counted: one failure must not end the measurement.
                error = f"{type(failure).__name__}: {failure}"
            with lock:
                load.asked.append(Asked(number, started, time.perf_counter(), tuple(places), error))
                bar.update(task, completed=len(load.asked))
                if len(load.asked) % 10 == 0:
                    load.memory.append(resident_megabytes())

    threads = [threading.Thread(target=person, args=(n,)) for n in range(people)]
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("asking", total=questions)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return load


def resident_megabytes() -> float:
    """The memory of this process that is in RAM now, in MB (10^6 bytes)."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


def _pace(load: Load) -> float:
    first, last = min(a.asked for a in load.asked), max(a.answered for a in load.asked)
    return (last - first) / len(load.asked)


if __name__ == "__main__":
    typer.run(main)

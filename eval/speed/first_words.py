"""When the first words of an answer come: `python -m eval.speed.first_words DATA`.

A copy of the data folder is served as `strata serve` does, with a model's server that takes a
second to the first token of each call and then streams. Ten people ask at the same moment; told is
the time from each one's question to the first words of its answer, as the API streams them, which
is what the page shows at its next look (0.3 s). All is asked twice, with and without an answer that
is begun ahead. The processor time of a question, to the end of its answer, is told beside it, of
Strata's server and of what asks and plays the model: they share the cores here, and need not
elsewhere. Other work on the machine makes people wait, and hardly changes these.
"""

import json
import re
import subprocess
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from statistics import median
from threading import Barrier
from typing import Annotated, Any

import httpx
import psutil
import typer
from rich.console import Console
from rich.table import Table

from chatbot.text.words import filtered
from eval.speed.served import PATIENCE, copied, served, served_model

_FIRST = 1.0
_A_WORD = 0.02
_ANSWER = "The documentation says this in the section that is cited [1]. " * 4
_READINGS = Path(__file__).with_name("readings.jsonl")
"""What a model would search for, for questions of the sample: by a reader in its place, who had not
seen the documents, nor, but for the first three and the last three, the checked answers. Of the
last three also the releases, which their names in the question do not tell."""
_RELEASES = re.compile(r"<releases>\s*(.*?)\s*</releases>", re.DOTALL)
_QUESTION = re.compile(r"<question>\s*(.*?)\s*</question>", re.DOTALL)


def _write(asked: dict[str, Any]) -> Generator[str, None, None]:
    """What a capable model of a second a call says: the question as it is, or four lines."""
    time.sleep(_FIRST)
    if "response_format" in asked:
        # What it is told of a reading that cannot be stands behind the question.
        yield _reading("\n".join(message["content"] for message in asked["messages"]))
        return
    for word in _ANSWER.split():
        yield f"{word} "
        time.sleep(_A_WORD)


def _reading(asked: str) -> str:
    """The question as it is, of the releases that stand in it."""
    question = _QUESTION.findall(asked)[-1]
    listed = _RELEASES.findall(asked)
    names = [
        name for name in re.findall(r"[\w.]+", listed[-1] if listed else "") if name[0].isdigit()
    ]
    named = [name for name in dict.fromkeys(names) if name in question]
    others = [word.strip("?.,") for word in question.split() if re.search(r"\d", word)]
    words = filtered(question)
    search = _searches().get(question, {"search": words, "other_words": words})
    reading = {
        "asks": "documentation",
        "product": "",
        "releases": [{"words": name, "release": name, "asked": True} for name in named],
        "every_release": False,
        "changes": False,
        "other_numbers": [word for word in others if word not in named],
        "question": question,
    }
    return json.dumps({**reading, **search, "same": 0})


@cache
def _searches() -> dict[str, dict[str, Any]]:
    """The texts to search for, by the question."""
    lines = map(json.loads, _READINGS.read_text("utf-8").splitlines())
    return {line.pop("question"): line for line in lines}


def main(
    data: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A data folder.")],
    questions: Annotated[
        Path, typer.Option(exists=True, help="Gold questions; those of one release are asked.")
    ] = Path("examples/questions.jsonl"),
    people: Annotated[int, typer.Option(min=1, help="Who ask at once.")] = 10,
    rounds: Annotated[int, typer.Option(min=1)] = 3,
) -> None:
    """Print the median and the longest time to the first words, in seconds, and what was begun."""
    lines = [json.loads(line) for line in questions.read_text("utf-8").splitlines() if line]
    of_one = (line for line in lines if line.get("release") and not line.get("history"))
    asked = [(line["question"], line["product"]) for line in of_one]
    seconds = ("median, s", "longest", "server, s", "clients, s")
    table = Table("begun ahead", "people", *seconds, "taken up", "answered")
    with served_model(_write) as model, copied(data) as copy:
        for ahead in ("on", "off"):
            with served(copy, model, answer_ahead=ahead) as (address, process):
                _together(address, asked[:1])  # loads what the first question loads
                for together in (1, people):
                    found, began, own = [], _busy(process), time.process_time()
                    for number in range(rounds):
                        found += _together(address, _of_round(asked, number * together, together))
                    busy = (_busy(process) - began) / len(found)
                    own = (time.process_time() - own) / len(found)
                    found = [of for of in found if of[1]["route"] in ("documents", "compare")]
                    times = [first for first, _ in found]
                    taken = sum("answer_ahead" in reply["timings"] for _, reply in found)
                    answered = sum(not reply["abstained"] for _, reply in found)
                    figures = (f"{f(times):.2f}" for f in (median, max))
                    table.add_row(
                        ahead,
                        str(together),
                        *figures,
                        f"{busy:.2f}",
                        f"{own:.2f}",
                        f"{taken} of {len(found)}",
                        f"{answered} of {len(found)}",
                    )
    Console().print(table)


def _of_round(asked: list[tuple[str, str]], first: int, number: int) -> list[tuple[str, str]]:
    return [asked[n % len(asked)] for n in range(first, first + number)]


def _together(address: str, asked: list[tuple[str, str]]) -> list[tuple[float, dict[str, Any]]]:
    """Ask all at the same moment."""
    start = Barrier(len(asked))

    # One client for all: each reads the certificates of this computer, for 40 ms on a core.
    with httpx.Client(timeout=PATIENCE) as http:

        def ask(of: tuple[str, str]) -> tuple[float, dict[str, Any]]:
            start.wait()
            return _first_words(http, address, *of)

        with ThreadPoolExecutor(len(asked)) as people:
            return list(people.map(ask, asked))


def _first_words(
    http: httpx.Client, address: str, question: str, product: str
) -> tuple[float, dict[str, Any]]:
    """The seconds to the first words of an answer, or to an answer that no model wrote."""
    body = {"question": question, "product": product, "stream": True, "afresh": True}
    began, first, event = time.monotonic(), 0.0, ""
    reply: dict[str, Any] = {}
    with http.stream("POST", f"{address}/api/v1/ask", json=body) as stream:
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
                if event in ("words", "reply") and not first:
                    first = time.monotonic() - began
            elif name == "data" and event == "reply":
                reply = json.loads(value)
            elif name == "data" and event == "error":
                raise RuntimeError(f"{question}: {value}")
    return first, reply


def _busy(server: subprocess.Popen[bytes]) -> float:
    """The processor time of a server and its workers so far, in seconds."""
    process = psutil.Process(server.pid)
    times = [of.cpu_times() for of in (process, *process.children(recursive=True))]
    return float(sum(of.user + of.system for of in times))


if __name__ == "__main__":
    typer.run(main)

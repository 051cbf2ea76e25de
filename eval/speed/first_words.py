"""When the first words of an answer stand on the page: `python -m eval.speed.first_words DATA`.

A copy of the data folder is served as `strata serve` does, with a model's server that takes a
second to the first token of each call and then streams. Ten people, each on an open chat page, ask
at the same moment; told is the time from each one's question to the first words of its answer on
the page, without the milliseconds in which a browser draws them. Each question is asked twice, with
and without an answer that is begun ahead. The processor time of a question, to the end of its
answer, is told beside it, of Strata's server and of what asks and plays the model: they share the
cores here, and need not elsewhere. Other work on the machine makes people wait, and hardly changes
these.
"""

import json
import re
import subprocess
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from threading import Barrier
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import select

from chatbot.conversations.open_questions import State
from chatbot.memory.suspending import open_database
from chatbot.settings import Settings
from chatbot.text.words import filtered
from corpora.database.engine import Database
from corpora.database.history_tables import OpenQuestionRow, TurnRow
from eval.speed.chat_page import ChatPage, opened
from eval.speed.served import copied, served, served_model, until

_FIRST = 1.0
_A_WORD = 0.02
_ANSWER = "The documentation says this in the section that is cited [1]. " * 4
_BEGIN, *_ = _ANSWER.split()
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
    of_one = [bool(line.get("release")) and not line.get("history") for line in lines]
    asked = [line["question"] for line, is_of_one in zip(lines, of_one, strict=True) if is_of_one]
    first = lines[of_one.index(False)]["question"]
    seconds = ("median, s", "longest", "server, s", "clients, s")
    table = Table("begun ahead", "people", *seconds, "taken up", "answered")
    with served_model(_write) as model:
        for ahead in ("on", "off"):
            with (
                copied(data) as copy,
                served(copy, model, answer_ahead=ahead) as (address, process),
                closing(open_database(Settings(data_dir=copy))) as database,
            ):
                _together(address, [first])  # loads what the first question loads
                # No question twice: its answer would be a saved one.
                left = cycle(asked)
                for together in (1, people):
                    times, began, own = [], _busy(process), time.process_time()
                    for _ in range(rounds):
                        times += _together(address, list(islice(left, together)))
                    replies = _replies(database, len(times))
                    busy = (_busy(process) - began) / len(times)
                    own = (time.process_time() - own) / len(times)
                    taken = sum("answer_ahead" in reply["timings"] for reply in replies)
                    answered = sum(not reply["abstained"] for reply in replies)
                    figures = (f"{f(times):.2f}" for f in (median, max))
                    table.add_row(
                        ahead,
                        str(together),
                        *figures,
                        f"{busy:.2f}",
                        f"{own:.2f}",
                        f"{taken} of {len(replies)}",
                        f"{answered} of {len(replies)}",
                    )
    Console().print(table)


def _together(address: str, asked: list[str]) -> list[float]:
    """Ask all at the same moment, each on a page of its own; the seconds to the first words."""
    start = Barrier(len(asked))
    with ExitStack() as stack:
        pages = [stack.enter_context(opened(address)) for _ in asked]

        def ask(page: ChatPage, question: str) -> float:
            start.wait()
            return page.first_words(question, _BEGIN)

        with ThreadPoolExecutor(len(asked)) as people:
            return list(people.map(ask, pages, asked))


def _replies(database: Database, number: int) -> list[dict[str, Any]]:
    """The replies to the last questions, once all are stored."""

    def are_stored() -> bool:
        with database.reading() as session:
            states = session.execute(select(OpenQuestionRow.state, OpenQuestionRow.message)).all()
        if failed := [of for of in states if not State(of.state).is_running]:
            raise RuntimeError(f"{len(failed)} questions have no answer: {failed[0]}")
        return not states

    until(are_stored)
    with database.reading() as session:
        newest = select(TurnRow.answer).order_by(TurnRow.id.desc()).limit(number)
        return list(session.scalars(newest))


def _busy(server: subprocess.Popen[bytes]) -> float:
    """The processor time of a server and its workers so far, in seconds."""
    process = psutil.Process(server.pid)
    times = [of.cpu_times() for of in (process, *process.children(recursive=True))]
    return float(sum(of.user + of.system for of in times))


if __name__ == "__main__":
    typer.run(main)

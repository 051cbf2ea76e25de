"""A written answer beside an ingest: `python -m eval.benchmarks.beside_ingest`.

The same questions are asked alone, beside an ingest that pauses for answers, and beside one that
does not, in turns of one run; believe the ratios. The ingest has a worker's priority and more to
read than it can get through meanwhile.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.settings import read_settings
from corpora.database.tables import EmbeddingRow
from eval.benchmarks.embedding import sample_texts

PRODUCT = "tessaline"
QUESTIONS = (
    "How do I replace the fan tray in 17.20?",
    "Why does a protection group wait before traffic goes back in 17.20?",
    "What is the difference between a line card and a client card in 17.20?",
    "How do I restore the configuration after an upgrade to 18.00?",
)
INGEST = (
    "import sys; from corpora.generations import answers_first as pausing;"
    "pausing.LONGEST_PAUSE = float(sys.argv.pop(1));"
    "from ui.cli.main import app; app()"
)
WORKER_NICE = 10
VARIANTS = {"alone": None, "beside an ingest that pauses": 20.0, "that does not pause": 0.0}


def main(
    data: Annotated[Path | None, typer.Option(help="A data folder with the sample.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Turns of each variant.")] = 1,
) -> None:
    """Print the median seconds of an answer, the ratio to one alone, and the ingest's speed."""
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as temporary:
        folder = Path(temporary)
        shutil.copytree(data or read_settings().data_dir, folder / "data")
        _write_documents(folder / "docs")
        settings = read_settings(data_dir=folder / "data", memory="off")
        bot = open_chatbot(settings)
        bot.ask(QUESTIONS[0], product=PRODUCT)  # loads the models
        seconds, speeds = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
        for _ in range(rounds):
            for name, pause in VARIANTS.items():
                with _ingest(folder, pause):
                    before, began = _embedded(bot), perf_counter()
                    seconds[name] += [_asked(bot, question) for question in QUESTIONS]
                    speeds[name].append((_embedded(bot) - before) / (perf_counter() - began))
    table = Table("answers", "median s", "ratio", "chunks embedded a second meanwhile")
    alone = median(seconds["alone"])
    for name in VARIANTS:
        taken, speed = median(seconds[name]), median(speeds[name])
        table.add_row(name, f"{taken:.1f}", f"{taken / alone:.2f}", f"{speed:.1f}")
    Console().print(table)


def _asked(bot: Chatbot, question: str) -> float:
    began = perf_counter()
    answer = bot.ask(question, product=PRODUCT)
    taken = perf_counter() - began
    if not answer.turn.calls:
        raise SystemExit(f"The model was not asked: {question}")
    sleep(1.0)
    return taken


def _embedded(bot: Chatbot) -> int:
    with bot.database.reading() as session:
        return session.scalar(select(func.count()).select_from(EmbeddingRow)) or 0


def _write_documents(folder: Path) -> None:
    """Texts of which no two are alike, so that every chunk has to be embedded."""
    folder.mkdir()
    order = random.Random(5)  # noqa: S311 - the same on every machine, and no secret
    words = " ".join(sample_texts(400)).split()
    for number in range(60):
        order.shuffle(words)
        (folder / f"{number}.txt").write_text(" ".join(words), encoding="utf-8")


@contextmanager
def _ingest(folder: Path, pause: float | None) -> Iterator[None]:
    """An ingest under way, past its reading, with this longest pause; none if there is none."""
    if pause is None:
        yield
        return
    release = f"{pause:g}-{perf_counter():.0f}"
    command = ["ingest", str(folder / "docs"), "--product", "bench", "--release", release]
    child = subprocess.Popen(
        [sys.executable, "-c", INGEST, str(pause), *command],
        env={**os.environ, "STRATA_DATA_DIR": str(folder / "data")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.nice(WORKER_NICE),
    )
    try:
        sleep(30)
        if child.poll() is not None:
            raise SystemExit("The ingest ended before a question was asked.")
        yield
    finally:
        child.kill()
        child.wait()


if __name__ == "__main__":
    typer.run(main)

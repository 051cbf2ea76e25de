"""How long a batch takes whose model answers in a second: `python -m eval.benchmarks.batch`.

Prints the time against the ideal, in which nothing but the model takes time, as the number of
questions asked at once grows. It needs the embedding model, and nothing else.
"""

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from chatbot.assembly import open_chatbot
from chatbot.batch import BatchLine, run_batch
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.settings import Settings
from corpora.building.building import Builder

QUESTIONS = 64
CALL = 1.0
"""Seconds; a scripted reply of one word takes as long."""
_THINGS = ("pump", "valve", "relay", "lamp", "fan", "clock", "port", "fuse")
_READING = {
    "asks": "documentation",
    "product": "plant",
    "releases": [],
    "every_release": False,
    "changes": False,
    "other_numbers": [],
    "catalog": "",
    "counted": False,
    "question": "How_is_it_cleaned?",
    "search": "cleaning",
    "other_words": "",
}


def main() -> None:
    """Measure with one, four and eight questions at once."""
    console = Console(width=120)
    reading = json.dumps(_READING, separators=(",", ":"))
    model = ScriptedChatModel(
        rules=[Rule(matches=r"\A<releases>", reply=reading)], otherwise="Water.[1]", delay=CALL
    )
    with TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder) / "data", generator="none", memory="off")
        chatbot = open_chatbot(settings)
        source = Path(folder) / "plant"
        source.mkdir()
        for thing in _THINGS:
            text = f"# {thing}\n\nThe {thing} is cleaned with water.\n"
            (source / f"{thing}.md").write_text(text, "utf-8")
        Builder(chatbot.database, settings.data_dir, chatbot.embedder).ingest(
            [source], product="plant", release="1.0"
        )
        lines = [
            BatchLine(id=n, question=f"How is the {_THINGS[n % len(_THINGS)]} cleaned, please?")
            for n in range(QUESTIONS)
        ]
        chatbot.warm_up()
        for at_once in (1, 4, 8):
            asked = QUESTIONS if at_once == 8 else 2 * at_once
            own = settings.model_copy(update={"profile": "direct", "questions_at_once": at_once})
            output = Path(folder) / f"{at_once}.jsonl"
            started = time.perf_counter()
            several = replace(chatbot, settings=own, model=model)
            done = run_batch(several, lines[:asked], output, lambda progress: None)
            seconds = time.perf_counter() - started
            calls = sum(json.loads(row)["model_calls"] for row in output.open())
            ideal = math.ceil(asked / at_once) * CALL * calls / asked
            console.print(
                f"{asked} questions, {at_once} at once: {seconds:.1f} s, {calls / asked:.1f} calls "
                f"each, {done.failed} failed; {seconds / ideal:.2f} times the ideal {ideal:.1f} s"
            )
        chatbot.corpora.close()
        chatbot.database.close()


if __name__ == "__main__":
    main()

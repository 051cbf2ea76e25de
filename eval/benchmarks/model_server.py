"""A GGUF file behind llama.cpp's own HTTP server, in a process of its own.

`python -m eval.benchmarks.model_server MODEL.gguf` serves it until the input ends.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer


@contextmanager
def serving(model: Path, slots: int, context: int) -> Iterator[str]:
    """The URL of the model on a server that was started for it, with nothing in its cache."""
    command = [sys.executable, "-m", __name__, str(model), f"--slots={slots}"]
    with subprocess.Popen(
        [*command, f"--context={context}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        if not url:
            raise typer.BadParameter(f"{model} could not be served")
        try:
            yield url
        finally:
            process.communicate("")


def main(
    model: Annotated[Path, typer.Argument(help="The GGUF file.")],
    slots: Annotated[int, typer.Option(help="Requests it serves together.")] = 4,
    context: Annotated[int, typer.Option(help="Tokens of a request and its reply.")] = 4096,
) -> None:
    """Serve the model on a free port of this machine, print its URL, end with the input."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
    params.verbosity = -1
    params.port = 0
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    typer.run(main)

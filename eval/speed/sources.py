"""A source run twice, as the worker does it: `python -m eval.speed.sources --pages 1000`.

A site is made up and served on loopback, or a Git repository in which each tag changes a few files.
It is added to an empty data folder and run by a process of its own: everything is fetched, read,
embedded and published; then it is run again by another process with nothing changed. Told are the
seconds of the job, the processor seconds of its process, and the highest memory of that.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from eval.speed.made_site import served_site

WORK = """
import json, resource, sys
from eval.speed.sources import run_source
told = run_source(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
told["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps(told))
"""
_LINES = 10
WAYS = ("sitemap with dates", "sitemap without", "links")


def run_source(data: str, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """Run the source of a data folder, which gets it if it has none; say what came of it."""
    from time import perf_counter, process_time

    from chatbot.accounts.people import LOCAL
    from chatbot.administration.sources import Sources
    from chatbot.memory.suspending import open_database
    from chatbot.models.embedders import open_embedders
    from chatbot.settings import prepare_process, read_settings
    from corpora.documents.worker import JobWork
    from corpora.generations.processes import this_process
    from corpora.jobs.jobs import Claims, Jobs
    from corpora.sources.source import Secrets

    prepare_process()
    settings = read_settings(data_dir=Path(data))
    database = open_database(settings)
    sources = Sources(database, settings, LOCAL, anywhere=True)
    listed = sources.every() or (sources.add("Bench", kind, options),)
    job = sources.sync(listed[0].id)
    work = JobWork(
        Claims(database, this_process()),
        database,
        settings.data_dir,
        open_embedders(settings, database),
        settings.chunking,
        secrets=Secrets(),
    )
    began, busy = perf_counter(), process_time()
    work.do(job)
    done = Jobs(database).get(job)
    seconds, busy = perf_counter() - began, process_time() - busy
    outcome = sources.show(listed[0].id).outcome
    return {"seconds": seconds, "busy": busy, "outcome": outcome, "message": done.message}


def make_repository(folder: Path, *, tags: int, files: int, changed: int) -> None:
    """Make a bare repository with tags v1.0 … v1.N, of which each changes some files."""
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    command = ["git", "fast-import", "--quiet"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE) as process:
        assert process.stdin
        for tag in range(tags):
            numbers = range(files) if tag == 0 else range(tag, tag + changed)
            process.stdin.write(_commit(tag, [number % files for number in numbers]))
        process.stdin.close()
        if process.wait():
            raise RuntimeError("git fast-import did not take what was made for it")


def _commit(tag: int, numbers: list[int]) -> bytes:
    """A tagged commit that writes some files, as git fast-import reads it."""
    name = f"v1.{tag}".encode()
    head = b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\n" % (tag + 1)
    made = [head, b"data %d\n%s\n" % (len(name), name)]
    for number in numbers:
        page = "\n".join(
            f"Unit {number} restarts after {n + tag} s, unless rule {number * n} forbids it."
            for n in range(_LINES)
        )
        text = f"# Unit {number}\n\n{page}\n".encode()
        made.append(b"M 100644 inline docs/part-%d/unit-%d.md\n" % (number % 10, number))
        made.append(b"data %d\n%s\n" % (len(text), text))
    return b"".join([*made, b"reset refs/tags/%s\nfrom refs/heads/main\n\n" % name])


@contextmanager
def _site(pages: int, way: str) -> Iterator[dict[str, Any]]:
    with served_site(pages, dated=way == WAYS[0]) as port:
        yield {
            "url": f"http://127.0.0.1:{port}/{{release}}/",
            "discover": way.partition(" ")[0],
            "releases": {"1.0": "1.0"},
            "private_hosts": ["127.0.0.1"],
            "delay": 0,
            "max_pages": pages + 1,
        }


@contextmanager
def _repository(tags: int, files: int, changed: int) -> Iterator[dict[str, Any]]:
    with TemporaryDirectory(prefix="strata-bench-") as folder:
        make_repository(Path(folder, "made"), tags=tags, files=files, changed=changed)
        yield {"url": f"{folder}/made", "path": "docs"}


def main(
    pages: Annotated[list[int] | None, typer.Option(help="Pages of a site.")] = None,
    by: Annotated[
        list[str] | None, typer.Option(help=f"What names them: {', '.join(WAYS)}.")
    ] = None,
    tags: Annotated[list[int] | None, typer.Option(help="Tags of a repository.")] = None,
    files: Annotated[int, typer.Option(min=1, help="Files of each tag.")] = 50,
    changed: Annotated[int, typer.Option(min=1, help="Files that each tag changes.")] = 5,
) -> None:
    """Print both runs, the share of the second, and the highest memory."""
    if not (pages or tags):
        raise typer.BadParameter("say what to measure: --pages, --tags or both")
    table = Table(
        *("source", "first, s", "again, s", "share", "first, CPU s", "again, CPU s"),
        *("first, peak MB", "again, peak MB"),
    )
    of_sites = (
        (f"{n:,} pages, {way}", "site", _site(n, way))
        for n in pages or ()
        for way in by or WAYS[:1]
    )
    of_tags = (
        (f"{n:,} tags of {files} files", "git", _repository(n, files, changed)) for n in tags or ()
    )
    for name, kind, made in (*of_sites, *of_tags):
        with made as options, TemporaryDirectory(prefix="strata-bench-") as data:
            first, again = (_measured(data, kind, options) for _ in range(2))
        if (first["outcome"], again["outcome"]) != ("changed", "unchanged"):
            raise RuntimeError(f"{name}: {first['message']} Then: {again['message']}")
        runs = first, again
        seconds = [f"{run['seconds']:.1f}" for run in runs]
        share = f"{again['seconds'] / first['seconds']:.1%}"
        busy = [f"{run['busy']:.1f}" for run in runs]
        peaks = [str(run["peak"]) for run in runs]
        table.add_row(name, *seconds, share, *busy, *peaks)
    Console().print(table)


def _measured(data: str, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-c", WORK, data, kind, json.dumps(options)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


if __name__ == "__main__":
    typer.run(main)

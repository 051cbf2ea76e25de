"""A Git source of many releases: `python -m eval.speed.sources`.

A repository is made in which each tag changes a few of its files. It is read as a source three
times, each time by a process of its own: into nothing, then with nothing changed, then with every
release looked through file by file as if its commit were unknown. Told are seconds, and the highest
memory of that process and of the largest git that it ran.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

WORK = """
import json, resource, sys
from pathlib import Path
from time import perf_counter
from eval.speed.sources import read_source
began = perf_counter()
read = read_source(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[1])
seconds = perf_counter() - began
peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF,
                                                               resource.RUSAGE_CHILDREN)]
print(json.dumps({"seconds": seconds, "peaks": peaks, "read": read}))
"""
_LINES = 60
"""Of a page, some four kilobytes."""
_WORKS = {"first run": "first", "nothing changed": "again", "every file compared": "compared"}


def read_source(repository: Path, folder: Path, work: str) -> int:
    """Read a source as a worker does that remembers what it had; return how many files it read."""
    from corpora.sources.git_reader import open_git
    from corpora.sources.options import GitOptions
    from corpora.sources.source import Secrets

    reader = open_git(GitOptions(url=str(repository), path="docs"), Secrets())
    read = 0
    for release in reader.releases():
        had = folder / "had" / release.name
        revision, known = json.loads(had.read_text()) if had.exists() else ("", {})
        if work == "again" and revision == release.revision:
            continue
        with TemporaryDirectory(dir=folder) as files:
            digests = {}
            for file in reader.fetch(
                release, known, Path(files), lambda: None, lambda done, of: None
            ):
                digests[file.path] = file.digest
                if file.content:
                    file.content.unlink()
                    read += 1
        had.parent.mkdir(exist_ok=True)
        had.write_text(json.dumps([release.revision, digests]))
    return read


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


def main(
    tags: Annotated[
        list[int] | None, typer.Option(min=1, help="How many, each a table row.")
    ] = None,
    files: Annotated[int, typer.Option(min=1, help="Files of each release.")] = 200,
    changed: Annotated[int, typer.Option(min=1, help="Files that each tag changes.")] = 5,
) -> None:
    """Print seconds, the share of the first run, and the highest memory in MB."""
    table = Table("tags", "", "files read", "seconds", "of the first run", "peak, MB (own + git)")
    for number in tags or [30, 150, 300]:
        with TemporaryDirectory(prefix="strata-bench-") as work:
            repository, folder = Path(work) / "repository", Path(work) / "source"
            make_repository(repository, tags=number, files=files, changed=changed)
            folder.mkdir()
            first = 0.0
            for name, what in _WORKS.items():
                told = _measured(what, repository, folder)
                first = first or told["seconds"]
                peaks = " + ".join(f"{peak:.0f}" for peak in told["peaks"])
                share = f"{told['seconds'] / first:.1%}"
                row = (f"{told['read']:,}", f"{told['seconds']:.2f}", share, peaks)
                table.add_row(str(number), name, *row)
    Console().print(table)


def _measured(work: str, repository: Path, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", WORK, work, str(repository), str(folder)]
    told: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return told


if __name__ == "__main__":
    typer.run(main)

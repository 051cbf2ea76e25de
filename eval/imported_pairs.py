"""Check imported questions and answers by rule: `python -m eval.imported_pairs FILE --docs DIR`.

A line of the file has `question`, `answer`, `product` and `release` as `strata memory import` reads
them, and `file` and `quote`: the answer stands in DIR/PRODUCT/RELEASE/FILE in these words.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from eval.gold import Line, Text, read_lines
from ingestion.listing import list_files
from ingestion.page import Rejected
from ingestion.reading import read_files

_FEWEST_QUOTED = 3
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class ImportedPair(Line):
    """A question with its answer, and the words of the documentation that bear it."""

    id: Text
    product: Text
    release: Text
    question: Text
    answer: Text
    file: Text
    quote: Text


def main(
    file: Annotated[Path, typer.Argument(help="The pairs, a JSON object a line.")],
    docs: Annotated[Path, typer.Option(help="The documents, in PRODUCT/RELEASE/FILE.")],
) -> None:
    """Print each fault; exit code 1 if there are any."""
    pairs = read_lines(file, ImportedPair, unique="id")
    found = [f"{pair.id}: {fault}" for pair in pairs for fault in faults(pair, docs)]
    asked = Counter((p.product, p.release, p.question.casefold()) for p in pairs)
    found += [f"{key[-1]}: asked {n} times of a release" for key, n in asked.items() if n > 1]
    for line in found:
        typer.echo(line)
    typer.echo(f"{len(pairs)} pairs, {len(found)} faults")
    raise typer.Exit(1 if found else 0)


def faults(pair: ImportedPair, docs: Path) -> list[str]:
    """What is wrong with a pair: no such file, words or figures that do not stand in it."""
    path = docs / pair.product / pair.release / pair.file
    if not path.is_file():
        return [f"there is no {path}"]
    text = _read(path)
    quoted = _words(pair.quote)
    found = []
    if len(quoted.split()) < _FEWEST_QUOTED or quoted not in text:
        found.append(f"{pair.file} does not say “{pair.quote}”")
    known = f"{text} {_words(pair.question)} {pair.release}"
    missing = set(_NUMBER.findall(pair.answer)) - set(_NUMBER.findall(known))
    found += [f"{number} of the answer does not stand in {pair.file}" for number in missing]
    return found


@cache
def _read(path: Path) -> str:
    """The words of a file, as they are extracted and as they are written."""
    raw = path.read_text("utf-8", errors="replace")
    (read,) = read_files(list_files([path]))
    pages = [] if isinstance(read, Rejected) else [page.text for page in read.pages]
    return f"{_words(raw)} {_words(' '.join(pages))}"


def _words(text: str) -> str:
    return " ".join(re.sub(r"[`*_|\\:]", " ", text).casefold().split())


if __name__ == "__main__":
    typer.run(main)

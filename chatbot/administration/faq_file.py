"""Questions with their answers are read from a CSV or JSONL file, line by line.

The texts of a file are data: invisible characters are removed, and an address is plain text.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chatbot.errors import FaqError
from chatbot.retrieval.support import says_unknown
from corpora.catalog.spreadsheet import csv_rows, decoded, read_bytes
from prompts.fencing import visible

LARGEST = 50_000_000
"""Bytes."""
LONGEST_QUESTION = 4_000
LONGEST_ANSWER = 20_000
_LONGEST = {
    **dict.fromkeys(("question", "release", "product"), LONGEST_QUESTION),
    **dict.fromkeys(("answer", "value"), LONGEST_ANSWER),
}
"""Characters of each text of a row."""
MOST_LINKS = 20
_LONGEST_LINK = 2_000

_NEEDED = ("question", "answer", "release")
_COLUMNS = (*_LONGEST, "score", "links", "citations")
EXPORTED = (
    *("store", "origin", "rated_by", "rated", "faithfulness", "relevancy"),
    *("suspended", "reused", "last_used", "created"),
)
"""Columns of an export that an import ignores, since anybody can write them into a file."""


@dataclass(frozen=True)
class FaqRow:
    """A question and its answer for a release; `score` is 0 to 1, None where the file has none."""

    line: int
    product: str
    release: str
    question: str
    answer: str
    value: str = ""
    score: float | None = None
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkippedLine:
    """A line that cannot be used, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class FaqFile:
    """The rows of a file, the lines that cannot be used, and the columns that are unknown."""

    name: str
    rows: tuple[FaqRow, ...]
    left_out: tuple[SkippedLine, ...] = ()
    ignored: tuple[str, ...] = ()


class UnusableRow(ValueError):
    """A row cannot be used; the message says why."""


def read_faq(path: Path, product: str = "") -> FaqFile:
    """Read a file; `product` is that of rows which name none. Raises FaqError."""
    return parse_faq(read_bytes(path, LARGEST, FaqError), str(path), product)


def parse_faq(data: bytes, name: str, product: str = "") -> FaqFile:
    """Read the bytes of a file as `read_faq` does; its name says whether it is .csv or .jsonl."""
    reading = {".csv": _csv_rows, ".jsonl": _jsonl_rows}.get(Path(name).suffix.lower())
    if reading is None:
        raise FaqError(f"{name}: give a .csv or a .jsonl file")
    rows: list[FaqRow] = []
    left_out: list[SkippedLine] = []
    ignored: dict[str, None] = {}
    text = decoded(data, name, LARGEST, FaqError, advice="divide it into several")
    for line, content in reading(name, text):
        if isinstance(content, str):
            left_out.append(SkippedLine(line, content))
            continue
        ignored |= dict.fromkeys(key for key in content if key not in (*_COLUMNS, *EXPORTED))
        try:
            rows.append(_row(line, content, product))
        except UnusableRow as error:
            left_out.append(SkippedLine(line, str(error)))
    return FaqFile(name, tuple(rows), tuple(left_out), tuple(ignored))


_Line = tuple[int, Mapping[str, Any] | str]
"""The number of a line, and its values by column, or why it cannot be used."""


def _csv_rows(name: str, text: str) -> Iterator[_Line]:
    """The rows below the header that are not empty, with the line at which each begins."""
    rows = csv_rows(text, name, _separator(name, text), FaqError)
    header = _header(name, next(rows)[1])
    for line, cells in rows:
        if any(cell.strip() for cell in cells[len(header) :]):
            problem = f"it has {len(cells)} cells, the first row has {len(header)}: put text that "
            yield line, f"{problem}holds a separator into quotation marks"
        else:
            pairs = zip_longest(header, cells, fillvalue="")
            yield line, {column: cell for column, cell in pairs if column}


def _separator(name: str, text: str) -> str:
    first = text.lstrip("\r\n").partition("\n")[0]
    for separator in ",;\t":
        names = first.lower().replace('"', "").split(separator)
        if {"question", "answer"} <= {name.strip() for name in names}:
            return separator
    raise FaqError(
        f"{name}, line 1: the first row must name the columns {', '.join(_NEEDED)}, and may name "
        "product, score and links; between them stands a comma, a semicolon or a tab"
    )


def _header(name: str, cells: Sequence[str]) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    for column, times in Counter(filter(None, header)).items():
        if times > 1:
            raise FaqError(f"{name}, line 1: two columns are called {column}: rename one")
    if "release" not in header:
        raise FaqError(
            f"{name}, line 1: there is no column release: add one that names the release which "
            "each answer is for"
        )
    return header


def _jsonl_rows(name: str, text: str) -> Iterator[_Line]:
    # Other line ends than these may stand within a JSON string.
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        if not line.strip():
            continue
        try:
            decoded_line = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, f"this is no JSON: {error}"
            continue
        if not isinstance(decoded_line, dict):
            yield number, 'this is no JSON object: write {"question": …, "answer": …}'
            continue
        yield number, {str(key).strip().lower(): value for key, value in decoded_line.items()}


def _row(line: int, cells: Mapping[str, Any], product: str) -> FaqRow:
    texts = {name: _string(cells, name, longest) for name, longest in _LONGEST.items()}
    for name in _NEEDED:
        if not texts[name]:
            raise UnusableRow(f"the {name} is empty")
    texts["question"] = " ".join(texts["question"].split())
    texts["product"] = texts["product"] or product
    if not texts["product"]:
        raise UnusableRow("the product is not said: add a column product, or give --product")
    if says_unknown(texts["answer"]):
        raise UnusableRow("an answer that does not know is no answer to keep")
    return FaqRow(line, score=_score(cells.get("score")), links=_links(cells.get("links")), **texts)


def _string(cells: Mapping[str, Any], name: str, longest: int) -> str:
    value = cells.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnusableRow(f"the {name} is {value!r:.40}, which is no text: put it into quotes")
    text = visible(value).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > longest:
        raise UnusableRow(
            f"the {name} has {len(text):,} characters, the limit is {longest:,}: shorten it"
        )
    return text.strip()


def _score(value: Any) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        # A spreadsheet writes 0,9 in many countries.
        score = float(value.replace(",", ".") if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnusableRow(f"the score {value!r:.40} is no number") from error
    if not 0 <= score <= 1:
        raise UnusableRow(f"the score {value!r:.40} does not lie between 0 and 1")
    return score


def _links(value: Any) -> tuple[str, ...]:
    links = value.split() if isinstance(value, str) else [] if value is None else value
    if not isinstance(links, list) or not all(isinstance(link, str) for link in links):
        raise UnusableRow("the links are no list of addresses")
    for link in links:
        if not _is_address(link):
            raise UnusableRow(f"the link {link!r:.80} is no http or https address")
    if len(links) > MOST_LINKS:
        raise UnusableRow(f"it has {len(links)} links, the limit is {MOST_LINKS}")
    return tuple(dict.fromkeys(links))


def _is_address(link: str) -> bool:
    if len(link) > _LONGEST_LINK or not link.isprintable() or " " in link or link != visible(link):
        return False
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)

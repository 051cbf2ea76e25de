"""Questions with their answers are read from a CSV or JSONL file, line by line.

The texts of a file are data: invisible characters are removed, and an address is plain text.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    HttpUrl,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from chatbot.errors import FaqError
from chatbot.retrieval.support import says_unknown
from corpora.catalog.spreadsheet import csv_rows, decoded, read_bytes
from prompts.fencing import visible

LARGEST = 50_000_000
"""Bytes."""
LONGEST_QUESTION = 4_000
LONGEST_ANSWER = 20_000
"""Characters."""
MOST_LINKS = 20

EXPORTED = (
    *("store", "origin", "rated_by", "rated", "faithfulness", "relevancy"),
    *("suspended", "reused", "last_used", "created"),
)
"""Columns of an export that an import ignores, since anybody can write them into a file."""
_OBJECT = TypeAdapter(dict[str, Any])
_Line = tuple[int, str | dict[str, Any]]
"""The number of a line, and its JSON, or its values by column."""


def _readable(value: Any) -> Any:
    return visible(value).replace("\r\n", "\n").strip() if isinstance(value, str) else value


def _number(value: Any) -> Any:
    """The text of a cell as a number is written; a spreadsheet writes 0,9 in many countries."""
    return value.replace(",", ".").strip() or None if isinstance(value, str) else value


def _known(answer: str) -> str:
    if says_unknown(answer):
        raise ValueError("it says “I don't know”, which is not saved")
    return answer


def _address(link: str) -> str:
    HttpUrl(link)
    return visible(link)


_Read = BeforeValidator(_readable)
_Name = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION), _Read]
_Question = Annotated[_Name, AfterValidator(lambda text: " ".join(text.split()))]
_Value = Annotated[str, Field(max_length=LONGEST_ANSWER), _Read]
_Answer = Annotated[
    str, Field(min_length=1, max_length=LONGEST_ANSWER), _Read, AfterValidator(_known)
]
_Score = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_number)]
_Links = Annotated[
    tuple[Annotated[str, AfterValidator(_address)], ...],
    Field(max_length=MOST_LINKS),
    BeforeValidator(lambda value: value.split() if isinstance(value, str) else value or ()),
]


@dataclass(frozen=True, config=ConfigDict(extra="ignore"))
class FaqRow:
    """A question and its answer for a release; `score` is 0 to 1, None where the file has none."""

    line: int
    product: _Name
    release: _Name
    question: _Question
    answer: _Answer
    value: _Value = ""
    score: _Score = None
    links: _Links = ()


@dataclass(frozen=True, order=True)
class SkippedLine:
    """A line that cannot be used, and why."""

    line: int
    reason: str


class FaqFile(NamedTuple):
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
    known = {*FaqRow.__dataclass_fields__, "citations", *EXPORTED}
    text = decoded(data, name, LARGEST, FaqError, advice="divide it into several")
    for line, content in reading(name, text):
        try:
            read = _OBJECT.validate_json(content) if isinstance(content, str) else content
            cells: dict[str, Any] = {key.strip().lower(): value for key, value in read.items()}
            if cells.pop("", ""):
                raise UnusableRow(
                    "it has more cells than the first row: put text that holds a separator into "
                    "quotation marks"
                )
            ignored |= dict.fromkeys(key for key in cells if key not in known)
            cells |= {"line": line, "product": cells.get("product") or product}
            rows.append(FaqRow(**cells))
        except ValidationError as error:
            left_out.append(SkippedLine(line, _reason(error)))
        except UnusableRow as error:
            left_out.append(SkippedLine(line, str(error)))
    return FaqFile(name, tuple(rows), tuple(left_out), tuple(ignored))


def _reason(error: ValidationError) -> str:
    """The first thing that is wrong with a row: "the answer is empty"."""
    first = error.errors(include_url=False)[0]
    of = f"the {first['loc'][0]}" if first["loc"] else "the line"
    if first["type"] in ("missing", "string_too_short"):
        return f"{of} is empty"
    return f"{of}: {first['msg'].removeprefix('Value error, ')}"


def _csv_rows(name: str, text: str) -> Iterator[_Line]:
    """The rows below the header that are not empty, with the line at which each begins.

    What stands in cells beyond the header is the value of a column without a name.
    """
    first = text.lstrip("\r\n").partition("\n")[0]
    rows = csv_rows(text, name, max(",;\t", key=first.count), FaqError)
    header = [cell.strip().lower() for cell in next(rows, (1, []))[1]]
    if any(header.count(needed) != 1 for needed in ("question", "answer", "release")):
        raise FaqError(
            f"{name}, line 1: the first row must name the columns question, answer and release, "
            "each once, separated by commas, semicolons or tabs"
        )
    for line, cells in rows:
        beyond = "".join(cells[len(header) :]).strip()
        yield line, {**dict(zip_longest(header, cells[: len(header)], fillvalue="")), "": beyond}


def _jsonl_rows(name: str, text: str) -> Iterator[_Line]:
    # Other line ends than these may stand within a JSON string.
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        if line.strip():
            yield number, line

"""Questions with their answers are read from a CSV file, line by line.

The texts of a file are data: invisible characters are removed.
"""

import dataclasses
from itertools import zip_longest
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic.dataclasses import dataclass

from chatbot.errors import FaqError
from corpora.catalog.spreadsheet import csv_rows, decoded
from ingestion.messages import message
from ingestion.objections import objection
from prompts.fencing import visible

LARGEST = 50_000_000
"""Bytes."""
LONGEST = 20_000
"""Characters of a question or an answer."""
_COLUMNS = ("product", "release", "question", "answer", "score")
_TOO_MANY = message(
    "it has more cells than the first row: put text that holds a separator into quotation marks"
)


def _readable(cell: str) -> str:
    return visible(cell).replace("\r\n", "\n").strip()


def _number(cell: str | float | None) -> str | float | None:
    """A cell as a number is written; a spreadsheet writes 0,9 in many countries."""
    return cell.replace(",", ".").strip() or None if isinstance(cell, str) else cell


_Text = Annotated[str, Field(min_length=1, max_length=LONGEST), BeforeValidator(_readable)]
_Question = Annotated[_Text, AfterValidator(lambda text: " ".join(text.split()))]
_Score = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_number)]


@dataclass(frozen=True)
class FaqRow:
    """A question and its answer for a release; `score` is 0 to 1, None where the file has none."""

    line: int
    product: _Text
    release: _Text
    question: _Question
    answer: _Text
    score: _Score = None


# Not pydantic's: it would make a text of a message.
@dataclasses.dataclass(frozen=True, order=True)
class SkippedLine:
    """A line that cannot be used, and why."""

    line: int
    reason: str


class FaqFile(NamedTuple):
    """The rows of a file, and the lines that cannot be used."""

    name: str
    rows: tuple[FaqRow, ...]
    left_out: tuple[SkippedLine, ...] = ()


def parse_faq(data: bytes, name: str, product: str = "") -> FaqFile:
    """The rows of a CSV file; `product` is that of rows without one, other columns are ignored.

    Raises FaqError for a file that is no CSV, or lacks a column.
    """
    text = decoded(data, name, LARGEST, FaqError, advice="divide it into several")
    first = text.lstrip("\r\n").partition("\n")[0]
    lines = csv_rows(text, name, max(",;\t", key=first.count), FaqError)
    header = [cell.strip().lower() for cell in next(lines, (1, []))[1]]
    if any(header.count(needed) != 1 for needed in ("question", "answer", "release")):
        raise FaqError(
            "{name}, line 1: the first row must name the columns question, answer and "
            "release, each once, separated by commas, semicolons or tabs",
            name=name,
        )
    rows: list[FaqRow] = []
    left_out: list[SkippedLine] = []
    for line, cells in lines:
        of_line = zip_longest(header, cells[: len(header)], fillvalue="")
        named: dict[str, Any] = {name: cell for name, cell in of_line if name in _COLUMNS}
        named["product"] = named.get("product") or product
        if any(cell.strip() for cell in cells[len(header) :]):
            left_out.append(SkippedLine(line, _TOO_MANY))
            continue
        try:
            rows.append(FaqRow(line=line, **named))
        except ValidationError as error:
            left_out.append(SkippedLine(line, _reason(error)))
    return FaqFile(name, tuple(rows), tuple(left_out))


def _reason(error: ValidationError) -> str:
    """The first thing that is wrong with a row: "the answer is empty"."""
    first = error.errors(include_url=False)[0]
    field = first["loc"][0]
    if first["type"] == "string_too_short":
        return message("the {field} is empty", field=field)
    return message("the {field}: {reason}", field=field, reason=objection(first))

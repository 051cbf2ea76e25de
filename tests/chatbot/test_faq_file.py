from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.administration.faq_file import (
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    FaqFile,
    FaqRow,
    SkippedLine,
    parse_faq,
)
from chatbot.errors import FaqError
from chatbot.review.exports import csv_lines
from corpora.catalog.spreadsheet import without_apostrophe
from prompts.fencing import visible


def csv_file(text: str, product: str = "lamp") -> FaqFile:
    return parse_faq(text.encode(), "faq.csv", product)


def jsonl_file(*rows: object, product: str = "lamp") -> FaqFile:
    return parse_faq("\n".join(map(json.dumps, rows)).encode(), "faq.jsonl", product)


ROW = {"question": "How bright is it?", "answer": "600 lumen.", "release": "1.0"}


def left_out(**changes: object) -> str:
    """Why a row with these changes is left out."""
    found = jsonl_file({**ROW, **changes})
    assert not found.rows
    return found.left_out[0].reason


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_csv_file_is_read_as_a_spreadsheet_writes_it(separator: str, mark: str) -> None:
    lines = (
        '"Question"|Answer|RELEASE|Score|Links|Team',
        '"How bright\r\nis it?"|"600 | lumen."|1.0|0,8|https://e.org/a http://e.org/b|x',
        "||||",
        "What fuse?|2 A|2.0",
    )
    text = mark + "\r\n".join(lines).replace("|", separator)
    found = csv_file(text)
    links = ("https://e.org/a", "http://e.org/b")
    answer = f"600 {separator} lumen."
    if separator == ",":
        # Here the comma of 0,8 parts two cells: the row no longer fits the first one.
        assert [left.line for left in found.left_out] == [2]
    else:
        first = FaqRow(2, "lamp", "1.0", "How bright is it?", answer, score=0.8, links=links)
        assert found.rows[0] == first
        assert not found.left_out
    assert found.rows[-1] == FaqRow(5, "lamp", "2.0", "What fuse?", "2 A")
    assert found.ignored == ("team",)


def test_jsonl_rows_say_more() -> None:
    found = jsonl_file(
        {**ROW, "Product": "torch", "score": 0.25, "links": ["https://e.org"], "value": "600"},
        {**ROW, "score": 1, "links": "https://e.org/a https://e.org/a", "origin": "curated"},
    )
    torch, lamp = found.rows
    assert (torch.product, torch.score, torch.links, torch.value) == (
        "torch",
        0.25,
        ("https://e.org",),
        "600",
    )
    assert (lamp.product, lamp.score, lamp.links) == ("lamp", 1.0, ("https://e.org/a",))
    assert found.ignored == ()


def test_what_no_reader_sees_goes() -> None:
    row = jsonl_file(
        {**ROW, "answer": "600\u200b lumen\u202e.\r\nAlways.", "release": " 1.0 "}
    ).rows
    assert (row[0].answer, row[0].release) == ("600 lumen.\nAlways.", "1.0")


def test_a_row_that_cannot_be_taken_says_why() -> None:
    assert left_out(question="  ") == "the question is empty"
    assert left_out(answer=None) == "the answer is empty"
    assert left_out(release="") == "the release is empty"
    assert left_out(question="x" * (LONGEST_QUESTION + 1)).startswith("the question has 4,001 char")
    assert left_out(answer="x" * (LONGEST_ANSWER + 1)).endswith("the limit is 20,000: shorten it")
    # As a number 2.10 is 2.1, which is another release.
    assert left_out(release=2.10) == "the release is 2.1, which is no text: put it into quotes"
    assert left_out(score=1.5) == "the score 1.5 does not lie between 0 and 1"
    assert left_out(score="good") == "the score 'good' is no number"
    assert left_out(score=True) == "the score True is no number"
    assert left_out(score=float("nan")) == "the score nan does not lie between 0 and 1"
    assert left_out(links=["javascript:alert(1)"]).startswith("the link 'javascript:alert(1)'")
    assert left_out(links="ftp://e.org") == "the link 'ftp://e.org' is no http or https address"
    assert left_out(links=["https://"]) == "the link 'https://' is no http or https address"
    assert left_out(links={"a": 1}) == "the links are no list of addresses"
    assert left_out(links=[f"https://e.org/{i}" for i in range(21)]).startswith("it has 21 links")
    assert left_out(answer="I don't know.").startswith("an answer that does not know")
    found = jsonl_file(ROW, product="")
    assert found.left_out == (
        SkippedLine(1, "the product is not said: add a column product, or give --product"),
    )


def test_lines_that_are_no_objects_are_left_out_and_the_others_stay() -> None:
    text = f'{json.dumps(ROW)}\r\n\r\n{{"question": \n[1]\n{"[" * 100_000}\n{json.dumps(ROW)}'
    found = parse_faq(text.encode(), "FAQ.JSONL", "lamp")
    assert [row.line for row in found.rows] == [1, 6]
    assert [left.line for left in found.left_out] == [3, 4, 5]
    assert found.left_out[0].reason.startswith("this is no JSON: ")


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("faq.xlsx", b"PK", "faq.xlsx: give a .csv or a .jsonl file"),
        ("faq.csv", b"q,a\n1,2\n", "faq.csv, line 1: the first row must name the columns"),
        ("faq.csv", b"question,answer\n1,2\n", "faq.csv, line 1: there is no column release"),
        ("faq.csv", b"question,answer,release,answer\n", "two columns are called answer"),
        ("faq.csv", b'question,answer,release\n"a', "faq.csv, line 2: not a valid CSV row"),
        ("faq.csv", b"question,answer,release\na,\xff,1\n", "faq.csv, line 2: not UTF-8 text"),
        ("faq.csv", b"", "faq.csv, line 1: the first row must name the columns"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_what_to_do(
    name: str, data: bytes, told: str
) -> None:
    with pytest.raises(FaqError, match=told.replace(".", r"\.")):
        parse_faq(data, name)


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1))
def test_what_a_spreadsheet_would_calculate_comes_back_as_it_was(text: str) -> None:
    _, line = "".join(csv_lines([{"question": text}])).split("\r\n", 1)
    assert without_apostrophe(line.strip()[1:-1].replace('""', '"')) == visible(text)

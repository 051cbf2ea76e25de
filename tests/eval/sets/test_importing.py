"""A file of questions with columns of its own: what is read of it, and what is said of the rest."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from chatbot.review.exports import csv_lines
from corpora.catalog.release import Product, Release
from eval.gold import GoldError, QuestionKind, gold_lines, read_gold
from eval.sets.columns import find_columns, parse_columns
from eval.sets.importing import Defaults, ImportedSet, import_questions
from eval.sets.rows import LARGEST, read_rows
from tests.eval.made_gold import gold

HEADER = "Frage;Antwort;Version"
OF_RELAY = Defaults("relay")
RELEASES = ("17.10", "17.20")
PRODUCT = Product(
    "relay",
    (),
    tuple(Release("relay", name, ("old",) if name == "17.10" else ()) for name in RELEASES),
)


def imported(
    data: str | bytes,
    name: str = "set.csv",
    columns: Sequence[str] = (),
    defaults: Defaults = OF_RELAY,
    products: Sequence[Product] = (),
) -> ImportedSet:
    rows = read_rows(data.encode() if isinstance(data, str) else data, name)
    chosen = parse_columns(columns)
    return import_questions(rows, name, columns=chosen, defaults=defaults, products=products)


def workbook(*rows: Sequence[Any], **formats: str) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    for cell, form in formats.items():
        sheet[cell].number_format = form
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-32"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_in_the_encoding_it_has(encoding: str, end: str) -> None:
    lines = (HEADER, "Wie groß ist die Größe?;„30 °C“, für Türen;17.10", "")
    (question,) = imported(end.join(lines).encode(encoding)).questions
    assert question.question == "In 17.10: Wie groß ist die Größe?"
    assert question.gold_answer == "„30 °C“, für Türen"
    assert question.release == "17.10"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_file_is_read_with_the_separator_it_has(separator: str) -> None:
    text = separator.join(("Question", "Answer", "Release"))
    row = separator.join(('"How long, or short; or\tboth?"', "300 s", "17.10"))
    (question,) = imported(f"{text}\n{row}\n").questions
    assert question.question == "In 17.10: How long, or short; or both?"


def test_a_workbook_is_read_as_it_is_shown() -> None:
    rows = (
        ("Nr", "Frage", "Antwort", "Version", "Datei", "Seite"),
        (1, "Wie lang?", "5 min", 17.1, "guide.pdf", "S. 8"),
        (),
        (2, "Was?", "Es ist so.", "17.20", "cli.html", "#set"),
        (3, "", "x", "17.20", "", ""),
    )
    read = imported(workbook(*rows, D2="0.00"), "fragen.xlsx")
    first, second = read.questions
    assert (first.id, first.release, first.sources[0].page) == ("1", "17.10", 8)
    assert (second.sources[0].file, second.sources[0].anchor) == ("cli.html", "set")
    assert [(left.line, left.reason) for left in read.left_out] == [(5, "the question is empty")]


def test_what_a_workbook_would_calculate_or_load_is_not() -> None:
    formula = '=HYPERLINK("http://evil.test","x")'
    book = workbook(("Question", "Answer", "Release"), (formula, "x", "1"), ("Why?", "yes", "1"))
    (question,) = imported(book, "x.xlsx").questions
    assert question.question == "In 1: Why?"


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"", "x.csv", "empty"),
        (b"PK\x03\x04 but no archive", "x.xlsx", "damaged|failed|crashed"),
        (b"question,answer\n", "x.csv", "nothing in this file"),
        (b'question,answer\n"open,1\n', "x.csv", "not a valid CSV row"),
        (b"%PDF-1.7", "x.csv", "PDF"),
        (b"question,answer\nx,y", "x.doc", "give a .csv, .xlsx or .jsonl"),
        (b"x" * (LARGEST + 1), "x.csv", "larger than"),
        (b"a,b\n1,2\n", "x.csv", "no column 'question'.*--columns question=COLUMN.*a, b"),
        (b"question,answer\nx,\n", "x.csv", "no line can be used .line 2: the answer is empty"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(data: bytes, name: str, told: str) -> None:
    with pytest.raises(GoldError, match=told):
        imported(data, name)


def test_columns_are_found_by_usual_names_or_as_they_are_mapped() -> None:
    there = ("ID", "Expected_Answer", "User Question", "Prompt", "Version", "Kommentar")
    assert find_columns(there, {}) == {
        "id": "ID",
        "question": "Prompt",
        "gold_answer": "Expected_Answer",
        "release": "Version",
    }
    chosen = parse_columns(["question=user question, gold_answer=Kommentar", "release="])
    found = find_columns(there, chosen)
    assert found["question"] == "User Question"
    assert found["gold_answer"] == "Kommentar"
    assert "release" not in found


def test_a_page_of_no_file_is_told_as_not_used() -> None:
    read = imported(b"question,answer,release,page\nHow long?,45 s,1.0,7\n")
    assert read.ignored == ("page",)


@pytest.mark.parametrize("written", ["Frage", "colour=Frage", "=Frage"])
def test_a_mapping_that_is_none_is_named(written: str) -> None:
    with pytest.raises(GoldError, match="maps no column"):
        parse_columns([written])


def test_what_a_line_lacks_is_said_of_that_line() -> None:
    text = (
        "product,question,answer,release\n,A?,1,17.10\nrelay,B?,2,17.30\nrelay,C?,3,\nrelay,,4,x\n"
    )
    read = imported(text, defaults=Defaults(), products=[PRODUCT])
    assert [q.question for q in read.questions] == ["C?"]
    assert [left.line for left in read.left_out] == [2, 3, 5]
    told = " ".join(left.reason for left in read.left_out)
    assert "no product" in told
    assert "no release '17.30' of relay; there is: 17.10, 17.20" in told
    assert "the question is empty" in told


def test_a_question_names_its_release_where_the_chatbot_has_to_find_it() -> None:
    rows = "question,answer,release\nHow long?,5 s,old\nHow long in 17.20?,6 s,17.20\nNow?,7 s,\n"
    read = imported(rows, products=[PRODUCT])
    assert [(q.question, q.release, q.kind) for q in read.questions] == [
        ("In 17.10: How long?", "17.10", QuestionKind.RELEASE_SPECIFIC_DIFFERS),
        ("How long in 17.20?", "17.20", QuestionKind.RELEASE_SPECIFIC_DIFFERS),
        ("Now?", "17.20", QuestionKind.NO_RELEASE),
    ]
    assert read.renamed == 1


def test_an_answer_without_figure_code_or_name_is_left_to_a_judge() -> None:
    rows = (
        "question,answer,release,must include\n"
        "A?,It takes 300 s with hold_time.,1,\n"
        "B?,Because the door is open.,1,\n"
        'C?,Because.,1,"open\n door"\n'
        "D?,I don't know.,1,\n"
    )
    read = imported(rows)
    figures, words, own, unknown = read.questions
    assert figures.accepts("hold_time: 300 seconds") is True
    assert figures.accepts("hold_time: 3000 seconds") is False
    assert words.accepts("whatever") is None
    assert own.must_include == ("open", "door")
    assert (unknown.kind, unknown.answerable) == (QuestionKind.UNANSWERABLE, False)
    assert read.unruled == 1


def test_a_gold_file_comes_back_as_it_was(tmp_path: Path) -> None:
    row = {
        "id": "q",
        "product": "relay",
        "question": "And in the other one?",
        "kind": "compare",
        "gold_answer": "17.10: 5. 17.20: 6.",
        "must_include": ["5", "6"],
        "releases": ["17.10", "17.20"],
        "release": None,
        "sources": [{"release": "17.10", "file": "a.md", "page": 1}],
        "history": [["What is it?", "It is 5."]],
    }
    text = json.dumps(row)
    (tmp_path / "gold.jsonl").write_text(text, "utf-8")
    assert imported(text, "gold.jsonl").questions == read_gold(tmp_path / "gold.jsonl")


def test_one_question_twice_counts_once() -> None:
    read = imported("question,answer,release\nA?,1,1\na ?,2,1\nA?,3,1\n")
    assert len(read.questions) == 2
    assert "stands twice" in read.left_out[0].reason


def test_what_is_not_seen_is_left_out() -> None:
    (question,) = imported("question,answer,release\nA\u200b\u202e?,4\u2066 s,1\n").questions
    assert (question.question, question.gold_answer) == ("In 1: A?", "4 s")


def test_lines_of_json_that_are_none_are_named() -> None:
    read = imported(
        '{"question": "A?", "answer": "4", "release": "1"}\n[1]\n{"question": 3}\n', "x.jsonl"
    )
    assert [left.line for left in read.left_out] == [2, 3]


def test_what_was_exported_comes_back_as_it_was() -> None:
    plain = gold(question="=timeout in 2.0?", must_include=["[a-z]", "60"], facts=[], steps=["a"])
    latest = gold(id="b", question="Which?", kind="no_release", release=None)
    unknown = gold(
        id="c",
        kind="unanswerable",
        release=None,
        sources=[],
        must_include=[],
        release_not_in_corpora=True,
        gold_answer="There is no 5.5.",
    )
    asked = (plain, latest, unknown)
    rows = [question.model_dump(mode="json") for question in asked]
    assert imported("".join(csv_lines(rows)), defaults=Defaults()).questions == asked
    assert imported("".join(gold_lines(asked)), "x.jsonl", defaults=Defaults()).questions == asked


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (",".join(map(str, range(101))) + "\n1\n", "x.csv", "more than 100 columns"),
        (json.dumps(dict.fromkeys(map(str, range(101)))), "x.jsonl", "more than 100 columns"),
        ("question,answer\n" + "a,b\n" * 10_001, "x.csv", "more than 10,000 rows"),
        ("[]\n" * 10_001, "x.jsonl", "more than 10,000 rows"),
    ],
)
def test_a_file_with_too_much_is_refused(data: str, name: str, told: str) -> None:
    with pytest.raises(GoldError, match=told):
        imported(data, name)


def test_cells_that_are_not_there_take_no_room() -> None:
    (row,) = read_rows(b"question,answer,note\nA?,1\n", "x.csv")
    assert row.cells == {"question": "A?", "answer": "1"}


def test_texts_that_are_too_long_are_left_out() -> None:
    long = "a_b." * 1_001
    read = imported(f"question,answer,release\nA?,1,1\n{long},1,1\nB?,{long},1\n")
    assert [q.question for q in read.questions] == ["In 1: A?"]
    assert [left.reason for left in read.left_out] == [
        "the question is longer than 4,000 characters",
        "the answer is longer than 4,000 characters",
    ]


def test_what_is_not_seen_is_left_out_of_lists_too() -> None:
    row = {"question": "A?", "answer": "4", "release": "1", "history": [["B\u200b?", "5\u202e"]]}
    (question,) = imported(json.dumps(row), "x.jsonl").questions
    assert question.history == (("B?", "5"),)
    cell = json.dumps(json.dumps([["B\u200b?", "5"]]))
    (question,) = imported(
        f'{{"question": "A?", "answer": "4", "release": "1", "history": {cell}}}', "x.jsonl"
    ).questions
    assert question.history == (("B?", "5"),)


def test_a_cell_that_is_nested_too_deeply_is_a_text() -> None:
    deep = "[" * 20_000
    read = imported(f"question,answer,release,history\nA?,1,1,{deep}\n")
    assert len(read.questions) == 1


def test_a_release_of_marks_alone_is_put_before_no_question() -> None:
    (question,) = imported("question,answer,release\nA?,1,**\n").questions
    assert question.question == "A?"


def test_an_upload_brings_no_patterns_and_no_other_product() -> None:
    row = {
        "question": "A?",
        "answer": "It is 300 s.",
        "release": "1",
        "must_include": "x+",
        "must_not_include": "y",
        "steps": ["z"],
        "facts": [{"says": "f", "pattern": "f"}],
    }
    text = "\n".join(json.dumps({**row, **more}) for more in ({}, {"product": "valve"}))
    read = imported(text, "x.jsonl", defaults=Defaults("relay", uploaded=True))
    (question,) = read.questions
    assert question.accepts("300 s") is True
    assert (question.must_not_include, question.steps, question.facts) == ((), (), ())
    assert {"must_include", "must_not_include", "steps", "facts"} <= set(read.ignored)
    assert [left.reason for left in read.left_out] == ["it is about another product: 'valve'"]

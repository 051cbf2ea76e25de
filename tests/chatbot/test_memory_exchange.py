"""Questions and answers of a file become saved answers, and saved answers a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import LONGEST_ANSWER, LONGEST_QUESTION, FaqRow, parse_faq
from chatbot.administration.overview import EVERYTHING, ReleaseFilter
from chatbot.errors import FaqError
from chatbot.review.exports import Format, csv_lines
from chatbot.settings import Settings
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.catalog.spreadsheet import without_apostrophe
from prompts.fencing import visible
from tests.chatbot.memory_bots import Bot, remembering

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
BRIGHT = {"question": "How bright is the lamp?", "answer": "It gives 600 lumen.", "release": "1.0"}
STEP = {"question": "What is the default of dim_step?", "answer": "5 %", "release": "2.0"}
HOUSE = {"question": "Who may climb the ladder?", "answer": "Two grown-ups.", "release": "2.0"}


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    bot = remembering(lamp_settings, tmp_path)
    yield bot
    bot.close()


def brought_in(bot: Bot, *rows: dict[str, Any], **options: Any) -> ImportReport:
    data = "\n".join(map(json.dumps, rows)).encode()
    return Exchange(bot.chatbot, ADA).bring_in(parse_faq(data, "faq.jsonl", "lamp"), **options)


def exported(bot: Bot, form: Format = Format.JSONL, within: ReleaseFilter = EVERYTHING) -> bytes:
    return "".join(Exchange(bot.chatbot, ADA).export(form, within)).encode()


def left_out(**changes: object) -> str:
    """Why a row with these changes is left out."""
    found = parse_faq(json.dumps({**BRIGHT, "product": "lamp", **changes}).encode(), "a.jsonl")
    assert not found.rows
    return found.left_out[0].reason


def test_rows_become_good_answers_that_rest_on_pages_of_their_release(bot: Bot) -> None:
    report = brought_in(bot, BRIGHT, STEP, {**HOUSE, "score": 0.9, "links": ["https://e.org"]})
    assert (report.added, report.supported, report.left_out) == (3, 2, [])
    bright, step, house = bot.pairs
    for pair in bot.pairs:
        assert (pair.store, pair.origin, pair.rated_by) == ("high", "imported", ADA.id)
    texts = bright.answer["text"], bright.answer["value"]
    assert texts == ("It gives 600 lumen [1].", "It gives 600 lumen.")
    (cited,) = bright.answer["citations"]
    assert (cited["file"], cited["release"]) == ("brightness.md", "1.0")
    assert "The lamp gives 600 lumen." in cited["quote"]
    assert "The default of dim_step is 5 %." in step.answer["citations"][0]["quote"]
    assert (house.answer["citations"], house.score, house.links) == ([], 0.9, ["https://e.org"])
    # 800 lumen and 5 % are those of 2.0, and support nothing in 1.0.
    other = {"question": "How light?", "answer": "It gives 800 lumen.", "release": "1.0"}
    report = brought_in(bot, other, {**STEP, "release": "1.0"})
    assert (report.added, report.supported) == (2, 0)


def test_a_file_brings_no_markup_and_no_citations_of_its_own(bot: Bot) -> None:
    listing, picture = "```sh\nlamp --port 5540  # ports[1]\n```", "![x](https://evil.org/p.png)"
    row = {
        **HOUSE,
        "answer": f"Look {picture} at [this](https://evil.org) [1].\n\n{listing}",
        "citations": [{"file": "power.md", "quote": "Two grown-ups."}],
        "origin": "curated",
        "rated_by": "the boss",
    }
    assert brought_in(bot, row).ignored == ()
    assert bot.pair.answer["text"] == (
        f"Look [x] (`https://evil.org/p.png`) at [this] (`https://evil.org`).\n\n{listing}"
    )
    assert (bot.pair.answer["citations"], bot.pair.origin) == ([], "imported")
    assert bot.pair.rated_by == ADA.id


def test_rows_that_cannot_be_taken_are_told_with_their_lines(bot: Bot) -> None:
    administration = ReleaseAdministration(bot.chatbot.database)
    administration.change_release("lamp", "1.0", ReleaseSettings(("Aurora",)))
    report = brought_in(
        bot,
        {**BRIGHT, "release": "aurora", "product": "LAMP"},
        {**BRIGHT, "release": "3.0"},
        {**BRIGHT, "product": "torch"},
        {**BRIGHT, "question": "how bright is the lamp", "answer": "Very."},
        {**BRIGHT, "question": ""},
        {**BRIGHT, "question": "What is it?", "answer": "![]()"},
    )
    assert (report.added, report.outdone) == (1, 1)
    assert [(left.line, left.reason) for left in report.left_out] == [
        (2, "there is no release '3.0' of lamp; there is: 1.0, 2.0"),
        (3, "there is no product 'torch'; there is: lamp"),
        (5, "the question is empty"),
        (6, "the answer has no words"),
    ]


def test_an_import_that_is_stopped_goes_on_where_it_was_and_adds_nothing_twice(bot: Bot) -> None:
    def stop(done: int, total: int) -> None:
        if (done, total) == (2, 3):
            raise InterruptedError

    rows = (BRIGHT, STEP, HOUSE)
    with pytest.raises(InterruptedError):
        brought_in(bot, *rows, on_progress=stop)
    report = brought_in(bot, *rows)
    assert (report.added, report.known, len(bot.pairs)) == (1, 2, 3)
    # Another score is no other answer, and the release in a question no part of what is asked.
    again = {**BRIGHT, "question": "how bright is the lamp in 1.0?", "score": 0.7}
    assert brought_in(bot, again).known == 1


@pytest.mark.parametrize("form", list(Format))
def test_an_export_is_an_import_that_calculates_nothing_and_both_are_recorded(
    bot: Bot, lamp_settings: Settings, tmp_path: Path, form: Format
) -> None:
    formula = '=HYPERLINK("https://evil.org")'
    brought_in(
        bot,
        {**BRIGHT, "links": ["https://e.org/a", "https://e.org/b"]},
        {**STEP, "score": 0.75},
        {**HOUSE, "question": formula, "answer": '=1+1,\n- two "big" ones; `rm -rf`\n- or -5 °C'},
    )
    data = exported(bot, form)
    if form is Format.CSV:
        rows = [*csv.DictReader(io.StringIO(data.decode()))]
        assert rows[2]["question"] == f"'{formula}"
    other = remembering(lamp_settings, tmp_path / "other")
    report = Exchange(other.chatbot, LOCAL).bring_in(parse_faq(data, f"faq.{form}"))
    assert (report.added, report.supported, report.left_out, report.ignored) == (3, 2, [], ())
    columns = ("question", "score", "links")
    here, there = (
        [(*(getattr(pair, c) for c in columns), pair.answer["text"]) for pair in of.pairs]
        for of in (bot, other)
    )
    assert here == there
    assert exported(other, form, ReleaseFilter("lamp", "1.0")).count(b"600 lumen") >= 1
    other.close()
    export, done = AuditLog(bot.chatbot.database).page(LOCAL)[0]
    assert (done.person, done.action, done.subject) == (
        ADA.id,
        "import answers",
        "lamp 1.0, lamp 2.0",
    )
    assert (export.action, export.subject) == ("export", "remembered answers")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_csv_file_is_read_as_a_spreadsheet_writes_it(separator: str, mark: str) -> None:
    lines = (
        '"Question"|Answer|RELEASE|Score|Links|Team',
        f'"How bright\r\nis it?"|"600 {separator} lumen."|1.0|"0,8"|https://e.org/a http://e.org/b|x',
        "|||||",
        "What fuse?|2 A|2.0",
        "What fuse?|2 A|2.0||||more",
    )
    found = parse_faq((mark + "\r\n".join(lines).replace("|", separator)).encode(), "a.csv", "lamp")
    links = ("https://e.org/a", "http://e.org/b")
    answer = f"600 {separator} lumen."
    assert found.rows == (
        FaqRow(2, "lamp", "1.0", "How bright is it?", answer, score=0.8, links=links),
        FaqRow(5, "lamp", "2.0", "What fuse?", "2 A"),
    )
    assert [left.line for left in found.left_out] == [6]
    assert found.ignored == ("team",)


def test_a_row_that_cannot_be_taken_says_why() -> None:
    assert left_out(question="  ") == "the question is empty"
    assert left_out(product="") == "the product is empty"
    assert left_out(question="x" * (LONGEST_QUESTION + 1)).startswith("the question: String should")
    assert left_out(answer="x" * (LONGEST_ANSWER + 1)).endswith("at most 20000 characters")
    # As a number 2.10 is 2.1, which is another release.
    assert left_out(release=2.10) == "the release: Input should be a valid string"
    for score in (1.5, "good", float("nan"), -1):
        assert left_out(score=score).startswith("the score: Input should be")
    for links in (
        ["javascript:alert(1)"],
        "ftp://e.org",
        ["https://"],
        {"a": 1},
        ["https://e.org"] * 21,
    ):
        assert left_out(links=links).startswith("the links: ")
    assert left_out(answer="I don't know.").startswith("the answer: it says")


def test_lines_that_are_no_objects_are_left_out_and_the_others_stay() -> None:
    row = json.dumps({**BRIGHT, "answer": "600\u200b lumen\u202e.\r\nAlways."})
    text = f'{row}\r\n\r\n{{"question": \n[1]\n{"[" * 100_000}\n{row}'
    found = parse_faq(text.encode(), "FAQ.JSONL", "lamp")
    assert [(r.line, r.answer) for r in found.rows] == [(n, "600 lumen.\nAlways.") for n in (1, 6)]
    assert [left.line for left in found.left_out] == [3, 4, 5]
    assert found.left_out[0].reason.startswith("the line: Invalid JSON")


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("faq.xlsx", b"PK", "faq.xlsx: give a .csv or a .jsonl file"),
        ("faq.csv", b"question,answer\n1,2\n", "faq.csv, line 1: the first row must name"),
        ("faq.csv", b"question,answer,release,answer\n", "each once"),
        ("faq.csv", b'question,answer,release\n"a', "faq.csv, line 2: not a valid CSV row"),
        ("faq.csv", b"question,answer,release\na,\xff,1\n", "faq.csv, line 2: not UTF-8 text"),
        ("faq.csv", b"", "faq.csv, line 1: the first row must name"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_what_to_do(
    name: str, data: bytes, why: str
) -> None:
    with pytest.raises(FaqError, match=why.replace(".", r"\.")):
        parse_faq(data, name)


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1))
def test_what_a_spreadsheet_would_calculate_comes_back_as_it_was(text: str) -> None:
    _, line = "".join(csv_lines([{"question": text}])).split("\r\n", 1)
    assert without_apostrophe(line.strip()[1:-1].replace('""', '"')) == visible(text)

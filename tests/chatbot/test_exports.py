import csv
import io
import json
from itertools import count

import pytest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.conversations.feedback import Feedback
from chatbot.errors import NotAllowed
from chatbot.review.exports import Exports, Format, csv_lines, jsonl_lines
from chatbot.review.ratings import Ratings
from chatbot.review.turns import TurnFilter
from corpora.database.engine import Database
from prompts.fencing import visible
from tests.chatbot.asked import asked

USER = Person("u", "u", is_admin=False)
BEFORE = ("", "\t", "\r", "\n", "  ", '"', "' ", "\u00a0", "\u200b", "\ufeff", "\x00")
FORMULAS = [*(f"{before}=1+1" for before in BEFORE), '=HYPERLINK("http://evil.test")', "+1", "-1"]
FORMULAS += ["@SUM(A1)", "＝1+1", "＠SUM(A1)", "\tplain", "=1+1;=2+2"]


def read_csv(lines: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(lines), newline="")))  # type: ignore[call-overload]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_cell_is_never_a_formula(formula: str) -> None:
    (row,) = read_csv(csv_lines([{"a": formula, "b": [formula]}]))
    assert row["a"] == "'" + visible(formula).replace("\r", "\n")
    assert row["b"].startswith("[")


@pytest.mark.parametrize("text", ["a = b", "17.20", "plain", "", "a\n=b", "5 - 3", "(=1)"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert read_csv(csv_lines([{"a": text}])) == [{"a": text}]


@pytest.mark.parametrize("form", Format)
def test_turns_come_with_what_was_said_of_them(database: Database, form: Format) -> None:
    told = {"release": "17.20", "file": "g.md", "page": 1, "section": "S", "quote": "q"}
    cited = {**told, "page_id": 9, "document": "G", "anchor": None}
    first = asked(database, "How long?", owner="ann", citations=[cited], thumbs=1, comment="=1+1")
    second = asked(database, "=cmd()", owner="bob", abstained=True)
    Feedback(database, "bob").give(second, -1, "incomplete", "no")
    Ratings(database).change(LOCAL, second, rating="bad", note="look", corrected_answer="It is 5.")
    text = "".join(Exports(database).turns(LOCAL, form))
    if form is Format.CSV:
        one, other = read_csv([text])
        assert (one["turn"], one["question"], one["comment"]) == (str(first), "How long?", "'=1+1")
        assert json.loads(one["citations"])[0]["file"] == "g.md"
        assert (other["question"], other["thumbs"], one["rating"]) == ("'=cmd()", "-1", "")
    else:
        objects = [json.loads(line) for line in text.splitlines()]
        assert [(r["turn"], r["person"], r["question"]) for r in objects] == [
            (first, "ann", "How long?"),
            (second, "bob", "=cmd()"),
        ]
        assert objects[0]["citations"] == [told]
        assert objects[0]["asked"] == "2026-11-20T12:00:00+00:00"
        opinion = {"reason": "incomplete", "rating": "bad", "corrected_answer": "It is 5."}
        assert objects[1].items() >= opinion.items()


def test_a_filter_and_more_turns_than_a_batch(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.review.exports._AT_ONCE", 2)
    for number in range(5):
        asked(database, f"q{number}", release="18.00")
    asked(database, "other")
    lines = list(Exports(database).turns(LOCAL, Format.JSONL, TurnFilter(release="18.00")))
    assert [json.loads(line)["question"] for line in lines] == [f"q{n}" for n in range(5)]


def test_every_export_is_recorded_before_its_first_row(database: Database) -> None:
    exports = Exports(database)
    exports.turns(Person("ann", "Ann", is_admin=True), Format.CSV, TurnFilter(product="relay"))
    exports.of(LOCAL, "numbers", [], Format.JSONL, release=None)
    newest, first = AuditLog(database).page(LOCAL, action="export")[0]
    assert (first.person, first.subject) == ("ann", "turns")
    assert first.details == {"format": "csv", "product": "relay"}
    assert (newest.subject, newest.details) == ("numbers", {"format": "jsonl"})
    for export in (
        lambda: exports.turns(USER, Format.CSV),
        lambda: exports.of(USER, "numbers", [], Format.CSV),
    ):
        with pytest.raises(NotAllowed):
            export()
    assert len(AuditLog(database).page(LOCAL)[0]) == 2


def test_rows_are_written_as_they_are_read() -> None:
    for lines in (csv_lines, jsonl_lines):
        written = lines({"n": number} for number in count(1))
        assert "1" in next(written)
        assert "2" in next(written)

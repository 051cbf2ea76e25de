import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from eval.gold import GoldError, GoldQuestion, QuestionKind, matches, read_gold
from tests.eval.made_gold import gold
from tests.eval.made_gold import gold_row as row


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = [line if isinstance(line, str) else json.dumps(line) for line in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read_one(tmp_path: Path, **changes: Any) -> GoldQuestion:
    return read_gold(write(tmp_path / "gold.jsonl", row(**changes)))[0]


def test_reads_every_field(tmp_path: Path) -> None:
    history = [["How long in 1.0?", "30 seconds."]]
    source = {"release": "2.0", "file": "guide.html", "anchor": "timeout"}
    question = read_one(tmp_path, kind="follow_up", history=history, sources=[source])

    assert question.kind is QuestionKind.FOLLOW_UP
    assert question.history == (("How long in 1.0?", "30 seconds."),)
    assert question.sources[0].anchor == "timeout"
    assert question.gold_releases == ("2.0",)
    assert set(question.asked()) == {"id", "product", "question", "history"}
    assert read_one(tmp_path, release=None, kind="no_release").gold_releases == ("2.0",)


def test_accepts_all_of_the_first_and_none_of_the_second(tmp_path: Path) -> None:
    question = read_one(tmp_path)
    for answer in ("60 seconds", "It was 30, it is now\n60."):
        assert question.accepts(answer)
    for answer in ("The Timeout Is 30, once 60", "600 seconds"):
        assert not question.accepts(answer)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"question": ""}, "question: String should have at least 1"),
        ({"must_include": ["("]}, "no regular expression"),
        ({"facts": [{"says": "60 seconds", "pattern": "("}]}, "no regular expression"),
        ({"release": None, "sources": []}, "which release"),
        ({"kind": "compare"}, "two releases"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    path = write(tmp_path / "gold.jsonl", row(id="q-0"), row(**changes))

    with pytest.raises(GoldError, match=r"gold\.jsonl, line 2: ") as error:
        read_gold(path)
    assert fault in str(error.value)


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ((row(), "", "{"), "line 3"),
        ((row(), row()), "line 2: the id 'q-1' stands twice"),
        (("",), "nothing in this file"),
        (None, "cannot read"),
    ],
)
def test_a_file_that_is_no_gold_is_refused(
    tmp_path: Path, rows: tuple[Any, ...] | None, fault: str
) -> None:
    path = tmp_path / "gold.jsonl"
    if rows is not None:
        write(path, *rows)
    with pytest.raises(GoldError, match=fault):
        read_gold(path)


def test_a_pattern_that_would_take_forever_is_given_up() -> None:
    endless, answer = "(x+x+)+y", "x" * 2_000
    assert not matches(endless, answer)
    assert gold(must_include=[endless]).accepts(answer) is False
    assert gold(must_include=["x"], must_not_include=[endless]).accepts(answer) is None
    assert not gold(steps=["x", endless]).has_steps(answer)


@pytest.mark.parametrize(
    "pattern",
    [
        "(" * 5_000,
        "(?:" * 300 + ")" * 300,
        "((a{1000}){1000}){1000}",
        "a{99999999999}",
        r"\\{1000}{1000}",
    ],
)
def test_a_pattern_that_cannot_be_compiled_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError, match=r"no regular expression|repeats too much"):
        gold(must_include=[pattern])


def test_a_pattern_of_words_may_be_long_and_hold_braces() -> None:
    words = "x_" * 2_000 + " {1000}{1000}"
    assert gold(must_include=[re.escape(words)]).accepts(words) is True


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    asked = gold(question="Which\u2028of\u2029the\x85two in 2.0?")
    written = f"{asked.model_dump_json()}\r\n{gold(id='b').model_dump_json()}\n"
    (tmp_path / "gold.jsonl").write_text(written, "utf-8", newline="")
    assert read_gold(tmp_path / "gold.jsonl") == (asked, gold(id="b"))

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.gold import GoldError, GoldQuestion, QuestionKind, read_gold


def row(**changes: Any) -> dict[str, Any]:
    return {
        "id": "q-1",
        "product": "router",
        "question": "default timeout in 2.0?",
        "release": "2.0",
        "release_mention": "2.0",
        "gold_answer": "60 seconds.",
        "must_include": [r"\b60\b"],
        "must_not_include": [r"timeout is 30"],
        "sources": [{"release": "2.0", "file": "guide.html", "anchor": "timeout"}],
        "kind": "release_specific_differs",
        "difficulty": "easy",
        **changes,
    }


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = [line if isinstance(line, str) else json.dumps(line) for line in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read_one(tmp_path: Path, **changes: Any) -> GoldQuestion:
    return read_gold(write(tmp_path / "gold.jsonl", row(**changes)))[0]


def test_reads_every_field(tmp_path: Path) -> None:
    history = [["How long in 1.0?", "30 seconds."]]
    question = read_one(tmp_path, kind="follow_up", history=history)

    assert question.kind is QuestionKind.FOLLOW_UP
    assert question.history == (("How long in 1.0?", "30 seconds."),)
    assert question.sources[0].anchor == "timeout"
    assert question.gold_releases == ("2.0",)


def test_the_line_to_ask_does_not_tell_the_release(tmp_path: Path) -> None:
    asked = read_one(tmp_path).asked()

    assert set(asked) == {"id", "product", "question", "history"}


def test_a_question_without_release_means_that_of_its_source(tmp_path: Path) -> None:
    assert read_one(tmp_path, release=None, kind="no_release").gold_releases == ("2.0",)


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("60 seconds", True),
        ("It was 30, it is now\n60.", True),
        ("The Timeout Is 30, once 60", False),
        ("600 seconds", False),
    ],
)
def test_accepts_all_of_the_first_and_none_of_the_second(
    tmp_path: Path, answer: str, accepted: bool
) -> None:
    assert read_one(tmp_path).accepts(answer) is accepted


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"question": ""}, "question: String should have at least 1"),
        ({"kind": "riddle"}, "kind: Input should be"),
        ({"must_include": []}, "must_include: Tuple should have at least 1"),
        ({"must_include": ["("]}, "no regular expression"),
        ({"must_include": "60"}, "valid array"),
        ({"asks": "riddle"}, "asks: Input should be"),
        ({"facts": [{"says": "60 seconds", "pattern": "("}]}, "no regular expression"),
        (
            {"sources": [{"release": "2.0", "file": "guide.pdf", "page": 0}]},
            "sources.0.page: Input should be greater than or equal to 1",
        ),
        ({"release": None, "sources": []}, "which release"),
        ({"kind": "compare"}, "two releases"),
        ({"history": [["only the user"]]}, "history.0.1"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    path = write(tmp_path / "gold.jsonl", row(id="q-0"), row(**changes))

    with pytest.raises(GoldError, match=r"gold\.jsonl, line 2: ") as error:
        read_gold(path)
    assert fault in str(error.value)


def test_broken_json_and_a_repeated_id_are_named(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="line 3"):
        read_gold(write(tmp_path / "broken.jsonl", row(), "", "{"))
    with pytest.raises(GoldError, match="line 2: the id 'q-1' stands twice"):
        read_gold(write(tmp_path / "twice.jsonl", row(), row()))


def test_an_empty_file_is_no_gold(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="cannot read"):
        read_gold(tmp_path / "nope.jsonl")
    with pytest.raises(GoldError, match="nothing in this file"):
        read_gold(write(tmp_path / "empty.jsonl", ""))

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pymupdf
import pytest

import eval
from eval.gold import GoldError, GoldQuestion, QuestionKind, read_gold
from tests.eval.gold_sources import check_sources

QUESTIONS = Path(eval.__file__).parent / "questions"


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


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for release, seconds in (("1.0", 30), ("2.0", 60)):
        folder = tmp_path / "docs" / "router" / release
        folder.mkdir(parents=True)
        (folder / "guide.html").write_text(
            "<html><body><section id='timeout'><span id='old-name'></span><h1>Timeout</h1>"
            f"<p>The timeout is {seconds} seconds. It can be changed. Before, {seconds} was "
            "not allowed.</p></section>"
            "<dl><dt id='router.open'>open(retries=3)</dt><dd>Opens the line.</dd></dl>"
            f"{'<p>Only here: mirror_port.</p>' if release == '2.0' else ''}</body></html>",
            encoding="utf-8",
        )
        with pymupdf.open() as pdf:  # type: ignore[no-untyped-call]
            for number in (1, 2):
                pdf.new_page().insert_text((72, 72), f"Release {release}, sheet {number}")
            pdf.save(folder / "guide.pdf")
    return tmp_path / "docs"


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


def test_a_right_question_has_no_faults(tmp_path: Path, docs: Path) -> None:
    member = [{"release": "2.0", "file": "guide.html", "anchor": "router.open"}]
    sheet = [{"release": "2.0", "file": "guide.pdf", "page": 2}]
    alias = [{"release": "2.0", "file": "guide.html", "anchor": "old-name"}]
    questions = read_gold(
        write(
            tmp_path / "gold.jsonl",
            row(),
            row(id="q-2", sources=member, must_include=["lines?"], gold_answer="The line."),
            row(id="q-3", sources=sheet, must_include=["sheet 2"], gold_answer="Sheet 2."),
            row(
                id="q-4",
                kind="unanswerable",
                release="1.0",
                sources=[],
                absent_in_release=["mirror_port"],
            ),
            row(id="q-5", kind="unanswerable", release="9.0", release_not_in_corpora=True),
            row(id="q-6", sources=alias, must_not_include=["not allowed"]),
        )
    )

    assert check_sources(questions, docs) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"gold_answer": "30 seconds."}, "does not accept its own gold answer"),
        ({"sources": [{"release": "1.0", "file": "guide.html", "anchor": "timeout"}]}, "says"),
        ({"sources": [{"release": "2.0", "file": "guide.html", "anchor": "gone"}]}, "not there"),
        ({"sources": [{"release": "2.0", "file": "gone.html", "anchor": "timeout"}]}, "not there"),
        ({"sources": [{"release": "2.0", "file": "guide.pdf", "page": 3}]}, "not there"),
        ({"must_not_include": ["timeout is 60", "not allowed"]}, "forbidden"),
        ({"kind": "unanswerable", "absent_in_release": ["mirror_port"]}, "stands in release 2.0"),
        ({"facts": [{"says": "at most 90", "pattern": "90"}]}, "does not state 'at most 90'"),
        ({"steps": ["seconds", "60"]}, "steps in order"),
        ({"kind": "unanswerable"}, "nothing shows"),
        ({"kind": "unanswerable", "release": "9.0"}, "release 9.0 is not there"),
        ({"kind": "unanswerable", "release_not_in_corpora": True}, "though it should not be"),
    ],
)
def test_a_wrong_question_is_found(
    tmp_path: Path, docs: Path, changes: dict[str, Any], fault: str
) -> None:
    faults = check_sources([read_one(tmp_path, **changes)], docs)

    assert faults
    assert all(line.startswith("q-1: ") for line in faults)
    assert any(fault in line for line in faults)


def test_the_validation_questions_are_of_all_kinds() -> None:
    questions = read_gold(QUESTIONS / "validation.jsonl")

    assert Counter(question.kind.value for question in questions) == {
        "release_specific_differs": 21,
        "same_in_all": 6,
        "no_release": 3,
        "follow_up": 5,
        "table_lookup": 7,
        "compare": 5,
        "unanswerable": 7,
        "alias": 6,
    }
    assert all(question.accepts(question.gold_answer) for question in questions if question.sources)


def test_the_history_has_one_answer_of_one_release_to_each_question() -> None:
    others = [*read_gold(QUESTIONS / "tuning.jsonl"), *read_gold(QUESTIONS / "validation.jsonl")]
    questions = read_gold(QUESTIONS / "gold_dev_history.jsonl")

    assert len(questions) == len({question.question.casefold() for question in questions}) == 180
    assert not {q.question.casefold() for q in questions} & {q.question.casefold() for q in others}
    for question in questions:
        assert len(question.gold_releases) == 1
        assert question.accepts(question.gold_answer)
        assert all(source.release == question.release for source in question.sources)

"""The benchmark asks Strata at its two addresses like any other system."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.accounts.program_keys import Scope
from eval.benchmark.asking import BenchmarkScores, ask_system, score_system
from eval.foreign import open_address, read_address
from eval.gold import GoldError
from tests.eval.made_gold import gold
from tests.ui.api.conftest import MakeKey

ABOUT: dict[str, Any] = {"product": "valve", "sources": [], "must_not_include": ["45 s"]}
OLD = gold(
    id="valve-1", question="What is the default of hold_time in 1.0?", release="1.0",
    gold_answer="20 s", must_include=["20 s"], **ABOUT,
)  # fmt: skip
FOLLOW_UP = gold(
    id="valve-2", question="What is the default of hold_time there?", release="1.0",
    kind="follow_up", history=[("Which notes are there on 1.0?", "It closes more quietly.")],
    gold_answer="20 s", must_include=["20 s"], **ABOUT,
)  # fmt: skip
UNKNOWN = gold(
    id="valve-3", question="Which color has the gasket?", release=None, kind="unanswerable",
    gold_answer="-", **ABOUT,
)  # fmt: skip
ASKED = [OLD, FOLLOW_UP, UNKNOWN]


def right(scores: BenchmarkScores) -> str:
    wrong = [score.id for score in scores.summary.scores if not score.correct]
    return f"{scores.figures['correct']} {' '.join(wrong)}".strip()


def test_strata_is_asked_in_openai_s_words(address: str, make_key: MakeKey, tmp_path: Path) -> None:
    output = tmp_path / "replies.jsonl"
    system = open_address(read_address(f"{address}/v1#strata/{{product}}"), make_key(Scope.ASK))
    ask_system(system, ASKED, output, lambda progress: None, at_once=2)
    assert right(score_system(ASKED, output)) == "3/3"
    first = json.loads(output.read_text("utf-8").splitlines()[0])
    assert (first["release"], first["release_status"]) == ("1.0", "stated")
    assert first["citations"][0]["file"] == "reference.html"


def test_strata_is_asked_as_a_tool(address: str, make_key: MakeKey, tmp_path: Path) -> None:
    output, key = tmp_path / "replies.jsonl", make_key(Scope.ASK)
    system = open_address(read_address(f"mcp+{address}/mcp"), key)
    ask_system(system, ASKED, output, lambda progress: None, at_once=2)
    scores = score_system(ASKED, output)
    assert right(scores) == "2/3 valve-2"
    assert "a tool has no conversation" in (scores.summary.scores[1].error or "")
    first = json.loads(output.read_text("utf-8").splitlines()[0])
    assert (first["release"], first["citations"][0]["release"]) == ("1.0", "1.0")


def test_an_mcp_server_that_cannot_be_asked_says_why(address: str) -> None:
    for url, tool, why in (
        (f"{address}/mcp", "answer", "no tool answer; it has releases, ask"),
        (f"{address}/mcp", "releases", "takes no question"),
        (f"{address}/other", "ask", "cannot be used"),
        ("http://127.0.0.1:9/mcp", "ask", "cannot be used"),
    ):
        with pytest.raises(GoldError, match=why):
            open_address(read_address(f"mcp+{url}#{tool}"))

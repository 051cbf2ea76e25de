"""Which questions ask the same: those in the same words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatbot.assembly import open_embedder
from chatbot.memory.questions import (
    QuestionReader,
    evident_difference,
    normalized,
)
from chatbot.settings import Settings
from eval.gold import GoldError, read_lines
from eval.memory_pairs import QuestionPair


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How long is the log kept?", "how long  is the log kept"),
        ("What is the limit ?", "what is the limit"),
        ("What is the limit in the valve?", "what is the limit?"),
    ],
)
def test_the_same_words_ask_the_same(one: str, other: str) -> None:
    assert normalized(one, "valve") == normalized(other, "valve")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I enable the log?", "How do I disable the log?"),
        ("What is the log?", "How is the log?"),
        ("What does head mean?", "What does heads mean?"),
        ("What does << mean?", "What does >> mean?"),
        ("Does the valve open before the pump?", "Does the pump open before the valve?"),
        ("Why is the valve open?", "Why is the valve not open?"),
        ("What does Comm.send do?", "What does Comm.Send do?"),
        ("what happens on Send", "what happens on send"),
        ("Can I set 2 valves?", "Can I set 3 valves?"),
        ("Can I set the valve?", "Must I set the valve?"),
        ("Where is the log kept?", "When is the log kept?"),
        ("Is there a limit?", "Is there a limit for admins?"),
        ("Move it from left to right", "Move it to left from right"),
        ("What does valve -n do?", "What does valve -N do?"),
        ("valve --when-full i", "valve --when-full a"),
        ("--when-full i", "--when-full a"),
        ("What does * match?", "What does ** match?"),
        ("What does ? match?", "What does * match?"),
    ],
)
def test_other_words_are_another_question(one: str, other: str) -> None:
    assert normalized(one, "") != normalized(other, "")


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("Which port does the pump use?", "what port is used by the pump", ""),
        ("How long is the log kept?", "log retention time", ""),
        ("How do I open 2 valves?", "how to open two valves", ""),
        ("How do I open 2 valves?", "How do I open 3 valves?", "“2”"),
        ("Which port does SSH use?", "Which port does NETCONF use?", "“ssh”"),
        ("What does the flag -i do?", "What does the flag -I do?", "“-i”"),
        ("What does `valve.reread` do?", "What does `valve.reload` do?", "“valve.reread”"),
        ("How bad is it? We saw no pump.", "How bad is it? Tell us, no pump was there.", ""),
        ("What opens if the pump runs?", "What opens if the pump doesn't run?", "says no"),
        ("What can I open?", "What cannot I open?", "says no"),
        ("What is the pump?", "What is the default of the pump?", "definition and value"),
        ("Why are the jobs run twice?", "How do I run the jobs twice?", "explanation and steps"),
    ],
)
def test_a_figure_a_name_or_the_kind_of_answer_tells_two_questions_apart(
    one: str, other: str, said: str
) -> None:
    found = evident_difference(one, other, "")
    assert found.endswith(said)
    assert bool(found) == bool(said)


def test_a_question_is_its_words_and_the_vector_of_its_sentence() -> None:
    embedder = open_embedder(Settings())
    reader = QuestionReader(embedder)
    one, other = reader.read_all(["How long are logs kept?", "How long is the log kept?"], "")
    assert one.asks == normalized("how long are logs kept", "") != other.asks
    assert float(one.vector @ other.vector) > 0.9
    assert one.embedding.startswith(embedder.name)
    assert reader.read_all([], "") == []


def test_a_file_of_pairs_is_read_and_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    pair = {"a": "x", "b": "y", "same": True, "kind": "k", "product": "p", "release": "1"}
    file.write_text(json.dumps(pair) + "\n", encoding="utf-8")
    assert read_lines(file, QuestionPair)[0].same
    file.write_text(json.dumps(pair) + "\n{}\n", encoding="utf-8")
    with pytest.raises(GoldError, match="line 2"):
        read_lines(file, QuestionPair)

"""A parser that a file has taken over: it runs what its file says, in the real child process."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingestion.page import Document, Rejected
from ingestion.sandbox import Sandbox
from tests.ui.attacks.attack import Attack

LOADER = """
    import os, sys

    def load(data, file):
        def answer(payload, length=None):
            header = (len(payload) if length is None else length).to_bytes(4, "big")
            os.write(int(sys.argv[1]), header + payload)

        exec(data, {"answer": answer})
"""
GOOD = {"file": "a.md", "title": "A", "kind": "guide", "content_hash": "0", "pages": []}
PAGE = {"number": 1, "blocks": [{"kind": "paragraph", "text": "x"}]}


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "taken_over.py").write_text(textwrap.dedent(LOADER))
    monkeypatch.syspath_prepend(tmp_path / "code")
    with closing(Sandbox("taken_over:load", seconds=10, memory=1 << 30)) as opened:
        yield opened


DATA = "an answer is JSON, held against what a document is, of the file that was asked for"


def _pickled(place: str) -> bytes:
    """Call `eval` by the way of a dotted name, as a class of ingestion.page seems to be."""
    code = f"__import__('pathlib').Path({place!r}).write_text('')"
    words = ("ingestion.page", "dataclass.__builtins__.get", "eval", code)
    module, name, called, argument = (b"\x8c" + bytes([len(w)]) + w.encode() for w in words)
    return b"\x80\x04" + module + name + b"\x93" + called + b"\x85R" + argument + b"\x85R."


PICKLE = Attack("answer-pickle", "parser", "answer", _pickled, "code runs in the worker", DATA)


def test_an_answer_that_is_a_pickle_runs_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    answer = sandbox.parse(b"answer(%r)" % PICKLE.payload(str(mark)), "a.md")
    assert isinstance(answer, Rejected)
    assert not mark.exists()


ANSWERS = [
    Attack(f"answer-{id}", "parser", "answer", payload, "the worker takes it, fails or waits", DATA)
    for id, payload in {
        "no-json": b"\x80\x04N.",
        "nothing": b"",
        "a-list": b"[1, 2]",
        "nested": b"[" * 100_000,
        "another-file": json.dumps(GOOD | {"file": "b.md"}).encode(),
        "half-a-document": json.dumps({"file": "a.md", "title": "A"}).encode(),
        "unknown-kind": json.dumps(GOOD | {"kind": "system"}).encode(),
        "blocks-that-are-none": json.dumps(GOOD | {"pages": [{"number": 1, "blocks": 5}]}).encode(),
        "text-that-is-none": json.dumps(
            GOOD | {"pages": [PAGE | {"blocks": [{"kind": "paragraph", "text": {"a": 1}}]}]}
        ).encode(),
        "half-a-character": json.dumps(GOOD | {"title": "\ud800"}).encode(),
    }.items()
]  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS, ids=str)
def test_an_answer_that_is_no_document_is_not_taken(sandbox: Sandbox, case: Attack) -> None:
    answer = sandbox.parse(b"answer(%r)" % case.payload, "a.md")
    assert isinstance(answer, Rejected)
    assert "crashed" in answer.reason


def test_an_answer_that_is_larger_than_any_document_is_not_received(sandbox: Sandbox) -> None:
    assert isinstance(sandbox.parse(b"answer(b'', (1 << 31) - 1)", "a.md"), Rejected)


def test_what_the_table_spoils_is_a_document_as_it_stands(sandbox: Sandbox) -> None:
    good: dict[str, Any] = GOOD | {"pages": [PAGE]}
    answer = sandbox.parse(b"answer(%r)" % json.dumps(good).encode(), "a.md")
    assert isinstance(answer, Document)
    assert answer.pages[0].text == "x"


CASES = [PICKLE, *ANSWERS]

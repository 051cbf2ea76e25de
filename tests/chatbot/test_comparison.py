"""Comparisons on the sample product: what is computed needs no model and is quoted right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.indexing.embedding import MiniLM
from tests.chatbot.words_embedder import WordsEmbedder

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "comparison_cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chatbot]:
    """The sample product in three releases, without its slow PDF; there is no model to ask."""
    folder = tmp_path_factory.mktemp("sample")
    command = [sys.executable, str(EXAMPLES / "build.py"), "--output", str(folder / "files")]
    subprocess.run(command, check=True, capture_output=True)
    settings = Settings(data_dir=folder / "data", generator="none")
    embedder = WordsEmbedder()
    chatbot = replace(open_chatbot(settings), embedder=cast("MiniLM", embedder))
    for release in ("17.10", "17.20", "18.00"):
        source = folder / "files" / "tessaline" / release
        (source / "installation-guide.pdf").unlink()
        Builder(chatbot.database, settings.data_dir, embedder).ingest(
            [source], product="tessaline", release=release
        )
    yield chatbot
    chatbot.database.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:70])
def test_a_comparison_says_what_the_pages_show(sample: Chatbot, case: dict[str, Any]) -> None:
    reply = sample.ask(case["question"], product="tessaline")
    content = reply.content
    assert (content.route, content.release_status) == ("compare", "compared")
    for pattern in case["says"]:
        assert re.search(pattern, content.answer), content.answer
    for pattern in case.get("never", ()):
        assert not re.search(pattern, content.answer), content.answer
    if "sides" in case:
        assert [side.status for side in content.sides] == case["sides"]
    assert content.abstained == (not content.citations)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:70])
def test_each_side_is_quoted_from_its_own_release(sample: Chatbot, case: dict[str, Any]) -> None:
    reply = sample.ask(case["question"], product="tessaline")
    answer = reply.content.answer
    citations = reply.content.citations
    marks = {int(mark) for mark in re.findall(r"\[(\d+)\](?!\()", answer)}
    assert marks == set(range(1, len(citations) + 1))
    for citation in citations:
        corpus = sample.corpora.corpus("tessaline", citation.release)
        assert citation.quote in corpus.page(citation.page_id).text
    numbers = [n for side in reply.content.sides for n in side.citations]
    assert sorted(numbers) == list(range(1, len(citations) + 1))
    for side in reply.content.sides:
        assert all(citations[n - 1].release == side.release for n in side.citations)
        assert side.status != "documented" or side.citations

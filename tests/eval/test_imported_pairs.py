from __future__ import annotations

from pathlib import Path

import pytest

import eval
from eval.gold import read_gold, read_lines
from eval.imported_pairs import ImportedPair, faults

FOLDER = Path(eval.__file__).parent / "questions" / "imported"
PAGE = (
    "# Queues\n\n| Parameter | Default |\n|---|---|\n| `hold` | 45 s |\n\nA full queue drops all.\n"
)
PAIR = ImportedPair(
    id="a",
    product="relay",
    release="17.20",
    question="How long is a message held?",
    answer="For 45 s.",
    file="queues.md",
    quote="A full queue **drops** all.",
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "relay" / "17.20"
    folder.mkdir(parents=True)
    (folder / "queues.md").write_text(PAGE)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"answer": "For 90 s.", "question": "Is a message held for 90 s?"}, []),
        ({"answer": "For 90 s."}, ["90 of the answer does not stand in queues.md"]),
        ({"quote": "A full queue keeps all."}, ["does not say “A full queue keeps all.”"]),
        ({"quote": "full queue"}, ["does not say “full queue”"]),
        ({"release": "18.00"}, ["there is no "]),
    ],
)
def test_what_no_page_says_is_a_fault(docs: Path, changed: dict[str, str], told: list[str]) -> None:
    found = faults(PAIR.model_copy(update=changed), docs)
    assert len(found) == len(told)
    assert all(part in fault for part, fault in zip(told, found, strict=True))


@pytest.mark.parametrize("product", ["fastify", "pytest"])
def test_an_imported_history_covers_three_releases(product: str) -> None:
    pairs = read_lines(FOLDER / f"{product}.jsonl", ImportedPair, unique="id")
    assert len(pairs) >= 200
    assert len({pair.release for pair in pairs}) == 3
    assert {pair.product for pair in pairs} == {product}
    assert len({(pair.release, pair.question.casefold()) for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("product", ["fastify", "pytest", "tessaline"])
def test_what_is_asked_beside_it_can_be_read(product: str) -> None:
    questions = read_gold(FOLDER / f"{product}_asked.jsonl")
    assert len(questions) == 20
    assert all(question.sources or question.kind == "unanswerable" for question in questions)

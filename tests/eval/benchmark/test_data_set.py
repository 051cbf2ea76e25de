"""The data set is whole: its documentation, questions and datasheet agree."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from eval.benchmark import load
from eval.benchmark.documents import FOLDER, places, read_documents
from eval.benchmark.loading import QUESTIONS
from eval.gold import GoldError

BENCHMARK = load()
_, HEAD, SHEET = (FOLDER / "README.md").read_text("utf-8").split("---\n", 2)


def test_every_product_has_questions_and_every_file_a_product() -> None:
    files = {path.name for path in QUESTIONS.iterdir()}
    of_products = {f"{name}.jsonl" for name in BENCHMARK.products}
    phrasings = {f"{name}.releases.jsonl" for name in {p.product for p in BENCHMARK.phrasings}}
    assert files == of_products | phrasings


def test_ids_are_unique_and_begin_with_their_product() -> None:
    asked = [*BENCHMARK.questions, *BENCHMARK.phrasings]
    assert [id for id, times in Counter(q.id for q in asked).items() if times > 1] == []
    assert [q.id for q in asked if not q.id.startswith(f"{q.product}-")] == []


def test_releases_and_source_files_are_among_what_is_fetched() -> None:
    unknown = [
        (question.id, source.release, source.file)
        for question in BENCHMARK.questions
        for source in question.sources
        if source.release not in (product := BENCHMARK.products[question.product]).releases
        or not product.keeps(source.file)
    ]
    assert unknown == []
    for asked in [*BENCHMARK.questions, *BENCHMARK.phrasings]:
        assert set(asked.releases) <= set(BENCHMARK.products[asked.product].releases), asked.id


def test_gold_answers_are_right_by_their_own_patterns() -> None:
    answerable = [question for question in BENCHMARK.questions if question.answerable]
    assert [q.id for q in answerable if not q.accepts(q.gold_answer)] == []


def test_a_source_in_a_pdf_names_its_page() -> None:
    sources = [(q.id, source) for q in BENCHMARK.questions for source in q.sources]
    unpaged = [(id, s.file) for id, s in sources if (s.page is None) is s.file.endswith(".pdf")]
    assert unpaged == []
    assert {id.rpartition("-")[0] for id, source in sources if source.page} == {"biopython"}


def test_an_archive_stands_in_the_list_once() -> None:
    archives = [a for p in BENCHMARK.products.values() for a in p.releases.values()]
    assert len({a.file for a in archives}) == len({a.sha256 for a in archives}) == len(archives)


@pytest.mark.parametrize(("config", "pattern"), [("questions", ""), ("releases", ".releases")])
def test_every_line_has_the_fields_that_the_datasheet_tells(config: str, pattern: str) -> None:
    """Libraries for data sets read the files as one table by the head of the datasheet."""
    told = yaml.safe_load(HEAD)
    (config_of,) = (
        c["data_files"][0]["path"] for c in told["configs"] if c["config_name"] == config
    )
    listed = [config_of] if isinstance(config_of, str) else config_of
    files = {path for wanted in listed for path in FOLDER.glob(wanted)}
    assert files == {p for p in QUESTIONS.iterdir() if p.name.count(".") == 1 + bool(pattern)}
    lines = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
    assert len({tuple(line) for line in lines}) == 1
    for described in told["dataset_info"]:
        if described["config_name"] == config:
            assert [field["name"] for field in described["features"]] == list(lines[0])


def test_the_datasheet_has_the_numbers() -> None:
    assert f"Version {BENCHMARK.version}," in SHEET
    assert f"{len(BENCHMARK.questions)} questions with checked answers" in SHEET
    assert f"{len(BENCHMARK.phrasings)} phrasings of releases" in SHEET
    for name, product in BENCHMARK.products.items():
        asked = sum(q.product == name for q in BENCHMARK.questions)
        phrased = sum(q.product == name for q in BENCHMARK.phrasings)
        assert f"| {name} | {', '.join(product.releases)} | {asked} | {phrased} |" in SHEET


def test_some_products_can_be_read_alone() -> None:
    tox = load("tox", "huey")
    assert {q.product for q in tox.questions} == {"tox", "huey"}
    assert {q.product for q in tox.phrasings} == {"tox"}
    assert [release for _, release, _ in places(Path(), {"tox": tox.products["tox"]})] == [
        "2.3.1", "2.9.1", "3.14.0", "3.28.0",
    ]  # fmt: skip
    with pytest.raises(GoldError, match="no product 'lamp'; it has alembic"):
        load("lamp")


def test_a_list_of_documents_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="cannot read"):
        read_documents(tmp_path / "none.json")
    (tmp_path / "some.json").write_text('{"version": "1", "products": {"lamp": {}}}')
    with pytest.raises(GoldError, match="package"):
        read_documents(tmp_path / "some.json")

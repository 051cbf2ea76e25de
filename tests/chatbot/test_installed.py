"""The release that somebody has: by the files of a project, and by what was pasted."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from chatbot.releases.installed import installed, of_project, pasted
from chatbot.releases.project_files import files_of, versions_stated
from chatbot.turn import Turn
from chatbot.understanding.reading_by_rules import answer_inventory
from corpora.catalog.release import Product, Release
from tests.chatbot.release_catalogs import MPI4PY, SQLALCHEMY, TESSALINE
from tests.chatbot.test_inventory import no_corpus

PRODUCTS = (MPI4PY, SQLALCHEMY, TESSALINE)
SAMPLES = tomllib.loads(Path(__file__).with_name("project_samples.toml").read_text("utf-8"))
CATALOG = tuple(
    Product(name, aliases, tuple(Release(name, release) for release in releases.split()))
    for name, aliases, releases in (
        ("Django", (), "4.2 5.0 5.1 5.2"),
        ("React", (), "17 18 19"),
        ("PostgreSQL", ("postgres",), "14 15 16 17"),
        ("Keycloak", (), "24.0 25.0 26.0"),
        ("Apache Kafka", ("kafka",), "3.7 3.8 3.9"),
        ("Apache Airflow", ("airflow",), "2.9 2.10"),
    )
)
"""What the samples are asked about."""
UV = '[[package]]\nname = "{}"\nversion = "{}"\n'
LINES = Path(__file__).with_name("project_files.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ", ".join(row["files"]))
def test_the_release_that_the_files_of_a_project_state(row: dict[str, Any]) -> None:
    stated = [one for name, text in row["files"].items() for one in versions_stated(name, text)]
    (found,) = installed(stated, PRODUCTS)
    assert (found.product, found.release) == (row["product"], row["release"])
    assert row["reason"] in found.reason


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_release_in_files_as_tools_write_them(sample: dict[str, Any], tmp_path: Path) -> None:
    for name, text in sample["files"].items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    stated = [one for file in files_of(tmp_path) for one in versions_stated(*file)]
    found = of_project(stated, CATALOG, "How do I set it up?", sample["product"])
    assert (found.release if found else None) == sample.get("release")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uv.lock", "[[package"),
        ("uv.lock", "[[package]]\nversion = 1"),
        ("package-lock.json", "[" * 100_000),
        ("values.yaml", "[" * 100_000),
        ("values.yaml", "- " * 100_000),
        ("package-lock.json", '{"packages": []}'),
        ("package.json", '"tessaline"'),
        ("Chart.yaml", "!!python/object/apply:os.system ['id']"),
        ("values.yaml", "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a]\n" for i in range(60))),
        ("values.yaml", "a: &a\n  image: *a\n"),
        ("requirements.txt", "tessaline @ file:///etc/passwd\n-r other.txt\n"),
        ("notes.txt", "tessaline==17.10"),
    ],
)
def test_a_malformed_or_hostile_file_states_nothing(name: str, text: str) -> None:
    stated = versions_stated(name, text)
    assert not [one for one in installed(stated, PRODUCTS) if one.release]


def test_a_folder_is_read_without_other_peoples_code_and_links(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for place in ("deploy", "node_modules/tessaline", ".git", "a/b/c/d/e"):
        (project / place).mkdir(parents=True)
        (project / place / "Dockerfile").write_text("FROM tessaline:17.10")
    (tmp_path / "secret.yaml").write_text("image: tessaline:18.00")
    (project / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (project / "out").symlink_to(tmp_path)
    assert dict(files_of(project)) == {"deploy/Dockerfile": "FROM tessaline:17.10"}


@pytest.mark.parametrize(
    ("question", "product", "expected"),
    [
        ("Which port does it use?", None, None),
        ("Which port does tessaline use?", None, "17.10"),
        ("Which port does it use?", "tessaline", "17.10"),
        ("Which port does it use?", "mpi4py", "3.1.6"),
        ("How do I connect with SQLAlchemy?", None, None),
    ],
)
def test_a_project_with_several_products_counts_for_the_one_asked_about(
    question: str, product: str | None, expected: str | None
) -> None:
    stated = versions_stated("requirements.txt", "tessaline==17.10\nmpi4py==3.1.6")
    found = of_project(stated, PRODUCTS, question, product)
    assert (found.release if found else None) == expected


@pytest.mark.parametrize(
    ("text", "question", "release"),
    [
        (
            f"What is hold-off?\n```\n{UV.format('tessaline', '17.10')}```",
            "What is hold-off?",
            "17.10",
        ),
        ("urllib3==18.00\ntessaline==17.10\nWhat is hold-off?", "What is hold-off?", "17.10"),
        ('{"name": "x", "dependencies": {"tessaline": "17.20"}}\nWhy?', "Why?", "17.20"),
        ("What is hold-off in tessaline 17.10?", None, None),
        ("Does it work with\nrequests==2.1?", None, None),
        ("tessaline==17.10", None, None),
    ],
)
def test_a_pasted_file_is_told_from_the_question(
    text: str, question: str | None, release: str | None
) -> None:
    found = pasted(text, lambda: PRODUCTS)
    assert (found and found[0]) == question
    assert (found and found[1].release) == release


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Which release am I on? Tessaline OS, Version 17.20.3, RELEASE",
            "You are on tessaline 17.20",
        ),
        ("What version is this: image: r.local/tessaline:17.10", "You are on tessaline 17.10"),
        ("Which version are we running? mpi4py 3.1.6 (OpenMPI 4.1)", "You are on mpi4py 3.1.6"),
        ("Which release do I have? tessaline 17.30", '"17.30" is not documented here'),
        ("Which release am I on?", "I cannot see which release you have"),
        ("Which releases of mpi4py do you have?", "releases of mpi4py"),
    ],
)
def test_which_release_somebody_has(question: str, answer: str) -> None:
    turn = answer_inventory(lambda: PRODUCTS, no_corpus)(Turn(question))
    assert turn.answer is not None
    assert answer in turn.answer.text


@pytest.mark.parametrize(
    "question", ["Which version of TLS does it support?", "Which release do I need for OTN?"]
)
def test_other_questions_about_versions_are_left_alone(question: str) -> None:
    assert answer_inventory(lambda: PRODUCTS, no_corpus)(Turn(question)).answer is None

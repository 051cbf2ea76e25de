"""The release that somebody has: by the files of a project, and by what was pasted."""

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
LOCK = '{{"lockfileVersion": 3, "packages": {{"": {{"name": "app", "version": "9"}}, {}}}}}'

FILES: list[tuple[dict[str, str], str, str | None, str]] = [
    (
        {"requirements.txt": "tessaline==17.10", "Dockerfile": "FROM tessaline:17.20"},
        "tessaline",
        None,
        "17.10 (requirements.txt) and 17.20 (Dockerfile)",
    ),
    (
        {"uv.lock": "[[package", "Dockerfile": "FROM tessaline:17.20"},
        "tessaline",
        "17.20",
        "; uv.lock cannot be parsed",
    ),
    ({"uv.lock": UV.format("tessaline", "17.20.3")}, "tessaline", "17.20", "has tessaline 17.20.3"),
    ({"poetry.lock": UV.format("SQLAlchemy", "2.0.36")}, "sqlalchemy", None, "2.0.36"),
    ({"pylock.toml": '[[packages]]\nname = "mpi4py"\nversion = "3.1.6"'}, "mpi4py", "3.1.6", ""),
    ({"Pipfile.lock": '{"default": {"mpi4py": {"version": "==3.1.6"}}}'}, "mpi4py", "3.1.6", ""),
    ({"requirements.txt": "# our\nmpi4py==3.1.6 ; python_version > '3'\n"}, "mpi4py", "3.1.6", ""),
    ({"Cargo.lock": UV.format("tessaline", "17.10.0")}, "tessaline", "17.10", ""),
    (
        {
            "package-lock.json": LOCK.format(
                '"node_modules/@acme/tessaline": {"version": "17.10.0"}, "node_modules/x": {}'
            )
        },
        "tessaline",
        "17.10",
        "",
    ),
    (
        {"pnpm-lock.yaml": "packages:\n  '@acme/tessaline@17.20.1(react@18.0.0)': {}\n"},
        "tessaline",
        "17.20",
        "17.20.1",
    ),
    (
        {"yarn.lock": '"@acme/tessaline@^17.1":\n  version "17.10.0"\n\nx@1:\n  version "18.00"\n'},
        "tessaline",
        "17.10",
        "",
    ),
    ({"go.mod": "require (\n\texample.com/acme/tessaline v17.20.0\n)"}, "tessaline", "17.20", ""),
    ({"Gemfile.lock": "GEM\n  specs:\n    tessaline (17.20.4)\n"}, "tessaline", "17.20", ""),
    (
        {"composer.lock": '{"packages": [{"name": "acme/tessaline", "version": "v17.20"}]}'},
        "tessaline",
        "17.20",
        "",
    ),
    (
        {"chart/Chart.yaml": "name: tessaline\nversion: 0.4.1\nappVersion: 17.20\n"},
        "tessaline",
        "17.20",
        "chart/Chart.yaml",
    ),
    (
        {"Chart.lock": "dependencies:\n- name: tessaline\n  version: 18.00\n"},
        "tessaline",
        None,
        "Chart.lock allows tessaline by its chart 18.00",
    ),
    ({"Dockerfile": "FROM r.local:5000/acme/tessaline:17.10-alpine\n"}, "tessaline", "17.10", ""),
    (
        {"d/values.yaml": "image: {repository: acme/tessaline, tag: 17.20}"},
        "tessaline",
        "17.20",
        "",
    ),
    ({"k8s.yml": "a: 1\n---\nspec:\n- image: tessaline:17.20 # x\n"}, "tessaline", "17.20", ""),
    ({"t.yaml": "{{ if x }}\nimage: tessaline:17.20\n"}, "tessaline", "17.20", ""),
    (
        {"pyproject.toml": '[project]\nname = "tessaline"\nversion = "17.10"'},
        "tessaline",
        "17.10",
        "",
    ),
    # What was installed goes before what was asked for.
    (
        {
            "pyproject.toml": '[project]\ndependencies = ["tessaline>=17"]',
            "uv.lock": UV.format("tessaline", "17.10"),
        },
        "tessaline",
        "17.10",
        "uv.lock",
    ),
    # What is open is open, and what is not documented is not: never the nearest one.
    (
        {"package.json": '{"dependencies": {"tessaline": "^17.10"}}'},
        "tessaline",
        None,
        "no lock file",
    ),
    (
        {"pyproject.toml": '[project]\ndependencies = ["tessaline>=17,<18"]'},
        "tessaline",
        None,
        "<18",
    ),
    ({"uv.lock": UV.format("tessaline", "17.30")}, "tessaline", None, "17.30"),
    ({"uv.lock": UV.format("tessaline", "18.00rc1")}, "tessaline", None, "18.00rc1"),
    (
        {"a.yaml": "image: tessaline:17.10", "b.yaml": "image: tessaline:18.00"},
        "tessaline",
        None,
        "several versions are stated: 17.10 (a.yaml) and 18.00 (b.yaml)",
    ),
]


@pytest.mark.parametrize(("files", "product", "release", "reason"), FILES)
def test_the_release_that_the_files_of_a_project_state(
    files: dict[str, str], product: str, release: str | None, reason: str
) -> None:
    stated = [one for name, text in files.items() for one in versions_stated(name, text)]
    (found,) = installed(stated, PRODUCTS)
    assert (found.product, found.release) == (product, release)
    assert reason in found.reason


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

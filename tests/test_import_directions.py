"""Design laws 1 and 6: imports point back upstream only, and no step imports another."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

UPSTREAM = {
    "ingestion": set(),
    "prompts": set(),
    "corpora": {"ingestion"},
    "chatbot": {"corpora", "ingestion", "prompts"},
    "eval": {"chatbot", "corpora", "ingestion", "prompts"},
    "ui": {"chatbot", "corpora", "ingestion", "eval"},
}
INSIDE = {
    "corpora": (
        "errors database catalog generations indexing parameters jobs packs building sources "
        "documents"
    ),
    "chatbot": (
        "errors text releases turn reply runtime models settings accounts "
        "retrieval understanding comparison memory graph answering upgrading chain "
        "conversations chatbot assembly review administration release_check tuning batch"
    ),
    "ui": (
        "wording api serving cli elements account sources answers review documents syncing "
        "glossary upgrading checks releases evaluation chat app"
    ),
}
"""In each package its parts, in order: each may use what stands before it, and any `settings`."""
CONFINED = {
    "chromadb": ("corpora/indexing/vectors.py",),
    # That measures the page by its messages, and draws nothing.
    "streamlit": ("ui/", "eval/speed/chat_page.py"),
    "torch": ("chatbot/models/network.py",),
}
STEPS = {"RuleStep", "ModelStep", "Step"}
"""What several steps need lies in a module that holds none; they meet in the profiles (law 6)."""
READS_THE_ENVIRONMENT = "chatbot/settings.py"
ENVIRONMENT = {"environ", "environb", "getenv"}


def violations(root: Path) -> list[str]:
    """Every import and every look at the environment below `root` that the design forbids."""
    found = []
    for package in UPSTREAM:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            tree = ast.parse(path.read_bytes(), name)
            imported = sorted(_imported(tree))
            found += [
                f"{name} imports {module}" for module in imported if not _may(package, name, module)
            ]
            found += _backwards(name, tree)
            if name != READS_THE_ENVIRONMENT and _reads_environment(tree):
                found.append(f"{name} reads the environment")
    return found


def cycles(root: Path) -> list[str]:
    """The first cycle among the modules below `root`, if there is one."""
    try:
        TopologicalSorter(_graph(root)).prepare()
    except CycleError as error:
        return [" imports ".join(reversed(error.args[1]))]
    return []


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """The modules that are imported by those whose name begins with `start`, and by these."""
    found: set[str] = set()
    new = {module for module in graph if module.startswith(start)}
    while new:
        found |= new
        new = {imported for module in new for imported in graph[module]} - found
    return found


def steps(root: Path) -> set[str]:
    """The modules of the chatbot with a public factory that returns a step of the chain."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in (root / "chatbot").rglob("*.py")
        if any(_makes_a_step(node) for node in ast.parse(path.read_bytes()).body)
    }


def _makes_a_step(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.returns is None:
        return False
    returned = {name.id for name in ast.walk(node.returns) if isinstance(name, ast.Name)}
    return not STEPS.isdisjoint(returned)


def steps_met(root: Path) -> list[str]:
    """Every step that another one imports, be it by way of others."""
    known, graph = steps(root), _graph(root)
    return [
        f"{step} imports {other}"
        for step in sorted(known)
        for other in sorted(known & reached(graph, step) - {step})
    ]


@cache
def _graph(root: Path) -> dict[str, set[str]]:
    """Each module below `root` with the ones of ours that it imports anywhere in its text."""
    files = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for package in UPSTREAM
        for path in (root / package).rglob("*.py")
    }
    return {
        module: {name for name in _modules(ast.parse(path.read_bytes())) if name in files}
        - {module}
        for module, path in files.items()
    }


def _modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _backwards(name: str, tree: ast.AST) -> list[str]:
    """What a file imports of a later part of its own package."""
    path = Path(name).with_suffix("")
    package, part = path.parts[:2]
    order = INSIDE.get(package, "").split()
    if part == "__init__" or path.name == "settings" or not order:
        return []
    if part not in order:
        return [f"{name} is in no part of {package} that has a place in the order"]
    used = {
        module.split(".")[1]
        for module in _modules(tree)
        if module.startswith(f"{package}.") and module.split(".")[1] in order
        if ".settings" not in module
    }
    return [
        f"{name} imports {package}.{other}"
        for other in sorted(used)
        if order.index(other) > order.index(part)
    ]


def _may(package: str, name: str, module: str) -> bool:
    if module in UPSTREAM:
        return module == package or module in UPSTREAM[package]
    return name.startswith(CONFINED.get(module, ""))


def _imported(tree: ast.AST) -> set[str]:
    """The top-level packages that are imported anywhere, also inside functions."""
    return {module.partition(".")[0] for module in _modules(tree)}


def _reads_environment(tree: ast.AST) -> bool:
    """Handing the whole environment to a child process, `{**os.environ}`, is not reading it."""
    handed_on = {
        id(value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if key is None
    }
    return any(
        (isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT and id(node) not in handed_on)
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and any(alias.name in ENVIRONMENT for alias in node.names)
        )
        for node in ast.walk(tree)
    )


def test_imports_point_upstream_only() -> None:
    assert violations(ROOT) == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert cycles(ROOT) == []


def test_a_cycle_is_found(tmp_path: Path) -> None:
    _write(tmp_path, "corpora/catalog/one.py", "from corpora.catalog import two")
    _write(tmp_path, "corpora/catalog/two.py", "def f():\n    from corpora.catalog.one import x")
    assert cycles(tmp_path) == [
        "corpora.catalog.two imports corpora.catalog.one imports corpora.catalog.two"
    ]


def test_steps_meet_in_the_profiles_alone() -> None:
    assert steps_met(ROOT) == []


def test_a_step_that_imports_another_is_found(tmp_path: Path) -> None:
    step = "from chatbot.turn import RuleStep\n\n\ndef {name}() -> RuleStep | None: ...\n"
    _write(tmp_path, "chatbot/understanding/one.py", step.format(name="one"))
    _write(
        tmp_path, "chatbot/understanding/ground.py", "from chatbot.understanding.one import one\n"
    )
    more = "from chatbot.understanding.ground import one\n"
    _write(tmp_path, "chatbot/answering/two.py", more + step.format(name="two"))
    _write(tmp_path, "chatbot/chain/profiles.py", more + step.format(name="_hidden"))
    assert steps_met(tmp_path) == ["chatbot.answering.two imports chatbot.understanding.one"]


def test_whatever_publishes_opens_the_database_with_the_memory() -> None:
    """So that no answer outlives its pages; a copy of a database publishes nothing."""
    there = (
        path for package in ("chatbot", "eval", "ui") for path in (ROOT / package).rglob("*.py")
    )
    opening = {
        path.relative_to(ROOT).as_posix()
        for path in there
        if "corpora.database.engine.open_database" in _modules(ast.parse(path.read_bytes()))
    }
    assert opening == {"ui/cli/upkeep.py"}


def test_the_corpora_know_nothing_of_the_memory() -> None:
    graph = _graph(ROOT)
    knowing = {module for module in graph if "corpora.database.memory_tables" in graph[module]}
    inside = {module for module in knowing if module.startswith("corpora.")}
    # What somebody may not see is left out of every table.
    assert inside == {"corpora.database.engine", "corpora.database.sight"}


def test_the_command_line_imports_nothing_of_the_page() -> None:
    graph = _graph(ROOT)
    with_streamlit = {
        module
        for module in reached(graph, "ui.cli")
        if (path := ROOT.joinpath(*module.split(".")).with_suffix(".py")).is_file()
        and "streamlit" in _imported(ast.parse(path.read_bytes()))
    }
    assert with_streamlit == set()


def test_every_package_is_looked_at() -> None:
    with_code = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert with_code == set(UPSTREAM)


@pytest.mark.parametrize(
    ("file", "code", "violation"),
    [
        ("ingestion/page.py", "import corpora", "imports corpora"),
        ("corpora/catalog/catalog.py", "from chatbot.turn import Turn", "imports chatbot"),
        ("chatbot/chain/profile.py", "def f():\n    from ui.app import page", "imports ui"),
        ("eval/report.py", "from ui import cli", "imports ui"),
        ("prompts/render.py", "import chatbot.turn", "imports chatbot"),
        ("ui/app.py", "import prompts", "imports prompts"),
        ("corpora/indexing/lexical.py", "import chromadb.api", "imports chromadb"),
        ("corpora/indexing/vectors.py", "import streamlit", "imports streamlit"),
        ("chatbot/models/model.py", "def f():\n    from torch import nn", "imports torch"),
        ("chatbot/chain/profile.py", "import os\nos.environ['HOME']", "reads the environment"),
        (
            "chatbot/chain/profile.py",
            "from os import environ as e\ne['HOME']",
            "reads the environment",
        ),
        ("chatbot/chain/profile.py", "import os\nf({'A': os.environ})", "reads the environment"),
    ],
)
def test_a_forbidden_import_is_found(tmp_path: Path, file: str, code: str, violation: str) -> None:
    _write(tmp_path, file, code)
    assert violations(tmp_path) == [f"{file} {violation}"]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (
            "corpora/catalog/catalog.py",
            "from ingestion.page import Page\nfrom corpora import release",
        ),
        ("chatbot/chain/profile.py", "import prompts, corpora.indexing.retrieval"),
        ("eval/report.py", "from chatbot import turn"),
        ("ui/cli/main.py", "import eval.answers, streamlit.web"),
        ("corpora/indexing/vectors.py", "def f():\n    import chromadb"),
        ("chatbot/settings.py", "import os\nos.environ.get('HOME')"),
        ("chatbot/models/download.py", "import os\nenvironment = {**os.environ, 'A': 'b'}"),
        ("chatbot/models/network.py", "import torch"),
    ],
)
def test_an_allowed_import_passes(tmp_path: Path, file: str, code: str) -> None:
    _write(tmp_path, file, code)
    assert violations(tmp_path) == []


def _write(root: Path, file: str, code: str) -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")

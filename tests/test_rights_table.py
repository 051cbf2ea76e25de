"""The table of every way in stands in docs/rights.md as the code says it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from starlette.routing import Route

from tests.ui.attacks.test_roles import NEEDS, TOOLS
from ui.serving import gate

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rights", ROOT / "scripts" / "rights.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_what_the_code_says(script: ModuleType) -> None:
    page = (ROOT / "docs" / "rights.md").read_text("utf-8")
    assert script.written(page) == page, "run scripts/rights.py"


def test_every_way_in_has_its_row(script: ModuleType) -> None:
    rows = {name: needs for name, needs, _ in script.rows()}
    for route, scope in NEEDS.items():
        assert rows[route] == f"a key that may {scope}"
    assert {f"MCP tool {tool}" for tool in TOOLS} <= rows.keys()
    assert {f"page /{page}" for page in gate.PAGES} <= rows.keys()
    assert all(len(may) == len(script.ROLES) for *_, may in script.rows())


def test_a_page_that_says_not_for_whom_it_is_fails(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "PAGES", gate.PAGES | {"new"})
    with pytest.raises(KeyError, match="new"):
        list(script.rows())


def test_a_route_without_a_scope_is_told_of(script: ModuleType) -> None:
    assert script.scope_of(Route("/new", lambda request: None)) is None

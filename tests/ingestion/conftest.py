import pytest

from ingestion import reading, sandbox


@pytest.fixture(autouse=True)
def parsing_has_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other tests do without, tests/conftest.py says why."""
    monkeypatch.setattr(reading, "Sandbox", sandbox.Sandbox)

"""Three invented products, ingested for real, and the chatbot that rows are asked of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.scenarios import Scenarios, opened


@pytest.fixture(scope="session")
def scenarios(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scenarios]:
    """The scenarios, with --profile asked of that profile and the model of the settings."""
    profile = request.config.getoption("--profile")
    data = tmp_path_factory.mktemp("scenarios")
    with opened(Path(__file__).parent, data, profile) as made:
        yield made

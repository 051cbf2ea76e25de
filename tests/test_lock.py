"""The locked versions in `requirements/` are those that pyproject.toml asks for."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
EXTRAS = {"base": (), "test": ("test", "community"), "hf": ("hf",), "train": ("hf", "train")}
"""What each file serves beside the dependencies of the project, as in `scripts/lock.sh`."""


def locked(name: str) -> dict[str, Requirement]:
    """The requirements of a lock file by the name of their package."""
    lines = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8").splitlines()
    pins = [
        Requirement(line.rstrip("\\ "))
        for line in lines
        if line and not line.startswith((" ", "#"))
    ]
    return {canonicalize_name(pin.name): pin for pin in pins}


def asked(name: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    of_extras = (line for extra in EXTRAS[name] for line in extras[extra])
    return [Requirement(line) for line in (*project["dependencies"], *of_extras)]


@pytest.mark.parametrize("name", EXTRAS)
def test_every_dependency_is_locked_at_a_version_that_pyproject_allows(name: str) -> None:
    pins = locked(name)
    for requirement in asked(name):
        pin = pins.get(canonicalize_name(requirement.name))
        assert pin is not None, f"{requirement} is not locked: run scripts/lock.sh"
        (version,) = pin.specifier
        assert version.operator == "=="
        assert requirement.specifier.contains(version.version), f"{pin} is not {requirement}"


@pytest.mark.parametrize("name", ["test", "hf", "train"])
def test_every_file_has_the_same_versions(name: str) -> None:
    pins = locked(name)
    for package, pin in locked("base").items():
        assert pins[package].specifier == pin.specifier


@pytest.mark.parametrize("name", ["base", "test"])
def test_every_package_has_hashes(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    assert text.count(" \\\n    --hash=") >= len(locked(name))

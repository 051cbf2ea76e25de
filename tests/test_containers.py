"""The image and the services are as their linters want them; no container engine is needed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from compose_spec import PyCompose

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "deploy" / "compose.yaml"
IMAGES = {
    *re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE),
    *(s["image"] for s in yaml.safe_load(COMPOSE.read_text("utf-8"))["services"].values()),
} - {"strata"}


def test_the_dockerfile_has_no_fault() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    told = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (told.returncode, told.stdout) == (0, "")


def test_what_the_image_copies_is_there_and_all_that_the_project_needs() -> None:
    copied = set(re.findall(r"^COPY (\w+) \1$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert packages <= copied
    assert all((ROOT / name).is_dir() for name in copied)


def test_the_services_are_of_the_compose_specification_and_locked_down() -> None:
    given = yaml.safe_load(COMPOSE.read_text("utf-8"))
    # Merged by YAML; what is left of it is no part of the specification.
    del given["x-strata"]
    PyCompose.from_yaml(yaml.safe_dump(given)).validate_networks()
    services = given["services"]
    assert {"web", "worker", "postgres", "proxy", "vllm", "models"} == set(services)
    for name, service in services.items():
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service.get("read_only") or name == "vllm", name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
        named = {v.partition(":")[0] for v in service.get("volumes", ()) if v[0] not in "./"}
        assert named <= set(given["volumes"]), name


@pytest.mark.parametrize("image", sorted(IMAGES))
def test_an_image_is_named_with_its_digest(image: str) -> None:
    """The digest decides what runs, whoever moves the tag."""
    assert re.fullmatch(r"[\w./-]+(:[\w.-]+)?@sha256:[0-9a-f]{64}", image)

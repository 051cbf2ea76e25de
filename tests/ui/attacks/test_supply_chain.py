"""What others publish, and Strata runs: it is what was looked at, whatever becomes of its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
SERVICES = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))["services"]
IMAGES = {
    *re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE),
    *(service["image"] for service in SERVICES.values()),
} - {"strata"}


@pytest.mark.parametrize("image", sorted(IMAGES))
def test_an_image_is_named_with_its_digest(image: str) -> None:
    """The digest decides what runs, whoever moves the tag."""
    assert re.fullmatch(r"[\w./-]+(:[\w.-]+)?@sha256:[0-9a-f]{64}", image)

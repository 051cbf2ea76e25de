"""What others publish, and Strata runs: it is what was looked at, whatever becomes of its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.ui.attacks.attack import Attack

ROOT = Path(__file__).parents[3]
SERVICES = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))["services"]
IMAGES = [
    Attack(f"image-{image.partition('@')[0]}", "supply chain", "container", image,
           "an image that is put in its place under the same tag runs", "the digest decides")
    for image in sorted({
        *re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE),
        *(service["image"] for service in SERVICES.values()),
    } - {"strata"})
]  # fmt: skip


@pytest.mark.parametrize("case", IMAGES, ids=str)
def test_an_image_is_named_with_its_digest(case: Attack) -> None:
    assert re.fullmatch(r"[\w./-]+(:[\w.-]+)?@sha256:[0-9a-f]{64}", case.payload)


CASES = IMAGES

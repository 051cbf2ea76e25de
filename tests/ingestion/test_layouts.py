"""Files as their authors laid them out, and what a reader takes from them.

A case is a file in `layouts/FORMAT/` and, beside it, a .json of its pages, each a list of blocks:
`{"paragraph": "its text"}`. A block may also say its "path", "anchor" or "header".
"""

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.loaders import load
from ingestion.page import Block

LAYOUTS = Path(__file__).parent / "layouts"
FILES = sorted(file for file in LAYOUTS.glob("*/*") if file.suffix != ".json")


def _as_expected(block: Block, expected: dict[str, Any]) -> dict[str, Any]:
    """The block in the form of the .json, with what is expected of it beside its text."""
    more = {"path": [*block.path], "anchor": block.anchor, "header": [*block.header]}
    return {block.kind.value: block.text} | {key: more[key] for key in more if key in expected}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(LAYOUTS)))
def test_a_layout_is_read_as_a_reader_would_take_it(file: Path) -> None:
    expected = json.loads(file.with_suffix(".json").read_text())
    pages = load(file.read_bytes(), file.name).pages
    assert len(pages) == len(expected)
    for page, blocks in zip(pages, expected, strict=True):
        wanted = [*blocks, *({} for _ in page.blocks[len(blocks) :])]
        read = [_as_expected(*pair) for pair in zip(page.blocks, wanted, strict=False)]
        assert read == blocks

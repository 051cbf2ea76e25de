"""Texts that try to be more than text, from `payloads.json`."""

import json
from pathlib import Path

_TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
PAYLOADS: list[str] = [*_TEXTS["pages"], "x" * 5000]
IN_FILES: list[str] = [*_TEXTS["files"], *(text[:2_000] for text in PAYLOADS)]
FORMULAS: dict[str, str] = _TEXTS["formulas"]
"""What a spreadsheet calculates, however it begins."""
TERMINAL: dict[str, str] = _TEXTS["terminal"]
"""What a terminal obeys."""

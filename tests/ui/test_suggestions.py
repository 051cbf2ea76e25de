from __future__ import annotations

from pathlib import Path

from ui.chat.page import suggestions


def test_the_sample_product_has_questions_to_begin_with() -> None:
    assert 3 <= len(suggestions("tessaline")) <= 6


def test_another_product_has_none(tmp_path: Path) -> None:
    assert suggestions("valve") == ()
    assert suggestions("tessaline", tmp_path / "missing.jsonl") == ()

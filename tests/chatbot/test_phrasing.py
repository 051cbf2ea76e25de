from __future__ import annotations

from chatbot.text.phrasing import listed


def test_names_in_a_sentence() -> None:
    assert listed(["1.0"]) == "1.0"
    assert listed(["1.0", "1.2"]) == "1.0 and 1.2"
    assert listed(("1.0", "1.2", "2.0"), "or") == "1.0, 1.2 or 2.0"

from __future__ import annotations

import re

from chatbot.dialogue import small_talk
from chatbot.queries import spelling
from eval.ablate import NEVER, left_out, rules_of


def test_a_rule_is_left_out_wherever_it_is_used_and_comes_back() -> None:
    rules = {rule.name: rule for rule in rules_of(("dialogue",)) if "small_talk" in rule.module}
    assert small_talk.small_talk("bye!") == "farewell"
    with left_out(rules["COURTESIES"]):
        assert small_talk.small_talk("bye!") is None
    assert small_talk.small_talk("bye!") == "farewell"
    patterns = {rule.name: rule for rule in rules_of(("queries",)) if "spelling" in rule.module}
    with left_out(patterns["_WORD"]):
        assert spelling._WORD is NEVER
    assert isinstance(spelling._WORD, re.Pattern)

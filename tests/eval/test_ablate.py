from __future__ import annotations

import re

from chatbot.dialogue import small_talk
from eval.ablate import NEVER, left_out, rules_of


def test_a_rule_is_left_out_wherever_it_is_used_and_comes_back() -> None:
    rules = {rule.name: rule for rule in rules_of(("dialogue",)) if "small_talk" in rule.module}
    assert small_talk.small_talk("thanks!", ()) == "You're welcome."
    with left_out(rules["_THANKS"]), left_out(rules["_COURTESIES"]):
        assert small_talk.small_talk("thanks!", ()) is None
    with left_out(rules["_WORD"]):
        assert small_talk._WORD is NEVER
    assert isinstance(small_talk._WORD, re.Pattern)
    assert small_talk.small_talk("thanks!", ()) == "You're welcome."

"""What is counted of a reply to a held-back instruction."""

from __future__ import annotations

from chatbot.tuning.instructions import Instruction, Split
from eval.figures import Share
from eval.tuned import figures, score_reply
from tests.chatbot.tuning.made_instruction import made_instruction

EVIDENCE = "<chunk>The port runs at 10 Gbit/s. The fuse is rated 2 A.</chunk> How fast is the port?"
RIGHT = "The port runs at 10 Gbit/s."


def instruction(reply: str) -> Instruction:
    return made_instruction(EVIDENCE, reply, Split.HELD_BACK)


def test_a_refusal_is_right_where_nothing_is_known_and_wrong_elsewhere() -> None:
    wrong = score_reply(instruction(RIGHT), "I don't know.")
    assert (wrong.wrongly_refused, wrong.facts.hits, wrong.sentences_unsupported.of) == (True, 0, 0)
    right = score_reply(instruction("I don't know"), "I don't know")
    made_up = score_reply(instruction("I don't know"), RIGHT)
    assert (right.rightly_refused, made_up.rightly_refused) == (True, False)
    found = figures([wrong, right, made_up])
    assert found["refused, rightly"] == Share(1, 2)
    assert found["refused, wrongly"] == Share(1, 1)


def test_a_right_reply_has_its_facts_and_is_supported_and_a_wrong_one_neither() -> None:
    right = score_reply(instruction(RIGHT), "At full speed the port runs at 10 Gbit/s.")
    assert right.facts.hits == right.facts.of > 0
    assert (right.rightly_refused, right.wrongly_refused) == (None, False)
    wrong = score_reply(instruction(RIGHT), "The port runs at 40 Gbit/s.")
    assert wrong.facts.hits < wrong.facts.of
    assert (right.sentences_unsupported, wrong.sentences_unsupported) == (Share(0, 1), Share(1, 1))

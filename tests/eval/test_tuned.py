"""What is counted of a reply to a held-back instruction."""

from __future__ import annotations

from chatbot.tuning.instructions import Instruction, Message, Split
from eval.figures import Share
from eval.tuned import figures, score_reply

EVIDENCE = "<chunk>The port runs at 10 Gbit/s. The fuse is rated 2 A.</chunk> How fast is the port?"
RIGHT = "The port runs at 10 Gbit/s."


def instruction(reply: str) -> Instruction:
    return Instruction(
        messages=(
            Message(role="user", content=EVIDENCE),
            Message(role="assistant", content=reply),
        ),
        question="How fast is the port?",
        product="lamp",
        release="1.0",
        split=Split.HELD_BACK,
        abstains=reply == "I don't know",
        origin="curated",
    )


def test_a_right_reply_has_its_facts_and_is_supported() -> None:
    score = score_reply(instruction(RIGHT), "At full speed the port runs at 10 Gbit/s.")
    assert score.facts.hits == score.facts.of > 0
    assert score.sentences_unsupported == Share(0, 1)
    assert (score.rightly_refused, score.wrongly_refused) == (None, False)


def test_a_wrong_reply_has_neither() -> None:
    score = score_reply(instruction(RIGHT), "The port runs at 40 Gbit/s.")
    assert score.facts.hits < score.facts.of
    assert score.sentences_unsupported == Share(1, 1)


def test_a_refusal_is_right_where_nothing_is_known_and_wrong_elsewhere() -> None:
    wrong = score_reply(instruction(RIGHT), "I don't know.")
    assert (wrong.wrongly_refused, wrong.facts.hits, wrong.sentences_unsupported.of) == (True, 0, 0)
    right = score_reply(instruction("I don't know"), "I don't know")
    made_up = score_reply(instruction("I don't know"), RIGHT)
    assert (right.rightly_refused, made_up.rightly_refused) == (True, False)
    found = figures([wrong, right, made_up])
    assert found["refused, rightly"] == Share(1, 2)
    assert found["refused, wrongly"] == Share(1, 1)

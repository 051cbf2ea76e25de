"""An instruction made by hand, for tests of tuning."""

from chatbot.tuning.instructions import Instruction, Message, Split


def made_instruction(asked: str, reply: str, split: Split = Split.TRAIN) -> Instruction:
    return Instruction(
        messages=(Message(role="user", content=asked), Message(role="assistant", content=reply)),
        question=asked,
        product="lamp",
        release="1.0",
        split=split,
        abstains=reply == "I don't know",
        origin="curated",
    )

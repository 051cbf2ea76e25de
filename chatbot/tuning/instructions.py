"""The instruction set: prompts as the model gets them, each with the reply that it should give."""

import importlib.util
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chatbot.errors import TuningError
from ingestion.objections import first_objection


class Split(StrEnum):
    """The use of an instruction: to learn from, to stop in time, to compare afterwards."""

    TRAIN = "train"
    VALIDATION = "validation"
    HELD_BACK = "held-back"


class Message(BaseModel):
    """One message of a chat."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["system", "user", "assistant"]
    content: str


class Instruction(BaseModel):
    """A line of the set: a chat that ends with the right reply, and where that is from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    messages: tuple[Message, ...] = Field(min_length=2)
    question: str
    product: str
    release: str
    split: Split
    abstains: bool
    origin: str
    pair: int | None = None
    turn: int | None = None
    prompt: str = ""

    @property
    def prompt_messages(self) -> list[tuple[str, str]]:
        """The prompt as (role, text), without the reply."""
        return [(message.role, message.content) for message in self.messages[:-1]]

    @property
    def reply(self) -> str:
        """The reply that the model should give."""
        return self.messages[-1].content


def read_instructions(path: Path) -> list[Instruction]:
    """The instructions of a file. Raises TuningError for an unreadable file or line."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TuningError(f"{path} cannot be read: {error}") from error
    instructions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            instructions.append(Instruction.model_validate_json(line))
        except ValidationError as error:
            raise TuningError(
                f"{path}, line {number} is not an instruction: {first_objection(error)}. "
                "`strata tune export` writes such files"
            ) from error
    return instructions


def require_extras(*packages: str) -> None:
    """Raise TuningError where some of the packages are not installed."""
    if missing := [package for package in packages if importlib.util.find_spec(package) is None]:
        raise TuningError(
            f'{" and ".join(missing)} missing: `pip install "strata-docs[hf,train]"` installs what '
            "tuning needs"
        )

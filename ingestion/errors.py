"""The failures that are told to whoever uses Strata, in the terminal and on the page."""

from typing import ClassVar

from ingestion.messages import Told


class StrataError(Told):
    """A failure whose message says what failed, on which input, and what to do about it.

    One `for_operators` is about the machine, may name its files and addresses, and is no business
    of whoever else asks.
    """

    for_operators: ClassVar[bool] = False


class BadSettings(StrataError, ValueError):
    """A setting cannot be what it is; the message names it and says why."""

    for_operators = True


def bad_setting(name: str, why: object) -> BadSettings:
    """The error of one setting, by its name in `strata.toml` and in the environment."""
    return BadSettings(f"setting {name} (STRATA_{name.upper()}): {why}")

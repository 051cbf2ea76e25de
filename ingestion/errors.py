"""The failures that are told to whoever uses Strata, in the terminal and on the page."""

from typing import ClassVar


class StrataError(Exception):
    """A failure whose message says what failed, on which input, and what to do about it.

    One `for_operators` is about the machine, may name its files and addresses, and is no business
    of whoever else asks.
    """

    for_operators: ClassVar[bool] = False

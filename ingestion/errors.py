"""The failures that are told to whoever uses Strata, in the terminal and on the page."""


class StrataError(Exception):
    """A failure whose message says what failed, on which input, and what to do about it."""

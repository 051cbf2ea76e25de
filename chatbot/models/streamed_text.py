"""Tokens become text as they come: whole characters only, and never a stop string."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_BROKEN = "\N{REPLACEMENT CHARACTER}"
# A character has at most four bytes, so at most three bytes of one can be waiting for the rest.
_WAITING = 3
_LONGEST_WINDOW = 16
_KEPT_TOKENS = 4


class StreamedText:
    """The text of one answer, handed out as its tokens are added.

    `decode` turns tokens into text, with U+FFFD for bytes that are no whole character yet. What
    may be the beginning of one of the `stop` strings is held back until it is known; once one is
    complete, `stopped` is true and the text ends before it.
    """

    def __init__(self, decode: Callable[[list[int]], str], stop: Sequence[str] = ()) -> None:
        self._decode = decode
        self._stop = tuple(filter(None, stop))
        self._tokens: list[int] = []
        self._given = 0
        self._held = ""
        self.stopped = False

    def add(self, token: int) -> str:
        """Take the next token; returns the text that can be shown now, often none."""
        self._tokens.append(token)
        text = self._decode(self._tokens)
        broken = len(text) - len(text.rstrip(_BROKEN))
        whole = max(self._given, len(text) - min(broken, _WAITING))
        new = text[self._given : whole]
        self._given = whole
        if not broken and len(self._tokens) > _LONGEST_WINDOW:
            # Some tokens stay: a decoder may drop the space before the first one.
            self._tokens = self._tokens[-_KEPT_TOKENS:]
            self._given = len(self._decode(self._tokens))
        return self._released(new)

    def finish(self) -> str:
        """The text that was held back when no more tokens come."""
        rest = self._held + self._decode(self._tokens)[self._given :]
        self._held, self._tokens, self._given = "", [], 0
        return "" if self.stopped else rest

    def _released(self, new: str) -> str:
        text = self._held + new
        ends = [at for stop in self._stop if (at := text.find(stop)) >= 0]
        if ends:
            self.stopped = True
            self._held = ""
            return text[: min(ends)]
        held = max((_overlap(text, stop) for stop in self._stop), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of the text are the beginning of the stop string."""
    longest = min(len(text), len(stop) - 1)
    return next((n for n in range(longest, 0, -1) if text.endswith(stop[:n])), 0)

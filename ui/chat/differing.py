"""The words in which the sides of a comparison differ, made to stand out."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby

from ui.chat.answer_text import answer_line
from ui.escaping import visible

_TOKEN = re.compile(r"`[^`\n]+`|\s+|\[\d{1,3}\](?=[\s.,;]|$)|[^\s`]+|`")
_MARK = re.compile(r"\[\d{1,3}\]")
_AROUND = "“”‘’\"'`()[],.;:…"
ALIKE = 0.3
"""From this share of words in common on, two sentences say the same of two releases."""


def with_differences(text: str, other: str, citations: int = 0, *, alike: float = ALIKE) -> str:
    """Write a text of an answer as Markdown in which what `other` does not have stands out.

    Texts that are less `alike` (the share of words in common, 0 to 1) are different texts, of
    which nothing stands out.
    """
    tokens: list[str] = _TOKEN.findall(visible(text).strip())
    words = [i for i, token in enumerate(tokens) if _word(token)]
    others = [word for token in _TOKEN.findall(visible(other)) if (word := _word(token))]
    matcher = SequenceMatcher(None, [_word(tokens[i]) for i in words], others, autojunk=False)
    same = {
        words[i]
        for block in matcher.get_matching_blocks()
        for i in range(block.a, block.a + block.size)
    }
    differing = set(words) - same if matcher.ratio() >= alike else set()
    # What stands between two words that differ differs with them.
    differing |= {i for i, t in enumerate(tokens) if {i - 1, i + 1} <= differing and _joins(t)}
    runs = groupby(enumerate(tokens), key=lambda numbered: numbered[0] in differing)
    return "".join(
        _written("".join(token for _, token in run), differs, citations) for differs, run in runs
    )


def _word(token: str) -> str:
    """What a token is compared by; nothing for spaces, signs and the marks of citations."""
    word = token.strip().strip(_AROUND)
    return "" if _MARK.fullmatch(token) or not re.search(r"\w", word) else word


def _joins(token: str) -> bool:
    return token.isspace() and "\n" not in token


def _written(text: str, differs: bool, citations: int) -> str:
    lines = [answer_line(line, citations) for line in text.split("\n")]
    written = "\n".join(lines)
    # A bracket in a code span would end what stands out, and the code span with it.
    if not differs or ("`" in written and re.search(r"[\[\]]", text)):
        return written
    return f":primary-background[{written}]"

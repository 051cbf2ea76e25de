"""The two consoles of the command line: answers on standard output, everything else beside it."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape

from chatbot.text.markdown import AnswerMarkdown, for_any_reader

output = Console(soft_wrap=True)
errors = Console(stderr=True, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print one JSON object, letter for letter, on standard output."""
    output.print(
        json.dumps(value, ensure_ascii=False, indent=2), markup=False, highlight=False, emoji=False
    )


def printable(text: str) -> str:
    """Text of any origin for the terminal: no control characters, no markup."""
    return escape("".join(c for c in text if c in "\n\t" or c.isprintable()))


def print_answer(text: str, citations: int) -> None:
    """Print the text of an answer: laid out for a reader, as it is written for a file or a pipe."""
    shown = "".join(c for c in text if c == "\n" or c.isprintable())
    if not output.is_terminal:
        output.print(shown, markup=False, highlight=False, emoji=False)
        return
    written = AnswerMarkdown(for_any_reader("\\[{}]".format), citations).whole(shown)
    output.print(Markdown(written, hyperlinks=False), soft_wrap=False)

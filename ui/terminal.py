"""The two consoles of the command line: answers on standard output, everything else beside it."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape

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

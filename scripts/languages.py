"""Bring the files of the languages in step with the texts in the code.

`python scripts/languages.py` adds what is new to each file of `chatbot/text/translations`, without
a translation, and removes what no code shows any more; it says how much is left to translate. A
text is known by its call: `gettext`, `ngettext`, `gettext_noop`, `ngettext_noop`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from inspect import getdoc
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from chatbot.text.languages import ENGLISH, FOLDER, LANGUAGES
from corpora.sources.options import FolderOptions, GitOptions, SiteOptions

ROOT = Path(__file__).parents[1]
CALLS = {"gettext": 1, "gettext_noop": 1, "ngettext": 2, "ngettext_noop": 2}
"""The functions that are called with texts, and with how many forms of one."""


def texts() -> Catalog:
    """The texts of `chatbot/` and `ui/` in their order there, and those of the kinds of sources."""
    found = Catalog()
    for package in ("chatbot", "ui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for forms in _forms(ast.parse(path.read_bytes())):
                found.add(forms if len(forms) > 1 else forms[0])
    for kind in (GitOptions, SiteOptions, FolderOptions):
        fields = kind.model_fields.values()
        for text in (getdoc(kind), *(field.description for field in fields)):
            if text:
                found.add(text)
    return found


def _forms(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """The texts that calls in a module are given as they stand there."""
    # In order, and inside of f-strings too.
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if isinstance(call.func, ast.Name) and (number := CALLS.get(call.func.id)):
            given = [a.value for a in call.args[:number] if isinstance(a, ast.Constant)]
            if len(given) == number:
                yield tuple(map(str, given))


def read(code: str) -> Catalog:
    """The file of a language."""
    with (FOLDER / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def entries(catalog: Catalog) -> list[Message]:
    """The texts of a file, without its head."""
    return [message for message in catalog if message.id]


def main() -> None:
    """Update every file."""
    found = texts()
    for code in LANGUAGES:
        if code == ENGLISH:
            continue
        own = read(code)
        own.update(found, no_fuzzy_matching=True)
        own.obsolete.clear()
        path = FOLDER / f"{code}.po"
        # The head, with the glossary, is the translators' own.
        head = path.read_text("utf-8").partition("\n\n")[0]
        written = BytesIO()
        write_po(written, own, no_location=True, width=0, omit_header=True)
        path.write_text(f"{head}\n\n{written.getvalue().decode()}", "utf-8")
        left = [message for message in entries(own) if not any(message.string or ())]
        sys.stdout.write(f"{code}: {len(left)} of {len(entries(own))} left to translate\n")


if __name__ == "__main__":
    main()

"""Bring the files of the languages in step with the texts in the code.

`python scripts/languages.py` adds what is new to each file of `chatbot/text/translations`, without
a translation, and removes what no code shows any more; it says how much is left to translate. A
text is known by its call: `gettext`, `ngettext`, `pgettext`, `gettext_noop`, `ngettext_noop`.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from chatbot.text.languages import ENGLISH, FOLDER, LANGUAGES

ROOT = Path(__file__).parents[1]
KEYWORDS = {
    "gettext": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_noop": (1, 2),
    "pgettext": ((1, "c"), 2),
}


def texts() -> Catalog:
    """The texts of `chatbot/` and `ui/`, in their order there."""
    found = Catalog()
    for package in ("chatbot", "ui"):
        for _, _, text, _, context in extract_from_dir(
            ROOT / package, [("**.py", "python")], keywords=KEYWORDS
        ):
            found.add(text, context=context)
    return found


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

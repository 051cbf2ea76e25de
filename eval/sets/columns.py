"""Which column of a file says what of a question."""

import re
from collections.abc import Iterable, Mapping

from eval.gold import GoldError

USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "nr", "no", "number", "key"),
    "question": ("question", "q", "query", "prompt", "input", "user input", "frage"),
    "gold_answer": (
        *("gold answer", "answer", "a", "gold", "expected", "expected answer", "expected output"),
        *("reference answer", "reference", "ground truth", "correct answer", "antwort"),
    ),
    "product": ("product", "produkt"),
    "release": ("release", "version", "ausgabe"),
    "file": ("file", "source", "document", "source file", "datei", "quelle", "dokument"),
    "page": ("page", "source page", "section", "anchor", "seite"),
    "must_include": ("must include", "patterns"),
    "must_not_include": ("must not include",),
    "kind": ("kind",),
    "asks": ("asks",),
}
"""What a column can say of a question, and how it is usually called."""
_WORDS = re.compile(r"[\W_]+")


def parse_columns(written: Iterable[str]) -> dict[str, str]:
    """The mapping that "question=Frage,release=Version" names; raises GoldError."""
    chosen: dict[str, str] = {}
    for pair in ",".join(written).split(","):
        role, equals, column = map(str.strip, pair.partition("="))
        if not pair.strip():
            continue
        if not equals or role not in USUAL_NAMES:
            raise GoldError(
                f"{pair.strip()!r} maps no column: write NAME=COLUMN, with a name of "
                f"{', '.join(USUAL_NAMES)}"
            )
        chosen[role] = column
    return chosen


def find_columns(there: Iterable[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The column that says each thing: as it was chosen, else by its usual name.

    The first name in the list wins where several columns have one. Raises GoldError where a
    chosen column, or one for questions or answers, is not there.
    """
    columns = {_plain(column): column for column in reversed(list(there))}
    found: dict[str, str] = {}
    for role, names in USUAL_NAMES.items():
        wanted = [chosen[role]] if role in chosen else names
        if column := next((columns[n] for n in map(_plain, wanted) if n in columns), None):
            found[role] = column
    named = ", ".join(columns.values()) or "none"
    for role in (*chosen, "question", "gold_answer"):
        if role not in found:
            advice = "" if role in chosen else f" (map one: --columns {role}=COLUMN)"
            raise GoldError(
                f"no column {chosen.get(role, role)!r}{advice}; the file has the columns: {named}"
            )
    return found


def _plain(column: str) -> str:
    return _WORDS.sub(" ", column.casefold()).strip()

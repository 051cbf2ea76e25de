"""Which column of a file says what of a question."""

import re
from collections.abc import Iterable, Mapping, Sequence

from eval.gold import GoldError
from ingestion.messages import message

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
PATTERNS = ("must_include", "must_not_include", "facts", "steps")
"""Columns that hold regular expressions."""
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
                "{pair!r} maps no column: write NAME=COLUMN, with a name of {usual_names}",
                pair=pair.strip(),
                usual_names=", ".join(USUAL_NAMES),
            )
        chosen[role] = column
    return chosen


def guess_columns(there: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The column that says each thing: as it was chosen, else by its usual name, as far as found.

    What was chosen as "" has no column. The first name in the list wins where several columns
    have one.
    """
    columns = {_plain(column): column for column in reversed(there)} | {c: c for c in there}
    found: dict[str, str] = {}
    for role, usual in USUAL_NAMES.items():
        named = chosen.get(role)
        wanted = usual if named is None else filter(None, (named, _plain(named)))
        if column := next((columns[name] for name in wanted if name in columns), None):
            found[role] = column
    return found


def find_columns(there: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The same; raises GoldError where a chosen one, or questions or answers, are not there."""
    found = guess_columns(there, chosen)
    for role in ("question", "gold_answer", *filter(chosen.get, chosen)):
        if role not in found:
            column = chosen.get(role, "")
            advice = message(" (map one: --columns {role}=COLUMN)", role=role)
            raise GoldError(
                "no column {column!r}{advice}; the file has the columns: {there}",
                column=column or role,
                advice="" if column else advice,
                there=", ".join(there) or message("none"),
            )
    return found


def _plain(column: str) -> str:
    return _WORDS.sub(" ", column.casefold()).strip()

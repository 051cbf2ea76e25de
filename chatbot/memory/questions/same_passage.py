"""Whether two questions that the documents answer with the same passage ask the same of it.

Two questions may hardly share a word, and yet the release's own pages answer both in one place:
"weakest light a module still accepts", "minimum received power". What they name must agree here
too, and both must ask for the same part of the passage: a column of a row, a parameter of a
signature, a clause of a sentence with several figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatbot.grounding import quantities
from chatbot.memory.questions.asking import Asking, Word
from chatbot.memory.questions.kinds import compatible
from chatbot.memory.questions.passage_parts import (
    BOUNDS,
    bounds_asked,
    cells_named,
    clauses_named,
    columns_asked,
    figures_in,
    forms,
    given_parameters,
    has_ends,
    is_choice,
    is_range,
    own_words,
    parameters_named,
    stated_bounds,
    told_apart,
    turned_round,
)
from chatbot.memory.questions.sameness import unmatched
from chatbot.memory.questions.wanted import compatible_wants, wanted
from chatbot.memory.questions.wordings import GENERIC, LIGHT, MARKED, OPPOSITES, canonical
from chatbot.turn import Record
from ingestion.page import BlockKind

_STRICT = frozenset(("NOT", "BEFORE", "INSTEAD"))
_ONE_OF = tuple(
    frozenset(map(canonical, line.split()))
    for line in (
        "red green blue amber yellow orange white black grey violet brown pink",
        "hourly daily weekly monthly quarterly yearly annual",
        "monday tuesday wednesday thursday friday saturday sunday",
    )
)
"""Words of which one thing has one: what is asked of the red light is not of the green one."""
_TIME_UNITS = ("millisecond", "second", "minute", "hour", "day", "week", "month", "year")
_TIMES = frozenset(map(canonical, _TIME_UNITS))
_HOW_LONG = ("how long", "maximum")
_UNIT = re.compile(r"[^\W\d_]|[%°]")
_LENGTHS = re.compile(
    r"(?<![^\W\d_])(?:m?s|min|h|(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?"
    r"|[mcnk]?m|met(?:er|re)s?|characters?|letters?|digits?|bytes?|bits?|intervals?)(?!\w)",
    re.I,
)
_OF_VALUES = BOUNDS | {"DEFAULT"}


def asks_for_another_part(a: Asking, b: Asking, passage: Record) -> str:
    """Say what two questions about a passage do not have in common; empty where they ask the same.

    In doubt they do not: an answer that is not reused costs a call of the model, one that is
    reused wrongly costs trust.
    """
    return _of_wording(a, b, passage) or (
        _of_row(a, b, passage) if passage.cells else _of_text(a, b, passage)
    )


def _of_wording(a: Asking, b: Asking, passage: Record) -> str:
    """What must agree whatever the passage says."""
    if not compatible(*("" if is_choice(q) else q.kind for q in (a, b))):
        return "the questions are of different kinds"
    if set(a.figures) != set(b.figures):
        return "the questions have different figures"
    if _coined(a) - _coined(b) and _coined(b) - _coined(a):
        return "the questions have different names"
    if a.marks & _STRICT != b.marks & _STRICT:
        return "the questions ask for different values"
    ends = [_ends(asking, passage) for asking in (a, b)]
    if all(ends) and ends[0] != ends[1]:
        return "the questions ask for different values"
    mine, theirs = _canonical(a), _canonical(b)
    if (mine ^ theirs) & MARKED or any(
        frozenset((x, y)) in OPPOSITES for x in mine - theirs for y in theirs - mine
    ):
        return "one question says the opposite"
    if any(mine & group and theirs & group and mine & group != theirs & group for group in _ONE_OF):
        return "the questions name different ones of a kind"
    if any(turned_round(asking, passage.quote) for asking in (a, b)):
        return "one question asks for the other direction"
    if not compatible_wants(wanted(a), wanted(b)):
        return "the questions ask for different things"
    return ""


def _is_of_other_measures(row: Record) -> bool:
    """Whether a row has measures, and none that is a time or a length."""
    measured = any(_UNIT.search(quantity) for quantity in quantities(row.quote))
    return measured and not _LENGTHS.search(f"{row.quote} {row.reading}")


def _of_row(a: Asking, b: Asking, row: Record) -> str:
    """Of a table's row both must ask for the same columns, by their names or by what they want."""
    if any("HOWLONG" in asking.marks for asking in (a, b)) and _is_of_other_measures(row):
        return "one question asks how long, and the row has other measures"
    columns = [columns_asked(asking, row) for asking in (a, b)]
    if not all(columns) or columns[0] != columns[1]:
        return "the questions ask for different columns"
    if cells_named(a, row) - columns[0] != cells_named(b, row) - columns[0]:
        return "the questions are about different cases"
    several = len(columns[0]) > 1 or is_range(columns[0], row)
    if several and _ends(a, row) != _ends(b, row):
        return "the questions ask for different values"
    headers = forms(" ".join(header for header, _ in row.cells))
    if len(columns[0]) > 1 and _only(a, b, headers) | _only(b, a, headers):
        return "the questions ask for different columns"
    return _of_verdicts(a, b, row)


def _of_text(a: Asking, b: Asking, passage: Record) -> str:
    """Of a text they must not each pick words that the other leaves out.

    Where it has several parts, each must say which one it means.
    """
    differ = "the questions pick different parts of the passage"
    said = _said(passage)
    mine, theirs = _only(a, b, said), _only(b, a, said)
    if mine and theirs:
        return differ
    if passage.kind == BlockKind.CODE and mine | theirs:
        return differ
    parameters = given_parameters(passage.quote)
    if len(parameters) > 1:
        if _ends(a, passage) != _ends(b, passage):
            return "the questions ask for different values"
        return "" if _alike([parameters_named(q, parameters) for q in (a, b)]) else differ
    if figures_in(passage.quote) > 1:
        apart = (a.marks ^ b.marks) & _OF_VALUES
        if apart - stated_bounds(passage.quote) or (apart and has_ends(passage.quote)):
            return "the questions ask for different values"
        if (mine | theirs) & own_words(passage.quote):
            return differ
        if not _alike([clauses_named(q, passage.quote) for q in (a, b)]):
            return differ
        others = _other(a, b, said), _other(b, a, said)
        if all(others) or (not told_apart(passage.quote) and (any(others) or mine | theirs)):
            return differ
    return _of_verdicts(a, b, passage)


def _other(asking: Asking, other: Asking, said: set[str]) -> bool:
    """Whether a question has words that neither the other nor the passage has."""
    words = unmatched(asking, other)
    return any(not {w.stem, w.canonical} & said and w.canonical not in LIGHT for w in words)


def _of_verdicts(a: Asking, b: Asking, passage: Record) -> str:
    """A yes or no holds for exactly what was asked."""
    said = _said(passage)
    yes_or_no = any(q.kind == "WHETHER" and not is_choice(q) for q in (a, b))
    if yes_or_no and _only(a, b, said) | _only(b, a, said):
        return "the questions are about different cases"
    return ""


def _ends(asking: Asking, passage: Record) -> frozenset[str]:
    names = [cell for _, cell in passage.cells[:1]] or given_parameters(passage.quote)
    return bounds_asked(asking, names)


def _alike(parts: Sequence[frozenset[str]]) -> bool:
    return bool(parts[0]) and parts[0] == parts[1]


def _coined(asking: Asking) -> set[str]:
    return {name.same for name in asking.names if name.coined}


def _canonical(asking: Asking) -> set[str]:
    return {word.canonical for word in asking.words}


def _said(passage: Record) -> set[str]:
    return forms(" ".join((passage.reading, passage.label, *passage.path)))


def _only(asking: Asking, other: Asking, said: set[str]) -> set[str]:
    """The words of the passage that only one of the questions has."""
    there = {form for word in other.words for form in (word.stem, word.canonical)}
    return {
        word.canonical
        for word in asking.words
        if not {word.stem, word.canonical} & there
        and {word.stem, word.canonical} & said
        and word.canonical not in GENERIC
        and not _asks_in_unit(asking, word)
    }


def _asks_in_unit(asking: Asking, word: Word) -> bool:
    """Whether a word only says in which unit to answer: for how many minutes."""
    return word.at > 0 and asking.tokens[word.at - 1] in _HOW_LONG and word.canonical in _TIMES

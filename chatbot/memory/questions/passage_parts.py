"""The parts of a passage that a question may ask for: columns, parameters, clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatbot.memory.questions.asking import Asking
from chatbot.memory.questions.wanted import wanted
from chatbot.memory.questions.wordings import EMPTY, GENERIC, canonical, stemmed
from chatbot.turn import Record

BOUNDS = frozenset(("MAXIMUM", "MINIMUM"))

_WORD = re.compile(r"[^\W_]+")
_FIGURE = re.compile(
    r"(?<![\w.,-])[-+−±]?\d(?:[\d.,]*\d)?(?:E-?\d+)?(?!\w|[./:-]\d)"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b",
    re.I,
)
_NAME_PART = re.compile(r"[\W_]+")
_GIVEN = re.compile(r"\b([a-z]\w*)(?:: ?[^,=()]+)? ?=(?!=)", re.I)
_CLAUSE_END = re.compile(r"[;:()]\s*|,\s+|\s+(?:and|but|or|then|with|without)\s+", re.I)
_CLASSES = {
    "DEFAULT": re.compile(r"\b(?:default|preset|factory)\b", re.I),
    "RANGE": re.compile(r"\b(?:range|values|limits?|allowed|choices)\b", re.I),
    "UNIT": re.compile(r"\bunits?\b", re.I),
    "MEANING": re.compile(r"\b(?:meaning|description|purpose|effect|use|explanation)\b", re.I),
    "WHY": re.compile(r"\b(?:cause|reason|trigger)\b", re.I),
    "HOWTO": re.compile(r"\b(?:what to do|actions?|remedy|repair|solution|measures?)\b", re.I),
}
_BOUND_HEADERS = {
    "MAXIMUM": re.compile(r"\b(?:max\w*|most|highest|longest|largest|greatest|upper)\b", re.I),
    "MINIMUM": re.compile(r"\b(?:min\w*|least|lowest|shortest|smallest|lower)\b", re.I),
}
_MOST = re.compile(
    r"(?<!\S)how (?:far|long|big|large|high|fast|heavy|tall|hot|wide|deep)(?: \S+)?"
    r" (?:can|could|may|might)"
)
_LEAST = re.compile(
    r"(?<!\S)how (?:small|short|low|little|cold|narrow|slow)(?: \S+)? (?:can|could|may|might)"
)
_RANGE = re.compile(r"\d\S*(?: [^\W\d]+)? (?:to|and|[-–]) [-+−]?\d|\bbetween\b")
_OF_RANGE = re.compile(
    r"(?<!\S)(?:range|ranges|values|limits|between|possible|choices|lengths"
    r"|(?:can|could|may) (?:\S+ )*?(?:set|have|lie|take)|set to|accepts?)(?!\S)"
)


def forms(text: str) -> set[str]:
    """The words of a text as a question's are compared: their stems and what stands for them."""
    words = [w for w in _WORD.findall(text.lower()) if w not in EMPTY and not w.isdigit()]
    return {form for word in words for form in (stemmed(word), canonical(word))} - GENERIC


def figures_in(text: str) -> int:
    """How many figures a text states; those of names are none."""
    return len(_FIGURE.findall(text))


def bounds_asked(asking: Asking, names: Sequence[str]) -> frozenset[str]:
    """Which ends of a range a question asks for, besides those in one of some names: max_size."""
    plain = asking.plain
    for name in names:
        words = [word for word in _NAME_PART.split(name.lower()) if word]
        if len(words) > 1 and words[0] in ("max", "min", "maximum", "minimum"):
            plain = re.sub(rf"(?:MAX|MIN)IMUM (?={re.escape(words[1])})", "", plain)
    found = {mark for mark in BOUNDS if mark in plain.split()}
    if _MOST.search(plain):
        found.add("MAXIMUM")
    if _LEAST.search(plain):
        found.add("MINIMUM")
    return frozenset(found)


def has_ends(text: str) -> bool:
    """Whether a text states a range, both ends, or a default beside a limit."""
    default = bool(_CLASSES["DEFAULT"].search(text) or "left out" in text)
    return _RANGE.search(text) is not None or default + len(stated_bounds(text)) > 1


def stated_bounds(text: str) -> frozenset[str]:
    """Which bounds a text states itself, so that a question may leave them out."""
    return frozenset(mark for mark, pattern in _BOUND_HEADERS.items() if pattern.search(text))


def columns_asked(asking: Asking, row: Record) -> frozenset[str]:
    """The headers of a row that a question asks for; empty where that cannot be told.

    What it wants tells (the meaning, the cause), or a header that it names, or it names none:
    then the default is meant, or the only column that the question does not know itself.
    """
    (key, _), *others = row.cells
    want, known = wanted(asking), _question_forms(asking)
    if want in ("EFFECT", "PURPOSE"):
        # A table has one column for all of it.
        want = "MEANING"
    row_forms = forms(" ".join(text for pair in row.cells for text in pair))
    if want.startswith("OF ") and forms(want) & row_forms:
        want = ""
    if want == "NAME" or (want in ("THING", "WHERE") and _follows(asking, key)):
        return frozenset((key,))
    of_class = {
        name: [h for h, _ in others if pattern.search(h)] for name, pattern in _CLASSES.items()
    }
    if is_choice(asking):
        return frozenset(h for h, cell in others if forms(cell) & known)
    if want in ("WHY", "HOWTO", "MEANING", "UNIT", "TYPE") or want.startswith("OF "):
        return frozenset(of_class.get(want) or (f"<{want}>",))
    if "DEFAULT" in asking.marks and of_class["DEFAULT"]:
        return frozenset(of_class["DEFAULT"])
    asked = _named_columns(asking, [h for h, _ in others if h not in of_class["DEFAULT"]])
    if asked:
        return asked
    ends = bounds_asked(asking, [row.cells[0][1]])
    if ends and not of_class["RANGE"]:
        found = [h for h, _ in others if any(_BOUND_HEADERS[end].search(h) for end in ends)]
        if len(found) == 1:
            return frozenset(found)
    ranged = ends or _OF_RANGE.search(asking.plain)
    if ranged and of_class["RANGE"]:
        return frozenset(of_class["RANGE"])
    if of_class["DEFAULT"]:
        return frozenset(of_class["DEFAULT"])
    unknown = {h for h, cell in others if cell} - cells_named(asking, row)
    return frozenset(unknown if len(unknown) == 1 else ())


def cells_named(asking: Asking, row: Record) -> frozenset[str]:
    """The headers of a row whose cells a question says itself, besides the row's own name."""
    known = _question_forms(asking)
    return frozenset(
        header
        for header, cell in row.cells[1:]
        if not figures_in(cell) and forms(cell) and forms(cell) <= known
    )


def is_choice(asking: Asking) -> bool:
    """Whether a question offers values to choose from: is it minor or major?"""
    said = asking.plain.split()
    return asking.kind == "WHETHER" and "or" in said[:-1] and "or NOT" not in asking.plain


def is_range(columns: frozenset[str], row: Record) -> bool:
    """Whether what stands in a column has ends that can be asked for."""
    cells = [(h, c) for h, c in row.cells if h in columns]
    return any(_CLASSES["RANGE"].search(h) or figures_in(c) > 1 for h, c in cells)


def given_parameters(text: str) -> list[str]:
    """The parameters that a text gives values, as in a signature."""
    return _GIVEN.findall(text)


def parameters_named(asking: Asking, parameters: Sequence[str]) -> frozenset[str]:
    """Those of which a question has all words; "max" and "min" may be left out."""
    known = _question_forms(asking)
    found = set()
    for parameter in parameters:
        words = [w for w in re.split(r"_|(?<=[a-z])(?=[A-Z])", parameter) if w]
        words = [w for w in words if w.lower() not in ("max", "min")] or words
        if all({stemmed(w.lower()), canonical(w.lower())} & known for w in words):
            found.add(parameter)
    return frozenset(found)


def clauses_named(asking: Asking, text: str) -> frozenset[str]:
    """The clauses of a text of which a question has words that do not stand in all of them."""
    clauses = [clause for clause in _CLAUSE_END.split(text) if forms(clause)]
    known = _question_forms(asking)
    everywhere = _common([forms(clause) for clause in clauses])
    return frozenset(c for c in clauses if (forms(c) - everywhere) & known)


def own_words(text: str) -> set[str]:
    """The words of a text that stand in some of its clauses only."""
    clauses = [found for clause in _CLAUSE_END.split(text) if (found := forms(clause))]
    return set[str]().union(*clauses) - _common(clauses) if len(clauses) > 1 else set()


def _common(clauses: Sequence[set[str]]) -> set[str]:
    """The words of all clauses; none of a single one, which needs no telling apart."""
    return set[str].intersection(*clauses) if len(clauses) > 1 else set()


def told_apart(text: str) -> bool:
    """Whether each clause of a text that states a figure has words of its own."""
    clauses = _CLAUSE_END.split(text)
    stating = [clause for clause in clauses if figures_in(clause)]
    words = [{form for form in forms(clause) if len(form) > 2} for clause in stating]
    return all(
        own - set().union(*words[:at], *words[at + 1 :]) and figures_in(clause) == 1
        for at, (own, clause) in enumerate(zip(words, stating, strict=True))
    )


def turned_round(asking: Asking, text: str) -> bool:
    """Whether a question has after "to" what the text has after "from", or the other way."""
    ways = [_after(way, asking.plain) for way in ("from", "to")]
    stated = [_after(way, text.lower()) for way in ("from", "to")]
    return any(
        asked & other and not asked & own
        for asked, own, other in zip(ways, stated, reversed(stated), strict=True)
    )


def _after(way: str, text: str) -> set[str]:
    """The words of content right after a "from" or a "to"."""
    found = re.findall(rf"(?<!\S){way} (?:(?:the|a|an|its|their|your) )?([^\W\d_]+)", text)
    return forms(" ".join(found))


def _question_forms(asking: Asking) -> set[str]:
    names = {form for name in asking.names for form in (name.same, *forms(name.same))}
    return names | {form for word in asking.words for form in (word.stem, word.canonical)}


def _named_columns(asking: Asking, headers: Sequence[str]) -> frozenset[str]:
    """The headers whose first word of content a question has; of a bound the bound, too."""
    known = _question_forms(asking)
    found, bounds = set(), set()
    for header in headers:
        bound = {mark for mark, pattern in _BOUND_HEADERS.items() if pattern.search(header)}
        bare = header
        for pattern in _BOUND_HEADERS.values():
            bare = pattern.sub("", bare)
        words = [w for w in _WORD.findall(bare.lower()) if w not in EMPTY]
        head = forms(words[0]) if words else set()
        if bound and bound & asking.marks and (head & known or not head):
            bounds.add(header)
        elif not bound and head & known:
            found.add(header)
    return frozenset(bounds or found)


def _follows(asking: Asking, header: str) -> bool:
    """Whether the question's "which" stands before a header: which port, what card."""
    near = re.search(r"(?<!\S)(?:what|which) ((?:\S+ ?){1,2})", asking.plain)
    return near is not None and bool(forms(near[1]) & forms(header))

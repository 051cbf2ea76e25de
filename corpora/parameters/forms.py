"""How names, values and histories are written: the patterns that parameters are read by."""

import re
from collections.abc import Iterator

from corpora.parameters.parameter import (
    ARGUMENT,
    DEFAULT,
    DEPRECATED,
    DESCRIPTION,
    RANGE,
    REPLACED,
    SINCE,
    SYNTAX,
    TYPE,
    UNIT,
)

PARAMETER, OPTION = "parameter", "option"
_LETTER = re.compile(r"[^\W\d_]{2}|^-{1,2}\w|[A-Za-z]\d|^\w$|_")
_NAME = re.compile(r"-{0,2}[$@]?\w[\w.:+*/-]*(?:\(\))?")
CODE = re.compile(r"-{1,2}\w|.*(?:[_$@]|\w\.\w|[a-z][A-Z]|\(\)$)|[A-Z][A-Z\d]+(?:-[A-Z\d]+)*$")
"""How a name is written that is no word of a sentence."""
IN_A_LIST = re.compile(r"-|[^.]*[_$@]|.*\(\)$")
HYPHENATED_OR_NUMBERED = re.compile(r".*(?:\w-\w|[^\W\d]\d)")
LONGEST_NAME, LONGEST_VALUE, LONGEST_TEXT = 80, 120, 400
LONGEST_QUOTE = 600
LONGEST_READ = 4_000
"""Characters of a block that are read: a form is short, and a hostile text may be long."""

_RELATIONS = {
    DEFAULT: r"^(?:the )?default\b",
    UNIT: r"^units?\b",
    RANGE: r"\brange\b|^(?:\w+ )?values$|^choices$|^(?:allowed|valid|possible)\b",
    TYPE: r"^(?:data ?)?types?$",
    SINCE: r"^(?:since|introduced|added|new in)\b|^version added$",
    DEPRECATED: r"^deprecated\b",
    REPLACED: r"^(?:replaced by|replacement|use instead|now|new (?:name|location))$",
    DESCRIPTION: r"^(?:description|meaning|explanation|purpose|comments?|notes?)$",
}
"""How headers and labels say which relation a cell or a line is in."""
TELLING = {DEFAULT, UNIT, RANGE, TYPE, SYNTAX, SINCE, "required"}
"""Relations of which a section headed by a single word has one, if it is about a parameter."""
NAME_NOUNS = {
    *(PARAMETER, OPTION, ARGUMENT, "attribute", "directive", "field", "flag", "key", "keyword"),
    *("property", "setting", "variable"),
}
"""The last word of the header of a column that names things, whatever these look like."""
_LABEL = re.compile(r"(?P<label>[A-Za-z]\w*(?: \w+){0,2}):{1,2}\s+(?P<value>\S.*)", re.S)
"""A line of its own below a name: "Default: 5", "Type: Boolean"."""
AWAITS_DEFAULT = re.compile(r"default(?: value)?:{1,2}", re.I)
NO_LABEL = {
    *("attention", "caution", "danger", "error", "example", "examples", "hint", "important"),
    *("note", "notes", "raises", "return", "returns", "rtype", "see also", "tip", "todo"),
    "warning",
}
"""Labels that begin a remark, and say nothing of a parameter."""
LIST_MARK = re.compile(r"\s*[-*•]\s+")
OF_A_RELEASE = re.compile(r"(?:\w+ )?v?\d+(?:\.\w+)+(?: *[-–(:[].*)?")
"""The heading of what is told of one release: such a section is release notes."""
OLD_NAME = re.compile(r"^(?:before|old|former|removed|previous)\b", re.I)
_VERSION = r"(?:version\s+|release\s+)?v?(?P<value>\d+(?:\.\w+)*)"
ADDED = re.compile(
    r"(?:^|[.;(]\s*)(?:new|added|introduced|available)\s*(?:in|since|with|:)\s*"
    rf"(?:(?!version|release)[A-Za-z]\w*\s+)?{_VERSION}",
    re.I,
)
ENDING = re.compile(
    r"(?:^|[.;:(]\s*|\b(?:is|are|was|been|now)\s+)deprecated\b"
    rf"(?:[^.]{{0,20}}?\b(?:in|since)\s+{_VERSION})?",
    re.I,
)
INSTEAD = re.compile(
    r"\b(?:use|in favou?r of|replaced (?:by|with)|superseded by|renamed (?:to|as)|see)\s+"
    r"(?:the\s+)?(?P<name>-{0,2}\w[\w.-]{0,78}\w(?:\(\))?)",
    re.I,
)
_OLD, _NEW = r"(?<!\S)(?P<old>\S{1,80})", r"(?:the )?(?P<new>\S{1,80})"
TOOK_OVER = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_OLD} (?:has been|have been|was|were|is|are|is now) "
        rf"(?:replaced (?:by|with)|renamed (?:to|as)|superseded by) {_NEW}",
        r"(?<!\S)(?P<new>\S{1,80}) (?:replaces|supersedes|instead of) (?:the )?(?P<old>\S{1,80})",
        rf"\brenamed? (?:the )?(?P<old>\S{{1,80}}) (?:to|as) {_NEW}",
    )
)
"""How release notes tell that one name took the place of another."""
IN_BRACKETS = re.compile(
    r"[(\[](?:[^()\[\]]{0,200}[,;]\s+)?default(?:s to)?[:=]?\s+(?P<value>[^()\[\]]{1,80})[)\]]",
    re.I,
)
STATED = re.compile(
    r"\bdefault(?:s to| is| value is|::?)\s+(?P<value>\S[^\n]{0,79}?)"
    r"(?=[.;](?:\s|$)|,\s|\s\(|$)",
    re.I,
)
SENTENCE_END = re.compile(r"\.\s+(?=[^\W\d_a-z])")
TERM_END = re.compile(r"\s[–—]\s")
FIELD = re.compile(r"(?P<term>[^:\n]{1,80}):\s+(?P<text>\S.*)", re.S)
ITEM = re.compile(
    r"\s*[-*•]\s+(?P<term>\S{1,60})(?:\s+\([^()]{1,40}\))?(?::| [–—-])\s+(?P<text>\S.*)", re.S
)
SECTION_AND_NAME = re.compile(r"(?:(?P<owner>\[[\w:.-]+\])\s+)?(?P<name>\S+)")
OWNER = re.compile(r"(?<![\w.])(?P<name>[\w.]+)\s*\((?P<inside>.*)", re.S)
ARGUMENT_FORM = re.compile(
    r"\s*\*{0,2}(?P<name>\w[\w-]*)\s*(?::[^=]*)?(?:=\s*(?P<default>.+?)\s*)?", re.S
)
_OPENING, _CLOSING = "([{", ")]}"
NO_ARGUMENT = {"self", "cls", "args", "kwargs"}


def names_things(header: str) -> bool:
    """Whether a column with this header names things."""
    return not NAME_NOUNS.isdisjoint(header.lower().split()[-1:])


def relation(header: str) -> str:
    """The relation that a column or a label stands for; its own words where it is no known one."""
    header = header.strip()
    known = (name for name, form in _RELATIONS.items() if re.search(form, header, re.I))
    return next(known, header.lower())


def labelled(text: str) -> re.Match[str] | None:
    """The label and the value of a line such as "Default: 5"; a deprecation tells more."""
    match = _LABEL.fullmatch(LIST_MARK.sub("", text, count=1))
    if match is None or len(match["value"]) > LONGEST_VALUE or match["label"].lower() in NO_LABEL:
        return None
    known = is_known(match["label"]) or match["label"][0].isupper()
    return match if known and relation(match["label"]) != DEPRECATED else None


def is_about(item: str) -> bool:
    """Whether an item of a list tells of the thing that it stands below, and names none itself."""
    bare = LIST_MARK.sub("", item, count=1)
    return labelled(bare) is not None or ENDING.match(bare) is not None


def is_known(label: str) -> bool:
    """Whether a label stands for a relation that has a name of its own, or for "required"."""
    return relation(label) in (*_RELATIONS, "required")


def names(term: str) -> tuple[str, ...]:
    """The spellings of a name, a long option first; none where the term is no name."""
    found = []
    for part in re.split(r",\s+|\s\|\s|\s+/\s+", term.strip("`\"'* ")):
        name, *more = re.split(r"[=\[\s<(]", part, maxsplit=1)
        if more and more[0].strip() and not name.startswith("-") and part[len(name)] not in "=[(<":
            return ()
        if not _NAME.fullmatch(name) or not _LETTER.search(name) or len(name) > LONGEST_NAME:
            return ()
        found.append(name.removesuffix(":"))
    return tuple(sorted(found, key=lambda name: not name.startswith("--")))


def is_name(text: str) -> bool:
    """Whether a text is a name, written as no word of a sentence is."""
    return bool(CODE.match(text) or HYPHENATED_OR_NUMBERED.match(text)) and bool(
        _NAME.fullmatch(text)
    )


def arguments(inside: str) -> Iterator[str]:
    """The arguments behind an opening bracket, up to the one that closes it."""
    depth, first = 0, 0
    for at, character in enumerate(inside):
        if depth == 0 and character in f",{_CLOSING}":
            yield inside[first:at]
            first = at + 1
            if character != ",":
                return
        depth += (character in _OPENING) - (character in _CLOSING)

"""A document's pages → the parameters that its forms state.

A form is a table with named columns, a signature, a definition list, an item "name: text", or a
section headed by a name with lines such as "Default: 5" below. What only prose tells is left out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from corpora.indexing.pages import StoredPage
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
    Fact,
    Parameter,
    Place,
    Replacement,
)
from ingestion.page import CELL_DELIMITER, Block, BlockKind, DocumentKind

PARAMETER, OPTION = "parameter", "option"
_LETTER = re.compile(r"[^\W\d_]{2}|^-{1,2}\w|[A-Za-z]\d|^\w$|_")
_NAME = re.compile(r"-{0,2}[$@]?\w[\w.:+*-]*(?:\(\))?")
_CODE = re.compile(r"-{1,2}\w|.*(?:[_$@]|\w\.\w|[a-z][A-Z]|\(\)$)|[A-Z][A-Z\d]+(?:-[A-Z\d]+)*$")
"""How a name is written that is no word of a sentence."""
_IN_A_LIST = re.compile(r"-|[^.]*[_$@]|.*\(\)$")
_HYPHENATED_OR_NUMBERED = re.compile(r".*(?:\w-\w|[^\W\d]\d)")
_LONGEST_NAME, _LONGEST_VALUE, _LONGEST_TEXT = 80, 120, 400
_LONGEST_QUOTE = 600
_LONGEST_READ = 4_000
"""Characters of a block that are read: a form is short, and a hostile text may be long."""

_RELATIONS = (
    (re.compile(r"^(?:the )?default\b", re.I), DEFAULT),
    (re.compile(r"^units?\b", re.I), UNIT),
    (
        re.compile(r"\brange\b|^(?:\w+ )?values$|^choices$|^(?:allowed|valid|possible)\b", re.I),
        RANGE,
    ),
    (re.compile(r"^(?:data ?)?types?$", re.I), TYPE),
    (re.compile(r"^(?:since|introduced|added|new in)\b|^version added$", re.I), SINCE),
    (re.compile(r"^deprecated\b", re.I), DEPRECATED),
    (
        re.compile(r"^(?:replaced by|replacement|use instead|now|new (?:name|location))$", re.I),
        REPLACED,
    ),
    (
        re.compile(r"^(?:description|meaning|explanation|purpose|comments?|notes?)$", re.I),
        DESCRIPTION,
    ),
)
"""How headers and labels say which relation a cell or a line is in."""
_TELLING = {DEFAULT, UNIT, RANGE, TYPE, SYNTAX, SINCE, "required"}
"""Relations of which a section headed by a single word has one, if it is about a parameter."""
_NAME_COLUMNS = {
    *(PARAMETER, OPTION, ARGUMENT, "attribute", "directive", "field", "flag", "key", "keyword"),
    *("property", "setting", "variable"),
}
"""The last word of the header of a column that names things, whatever these look like."""
_LABEL = re.compile(r"(?P<label>[A-Za-z]\w*(?: \w+){0,2}):{1,2}\s+(?P<value>\S.*)", re.S)
"""A line of its own below a name: "Default: 5", "Type: Boolean"."""
_AWAITS_DEFAULT = re.compile(r"default(?: value)?:{1,2}", re.I)
_NO_LABEL = {
    *("attention", "caution", "danger", "error", "example", "examples", "hint", "important"),
    *("note", "notes", "raises", "return", "returns", "rtype", "see also", "tip", "todo"),
    "warning",
}
"""Labels that begin a remark, and say nothing of a parameter."""
_LIST_MARK = re.compile(r"\s*[-*•]\s+")
_OF_A_RELEASE = re.compile(r"(?:\w+ )?v?\d+(?:\.\w+)+(?: *[-–(:[].*)?")
"""The heading of what is told of one release: such a section is release notes."""
_OLD_NAME = re.compile(r"^(?:before|old|former|removed|previous)\b", re.I)
_VERSION = r"(?:version\s+|release\s+)?v?(?P<value>\d+(?:\.\w+)*)"
_ADDED = re.compile(
    r"(?:^|[.;(]\s*)(?:new|added|introduced|available)\s*(?:in|since|with|:)\s*"
    rf"(?:(?!version|release)[A-Za-z]\w*\s+)?{_VERSION}",
    re.I,
)
_ENDING = re.compile(
    r"(?:^|[.;:(]\s*|\b(?:is|are|was|been|now)\s+)deprecated\b"
    rf"(?:[^.]{{0,20}}?\b(?:in|since)\s+{_VERSION})?",
    re.I,
)
_INSTEAD = re.compile(
    r"\b(?:use|in favou?r of|replaced (?:by|with)|superseded by|renamed (?:to|as)|see)\s+"
    r"(?:the\s+)?(?P<name>-{0,2}\w[\w.-]{0,78}\w(?:\(\))?)",
    re.I,
)
_OLD, _NEW = r"(?<!\S)(?P<old>\S{1,80})", r"(?:the )?(?P<new>\S{1,80})"
_TOOK_OVER = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_OLD} (?:has been|have been|was|were|is|are|is now) "
        rf"(?:replaced (?:by|with)|renamed (?:to|as)|superseded by) {_NEW}",
        r"(?<!\S)(?P<new>\S{1,80}) (?:replaces|supersedes|instead of) (?:the )?(?P<old>\S{1,80})",
        rf"\brenamed? (?:the )?(?P<old>\S{{1,80}}) (?:to|as) {_NEW}",
    )
)
"""How release notes tell that one name took the place of another."""
_IN_BRACKETS = re.compile(
    r"[(\[](?:[^()\[\]]{0,200}[,;]\s+)?default(?:s to)?[:=]?\s+(?P<value>[^()\[\]]{1,80})[)\]]",
    re.I,
)
_STATED = re.compile(
    r"\bdefault(?:s to| is| value is|::?)\s+(?P<value>\S[^\n]{0,79}?)"
    r"(?=[.;](?:\s|$)|,\s|\s\(|$)",
    re.I,
)
_TERM_END = re.compile(r"\s[–—]\s")
_FIELD = re.compile(r"(?P<term>[^:\n]{1,80}):\s+(?P<text>\S.*)", re.S)
_ITEM = re.compile(
    r"\s*[-*•]\s+(?P<term>\S{1,60})(?:\s+\([^()]{1,40}\))?(?::| [–—-])\s+(?P<text>\S.*)", re.S
)
_SECTION_AND_NAME = re.compile(r"(?:(?P<owner>\[[\w:.-]+\])\s+)?(?P<name>\S+)")
_OWNER = re.compile(r"(?<![\w.])(?P<name>[\w.]+)\s*\((?P<inside>.*)", re.S)
_ARGUMENT = re.compile(
    r"\s*\*{0,2}(?P<name>\w[\w-]*)\s*(?::[^=]*)?(?:=\s*(?P<default>.+?)\s*)?", re.S
)
_OPENING, _CLOSING = "([{", ")]}"
_NO_ARGUMENT = {"self", "cls", "args", "kwargs"}


@dataclass
class _Draft:
    """A parameter while its blocks are read; `certain` where its form alone makes it one."""

    name: str
    kind: str
    owner: str
    quote: str
    place: Place
    aliases: tuple[str, ...] = ()
    facts: list[Fact] = field(default_factory=list)
    certain: bool = True

    def state(self, relation: str, value: str, quote: str, place: Place) -> None:
        """Take in a fact, unless the value says nothing."""
        value = " ".join(value.split()).removesuffix(".").strip()
        if value.strip(" –—-"):
            self.facts.append(Fact(relation, value[:_LONGEST_TEXT], quote, place))

    @property
    def telling_quote(self) -> str:
        """The words that name it, with the first fact behind them where that is near."""
        near = (f.quote for f in self.facts if f.place.page_id == self.place.page_id)
        return next((quote for quote in near if quote.startswith(self.quote)), self.quote)

    @property
    def is_parameter(self) -> bool:
        """Whether it is one: by its form, or by what is stated below its name."""
        told = {fact.relation for fact in self.facts}
        return self.certain or (SYNTAX in told if " " in self.name else bool(told & _TELLING))


def read_parameters(
    pages: Sequence[StoredPage],
) -> tuple[tuple[Parameter, ...], tuple[Replacement, ...]]:
    """The parameters of a document in the order of its pages, and which name replaced which.

    Release notes tell of the parameters of all releases, so they only give replacements. What is
    stated in several places of one section is one parameter.
    """
    if pages and pages[0].document.kind is DocumentKind.RELEASE_NOTES:
        return (), tuple(_replacements(pages))
    reader = _Reader()
    for page in pages:
        for start, end, block in page.page.spans():
            reader.read(page, _begun(block), start, end)
    drafts = [draft for draft in reader.drafts if draft.is_parameter]
    told = {draft.name for draft in drafts if draft.facts}
    merged: dict[tuple[str, str], _Draft] = {}
    for draft in drafts:
        if draft.kind == PARAMETER and not draft.facts and draft.name in told:
            # A mere mark for an index, at the end of the section before.
            continue
        first = merged.setdefault((draft.owner, draft.name), draft)
        if first is not draft:
            first.facts += draft.facts
            first.aliases = tuple(dict.fromkeys((*first.aliases, *draft.aliases)))
    return (
        tuple(
            Parameter(d.name, d.kind, d.owner, d.aliases, tuple(d.facts), d.telling_quote, d.place)
            for d in merged.values()
        ),
        (),
    )


class _Reader:
    """Reads blocks in order; what stands below a name in its section belongs to it."""

    def __init__(self) -> None:
        self.drafts: list[_Draft] = []
        self._open: _Draft | None = None
        self._path: tuple[str, ...] = ()
        self._begins, self._here = (0, 0), (0, 0)
        self._quote = ""
        self._awaits_default = False

    def read(self, page: StoredPage, block: Block, start: int, end: int) -> None:
        """Take in the next block of the document, characters `start` to `end` of its page."""
        place, self._here = _place(page, block), (page.id, start)
        if block.path != self._path:
            self._open = None
        # What stands below a name is quoted from the name on: "Default: 5" stands there often.
        own_page, first = self._begins
        near = self._open and own_page == page.id and end - first <= _LONGEST_QUOTE
        self._quote = page.text[first:end] if near else block.text
        if any(map(_OF_A_RELEASE.fullmatch, block.path)):
            return
        match block.kind:
            case BlockKind.HEADING:
                self._begin_section(block, place)
            case BlockKind.SIGNATURE:
                self._read_signature(block, place)
            case BlockKind.TABLE_ROW:
                self.drafts += _of_row(block, place)
            case BlockKind.DEFINITION:
                self._read_definition(block, place)
            case BlockKind.LIST_ITEM if not (self._open and _is_about(block.text)):
                if match := _ITEM.match(block.text):
                    self._read_entry(match["term"], match["text"], block, place, listed=True)
            case BlockKind.CODE if self._open:
                self._read_code(self._open, block, place)
            case BlockKind.PARAGRAPH | BlockKind.LIST_ITEM if self._open:
                _state_all(self._open, block.text, block, self._quote, place)
        self._awaits_default = _AWAITS_DEFAULT.fullmatch(block.text) is not None

    def _begin(self, draft: _Draft, path: tuple[str, ...]) -> None:
        self.drafts.append(draft)
        self._open, self._path, self._begins = draft, path, self._here

    def _begin_section(self, block: Block, place: Place) -> None:
        """A section headed by a name may be about a parameter; what follows decides."""
        match = _SECTION_AND_NAME.fullmatch(block.text.strip())
        owner = (match and match["owner"]) or _owner(block, place)
        name = match["name"].strip("`\"'") if match else block.text.strip()
        # A word with a capital heads a section, and a name of several words may be a command's.
        if len(name) <= _LONGEST_NAME and (name[:1].islower() or _CODE.match(name)):
            draft = _Draft(name, PARAMETER, owner, block.text, place, certain=False)
            self._begin(draft, block.path)

    def _read_signature(self, block: Block, place: Place) -> None:
        found = _OWNER.search(block.text)
        spelt = _names(block.path[-1]) if block.path else ()
        if not spelt or spelt[0].removesuffix("()") not in block.text:
            return
        name = spelt[0]
        kind = OPTION if name.startswith("-") else "function" if found else PARAMETER
        if block.text.startswith("class "):
            kind = "class"
        self._begin(_Draft(name, kind, _owner(block, place), block.text, place), block.path)
        for argument in _arguments(found["inside"]) if found else ():
            if (match := _ARGUMENT.fullmatch(argument)) and match["name"] not in _NO_ARGUMENT:
                draft = _Draft(match["name"], ARGUMENT, name, block.text, place)
                draft.state(DEFAULT, match["default"] or "", block.text, place)
                self.drafts.append(draft)

    def _read_code(self, draft: _Draft, block: Block, place: Place) -> None:
        """Code right below "Default:" is it; that begins with the heading is a command's syntax."""
        lines = [line.strip() for line in block.text.splitlines() if line.strip()]
        if self._awaits_default:
            draft.state(DEFAULT, block.text[:_LONGEST_VALUE], self._quote, place)
        elif draft.facts or not lines or not draft.name.islower():
            return
        elif f"{lines[0]} ".startswith(f"{draft.name} "):
            draft.kind = "command"
            draft.state(SYNTAX, lines[0], self._quote, place)

    def _read_definition(self, block: Block, place: Place) -> None:
        term, *rest = _TERM_END.split(block.text, maxsplit=1)
        match = None if rest else _FIELD.fullmatch(block.text)
        if match:
            term, rest = match["term"], [match["text"]]
        if not rest:
            return
        if self._open and _is_known(term):
            self._open.state(_relation(term), rest[0], self._quote, place)
        elif self._open and term.startswith("type "):
            draft = _Draft(term[5:], ARGUMENT, self._open.name, block.text, place, certain=False)
            draft.state(TYPE, rest[0], block.text, place)
            self.drafts.append(draft)
        else:
            self._read_entry(term, rest[0], block, place)

    def _read_entry(
        self, term: str, text: str, block: Block, place: Place, *, listed: bool = False
    ) -> None:
        """A name and what is said of it, in an item or a definition list."""
        if not (names := _names(term)) or names[0].lower() in _NO_LABEL:
            return
        if self._open and self._open.name in names:
            return
        below = self._open and self._open.kind in ("function", "class")
        kind = OPTION if names[0].startswith("-") else ARGUMENT if below else PARAMETER
        owner = self._open.name if below and self._open else _owner(block, place)
        draft = _Draft(names[0], kind, owner, block.text, place, names[1:])
        _state_all(draft, text, block, block.text, place)
        draft.state(DESCRIPTION, text, block.text, place)
        # In a list a word such as GitHub, README.md or NOTE may begin an item on anything.
        draft.certain = bool(below or (_IN_A_LIST if listed else _CODE).match(names[0]))
        self.drafts.append(draft)


def _of_row(block: Block, place: Place) -> Iterator[_Draft]:
    """The parameter of a table's row: its name in the first column or one headed as such."""
    cells = [cell.strip() for cell in block.text.split(CELL_DELIMITER)]
    if len(cells) != len(block.header) or len(cells) < 2:
        return
    named = next((i for i, header in enumerate(block.header) if _names_things(header)), 0)
    names, header = _names(cells[named]), block.header[named].strip()
    as_code = names and (_CODE.match(names[0]) or _HYPHENATED_OR_NUMBERED.match(names[0]))
    if not names or not header or not (as_code or _names_things(header)):
        return
    kind = header.lower() if re.fullmatch(r"[A-Za-z][A-Za-z ]{,29}", header) else PARAMETER
    draft = _Draft(names[0], kind, _owner(block, place), block.text, place, names[1:])
    for i, cell in enumerate(cells):
        if i != named and (relation := _relation(block.header[i])):
            draft.state(relation, cell, block.text, place)
    if draft.facts:
        yield draft


def _names_things(header: str) -> bool:
    return not _NAME_COLUMNS.isdisjoint(header.lower().split()[-1:])


def _relation(header: str) -> str:
    """The relation that a column or a label stands for; its own words where it is no known one."""
    header = header.strip()
    return next((name for form, name in _RELATIONS if form.search(header)), header.lower())


def _state_all(draft: _Draft, text: str, block: Block, quote: str, place: Place) -> None:
    """Take in what a text below a name, or behind it, states of it."""
    if match := _labelled(text):
        draft.state(_relation(match["label"]), match["value"], quote, place)
        return
    text = _LIST_MARK.sub("", text, count=1)
    stated = {fact.relation for fact in draft.facts}
    if DEFAULT not in stated and (match := _IN_BRACKETS.search(text) or _STATED.search(text)):
        draft.state(DEFAULT, match["value"], quote, place)
    if SINCE not in stated and (match := _ADDED.search(text)):
        draft.state(SINCE, match["value"], quote, place)
    if match := _ENDING.search(text):
        draft.state(DEPRECATED, match["value"] or "yes", quote, place)
        instead = _INSTEAD.search(text, match.start())
        if instead and _is_name(instead["name"]) and instead["name"] != draft.name:
            draft.state(REPLACED, instead["name"], quote, place)
    described = DESCRIPTION in stated or _AWAITS_DEFAULT.fullmatch(text)
    if block.kind is BlockKind.PARAGRAPH and not described:
        draft.state(DESCRIPTION, text, quote, place)


def _labelled(text: str) -> re.Match[str] | None:
    """The label and the value of a line such as "Default: 5"; a deprecation tells more."""
    match = _LABEL.fullmatch(_LIST_MARK.sub("", text, count=1))
    if match is None or len(match["value"]) > _LONGEST_VALUE or match["label"].lower() in _NO_LABEL:
        return None
    known = _is_known(match["label"]) or match["label"][0].isupper()
    return match if known and _relation(match["label"]) != DEPRECATED else None


def _is_about(item: str) -> bool:
    """Whether an item of a list tells of the thing that it stands below, and names none itself."""
    bare = _LIST_MARK.sub("", item, count=1)
    return _labelled(bare) is not None or _ENDING.match(bare) is not None


def _is_known(label: str) -> bool:
    return any(form.search(label) for form, _ in _RELATIONS) or label.lower() == "required"


def _replacements(pages: Iterable[StoredPage]) -> Iterator[Replacement]:
    for page in pages:
        for block in map(_begun, page.blocks):
            place = _place(page, block)
            cells = [cell.strip() for cell in block.text.split(CELL_DELIMITER)]
            if block.header and len(cells) == len(block.header):
                columns = dict(zip(block.header, cells, strict=True))
                old = next((c for h, c in columns.items() if _OLD_NAME.search(h)), "")
                new = next((c for h, c in columns.items() if _relation(h) == REPLACED), "")
                if old and new:
                    yield Replacement(old, new, block.text, place)
                continue
            for match in (m for form in _TOOK_OVER for m in form.finditer(block.text)):
                old, new = (match[side].strip(".,;:`\"'()*") for side in ("old", "new"))
                if old and _is_name(new) and old != new:
                    yield Replacement(old, new, block.text, place)


def _names(term: str) -> tuple[str, ...]:
    """The spellings of a name, a long option first; none where the term is no name."""
    found = []
    for part in re.split(r",\s+|\s\|\s|\s+/\s+", term.strip("`\"'* ")):
        name, *more = re.split(r"[=\[\s<(]", part, maxsplit=1)
        if more and more[0].strip() and not name.startswith("-") and part[len(name)] not in "=[(<":
            return ()
        if not _NAME.fullmatch(name) or not _LETTER.search(name) or len(name) > _LONGEST_NAME:
            return ()
        found.append(name.removesuffix(":"))
    return tuple(sorted(found, key=lambda name: not name.startswith("--")))


def _is_name(text: str) -> bool:
    return bool(_CODE.match(text) or _HYPHENATED_OR_NUMBERED.match(text)) and bool(
        _NAME.fullmatch(text)
    )


def _owner(block: Block, place: Place) -> str:
    """What a block's thing belongs to: the heading above it, or the document."""
    is_name = block.kind in (BlockKind.HEADING, BlockKind.SIGNATURE)
    name, above = (block.path[-1:], block.path[:-1]) if is_name else ((), block.path)
    # A signature may stand below a heading with the same name.
    return next((heading for heading in reversed(above) if heading not in name), place.document)


def _begun(block: Block) -> Block:
    return replace(block, text=block.text[:_LONGEST_READ])


def _place(page: StoredPage, block: Block) -> Place:
    document, section = page.document, " › ".join(block.path)
    anchor = block.anchor or page.anchor
    return Place(document.title, document.file, page.number, page.id, section, anchor)


def _arguments(inside: str) -> Iterator[str]:
    """The arguments behind an opening bracket, up to the one that closes it."""
    depth, first = 0, 0
    for at, character in enumerate(inside):
        if depth == 0 and character in f",{_CLOSING}":
            yield inside[first:at]
            first = at + 1
            if character != ",":
                return
        depth += (character in _OPENING) - (character in _CLOSING)

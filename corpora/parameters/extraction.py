"""A document's pages → the parameters that its forms state.

A form is a table with named columns, a signature, a definition list, an item "name: text", or a
section headed by a name with lines such as "Default: 5" below. What only prose tells is left out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from corpora.indexing.pages import StoredPage
from corpora.parameters import forms
from corpora.parameters.parameter import (
    ARGUMENT,
    DEFAULT,
    DEPRECATED,
    DESCRIPTION,
    REPLACED,
    SINCE,
    SYNTAX,
    TYPE,
    Fact,
    Location,
    Parameter,
    Replacement,
)
from ingestion.page import CELL_DELIMITER, Block, BlockKind, DocumentKind


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
        for start, end, block in page.spans():
            reader.read(page, _begun(block), start, end)
    read = [parameter for parameter in reader.read_so_far if reader.is_one(parameter)]
    stated = {parameter.name for parameter in read if parameter.facts}
    merged: dict[tuple[str, str], Parameter] = {}
    for parameter in read:
        if parameter.kind == forms.PARAMETER and not parameter.facts and parameter.name in stated:
            # A mere mark for an index, at the end of the section before.
            continue
        first = merged.setdefault((parameter.owner, parameter.name), parameter)
        if first is not parameter:
            first.facts += parameter.facts
            first.aliases = tuple(dict.fromkeys((*first.aliases, *parameter.aliases)))
    for parameter in merged.values():
        # With the first fact behind the words that name it, where that is near.
        near = (f.quote for f in parameter.facts if f.place.page_id == parameter.place.page_id)
        longer = (quote for quote in near if quote.startswith(parameter.quote))
        parameter.quote = next(longer, parameter.quote)
    return tuple(merged.values()), ()


class _Reader:
    """Reads blocks in order; what stands below a name in its section belongs to it."""

    def __init__(self) -> None:
        self.read_so_far: list[Parameter] = []
        self._doubtful: set[Parameter] = set()
        self._open: Parameter | None = None
        self._path: tuple[str, ...] = ()
        self._begins, self._here = (0, 0), (0, 0)
        self._quote = ""
        self._awaits_default = False

    def is_one(self, parameter: Parameter) -> bool:
        """Whether it is a parameter: by its form, or by what is stated below its name."""
        relations = {fact.relation for fact in parameter.facts}
        enough = SYNTAX in relations if " " in parameter.name else bool(relations & forms.TELLING)
        return parameter not in self._doubtful or enough

    def read(self, page: StoredPage, block: Block, start: int, end: int) -> None:
        """Take in the next block of the document, characters `start` to `end` of its page."""
        place, self._here = _place(page, block), (page.id, start)
        if block.path != self._path:
            self._open = None
        # What stands below a name is quoted from the name on: "Default: 5" stands there often.
        own_page, first = self._begins
        near = self._open and own_page == page.id and end - first <= forms.LONGEST_QUOTE
        self._quote = page.text[first:end] if near else block.text
        if any(map(forms.OF_A_RELEASE.fullmatch, block.path)):
            return
        match block.kind:
            case BlockKind.HEADING:
                self._begin_section(block, place)
            case BlockKind.SIGNATURE:
                self._read_signature(block, place)
            case BlockKind.TABLE_ROW:
                self.read_so_far += _of_row(block, place)
            case BlockKind.DEFINITION:
                self._read_definition(block, place)
            case BlockKind.LIST_ITEM if not (self._open and forms.is_about(block.text)):
                if match := forms.ITEM.match(block.text):
                    self._read_entry(match["term"], match["text"], block, place, listed=True)
            case BlockKind.CODE if self._open:
                self._read_code(self._open, block, place)
            case BlockKind.PARAGRAPH | BlockKind.LIST_ITEM if self._open:
                _state_all(self._open, block.text, block, self._quote, place)
        self._awaits_default = forms.AWAITS_DEFAULT.fullmatch(block.text) is not None

    def _add(self, parameter: Parameter, *, certain: bool = True) -> None:
        self.read_so_far.append(parameter)
        if not certain:
            self._doubtful.add(parameter)

    def _begin(self, parameter: Parameter, block: Block, *, certain: bool = True) -> None:
        self._add(parameter, certain=certain)
        self._open, self._path, self._begins = parameter, block.path, self._here

    def _begin_section(self, block: Block, place: Location) -> None:
        """A section headed by a name may be about a parameter; what follows decides."""
        match = forms.SECTION_AND_NAME.fullmatch(block.text.strip())
        owner = (match and match["owner"]) or _owner(block, place)
        name = match["name"].strip("`\"'") if match else block.text.strip()
        # A word with a capital heads a section, and a name of several words may be a command's.
        if len(name) <= forms.LONGEST_NAME and (name[:1].islower() or forms.CODE.match(name)):
            found = Parameter(name, forms.PARAMETER, owner, block.text, place)
            self._begin(found, block, certain=False)

    def _read_signature(self, block: Block, place: Location) -> None:
        section, _, key = block.text.strip().rpartition("/")
        if section.isidentifier() and key.isidentifier():
            # "logging/format" is the key of a section, as configurations write them.
            self._begin(Parameter(key, forms.PARAMETER, section, block.text, place), block)
            return
        found = forms.OWNER.search(block.text)
        spelt = forms.names(block.path[-1]) if block.path else ()
        if not spelt or spelt[0].removesuffix("()") not in block.text:
            return
        name = spelt[0]
        kind = forms.OPTION if name.startswith("-") else "function" if found else forms.PARAMETER
        if block.text.startswith("class "):
            kind = "class"
        self._begin(Parameter(name, kind, _owner(block, place), block.text, place), block)
        for argument in forms.arguments(found["inside"]) if found else ():
            match = forms.ARGUMENT_FORM.fullmatch(argument)
            if match and match["name"] not in forms.NO_ARGUMENT:
                of_call = Parameter(match["name"], ARGUMENT, name, block.text, place)
                _state(of_call, DEFAULT, match["default"] or "", block.text, place)
                self._add(of_call)

    def _read_code(self, named: Parameter, block: Block, place: Location) -> None:
        """Code right below "Default:" is it; that begins with the heading is a command's syntax."""
        lines = [line.strip() for line in block.text.splitlines() if line.strip()]
        if self._awaits_default:
            _state(named, DEFAULT, block.text[: forms.LONGEST_VALUE], self._quote, place)
        elif named.facts or not lines or not named.name.islower():
            return
        elif f"{lines[0]} ".startswith(f"{named.name} "):
            named.kind = "command"
            _state(named, SYNTAX, lines[0], self._quote, place)

    def _read_definition(self, block: Block, place: Location) -> None:
        term, *rest = forms.TERM_END.split(block.text, maxsplit=1)
        match = None if rest else forms.FIELD.fullmatch(block.text)
        if match:
            term, rest = match["term"], [match["text"]]
        if not rest:
            return
        if self._open and forms.is_known(term):
            _state(self._open, forms.relation(term), rest[0], self._quote, place)
        elif self._open and term.startswith("type "):
            argument = Parameter(term[5:], ARGUMENT, self._open.name, block.text, place)
            _state(argument, TYPE, rest[0], block.text, place)
            self._add(argument, certain=False)
        else:
            self._read_entry(term, rest[0], block, place)

    def _read_entry(
        self, term: str, text: str, block: Block, place: Location, *, listed: bool = False
    ) -> None:
        """A name and what is said of it, in an item or a definition list."""
        if not (names := forms.names(term)) or names[0].lower() in forms.NO_LABEL:
            return
        if self._open and self._open.name in names:
            return
        below = self._open and self._open.kind in ("function", "class")
        kind = forms.OPTION if names[0].startswith("-") else ARGUMENT if below else forms.PARAMETER
        owner = self._open.name if below and self._open else _owner(block, place)
        found = Parameter(names[0], kind, owner, block.text, place, names[1:])
        _state_all(found, text, block, block.text, place)
        _state(found, DESCRIPTION, text, block.text, place)
        # In a list a word such as GitHub, README.md or NOTE may begin an item on anything.
        as_name = (forms.IN_A_LIST if listed else forms.CODE).match(names[0])
        self._add(found, certain=bool(below or as_name))


def _of_row(block: Block, place: Location) -> Iterator[Parameter]:
    """The parameter of a table's row: its name in the first column or one headed as such."""
    cells = [cell.strip() for cell in block.text.split(CELL_DELIMITER)]
    if len(cells) != len(block.header) or len(cells) < 2:
        return
    named = next((i for i, header in enumerate(block.header) if forms.names_things(header)), 0)
    names, header = forms.names(cells[named]), block.header[named].strip()
    as_code = names and (forms.CODE.match(names[0]) or forms.HYPHENATED_OR_NUMBERED.match(names[0]))
    if not names or not header or not (as_code or forms.names_things(header)):
        return
    kind = header.lower() if re.fullmatch(r"[A-Za-z][A-Za-z ]{,29}", header) else forms.PARAMETER
    found = Parameter(names[0], kind, _owner(block, place), block.text, place, names[1:])
    for i, cell in enumerate(cells):
        if i != named and (relation := forms.relation(block.header[i])):
            _state(found, relation, cell, block.text, place)
    if found.facts:
        yield found


def _state(named: Parameter, relation: str, value: str, quote: str, place: Location) -> None:
    """Take in a fact, unless the value says nothing."""
    value = " ".join(value.split()).removesuffix(".").strip()
    if value.strip(" –—-"):
        named.facts.append(Fact(relation, value[: forms.LONGEST_TEXT], quote, place))


def _state_all(named: Parameter, text: str, block: Block, quote: str, place: Location) -> None:
    """Take in what a text below a name, or behind it, states of it."""
    if match := forms.labelled(text):
        relation, value = forms.relation(match["label"]), match["value"]
        if relation == DEFAULT:
            # "Default: 45 s. Range 1 to 90." goes on after it.
            value = forms.SENTENCE_END.split(value, maxsplit=1)[0]
        _state(named, relation, value, quote, place)
        return
    text = forms.LIST_MARK.sub("", text, count=1)
    stated = {fact.relation for fact in named.facts}
    if DEFAULT not in stated and (
        match := forms.IN_BRACKETS.search(text) or forms.STATED.search(text)
    ):
        _state(named, DEFAULT, match["value"], quote, place)
    if SINCE not in stated and (match := forms.ADDED.search(text)):
        _state(named, SINCE, match["value"], quote, place)
    if match := forms.ENDING.search(text):
        _state(named, DEPRECATED, match["value"] or "yes", quote, place)
        instead = forms.INSTEAD.search(text, match.start())
        if instead and forms.is_name(instead["name"]) and instead["name"] != named.name:
            _state(named, REPLACED, instead["name"], quote, place)
    described = DESCRIPTION in stated or forms.AWAITS_DEFAULT.fullmatch(text)
    if block.kind is BlockKind.PARAGRAPH and not described:
        _state(named, DESCRIPTION, text, quote, place)


def _replacements(pages: Iterable[StoredPage]) -> Iterator[Replacement]:
    for page in pages:
        for block in map(_begun, page.blocks):
            place = _place(page, block)
            cells = [cell.strip() for cell in block.text.split(CELL_DELIMITER)]
            if block.header and len(cells) == len(block.header):
                columns = dict(zip(block.header, cells, strict=True))
                old = next((c for h, c in columns.items() if forms.OLD_NAME.search(h)), "")
                new = next((c for h, c in columns.items() if forms.relation(h) == REPLACED), "")
                if old and new:
                    yield Replacement(old, new, block.text, place)
                continue
            for match in (m for form in forms.TOOK_OVER for m in form.finditer(block.text)):
                old, new = (match[side].strip(".,;:`\"'()*") for side in ("old", "new"))
                if old and forms.is_name(new) and old != new:
                    yield Replacement(old, new, block.text, place)


def _owner(block: Block, place: Location) -> str:
    """What a block's thing belongs to: the heading above it, or the document."""
    is_name = block.kind in (BlockKind.HEADING, BlockKind.SIGNATURE)
    name, above = (block.path[-1:], block.path[:-1]) if is_name else ((), block.path)
    # A signature may stand below a heading with the same name.
    return next((heading for heading in reversed(above) if heading not in name), place.document)


def _begun(block: Block) -> Block:
    return replace(block, text=block.text[: forms.LONGEST_READ])


def _place(page: StoredPage, block: Block) -> Location:
    document, section = page.document, " › ".join(block.path)
    anchor = block.anchor or page.anchor
    return Location(
        document.title, document.file, page.number, page.id, section, anchor, document.address
    )

"""A page as records, the smallest texts that can be quoted alone, and these in words."""

import re
from collections.abc import Iterable, Iterator, Sequence

from chatbot.text.languages import gettext
from chatbot.text.sanitizer import as_document_words
from chatbot.turn import Record
from corpora.indexing.pages import StoredPage
from corpora.parameters.forms import relation
from corpora.parameters.parameter import DESCRIPTION, RANGE
from ingestion.page import CELL_DELIMITER, TERM_DELIMITER, Block, BlockKind
from ingestion.tables import written_again

LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[A-Z“\"'(`\[])")
_ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "no.", "fig.", "approx.")
_SENTENCE = re.compile(r"[A-Z]\w*(?: +\S+){3}")
"""How the cell of a table begins that is a sentence, and no value."""
_DEFAULT = ("default", "default value", "the default")
_SHORT = 12
"""A shorter sentence stays with the next."""
_LONG = 420
"""A longer definition is read sentence by sentence; shorter neighbours of one owner as one."""
_IN_NUMBERS = str.maketrans("", "", ".,")
_JOINED = {BlockKind.SIGNATURE, BlockKind.PARAGRAPH, BlockKind.DEFINITION}


def records(page: StoredPage, *, together: int = _LONG) -> tuple[Record, ...]:
    """Cut the blocks of a page into records, in page order.

    Neighbours that belong to one owner are one record up to `together` characters: a signature,
    its type and its default mean nothing apart. With 0 every block stands alone. A listing below a
    table that a cell of it holds is read in its row.
    """
    cut: list[Record] = []
    lead_in = ""
    for group in _groups(page, together):
        cut += _records_of(page, group, lead_in)
        lead_in = _led_by(group[-1][2], lead_in)
    return tuple(cut)


def _groups(page: StoredPage, together: int) -> Iterator[list[tuple[int, int, Block]]]:
    group: list[tuple[int, int, Block]] = []
    for (start, end, block), is_read in zip(page.spans(), written_again(page.blocks), strict=True):
        if is_read:
            continue
        joins = (
            group
            and block.kind in _JOINED
            and block.path == group[-1][2].path
            and group[-1][2].kind in _JOINED
            and end - group[0][0] <= together
        )
        if not joins:
            if group:
                yield group
            group = []
        group.append((start, end, block))
    if group:
        yield group


def _records_of(
    page: StoredPage, group: list[tuple[int, int, Block]], lead_in: str
) -> Iterator[Record]:
    first = group[0][2]
    if len(group) > 1:
        quote = page.text[group[0][0] : group[-1][1]]
        readings: Iterable[tuple[str, str]] = [(quote, "\n".join(filter(None, quote.split("\n"))))]
    else:
        led = first.kind in (BlockKind.LIST_ITEM, BlockKind.CODE)
        readings = _readings(first, lead_in if led else "")
    start = group[0][0]
    for quote, reading in readings:
        # Each quote of a block stands behind the one before.
        start = max(page.text.find(quote, start), start)
        yield Record(
            page=page,
            start=start,
            quote=quote,
            label=first.path[-1] if first.path else page.document.title,
            reading=reading,
            kind=first.kind,
            anchor=first.anchor or page.anchor,
            path=first.path,
            cells=_cells(first),
        )


def _led_by(block: Block, lead_in: str) -> str:
    """The lead-in to the next block: the last sentence of a block that announces a list."""
    if block.kind is BlockKind.LIST_ITEM:
        return lead_in
    announces = block.kind is BlockKind.PARAGRAPH and block.text.rstrip().endswith(":")
    return sentences(block.text)[-1] if announces else ""


def _readings(block: Block, lead_in: str) -> Iterator[tuple[str, str]]:
    text = block.text
    match block.kind:
        case BlockKind.HEADING | BlockKind.TABLE_HEADER:
            return
        case BlockKind.PARAGRAPH:
            yield from ((sentence, sentence) for sentence in sentences(text))
        case BlockKind.DEFINITION if len(text) > _LONG:
            first, *rest = sentences(text)
            yield first, first
            term = first.partition(TERM_DELIMITER)[0][:80]
            yield from ((sentence, f"{term}: {sentence}") for sentence in rest)
        case BlockKind.LIST_ITEM:
            for i, sentence in enumerate(sentences(text)):
                yield sentence, f"{lead_in} {sentence}".strip() if i == 0 else sentence
        case BlockKind.TABLE_ROW:
            named = [f"{h}: {c}" if h else c for h, c in with_units(_cells(block)) if c]
            yield text, "; ".join(named) or text
        case BlockKind.CODE:
            yield text, f"{lead_in}\n{text}".strip()
        case _:
            yield text, text


def _cells(block: Block) -> tuple[tuple[str, str], ...]:
    """The cells of a table row, each with its header; nothing where they do not fit together."""
    cells = [cell.strip() for cell in block.text.split(CELL_DELIMITER)]
    if block.kind is not BlockKind.TABLE_ROW or len(cells) != len(block.header):
        return ()
    return tuple(zip(block.header, cells, strict=True))


def with_units(cells: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cells with the row's unit behind its bare numbers, where it has a column of units."""
    unit = next((c for h, c in cells if h.lower() in ("unit", "units") and c.strip(" –-")), "")

    def with_unit(cell: str) -> str:
        return f"{cell} {unit}" if _is_number(cell) else cell

    return [(h, with_unit(c)) for h, c in cells if c != unit] if unit else list(cells)


def sentences(text: str) -> list[str]:
    """Cut a paragraph at sentence ends; very short sentences stay with the next."""
    cut: list[str] = []
    start = 0
    for end in [*(m.end() for m in _SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end].strip()
        goes_on = len(sentence) < _SHORT or sentence.lower().endswith(_ABBREVIATIONS)
        if sentence and (end == len(text) or not goes_on):
            cut.append(sentence)
            start = end
    return cut


def in_words(record: Record) -> str:
    """A record as a sentence of an answer: as it stands, or its cells with their headers."""
    if record.cells:
        return as_document_words(f"{row_in_words(record)}.")
    text = LIST_MARK.sub("", " ".join(record.quote.split()))
    return as_document_words(text if text[-1:] in ".!?:" else f"{text}.")


def row_in_words(row: Record) -> str:
    """A row of a table in sentences: its name with its values, then what it says in sentences."""
    (_, key), *others = with_units(row.cells)
    name = " ".join(key.split()).strip("`")
    # What no sentence would be written with, such as `queue-depth`.
    if not (" " in name or "`" in name or name.isalpha()):
        name = f"`{name}`"
    told = [(h, " ".join(c.split()).rstrip(".")) for h, c in others if c.strip(" –-")]
    lead = ""
    # Not of a table of changes, which has a "Default in 17.10".
    if default := next((cell for cell in told if cell[0].lower() in _DEFAULT), None):
        told.remove(default)
        lead = gettext("The default of {name} is {value}", name=name, value=default[1])
        if allowed := next((cell for cell in told if relation(cell[0]) == RANGE), None):
            told.remove(allowed)
            lead = gettext("{sentence} (allowed: {values})", sentence=lead, values=allowed[1])
    texts = [(h, c) for h, c in told if relation(h) == DESCRIPTION or _SENTENCE.match(c)]
    values = ", ".join(_value(h, c) for h, c in told if (h, c) not in texts)
    if lead:
        lead = "; ".join(filter(None, (lead, values)))
    elif values:
        lead = f"{name}: {values}"
    said = [c if relation(h) == DESCRIPTION or not h else f"{h}: {c}" for h, c in texts]
    first, *rest = [lead, *said] if lead else [f"{name}: {said[0]}" if said else name, *said[1:]]
    # A text that begins with a small letter, as a name may, is no sentence.
    return first + "".join(f"; {text}" if text[:1].islower() else f". {text}" for text in rest)


def _value(header: str, cell: str) -> str:
    """A cell behind its header: "severity major"; the unit of "Rate, Gbit/s" follows the number."""
    name, _, more = header.partition(", ")
    name = name.lower()
    if more:
        return f"{name} {cell} {more}" if _is_number(cell) else f"{name} ({more}) {cell}"
    return f"{name} {cell}".strip()


def _is_number(cell: str) -> bool:
    return cell.strip("-").translate(_IN_NUMBERS).isdigit()

"""Whether an answer stands in the evidence, and the citations that show it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from chatbot.turn import Citation, Record
from ingestion.page import BlockKind

_CLAIM = re.compile(
    r"[A-Za-z_][\w.]*\(|\w*[_.]\w[\w.]*|\b\w*\d[\w.%]*|[A-Z]{2,}\w*|(?<![\w-])--?[a-z][\w-]+"
)

_QUANTITY = re.compile(
    r"(?<![\w.])-?\d[\d.,]*\s?(?:"
    r"ms|µs|us|ns|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?"
    r"|[kKMGT]i?[Bb](?:it|yte)?s?(?:/s|ps)?|[kMGT]?bit/s|bits?|bytes?"
    r"|[kMG]?Hz|[mk]?V|[mk]?A|[mk]?W|dBm?|[nµumck]?m|mm|inch(?:es)?|kg|g|°\s?[CF]|K|%|percent"
    r"|times|characters?|rows?|lines?|connections?|threads?|processes|retries|attempts"
    r")(?![\w/])"
)

_FIGURE = re.compile(r"(-?[\d.,]*\d)\s?(.+)")
_DOES_NOT_KNOW = re.compile(
    r"^\W*(?:(?:i|we) (?:don.?t|do not) know|not (?:specified|mentioned|documented|stated|provided)"
    r"|no (?:information|mention)\b"
    r"|(?:this|that|it) is not (?:specified|mentioned|documented|stated)"
    r"|the (?:chunks?|excerpts?|documentation) (?:do|does) not (?:tell|say|mention|specify|state))",
    re.I,
)


def plain(text: str) -> str:
    """Fold case, quotes, dashes and white space, so that equal words compare equal."""
    text = unicodedata.normalize("NFKC", text).lower()
    text = re.sub(r"[‘’“”`'\"*]", "", text)
    text = re.sub(r"[–—−]", "-", text)
    return re.sub(r"\s+", " ", text).strip()


def says_unknown(reply: str) -> bool:
    """Whether a model says that it does not know, in the words asked for or in its own."""
    return _DOES_NOT_KNOW.match(reply) is not None


def claims(value: str) -> list[str]:
    """The names, figures and flags of an answer: what must not be invented."""
    return [c.rstrip("(.") for c in _CLAIM.findall(value) if c.rstrip("(.")]


def supporting(value: str, records: Sequence[Record]) -> Record | None:
    """The record that holds the whole value, else the one that holds all its claims; best first."""
    wanted = plain(value).rstrip(".")
    if not wanted:
        return None
    bounded = whole(wanted)
    for record in records:
        texts = (_unmarked(record.quote), _unmarked(record.reading))
        if any(bounded.search(plain(text)) for text in texts):
            return record
    parts = [plain(c) for c in claims(value)]
    if not parts:
        return None
    for record in records:
        text = plain(_unmarked(record.quote))
        if all(whole(p).search(text) for p in parts):
            return record
    return None


def whole(text: str) -> re.Pattern[str]:
    """Finds the text where it is not a part of a longer word or figure: 5 not in 2.5 nor 5.1."""
    before = r"(?<![\w.])" if text[0].isdigit() else r"(?<!\w)"
    after = r"(?!\w|\.\d)" if text[-1].isdigit() else r"(?!\w)"
    return re.compile(before + re.escape(text) + after)


def _unmarked(text: str) -> str:
    """The text without the mark of a list item: the 1 of "1. Copy the load" is no value."""
    return re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", text)


def unsupported_claims(value: str, records: Sequence[Record]) -> tuple[str, ...]:
    """Names, figures and flags of the value that stand in no record."""
    evidence = plain(
        " ".join(f"{_unmarked(r.quote)} {r.label} {' '.join(r.path)}" for r in records)
    )
    return tuple(c for c in claims(value) if not whole(plain(c)).search(evidence))


def cite(record: Record, release: str, *, longest: int = 600) -> Citation:
    """A citation of the record's words; raises ValueError if they do not stand in its page."""
    quote = (
        record.quote if len(record.quote) <= longest else record.quote[:longest].rsplit(" ", 1)[0]
    )
    if quote not in record.page.text:
        raise ValueError(f"{record.page.document.file}: the quoted words are not on the page")
    return Citation(
        document=record.page.document.title,
        file=record.page.document.file,
        release=release,
        page=record.page.number,
        section=" › ".join(record.path),
        anchor=record.anchor,
        quote=quote,
        page_id=record.page.id,
    )


def quoted(record: Record) -> str:
    """The record as an answer shows it: verbatim; rows with headers, long signatures in part."""
    in_part = record.cells or record.kind == BlockKind.SIGNATURE
    return record.reading if in_part else record.quote


def quantities(text: str) -> tuple[str, ...]:
    """The figures with their units: "300 ms", "10 Gbit/s", "-20 °C"; in order, each once."""
    return tuple(dict.fromkeys(m[0] for m in _QUANTITY.finditer(text)))


def holds_quantity(quantity: str, records: Sequence[Record]) -> bool:
    """Whether a record says the figure with its unit, side by side or in a cell and its header."""
    parts = _FIGURE.fullmatch(plain(quantity))
    if parts is None:
        return False
    figure, unit = parts.groups()
    together = re.compile(rf"(?<![\w.]){re.escape(figure)}\s?{re.escape(unit)}(?!\w)")
    alone = re.compile(rf"(?<![\w.]){re.escape(figure)}(?![\w.]*\w)")
    of_header = re.compile(rf"(?<!\w){re.escape(unit)}(?!\w)")
    return any(
        together.search(plain(f"{record.quote} {record.reading}"))
        or any(alone.search(plain(c)) and of_header.search(plain(h)) for h, c in record.cells)
        for record in records
    )

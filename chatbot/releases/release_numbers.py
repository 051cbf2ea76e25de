"""Release numbers in a question: "17.20", "v1-4-52", "1.3.x", "one point four", "11 24H2"."""

import re
from collections.abc import Iterator

from chatbot.releases.release_names import NOTHING, Reading, ReleaseNames, Tokens
from chatbot.releases.release_words import OF_UNIT, OWN
from corpora.catalog.release import name_tokens
from corpora.indexing.number_words import NUMBER_WORDS

_CHUNK = re.compile(r"[0-9]+(?:\([0-9]+\)|[._-]?[A-Za-z0-9]+|\.\*)*")
_GLUE = re.compile(r"[A-Za-z0-9_\ue001][A-Za-z0-9_.\ue001-]*$|\.$")
_OPEN_GLUE = re.compile(r"(?:v|ver|vers|version|r|rel|release|pre|post|non)[._-]?", re.I)
_ABBREVIATION = re.compile(r"[A-Za-z]{1,4}")
"""Perhaps of the product: "dj4.2"."""
_MARKED_GLUE = re.compile(
    r"[^\ue001]*(?:[._-](?:v|ver|version|r|rel|release)|(?<![a-z])[sf]w)[._-]?", re.I
)
"""Before a release at the end of a longer word: guide_R17.20.pdf, SW17.20."""
_SERIES = re.compile(r"(?:\.(?:x{1,2}|\*))+", re.I)
_WORD_END = re.compile(r"(?:[._-][A-Za-z]+|ish)$")
_SUFFIX = re.compile(
    r"[ _-](?:(?:rc|alpha|beta|sp|u|p|r|pre|preview|dev|update|patch|hotfix|service pack"
    r"|release candidate)[ .-]?[0-9]+)(?![\w.])",
    re.I,
)
_NEXT_WORD = re.compile(r"[ _-]?[ ]?[A-Za-z0-9]+(?![\w])")
_DATE = re.compile(
    r"(?:19|20)[0-9]{2}[-._][0-9]{1,2}[-._][0-9]{1,2}|[0-9]{1,2}[-._][0-9]{1,2}[-._](?:19|20)[0-9]{2}"
)
_OWNED = re.compile(rf"{OWN}(?:['’]s)?\s+(?:version\s+|release\s+|v)?$", re.I)
"""Before what looks like a date and is a release: "Relay 2019.2.0"."""
_CLOCK = re.compile(r"[0-9]:[0-9]")
_QUANTITY = re.compile(rf"[0-9]+(?:\.[0-9]+)?(?:{OF_UNIT.pattern}|[akmgtpx])", re.I)
_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")

_VALUES = {"oh": 0, "o": 0, "nought": 0} | NUMBER_WORDS
_NUMBER_WORD = rf"(?:{'|'.join(sorted(_VALUES, key=len, reverse=True))})"
_NUMBER_WORDS = rf"{_NUMBER_WORD}(?:[\s-]{_NUMBER_WORD})?"
_SPOKEN_PART = rf"(?:{_NUMBER_WORDS}|[0-9]+)"
_SPOKEN = re.compile(
    rf"(?<![\w.])(?:{_SPOKEN_PART}(?:\s+(?:point|dot)\s+{_SPOKEN_PART})+"
    rf"|(?:(?<=release\s)|(?<=version\s)|(?<={OWN}\s)(?!one\b)){_NUMBER_WORDS})(?!\w|\.\d)",
    re.I,
)


class Number:
    """A number in the text that may name a release: where it stands and what it would cover.

    A number that is not `dotted` has one part only ("17"), and so little to tell it by; a `high`
    one, over nine, and a `lettered` one ("24H2") count few other things. Of the releases' names,
    `akin` some begin with the same part and `near` with one about as high; `exact` one has just
    this name, but for a zero behind it, `long` in three parts and more; `whole` one is called or
    begins so as written; and it is `shaped` if it is no longer than they.
    """

    def __init__(
        self,
        names: ReleaseNames,
        place: tuple[int, int],
        tokens: Tokens,
        reading: Reading,
        *,
        series: bool = False,
    ) -> None:
        self.start, self.end = place
        self.tokens = tokens
        self.reading = reading
        self.dotted = series or len(tokens) > 1
        self.high = isinstance(tokens[0], int) and tokens[0] > 9
        self.lettered = any(isinstance(token, str) for token in tokens)
        self.akin = names.begins(tokens[:1])
        self.near = names.near(tokens)
        self.exact = names.names(tokens) or names.names((*tokens, 0))
        self.long = self.exact and len(tokens) > 2
        self.whole = names.begins(tokens) or (bool(reading.covers) and self.lettered)
        self.shaped = names.resembles(tokens)


def find_numbers(text: str, names: ReleaseNames) -> list[Number]:
    """Find the numbers that may be releases, in order; no parts of words, dates or addresses."""
    found = [_spoken(match, names) for match in _SPOKEN.finditer(text)]
    taken = {i for number in found for i in range(number.start, number.end)}
    position = 0
    while chunk := _CHUNK.search(text, position):
        position = chunk.end()
        if chunk.start() in taken:
            continue
        glue = _GLUE.search(text, max(0, chunk.start() - 24), chunk.start())
        marked = glue and _OPEN_GLUE.fullmatch(glue[0].lstrip("."))
        beside = glue and glue[0] == "_" and text[glue.start() - 1] == OWN
        short = glue and _ABBREVIATION.fullmatch(glue[0])
        package = glue and glue[0][-1] in "-_"
        loose = marked or beside or short or package
        if glue and not loose and not _MARKED_GLUE.fullmatch(glue[0]):
            continue
        if _CLOCK.search(text, max(0, chunk.start() - 2), chunk.end() + 2):
            continue
        for number in _read(text, chunk.start(), chunk[0], names):
            known = number.reading.covers and number.dotted and (number.high or short)
            # "lampkit-2.0.1" may be a package of the product.
            known = known or (package and len(number.tokens) > 2 and names.names(number.tokens))
            if not glue or marked or beside or known:
                found.append(number)
                position = max(position, number.end)
    return sorted(found, key=lambda number: number.start)


def _read(text: str, start: int, chunk: str, names: ReleaseNames) -> Iterator[Number]:
    if series := _SERIES.search(chunk):
        tokens = name_tokens(chunk[: series.start()])
        reading = names.read(tokens, series=True)
        yield Number(names, (start, start + series.end()), tokens, reading, series=True)
        return
    whole = _continued(text, start, chunk, names) or _number(start, chunk, names)
    if whole.reading.covers or whole.end > start + len(chunk):
        yield whole
        return
    dated = _DATE.fullmatch(chunk) and not (_OWNED.search(text, 0, start) and "-" not in chunk)
    if dated or _ADDRESS.fullmatch(chunk) or _QUANTITY.fullmatch(chunk):
        return
    parts = chunk.split("-")
    if len(parts) > 1 and all(names.begins(name_tokens(part)) for part in parts):
        for part in parts:
            yield _number(start, part, names)
            start += len(part) + 1
        return
    begin = re.split(r"[-_]", chunk)[0]
    if begin != chunk and not _SUFFIX.match(chunk, len(begin)):
        first = _number(start, begin, names)
        if first.reading.covers and first.dotted:
            yield first
            return
    while (end := _WORD_END.search(chunk)) and not _SUFFIX.match(chunk, end.start()):
        chunk = chunk[: end.start()]
        whole = _number(start, chunk, names)
        if whole.reading.covers:
            break
    yield whole


def _number(start: int, chunk: str, names: ReleaseNames) -> Number:
    tokens = name_tokens(chunk)
    reading = names.read(tokens, chunk)
    if not reading.covers and len(tokens) > 1 and any(isinstance(token, str) for token in tokens):
        reading = names.read_end(tokens)
    return Number(names, (start, start + len(chunk)), tokens, reading)


def _continued(text: str, start: int, chunk: str, names: ReleaseNames) -> Number | None:
    """Read on over a blank where the name goes on there: 11 24H2, 10.0 update 7, 3.5 SP1."""
    best: Number | None = None
    end = after = start + len(chunk)
    for _ in range(4):
        word = _NEXT_WORD.match(text, end)
        if not word:
            break
        end = word.end()
        tokens = name_tokens(text[start:end])
        fits = names.names(tokens) or (len(word[0].strip(" _-")) > 1 and names.begins(tokens))
        if fits and any(c.isalpha() for c in text[after:end]):
            best = Number(names, (start, end), tokens, names.read(tokens, text[start:end]))
    suffix = _SUFFIX.match(text, after)
    if best is None and suffix and names.begins(name_tokens(chunk)):
        tokens = name_tokens(text[start : suffix.end()])
        return Number(names, (start, suffix.end()), tokens, NOTHING)
    return best


def _spoken(match: re.Match[str], names: ReleaseNames) -> Number:
    parts = re.split(r"\s+(?:point|dot)\s+", match[0], flags=re.I)
    if len(parts) == 1:
        parts = re.split(r"[\s-]", match[0])
    tokens = tuple(map(_value, parts))
    return Number(names, match.span(), tokens, names.read(tokens))


def _value(spoken: str) -> int:
    if spoken.isdecimal():
        return int(spoken)
    values = [_VALUES[word] for word in re.split(r"[\s-]", spoken.casefold())]
    if len(values) == 2 and values[0] >= 20 and 0 < values[1] < 10:
        return sum(values)
    return int("".join(map(str, values)))

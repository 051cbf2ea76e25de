"""Numbers in a question that may name a release: "17.20", "v1-4-52", "1.3.x", "one point four"."""

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from chatbot.releases.product_names import OTHER, OWN
from chatbot.releases.release_names import ReleaseNames
from chatbot.text.words import MEASURE, word_set
from corpora.catalog.periods import period_of
from corpora.catalog.release import name_tokens
from corpora.indexing.number_words import NUMBER_WORDS

_CHUNK = re.compile(r"[0-9]+(?::[0-9]+|\([0-9]+\)|[._-]?[A-Za-z0-9]+|\.\*)*")
_GLUE = f"{ascii_letters}{digits}_.-{OTHER}"
_MARKS = word_set("v ver vers version r rel release pre") | {""}
_NEXT_WORD = re.compile(r"[ _-]?[ ]?[A-Za-z0-9]+(?!\w|\.\d)")
_SUFFIX = 20
_ENDING = re.compile(r"(?:[._-][A-Z])?(?<![a-z])[a-z]{2,}\Z")
_SOMETHING_ELSE = re.compile(
    r"(?:19|20)[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[-.][0-9]{1,2}[-.](?:19|20)[0-9]{2}"
    rf"|[0-9]+(?:\.[0-9]+)?(?:{MEASURE}|[akmgtpx])"
    rf"|(?<=[^{OWN}]/)(?=(?:[0-9]+[a-f]+){{2}})[0-9a-f]{{6,}}(?:-[0-9a-f]{{4,}})*",
    re.I,
)
"""A date, a figure with its unit, or the id of a build or commit in an address: /build/3f2a1c."""
_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")

_STAMP = re.compile(r"(?:19|20)[0-9]{2}[-./][0-9]{1,2}[-./][0-9]{1,2}[T ][0-9]{1,2}:[0-9]{2}")
"""A date with the time of day, as logs have it."""

_VALUES = {"oh": 0} | NUMBER_WORDS
_NUMBER_WORD = rf"(?:{'|'.join(sorted(_VALUES, key=len, reverse=True))})"
_NUMBER_WORDS = rf"{_NUMBER_WORD}(?:[\s-]{_NUMBER_WORD})?"
_SPOKEN = re.compile(
    rf"(?<![\w.]){_NUMBER_WORDS}(?:\s+(?:point|dot)\s+{_NUMBER_WORDS})+(?!\w)"
    rf"|(?:(?<=release\s)|(?<=version\s)|(?<={OWN}\s)(?!one\b)){_NUMBER_WORDS}(?!\w)",
    re.I,
)


class Number:
    """A number that may name a release: where it stands, and which releases it would name.

    `is_dotted` has several parts (17.10, not 17), `is_known` names a release of the catalog,
    `is_glued` is the end of a longer word, `is_address` has the form of an IP address.
    """

    def __init__(self, start: int, written: str, names: ReleaseNames) -> None:
        self.start, self.end = start, start + len(written)
        stem = written.rstrip(".xX*")
        series = written[len(stem) :].startswith(".")
        self.tokens = name_tokens(stem if series else written)
        self.reading = names.read(self.tokens, written, series=series)
        self.is_known = bool(self.reading.covers)
        parts = sum(isinstance(token, int) for token in self.tokens)
        self.is_dotted = series or parts > 1 or bool(period_of(self.tokens))
        self.is_glued = False
        self.is_address = _ADDRESS.fullmatch(written) is not None


def find_numbers(text: str, names: ReleaseNames) -> list[Number]:
    """Find the numbers that may be releases, in order; no parts of words, dates or addresses."""
    numbers = [_spoken(match, names) for match in _SPOKEN.finditer(text)]
    dated = names.dated(text)
    for match in dated:
        numbers.append(Number(match.start(), match[0], names))
        numbers[-1].is_dotted = True
    position = 0
    while chunk := _CHUNK.search(text, position):
        position = chunk.end()
        if any(match.start() < position and chunk.start() < match.end() for match in dated):
            continue
        if ":" in chunk[0] or _STAMP.match(text, chunk.start()):
            continue
        head = text[max(0, chunk.start() - 24) : chunk.start()]
        apart = head.rstrip(_GLUE)
        loose = head[len(apart) :].strip("._-").casefold() in _MARKS or apart[-1:] == OWN
        for number in _read(text, chunk.start(), chunk[0], names):
            number.is_glued = not loose
            if not number.is_glued or (number.is_known and number.is_dotted):
                numbers.append(number)
                position = max(position, number.end)
    return sorted(numbers, key=lambda number: number.start)


def _read(text: str, start: int, chunk: str, names: ReleaseNames) -> Iterator[Number]:
    whole = _continued(text, start, chunk, names) or Number(start, chunk, names)
    is_series = text[start + len(chunk) :].startswith((" series", " releases", " versions"))
    is_else = _SOMETHING_ELSE.fullmatch(text, start, start + len(chunk))
    if is_else and not (whole.is_known or is_series):
        return
    parts = chunk.split("-")
    if not whole.is_known and parts[1:] and all(names.begins(name_tokens(part)) for part in parts):
        for part in parts:
            yield Number(start, part, names)
            start += len(part) + 1
        return
    # "1.4-style", "17.20er" and "2.x-Version" name a release, 1.1.1w is none of 1.1.1.
    while not whole.is_known and (ending := _ENDING.search(chunk)):
        chunk = chunk[: ending.start()].rstrip("._-")
        whole = Number(start, chunk, names)
    yield whole


def _continued(text: str, start: int, chunk: str, names: ReleaseNames) -> Number | None:
    """Read on over a blank where the name goes on there: 11 24H2, 10.0 update 7, 3.5 SP1.

    "3.5 SP2" is a name, too, and one that is not there.
    """
    best: Number | None = None
    end = after = start + len(chunk)
    while (word := _NEXT_WORD.match(text, end)) and end - after < _SUFFIX:
        end = word.end()
        tokens = name_tokens(text[start:end])
        fits = names.begins(tokens) or names.suffixed(tokens)
        if fits and any(map(str.isalpha, text[after:end])):
            best = Number(start, text[start:end], names)
    return best


def _spoken(match: re.Match[str], names: ReleaseNames) -> Number:
    parts = match[0].casefold().replace("-", " ").replace("dot", "point").split("point")
    figures = (str(sum(_VALUES[word] for word in part.split())) for part in parts)
    number = Number(match.start(), ".".join(figures), names)
    number.end = match.end()
    return number

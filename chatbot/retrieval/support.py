"""The support of a text by the documentation, and the citations that show it."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from urllib.parse import quote as quoted_in_address

from chatbot.retrieval.records import LIST_MARK
from chatbot.text.languages import in_every_language
from chatbot.text.markdown import CODE
from chatbot.text.parts import parts_named
from chatbot.text.question_language import language_of
from chatbot.text.words import UNIT, filtered, scripts_apart, things_named
from chatbot.turn import Citation, Origin, Record
from corpora.indexing.lexical import tokens
from corpora.indexing.number_words import NUMBER_WORDS
from corpora.indexing.pages import StoredPage
from corpora.parameters.parameter import Fact, Parameter, Replacement
from prompts.fencing import visible

LONGEST_QUOTE = 800
"""Characters of a citation's words."""
_CLAIM = re.compile(
    r"(?<![\w.])(?:[A-Za-z_][\w.]*\(|\w*[_.]\w[\w.]*)"
    r"|\b\w*\d[\w.%]*|\b[A-Z]{2,}\w*|(?<![\w-])--?[a-zA-Z][\w-]*"
)
_FIGURE = re.compile(rf"(?<![\w.])(-?\d(?:[\d.,]*\d)?)(?:\s?({UNIT}))?", re.I)
_UNITS = {"sec": "s", "second": "s", "minute": "min", "hour": "h", "us": "µs", "percent": "%"}
"""The common name of units that have several."""
_PIECE = re.compile(r"[^\s=(),:;\[\]{}<>\"']+")
_FOLDED = str.maketrans(dict.fromkeys("‘’“”`'\"*\\", "") | dict.fromkeys("–—−", "-"))
_WRITTEN_OTHERWISE = re.compile(r"(?<=\d),(?=\d{3}(?!\d))|(?<![^\W_])v(?=\d)")
"""The comma of thousands, and the "v" of a version."""
_IN_NOTATION = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+|[\u00a0\u202f ]\d{3}(?!\d))+(?!\w|[.,]\d)")
"""A figure with decimals or thousands, whose signs differ from language to language."""
_OF_THOUSANDS = re.compile(r"[.,]\d{3}(?!\d)")
"""In a figure that is a thousand times as much in the other notation."""
_SWAPPED = str.maketrans({".": ",", ",": ".", "\u00a0": None, "\u202f": None, " ": None})
_SPELLED_FIGURE = 20
"""From which a number word is a figure: "one" and "two" are words of any sentence."""
_IN_WORDS = {str(number): word for word, number in NUMBER_WORDS.items()}
_UNKNOWN = re.compile(
    r"^\W*(?:(?:i|we) (?:don.?t|do not) know|no (?:information|mention)\b"
    r"|(?:(?:this|that|it) is )?not (?:specified|mentioned|documented|stated|provided)"
    r"|the (?:chunks?|excerpts?|documentation) (?:do|does) not (?:tell|say|mention|specify|state))"
    r"|\bnot (?:specified|mentioned|documented|stated|provided|given|described|explained)\b"
    r"[^.]{0,200}\b(?:chunks?|excerpts?|documentation|context|passages?|text)\b",
    re.I,
)
_ALIKE = str.maketrans({"‹": "<", "［": "[", "’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def says_unknown(reply: str) -> bool:
    """Whether a model says that it does not know, in the words asked for or in its own."""
    return _UNKNOWN.search(reply) is not None


def is_denial(text: str) -> bool:
    """Whether a text begins with No, in any language of the pages."""
    return _no().match(text) is not None


@cache
def _no() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(map(re.escape, in_every_language('No')))})(?![\w-])", re.I)


def denies_unheard(text: str, texts: Sequence[str], question: str, own: str) -> bool:
    """Whether a denial is of a name that no text has, and tells nothing else than was asked.

    A name is one as in code or in capitals, which is the same in any language; where the denial has
    none, it is about those of the question, if it has no word of its own either.
    """
    if not is_denial(text) or unsupported(text, [], own):
        return False
    rest = filtered(_no().sub("", text, count=1), filter(None, [language_of(text)]))
    adds = not _tokens(own).issuperset(tokens(rest))
    named = things_named(text) or ([] if adds else things_named(question))
    return bool(named) and names(own, *named) and not names("\n".join(texts), *named)


def plain(text: str) -> str:
    """Fold case, quotes, dashes and white space, so that equal words compare equal."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().translate(_FOLDED).split())


def whole(text: str) -> re.Pattern[str]:
    """Finds the text where it is not a part of a longer word or figure: 5 not in 2.5 nor 5.1."""
    before = r"(?<![\w.])" if text[0].isdigit() else r"(?<!\w)"
    after = r"(?!\w|\.\d)" if text[-1].isdigit() else r"(?!\w)"
    return re.compile(before + re.escape(text) + after)


def names(text: str, *things: str) -> bool:
    """Whether a text names all these things, as whole words in letters of either case."""
    plainly = plain(scripts_apart(text))
    return all(name and whole(name).search(plainly) for name in map(plain, things))


def shared(words: Collection[str], text: str) -> float:
    """The share of the words, 0 to 1, that a text holds in any form."""
    return len(_tokens(text).intersection(words)) / len(words) if words else 0.0


def is_verbatim(copied: str, text: str) -> bool:
    """Whether words stand in a text, whatever became of white space and quotation marks."""
    return (wanted := _letters(copied)) != "" and wanted in _letters(text)


def find_verbatim(copied: str, text: str) -> str | None:
    """The part of `text` that was copied, whatever became of white space and quotation marks."""
    if not is_verbatim(copied, text):
        return None
    letters, wanted = _letters(text), _letters(copied)
    first = letters.find(wanted)
    # Each letter's place takes long, and is only looked for where there is something to find.
    places = [at for at, letter in enumerate(text) if visible(letter.translate(_ALIKE)).strip()]
    return text[places[first] : places[first + len(wanted) - 1] + 1]


@lru_cache(maxsize=1_024)
def _letters(text: str) -> str:
    """A text without white space and what no reader sees, its look-alikes as in documents."""
    return "".join(visible(text.translate(_ALIKE)).split())


@lru_cache(maxsize=512)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


def unsupported(sentence: str, texts: Sequence[str], own: str) -> list[str]:
    """The claims of a sentence that stand neither in the texts nor in the asker's `own` words.

    Claims are names as in code, figures with their units, and words written as code, but not
    everyday words and abbreviations. A section, table or step by its number has to stand in the
    texts, whatever the asker calls it. `sentence` is Markdown without marks of citations. It may be
    in another language than the texts: a figure counts in the notation of either, though 1.500 is
    1,500 in another language alone.
    """
    evidence = [_plain(text) for text in (*texts, own)]

    def documented(found: re.Match[str]) -> str:
        other = _as_documented(found[0], evidence)
        if other == found[0] or not _OF_THOUSANDS.search(found[0]):
            return other
        said_in = language_of(sentence)
        return found[0] if said_in in {None, *map(language_of, texts)} else other

    sentence = _IN_NOTATION.sub(documented, sentence)
    return [
        *(p.text for p in parts_named(sentence) if not any(map(p.stands_in, texts))),
        *(c for c in claimed(sentence) if not any(_holds(text, c) for text in evidence)),
    ]


def _as_documented(figure: str, evidence: Sequence[str]) -> str:
    """A figure in the other notation, "2.5" for "2,5", where only that stands in the evidence."""
    other = _plain(figure.translate(_SWAPPED))
    stands, other_stands = (
        any(whole(written).search(text) for text in evidence) for written in (_plain(figure), other)
    )
    return other if other_stands and not stands else figure


def claims(text: str) -> list[str]:
    """The names, figures and flags of an answer: what must not be invented."""
    return [c.rstrip("(.") for c in _CLAIM.findall(text) if c.rstrip("(.")]


def quantities(text: str) -> tuple[str, ...]:
    """The figures with their units: "300 ms", "10 Gbit/s", "-20 °C"; in order, each once."""
    return tuple(dict.fromkeys(m[0] for m in _FIGURE.finditer(text) if m[2]))


def units_in(text: str) -> set[str | None]:
    """The units of the figures of a text, by the names that they are compared by."""
    return {unit_of(match[2]) for match in _FIGURE.finditer(text)}


def claims_of_listing(listing: str) -> str:
    """A listing as a sentence of its claims: names, options and figures.

    Variables, keywords and values in everyday words are the writer's own.
    """
    parts = (part for line in listing.split("\n") for part in _PIECE.findall(line))
    checkable = (part for part in parts if len(part) > 1 and not part.isalpha())
    return " ".join(f"`{part}`" for part in checkable if "`" not in part)


def claimed(sentence: str) -> list[str]:
    """The claims of a sentence in Markdown, each once."""
    return list(
        dict.fromkeys(
            _claims(_WRITTEN_OTHERWISE.sub("", scripts_apart(LIST_MARK.sub("", sentence))))
        )
    )


def _claims(sentence: str) -> Iterator[str]:
    prose, *spans = CODE.split(sentence)
    for code, text in zip(spans[::2], spans[1::2], strict=True):
        prose += f" {text}"
        parts = code.strip("`").split()
        # A command is its words, one behind the other, up to what a reader replaces.
        if command := list(takewhile(_is_word, parts)) or parts[: len(parts) == 1]:
            yield " ".join(command)
        yield from (p for p in parts[len(command) :] if p[0] == "-" or _is_word(p))
    measured = quantities(prose)
    yield from measured
    for quantity in measured:
        prose = prose.replace(quantity, " ")
    yield from (claim for claim in claims(prose) if not claim.isalpha())
    words = prose.lower().replace("-", " ").split()
    yield from (word for word in words if NUMBER_WORDS.get(word, 0) >= _SPELLED_FIGURE)


def _is_word(part: str) -> bool:
    """Whether a part of a command is a word, and no option, sign or placeholder."""
    return (part[0].isalnum() or part[0] in "_./") and not part.isupper()


@lru_cache(maxsize=256)
def _plain(text: str) -> str:
    return _WRITTEN_OTHERWISE.sub("", plain(scripts_apart(text)))


def _holds(text: str, claim: str) -> bool:
    claim = _plain(claim).strip(".,;:")
    if not claim or (claim in text and not claim[0].isdigit() and not claim[-1].isdigit()):
        return True
    if whole(claim).search(text):
        return True
    pieces = _PIECE.findall(claim)
    if pieces != [claim] and " " not in claim:
        # `timeout=None` is supported by `timeout` and a statement that it may be None.
        return all(_holds(text, piece) for piece in pieces)
    figure = _FIGURE.fullmatch(claim)
    if figure is None:
        return False
    if not figure[2]:
        return claim in _IN_WORDS and whole(_IN_WORDS[claim]).search(text) is not None
    # "300 ms" is no "300 s"; where the figure stands alone, as in a table, its unit is elsewhere.
    units = [unit_of(m[2]) for m in _FIGURE.finditer(text) if m[1] == figure[1]]
    unit = unit_of(figure[2])
    return unit in units or (
        None in units and any(whole(u).search(text) for u in (unit, figure[2], f"{unit}s") if u)
    )


def unit_of(name: str | None) -> str | None:
    """A unit by the name that it is compared by; None where a figure has none."""
    single = name.removesuffix("s") if name and len(name) > 2 else name
    return _UNITS.get(single, single) if single else None


def cite(record: Record, release: str) -> Citation:
    """A citation of the record's words; raises ValueError if they do not stand in its page."""
    return cite_words(record.page, record.quote, record.path, record.anchor, release)


def cite_words(
    page: StoredPage,
    words: str,
    path: Sequence[str],
    anchor: str | None,
    release: str,
    *,
    longest: int = LONGEST_QUOTE,
) -> Citation:
    """Cite words of a page, at most `longest` characters; raises ValueError if not there."""
    quote = _cut(words, longest)
    if quote not in page.text:
        raise ValueError(f"{page.document.file}: the quoted words are not on the page")
    return Citation(
        document=page.document.title,
        file=page.document.file,
        release=release,
        page=page.number,
        section=" › ".join(path),
        anchor=anchor,
        quote=quote,
        page_id=page.id,
        url=original_url(page, anchor),
    )


def original_url(page: StoredPage, anchor: str | None = None) -> str | None:
    """The web address of a page's original, at an anchor, or None where it has none."""
    return _at_anchor(page.document.address, anchor)


def _at_anchor(address: str, anchor: str | None) -> str | None:
    if anchor and address and "#" not in address:
        return f"{address}#{quoted_in_address(anchor)}"
    return address or None


def cite_stated(stated: Fact | Parameter | Replacement, release: str) -> Citation:
    """The citation of a release's statement on a parameter."""
    place = stated.place
    return Citation(
        document=place.document,
        file=place.file,
        release=release,
        page=place.page,
        section=place.section,
        anchor=place.anchor,
        quote=_cut(stated.quote, LONGEST_QUOTE),
        page_id=place.page_id,
        url=_at_anchor(place.address, place.anchor),
        origin=Origin.GRAPH,
    )


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[:longest].rsplit(" ", 1)[0]

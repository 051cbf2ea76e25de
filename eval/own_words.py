"""An answer's own words, its sentences, and what its sources bear; by rules alone.

All of it looks at the surface: the same figures, the same names, mostly the same words. A sentence
that turns the meaning of its source round passes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chatbot.retrieval.provenance import plain, quantities
from chatbot.text.citation_markers import marks, without_marks

_FENCE = re.compile(r"\s*```")
_ITEM = re.compile(r"\s*(?:\d+[.)]|[-*+])\s+")
_RULE = re.compile(r"[\s|:\-]*")
_MARKS = r"(?:\s*\[\d+(?:\s*[,;]\s*\d+)*\])+"
_MARK_BEHIND = re.compile(rf"([.!?:])({_MARKS})(?=\s|$)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z\d])")
_VERDICT = re.compile(r"(?:yes|no)\W*", re.IGNORECASE)
_WORD = re.compile(r"\w[\w.'’/-]*\w|\w")
_FIGURE = re.compile(r"(?<![\w.])\d[\d.,]*(?<![.,])")
_NAME = re.compile(r"\w*[a-z][A-Z]\w*|[A-Z]{2,}\w*|\w+(?:[_.]\w+)+|--?[a-z][\w-]+")
_COMMON = frozenset(
    {"about", "after", "also", "been", "before", "does", "each", "from", "have", "into", "more"}
    | {"must", "only", "other", "should", "some", "such", "than", "that", "their", "them", "then"}
    | {"there", "these", "they", "this", "those", "used", "using", "what", "when", "where"}
    | {"which", "while", "will", "with", "without", "your"}
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, an item, a row or a code block of an answer, with the citations it carries."""

    text: str
    cited: tuple[int, ...]


def own_words(answer: str) -> str:
    """The answer without its marks, and without lines that quote ("> ...")."""
    return "\n".join(
        line if code else without_marks(line)
        for line, code in _lines(answer)
        if code or not line.lstrip().startswith(">")
    )


def sentences(answer: str) -> tuple[Sentence, ...]:
    """The sentences of the answer's own words in order; headings are none.

    A mark stands for what comes before it in its paragraph. Items, rows and code carry the
    citations of the line that leads in to them, unless they have their own.
    """
    found: list[Sentence] = []
    lead: tuple[int, ...] = ()
    code: list[str] = []
    for line, is_code in [*_lines(answer), ("", False)]:
        if is_code:
            code += [] if _FENCE.match(line) else [line]
            continue
        if code:
            found.append(Sentence("\n".join(code), lead))
            code = []
        if not line.strip() or line.lstrip().startswith((">", "#")) or _RULE.fullmatch(line):
            continue
        block = line.lstrip().startswith("|") or _ITEM.match(line) is not None
        parts = _split(_ITEM.sub("", line, count=1))
        for i, part in enumerate(parts):
            cited = tuple(marks(part))
            behind = next((own for later in parts[i + 1 :] if (own := tuple(marks(later)))), ())
            text = without_marks(part).strip()
            if re.search(r"\w", text):
                found.append(Sentence(text, cited or behind or (lead if block else ())))
            if not block:
                lead = cited or lead
    return tuple(found)


def reads_as_answer(answer: str, asked: str, gold: str) -> bool:
    """Whether the answer begins with a sentence about what was `asked`, and figures have units.

    `asked` is the question with its conversation. A figure that the `gold` answer gives with a
    unit must not stand bare wherever the answer gives it.
    """
    first = [sentence.text for sentence in sentences(answer)[:2]]
    if not first:
        return False
    begin = " ".join(first) if _VERDICT.fullmatch(first[0]) else first[0]
    opens = begin.lstrip("\"'“(*_")[:1]
    if not (opens == "`" or opens.isdigit() or opens.isupper()):
        return False
    if len(_WORD.findall(begin)) < 4 or not re.search(r"[.!?:][\"'”)*_]*$", begin):
        return False
    if not _content(begin) & (_content(asked) | _content(gold)):
        return False
    words = own_words(answer)
    return not any(_bare(quantity, words) for quantity in quantities(gold))


def stands_in(evidence: str, sentence: str) -> bool:
    """Whether the sentence stands in the evidence letter for letter."""
    return plain(sentence).rstrip(".:") in plain(evidence)


def bears(evidence: str, sentence: str) -> bool:
    """Whether the evidence holds the sentence: letter for letter, or its figures, names and words.

    Of the words that mean something, more than half have to be there.
    """
    if stands_in(evidence, sentence):
        return True
    text = plain(evidence)
    if not _figures(sentence) <= _figures(evidence):
        return False
    if any(plain(name) not in text for name in _NAME.findall(sentence)):
        return False
    words = _content(sentence)
    return 2 * len(words & _content(evidence)) > len(words) if words else bool(_figures(sentence))


def shares_anything(quote: str, said: Iterable[str]) -> bool:
    """Whether a quote has a figure, a name or two words in common with one of the sentences."""
    names = {plain(name) for name in _NAME.findall(quote)}
    figures, words = _figures(quote), _content(quote)
    return any(
        figures & _figures(text)
        or any(name in plain(text) for name in names)
        or len(words & _content(text)) > 1
        for text in said
    )


def _lines(answer: str) -> Iterator[tuple[str, bool]]:
    """The lines, and whether each belongs to a fenced code block."""
    inside = False
    for line in answer.splitlines():
        fence = _FENCE.match(line) is not None
        yield line, inside or fence
        inside ^= fence


def _split(line: str) -> Sequence[str]:
    # A mark may stand before the full stop or behind it; it belongs to the sentence either way.
    return _SENTENCE_END.split(_MARK_BEHIND.sub(r"\2\1", line))


def _bare(quantity: str, words: str) -> bool:
    """Whether the figure of a quantity is there, and nowhere with a unit or another word."""
    figure = re.match(r"-?[\d.,]*\d", quantity)
    if figure is None:
        return False
    whole = rf"(?<![\w.]){re.escape(figure[0])}"
    stands = re.search(rf"{whole}(?!\w|[.,]\d)", words) is not None
    return stands and re.search(rf"{whole}[\s*_`\-]*[^\W\d_]|{whole}\s?[%°]", words) is None


def _figures(text: str) -> frozenset[str]:
    return frozenset(re.sub(r",(?=\d{3})", "", figure) for figure in _FIGURE.findall(text))


def _content(text: str) -> frozenset[str]:
    """The beginnings of the words that mean something, so that forms of a word are alike."""
    words = (word.casefold() for word in re.findall(r"[^\W\d_]{4,}", text))
    return frozenset(word[:5] for word in words if word not in _COMMON)

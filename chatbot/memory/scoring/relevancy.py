"""Whether an answer answers this question: by its form, and by the passage that it stands in."""

import re
from collections.abc import Sequence
from math import log

from chatbot.memory.scoring.faithfulness import holds
from chatbot.memory.scoring.statements import Passage
from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.retrieval.provenance import claims, plain, quantities, whole
from chatbot.text.query_terms import filtered
from chatbot.turn import Answer
from corpora.indexing.embedding import Vectors
from corpora.indexing.lexical import tokens

_Word = tuple[set[str], bool]
"""The tokens of a word of the question, and whether it is a name or a figure."""
OTHER_VALUE = 0.4
"""What is left of the relevancy of a sentence that tells another value than is asked for."""
_ASKS_MEASURE = re.compile(r"\bhow (?:long|often|far|fast|hot|cold|tall|wide|heavy)\b", re.I)
_CHOICE = re.compile(r"\bor\b", re.I)
_ENOUGH = 0.8
"""Cosine and share of words, added up, of a passage that is surely about the question."""
_BLOCKS = re.compile(r"^\s*(?:\d+[.)]|[-*|])\s?|`", re.M)
_TELLS_TO = re.compile(
    r"\b(?:use|run|set|call|enter|type|add|open|choose|replace|by \w+ing"
    r"|you (?:can|must|should|need to|have to))\b",
    re.I,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|due to|reasons?|caused?|therefore|otherwise|in order to|as"
    r"|(?:to|would|can) (?:avoid|prevent|keep|protect|allow|ensure|reduce|save)|(?:un)?less|if)\b",
    re.I,
)
_WHY = re.compile(r"\bwhy\b", re.I)
_ENUMERATED = re.compile(r",|\band\b|\bor\b", re.I)


def has_form(question: str, answer: Answer) -> bool:
    """Whether it has steps, items or a reason where they are asked for; else any form will do."""
    blocks = len(_BLOCKS.findall(answer.text))
    match asked_for(question):
        case Kind.STEPS:
            return blocks > 0 or _TELLS_TO.search(answer.value) is not None
        case Kind.LIST:
            return blocks > 1 or _ENUMERATED.search(answer.value) is not None
        case Kind.EXPLANATION if _WHY.search(question):
            return _REASON.search(answer.value) is not None
        case _:
            return True


def relevancy(
    question: str,
    statements: Sequence[str],
    cited: Sequence[Passage],
    passages: Sequence[Passage],
    cosines: Vectors,
) -> float:
    """How well its passage meets the question: min(1, (cosine + words) / 0.8) · place.

    `words` is the share of the question's words that the passage has. `place` is low where another
    passage is more about the question: (own / best)² of cosine + telling words, times own / best of
    the scores of reduction. Of several statements the best counts.
    """
    asked = _asked(question)
    telling = _telling(asked, passages)
    near = [max(float(cosine), 0.0) for cosine in cosines]
    about = [n + _share(asked, p, telling) for n, p in zip(near, passages, strict=True)]
    found = []
    for said in statements or [""]:
        bearing = _bearing(said, cited)
        i = passages.index(bearing)
        words = _share(asked, bearing, [1.0] * len(asked))
        fits = min((near[i] + words) / _ENOUGH, 1.0)
        place = _ratio(about[i], max(about)) ** 2
        if bearing.score > 0:
            place *= _ratio(bearing.score, max(p.score for p in passages))
        told = set(tokens(filtered(said)))
        # Choosing one of the question's alternatives does not only repeat it.
        repeats = told and told <= set(tokens(question)) and not _CHOICE.search(question)
        figured = any(map(str.isdigit, said)) and not quantities(said)
        lacks_unit = figured and _ASKS_MEASURE.search(question)
        other = repeats or lacks_unit or _of_other_column(question, said, bearing)
        found.append(fits * place * (OTHER_VALUE if other else 1.0))
    return max(found)


def _ratio(own: float, best: float) -> float:
    return own / best if best > 0 else 0.0


def _asked(question: str) -> list[_Word]:
    words: list[_Word] = []
    for word in filtered(question).split():
        if own := tokens(word):
            words.append((set(own), bool(claims(word))))
    return words


def _share(asked: Sequence[_Word], passage: Passage, weights: Sequence[float]) -> float:
    held = set(tokens(passage.text))
    found = sum(weight for (word, _), weight in zip(asked, weights, strict=True) if word & held)
    return _ratio(found, sum(weights))


def _telling(asked: Sequence[_Word], passages: Sequence[Passage]) -> list[float]:
    """How well each word tells the passages apart (idf); names count twice, what none has half."""
    texts = [set(tokens(passage.text)) for passage in passages]
    weights = []
    for word, is_name in asked:
        held = sum(bool(word & text) for text in texts)
        idf = log(1 + (len(texts) - held + 0.5) / (held + 0.5))
        weights.append(idf * (2.0 if is_name else 1.0) * (1.0 if held else 0.5))
    return weights


def _bearing(said: str, cited: Sequence[Passage]) -> Passage:
    """The cited passage that a statement stands in, else the one with its figures and words."""
    wanted = plain(said).rstrip(".")
    if not wanted:
        return cited[0]
    words = set(tokens(filtered(said)))
    figures = [claim for claim in claims(said) if any(map(str.isdigit, claim))]

    def bears(passage: Passage) -> tuple[bool, int, int]:
        held = sum(holds(figure, passage) for figure in figures)
        stands = whole(wanted).search(passage.text) is not None
        return stands, held, len(words & set(tokens(passage.text)))

    return max(cited, key=bears)


def _of_other_column(question: str, said: str, bearing: Passage) -> bool:
    """Whether a value is from columns of its row that the question does not name, but others."""
    sentence, asked = plain(said), set(tokens(question))
    told: set[str] = set()
    named: set[str] = set()
    for header, cell in bearing.cells:
        if plain(cell) and whole(plain(cell)).search(sentence):
            told.add(header)
        words = set(tokens(filtered(header)))
        # The column by which the question finds its row is not the one that it asks for.
        if words and words <= asked and not set(tokens(cell)) <= asked:
            named.add(header)
    return bool(told and named) and told.isdisjoint(named)

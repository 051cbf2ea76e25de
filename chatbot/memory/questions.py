"""A question as the memory compares it, and whether two ask the same (ComRAG 4.2).

In doubt two questions do not: an answer that is not reused costs a call of the model, one that is
reused wrongly costs trust.
"""

import re
from collections.abc import Sequence

from chatbot.memory.pairs import MemoryQuestion
from chatbot.retrieval.question_types import stated_type, without_opening
from chatbot.text.words import STOP_WORDS
from chatbot.turn import Turn
from corpora.indexing.embedding import Embedder
from corpora.indexing.lexical import identifiers, tokens
from corpora.indexing.number_words import NUMBER_WORDS

READING = "words-4"
"""To be changed whenever questions are read in another way; part of `QuestionReader.embedding`."""

_EDGES = "?!,;:.()[]{}<>\"'“”‘’`…*"
_NEGATIONS = frozenset(("not", "no", "never", "without", "none", "nothing"))
_PARTS = (
    (re.compile(r"n['’]t\b|(?<=can)not\b"), " not"),
    (re.compile(r"['’](?:s|re|m|ve|ll|d)?(?!\w)"), ""),
    (re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])"), " "),
)
"""A negation, what an apostrophe adds to a word, and a hyphen between two words."""
_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[.!,;:](?:\s|$))")
_COMMA_AT_AN_END = re.compile(r"^(?:[,;:]?\s+)+|[\s,;]+(?=[?.!]*$)")


class QuestionReader:
    """Reads questions into words and vectors; safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def embedding(self) -> str:
        """The name under which vectors are stored; it changes whenever they would."""
        return f"{self._embedder.name}/{READING}"

    def read(self, text: str, product: str) -> MemoryQuestion:
        """Read one question about a product, given without its release."""
        return self.read_all([text], product)[0]

    def read_all(self, texts: Sequence[str], product: str) -> list[MemoryQuestion]:
        """Read several questions about a product; they are embedded together."""
        if not texts:
            return []
        vectors = self._embedder.embed_queries([_without_name(text, product) for text in texts])
        return [
            MemoryQuestion(text, normalized(text, product), vector, self.embedding)
            for text, vector in zip(texts, vectors, strict=True)
        ]


def standalone_text(turn: Turn) -> str:
    """The question of a turn, without its release and without earlier answers."""
    queries = turn.phrased
    return as_typed(queries.asked or queries.subject if queries else turn.question)


def as_typed(text: str) -> str:
    """A question without the space or comma that is left where a release was cut out of it."""
    return _COMMA_AT_AN_END.sub("", _SPACE_BEFORE_MARK.sub("", text))


def normalized(text: str, product: str) -> str:
    """The same words: a question without its product, a capital first, and the mark at its end.

    No word is left out or cut to its stem: "head" is not "heads", and `<<` is not `>>`.
    """
    words = _without_name(text, product).rstrip(" ?!.").split()
    return " ".join([*map(str.lower, words[:1]), *words[1:]])


def evident_difference(one: str, other: str, product: str) -> bool:
    """Whether two questions evidently differ, whatever a model thinks.

    They do by a figure or a name that only one of them has, by a negation, or by the kind of answer
    that they want, where both say it.
    """
    mine, theirs = (_words(text, product) for text in (one, other))
    if _NEGATIONS.isdisjoint(map(str.lower, mine)) != _NEGATIONS.isdisjoint(map(str.lower, theirs)):
        return True
    for those, others in ((mine, theirs), (theirs, mine)):
        there = {form for word in others for form in _forms(word)}
        if any(_form(word) not in there for word in filter(_is_name, those)):
            return True
    return len({kind for text in (one, other) if (kind := stated_type(text))}) > 1


def _words(text: str, product: str) -> list[str]:
    text = without_opening(_without_name(text, product))
    for pattern, instead in _PARTS:
        text = pattern.sub(instead, text)
    return [bare for word in text.split() if (bare := word.strip(_EDGES))]


def _without_name(text: str, product: str) -> str:
    name = rf"\b(?:(?:in|of|for|with|on|by)\s+)?(?:the\s+)?{re.escape(product)}(?!\w)"
    return re.sub(name, "", text, flags=re.I) if product else text


def _forms(word: str) -> tuple[str, ...]:
    """What stands for a word: `-n` is not `-N`, "valves" and "valve.set" hold "valve"."""
    return (word,) if word.startswith("-") else (_form(word), *tokens(word))


def _form(word: str) -> str:
    if word.startswith("-"):
        return word
    small = word.lower()
    if small in NUMBER_WORDS:
        return str(NUMBER_WORDS[small])
    stems = tokens(small) if small.isalpha() and small not in STOP_WORDS else ()
    return stems[0] if stems else small


def _is_name(word: str) -> bool:
    """Whether it is a figure, a name from the code, an abbreviation or an option.

    A capital first letter is none, nor is a word that is not in the dictionary: 54 of 87 ways to
    ask the sample's questions again were held apart by such a word, most of them by a slip.
    """
    return bool(
        any(map(str.isdigit, word))
        or NUMBER_WORDS.get(word.lower(), 0) > 1
        or word.startswith("-")
        or any(map(str.isupper, word[1:]))
        or identifiers(word)
    )

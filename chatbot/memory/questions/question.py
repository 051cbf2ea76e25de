"""A question as the memory compares it: what it asks for, and its vector (ComRAG 4.2).

A sentence embedding puts "enable X" beside "disable X". So only one half of a vector v is the
sentence's, e; the other half m, of the sentence and of its words of content, has its signs and its
order changed by what the question asks for: v = [√w·e, √(1-w)·R(asks)·m]. The cosine of two
questions that ask for the same is that of sentences and words together; else it is about w times
that of the sentences, below any δ. e is the embedding of the sentence in canonical words
(`chatbot.memory.questions.asking`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from chatbot.memory.pairs import MemoryQuestion
from chatbot.memory.questions.asking import Asking, Reader, Word
from chatbot.memory.questions.sameness import difference
from chatbot.memory.questions.wordings import GENERIC, LIGHT, LIGHT_BESIDE
from chatbot.turn import Turn
from corpora.embedding import Embedder, Vectors
from corpora.glossary import Entry

SHARED = 0.5
"""w: the share of a vector that does not depend on what is asked for."""
OF_WORDS = 0.7
"""The share of the words of content in the other half; the sentence has the rest."""
LOWEST_DELTA = 0.62
"""The least δ: questions that do not ask for the same stay below it, whatever their words."""
READING = "asks-9"
"""Changes with the rules by which questions are read, and so with `QuestionReader.embedding`."""

_LIGHT = LIGHT | LIGHT_BESIDE

_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[?.!,;:](?:\s|$))")
_COMMA_AT_AN_END = re.compile(r"^(?:[,;:]?\s+)+|[\s,;]+(?=[?.!]*$)")


class QuestionReader:
    """Reads the questions of all products; safe to share between threads."""

    def __init__(
        self,
        embedder: Embedder,
        glossary: Callable[[str], Sequence[Entry]],
        is_ordinary_word: Callable[[str], bool],
    ) -> None:
        self._embedder = embedder
        self._glossary = glossary
        self._is_ordinary_word = is_ordinary_word

    @property
    def embedding(self) -> str:
        """What the vectors are stored under; changes whenever they would."""
        return f"{self._embedder.name}/{READING}"

    @property
    def dimension(self) -> int:
        """The length of a vector: twice that of the sentence's."""
        return 2 * self._embedder.dimension

    def of(self, product: str) -> ProductQuestions:
        """Read questions of a product with its glossary as it is now; of none where it is empty."""
        entries = self._glossary(product) if product else ()
        reader = Reader(product, entries, self._is_ordinary_word)
        return ProductQuestions(self._embedder, reader, self.embedding)


class ProductQuestions:
    """Reads and compares questions of one product, all that one answer needs.

    What was read and embedded of a question is kept, since it is compared with several.
    """

    def __init__(self, embedder: Embedder, reader: Reader, embedding: str) -> None:
        self._embedder = embedder
        self._reader = reader
        self._embedding = embedding
        self._asking: dict[str, Asking] = {}
        self._vectors: dict[str, Vectors] = {}

    def read(self, text: str) -> MemoryQuestion:
        """Read one question, given without its release."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[MemoryQuestion]:
        """Read several questions; their sentences are embedded together."""
        asked = [self.asking(text) for text in texts]
        sentences = self._embedder.embed([a.sentence for a in asked])
        return [
            MemoryQuestion(text, a.key, memory_vector(e, a), self._embedding)
            for text, a, e in zip(texts, asked, sentences, strict=True)
        ]

    def asking(self, text: str) -> Asking:
        """What a question asks for, in canonical words."""
        if text not in self._asking:
            self._asking[text] = self._reader.read(text)
        return self._asking[text]

    def difference(self, a: str, b: str) -> str:
        """Say why two questions do not ask the same; empty where they do."""
        return difference(self.asking(a), self.asking(b), self._weigh)

    def _weigh(self, asking: Asking, word: Word) -> float:
        around = asking.around(word)
        new = [text for text in around if text not in self._vectors]
        self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        with_it, without = (self._vectors[text] for text in around)
        return float(1 - with_it @ without)


def asked_text(turn: Turn) -> str:
    """What a turn asks, without its release and without what the conversation answered before."""
    text = turn.queries.subject if turn.queries is not None else turn.question
    # Where a release was cut out, its space or comma is left, and people read this.
    return _COMMA_AT_AN_END.sub("", _SPACE_BEFORE_MARK.sub("", text))


def memory_vector(sentence: Vectors, asking: Asking) -> Vectors:
    """Make the vector (2d,) of a question from that of its sentence (d,)."""
    length = len(sentence)
    words = _sum_of_words(asking, length)
    mixed = np.sqrt(1 - OF_WORDS) * sentence + np.sqrt(OF_WORDS) * words
    order, signs = _turned(asking.key, length)
    turned = (mixed / np.linalg.norm(mixed))[order] * signs
    whole = np.concatenate([np.sqrt(SHARED) * sentence, np.sqrt(1 - SHARED) * turned])
    unit: Vectors = (whole / np.linalg.norm(whole)).astype(np.float32)
    return unit


def _sum_of_words(asking: Asking, length: int) -> Vectors:
    """The words of content as a vector of length one: each has a direction that it always has."""
    weights = {w.canonical: 0.5 if w.canonical in _LIGHT else 1.0 for w in asking.words}
    weights |= dict.fromkeys(asking.marks, 0.5)
    total = np.zeros(length, dtype=np.float32)
    for word, weight in sorted(weights.items()):
        if word not in GENERIC:
            total += np.float32(weight) * _direction(word, length)
    if not total.any():
        total += _direction("", length)
    unit: Vectors = total / np.linalg.norm(total)
    return unit


@lru_cache(maxsize=50_000)
def _direction(word: str, length: int) -> Vectors:
    drawn = hashlib.shake_256(word.encode()).digest(length)
    signs: Vectors = np.where(np.frombuffer(drawn, dtype=np.uint8) & 1, 1, -1).astype(np.float32)
    return signs


@lru_cache(maxsize=5_000)
def _turned(key: str, length: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """An order and signs that a key always gives, in every process and with every library."""
    drawn = np.frombuffer(hashlib.shake_256(key.encode()).digest(5 * length), dtype=np.uint8)
    order = np.argsort(drawn[: 4 * length].view("<u4"), kind="stable")
    signs = np.where(drawn[4 * length :] & 1, np.float32(1), np.float32(-1))
    return order, signs

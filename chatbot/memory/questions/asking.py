"""What a question asks for, in canonical words: kind, marks, figures, names, words of content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chatbot.memory.questions.clauses import parts_of
from chatbot.memory.questions.figures import spelled_out
from chatbot.memory.questions.kinds import kind_of
from chatbot.memory.questions.phrases import FRAME, PHRASES
from chatbot.memory.questions.spelling import Name, Plain, plain_text
from chatbot.memory.questions.wordings import EMPTY, MARKED, canonical, stemmed
from corpora.glossary import Entry

_FROM = re.compile(r"(?<!\S)from(?: (?!to )[a-z]+){0,2} (\d\S*)(?!\S)")
_IN_KEY = frozenset(("DEFAULT", "MAXIMUM", "MINIMUM", "NOT", "BEFORE", "INSTEAD"))
_KINDS_IN_KEY = frozenset(("WHY", "SINCE", "WHETHER"))
_AROUND = 5
_CODE = re.compile(r"\w+_\w+|\w+(?=\(\))")
_THING = re.compile(
    r"(?:the|its|our) (?!.*(?<!\S)(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would"
    r"|must|should|may|might|not|how|what|which|why|if|WH[A-Z]+|HOW[A-Z]+|SINCE)(?!\S))"
)
_NEGATED = re.compile(
    r"(?<!\S)(?:un|in)(?=(?:support|commit|confirm|used|encrypt|authenticat|sav|test|compatib)\w*)"
)


@dataclass(frozen=True)
class Word:
    """A word of content: its place in the sentence, as written, its stem, what stands for it."""

    at: int
    written: str
    stem: str
    canonical: str
    is_name: bool = False

    @property
    def small(self) -> str:
        """As written, in small letters."""
        return self.written.lower()


@dataclass(frozen=True)
class Asking:
    """A question in canonical words.

    `tokens` make the sentence that is embedded. `key` is what two questions must agree in to be
    the same one: the `kind` of answer, `marks` (DEFAULT, NOT, …), `figures`, `names`. `words` are
    those of content, and `context` those of sentences before it that only tell of circumstances.
    `plain` is the text that all was read from, `code` are identifiers as they are written in code,
    `capitalised`, `small` and `careful` are those of `chatbot.memory.questions.spelling`.
    """

    tokens: tuple[str, ...]
    key: str
    kind: str
    marks: frozenset[str]
    figures: tuple[str, ...]
    names: tuple[Name, ...]
    words: tuple[Word, ...]
    context: tuple[Word, ...]
    plain: str
    code: frozenset[str]
    capitalised: frozenset[str]
    small: frozenset[str]
    careful: bool

    @property
    def sentence(self) -> str:
        """What is embedded."""
        return " ".join(self.tokens)

    def around(self, word: Word) -> tuple[str, str]:
        """Some words of the sentence around one of its words, with it and without it."""
        before = self.tokens[max(0, word.at - _AROUND) : word.at]
        after = self.tokens[word.at + 1 : word.at + 1 + _AROUND]
        return " ".join((*before, self.tokens[word.at], *after)), " ".join(before + after)


class Reader:
    """Reads questions of a product by rules and its glossary; of no product where it is empty."""

    def __init__(
        self, product: str, entries: Sequence[Entry], is_ordinary_word: Callable[[str], bool]
    ) -> None:
        self._product = product
        self._entries = entries
        self._is_ordinary_word = is_ordinary_word

    def read(self, text: str) -> Asking:
        """Read one question."""
        plain = plain_text(text, self._product, self._entries, self._is_ordinary_word)
        said = _without_frame(spelled_out(plain.text))
        said = _NEGATED.sub("NOT ", said)
        for mark, pattern in PHRASES:
            said = pattern.sub(mark, said)
        # What a thing can hold is its maximum, but what it holds by default is not.
        bounded = "DEFAULT" in said or "MINIMUM" in said
        said = said.replace("CAPACITY", "HOWMANY" if bounded else "MAXIMUM")
        if "HOWLONG" in said or "HOWMANY" in said:
            # How long it takes before something happens is after how long it does.
            said = said.replace("BEFORE", "until")
        asked, context = parts_of(" ".join(said.split()))
        kind = kind_of(asked)
        shown, around = (part.replace("|", " ").split() for part in (asked, context))
        words, context_words = tuple(_words(shown, plain)), tuple(_words(around, plain))
        marks = frozenset(one for one in shown if one.isupper())
        if "DEFAULT" in around:
            marks |= {"DEFAULT"}
        figures = tuple(_figures(f"{asked} | {context}"))
        names = tuple(name for one in (*shown, *around) if (name := plain.name(one)))
        key = " ".join(
            (
                *({kind} & _KINDS_IN_KEY),
                *sorted(marks & _IN_KEY),
                *sorted({w.canonical for w in words if not w.is_name} & MARKED),
                *sorted(set(figures)),
                *sorted({name.same for name in names if name.coined}),
            )
        )
        return Asking(
            tokens=tuple(_shown(one, plain) for one in shown),
            key=key,
            kind=kind,
            marks=marks,
            figures=figures,
            names=names,
            words=words,
            context=context_words,
            plain=" ".join(shown),
            code=frozenset(name.lower() for name in _CODE.findall(text)),
            capitalised=plain.capitalised,
            small=plain.small,
            careful=plain.careful,
        )


def _without_frame(text: str) -> str:
    """Leave out greetings and what only leads to the question, as long as something is left."""
    bare = FRAME.sub(" |", f" {text}").strip(" |")
    if bare != text and _THING.match(bare):
        # Tell me the size: what is the size?
        return f"what is {bare}"
    return bare or text


def _figures(said: str) -> Iterator[str]:
    origins = {match.start(1) for match in _FROM.finditer(said)}
    for match in re.finditer(r"(?<!\S)\S*\d\S*", said):
        yield f"from:{match[0]}" if match.start() in origins else match[0]


def _words(shown: Sequence[str], plain: Plain) -> Iterator[Word]:
    for at, one in enumerate(shown):
        name = plain.name(one)
        if name is not None:
            stands_for = name.same if name.coined else canonical(name.same)
            stem = name.same if name.coined else stemmed(name.same)
            yield Word(at, name.written, stem, stands_for, is_name=True)
        elif one.isalpha() and not one.isupper() and one not in EMPTY:
            yield Word(at, one, stemmed(one), canonical(one))


def _shown(one: str, plain: Plain) -> str:
    name = plain.name(one)
    return name.same if name else _SPELLED.get(one, one.lower())


_SPELLED = {
    "DEFAULT": "by default",
    "SINCE": "since which release",
    "HOWLONG": "how long",
    "HOWOFTEN": "how often",
    "HOWMANY": "how many",
    "HOWMUCH": "how much",
    "WHETHER": "is it possible to",
    "sameTime": "at the same time",
    "INSTEAD": "instead of",
}

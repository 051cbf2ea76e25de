"""What a comparison is about, and how much of that a passage tells."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chatbot.text.words import filtered, word_set
from chatbot.turn import Queries, Record, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

ABOUT = 0.55
"""The share of the topic's words, by rarity, that a passage about it must hold."""
_WHERE = re.compile(
    r"\b(?:(?:since|until) when|when (?:was|were|is|are|did)|there|documented|available|present"
    r"|(?:which|what|first|last) (?:\w+ ){0,2}(?:releases?|versions?)|support(?:s|ed)?)\b",
    re.I,
)
_DIFFERS = re.compile(r"\b(?:same|identical|differ\w*|chang\w*|compar\w*)\b", re.I)
_ASKING = word_set("""
    add added adds anything appear appears become changed change changes come contain contains
    describe describes dropped ever every everywhere everything first gone have identical include
    includes introduced last latest missing new newest oldest possible present remove removed
    replaced since support supported supports there unchanged until available whether yet
    alarm parameter command option argument method function class setting attribute flag field
    default value range
""")
"""Words of a question that ask, or say what kind of thing is asked about, but name none."""


@dataclass(frozen=True)
class Topic:
    """What is asked about: its words, weighed by rarity, adding up to 1."""

    text: str
    words: Mapping[str, float]

    def share_of(self, records: Iterable[Record]) -> float:
        """The share of the topic that passages hold with the headings above them, 0 to 1."""
        texts = (t for r in records for t in (r.reading, *r.path, r.page.document.title))
        held = {token for text in texts for token in tokens(text)}
        return sum(weight for word, weight in self.words.items() if word in held)


def asks_differences(question: str) -> bool:
    """Whether it is asked how releases differ."""
    return _DIFFERS.search(question) is not None


def asks_where(question: str) -> bool:
    """Whether it is asked in which releases a thing is documented, and not how they differ."""
    return _WHERE.search(question) is not None and not asks_differences(question)


def topic_of(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> Topic:
    """What is compared, weighed by how rare its words are; those of no release say nothing."""
    queries = next((side.phrased for side in reversed(sides) if side.phrased), None)
    own_name = {token for corpus in corpora for token in tokens(corpus.product)}
    words = _named(queries).split() if queries else []
    text = " ".join(word for word in words if not own_name.issuperset(tokens(word)))
    weights = {
        token: max(c.idf(token) for c in corpora if c.frequency(token))
        for token in dict.fromkeys(tokens(text))
        if any(corpus.frequency(token) for corpus in corpora)
    }
    total = sum(weights.values())
    return Topic(text, {token: weight / total for token, weight in weights.items()})


def _named(queries: Queries) -> str:
    """What the question names, or else what it took over from earlier ones."""
    return _without_asking(queries.asked) or _without_asking(queries.subject)


def _without_asking(text: str) -> str:
    words = filtered(text.replace("`", "")).split()
    return " ".join(word for word in words if word.lower() not in _ASKING)

"""The words that a comparison is about, and whether a passage tells of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chatbot.retrieval.provenance import plain
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

ABOUT = 0.55
"""The share of the topic's words, by rarity, that a passage about it must hold."""


@dataclass(frozen=True)
class Topic:
    """What is asked about: its words, weighed by rarity, adding up to 1."""

    text: str
    words: Mapping[str, float]

    def names(self, name: str) -> bool:
        """Whether the topic says the name of an entry."""
        return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", plain(self.text)) is not None

    def share(self, *texts: str) -> float:
        """The share of the topic that some texts hold, 0 to 1."""
        held = {token for text in texts for token in tokens(text)}
        return sum(weight for word, weight in self.words.items() if word in held)

    def share_of(self, records: Iterable[Record]) -> float:
        """The share of the topic that passages hold with the headings above them."""
        return self.share(
            *(t for r in records for t in (r.reading, *r.path, r.page.document.title))
        )


def topic_of(text: str, corpora: Sequence[Corpus]) -> Topic:
    """Weigh the words of a text by how rare they are; words of no release say nothing."""
    own_name = {token for corpus in corpora for token in tokens(corpus.product)}
    weights = {
        token: max(corpus.idf(token) for corpus in corpora if corpus.frequency(token))
        for token in dict.fromkeys(tokens(text))
        if token not in own_name and any(corpus.frequency(token) for corpus in corpora)
    }
    total = sum(weights.values())
    known = (word for word in text.split() if not weights.keys().isdisjoint(tokens(word)))
    return Topic(
        " ".join(known), {token: weight / total for token, weight in weights.items() if total}
    )

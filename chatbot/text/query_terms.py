"""Words that carry no topic, and everyday words that documents say differently."""

import re
from typing import Protocol

from rapidfuzz.distance import DamerauLevenshtein

from chatbot.text.phrasing import word_set
from corpora.indexing.lexical import tokens


class Vocabulary(Protocol):
    """The words of one release."""

    def frequency(self, token: str) -> int:
        """Search chunks that hold the token."""

    def similar(self, word: str) -> tuple[str, ...]:
        """Tokens of the release that differ from the word by a typing error, best first."""


STOP_WORDS = word_set("""
compare compared comparing comparison differ difference differences different versus vs
a about above after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing don't down during each few for from further
get gets given go got had has have having he her here hers him his how i i'd i'm i've if in into
is isn't it it's its itself just know let like many may me might mine more most much must my need
no nor not now of off on once one only or other our ours out over own please rather really s same
say says she should show so some still such t take takes tell than that that's the their theirs
them then there there's these they they're this those through to too under until up us use used
uses using very want was we we're were what what's when where which while who whom why will with
without would yes you you're your yours according actually best called case correct currently doc
docs document documentation documented exactly exist exists find found happen happens help mean
means name named provide provided question say something thing things via way work works
cant doesnt dont hows im isnt ive thats theres whats wheres wont youre
""")
"""Removed from Filtered queries and never counted as evidence."""

_WITHOUT_TOPIC = STOP_WORDS | word_set("release releases rel version versions ver series") | {""}

EXPANSIONS: dict[str, tuple[str, ...]] = {
    "minimum": ("least", "higher", "above", "require", "support"),
    "min": ("minimum", "least"),
    "minimal": ("minimum", "least", "require"),
    "lowest": ("minimum", "least"),
    "oldest": ("minimum", "least"),
    "max": ("maximum", "limit"),
    "biggest": ("maximum", "largest"),
    "highest": ("maximum",),
    "maximum": ("max", "limit", "most"),
    "env": ("environment",),
    "var": ("variable",),
    "args": ("argument", "parameter"),
    "argument": ("parameter",),
    "param": ("parameter",),
    "parameter": ("argument",),
    "option": ("parameter", "flag"),
    "flag": ("option", "parameter"),
    "default": ("omitted",),
    "omitted": ("default",),
    "config": ("configuration",),
    "auth": ("authentication",),
    "repo": ("repository",),
    "db": ("database",),
    "needed": ("require",),
    "need": ("require",),
    "needs": ("require",),
    "supported": ("support",),
    "replaced": ("rename", "deprecate", "replace"),
    "replacement": ("rename", "deprecate", "replace"),
    "renamed": ("rename", "previous", "now"),
    "copies": ("copy",),
    "hosted": ("download", "host"),
    "download": ("available",),
    "tarball": ("download", "archive", "distribution"),
    "turn": ("enable",),
    "allowed": ("valid", "accept"),
    "choices": ("accept", "value"),
    "timeout": ("wait", "seconds"),
}
"""Everyday word → what documents say instead; each adds to a lexical query at half weight."""

_QUOTED = re.compile(r"(?<!\w)[\"'“‘`]([^\"'“”‘’`\n]{2,40})[\"'”’`](?!\w)")
_EDGES = '?!,;:()[]{}"“”‘’…'


def filtered(text: str) -> str:
    """Leave out stop words and outer punctuation; identifiers and numbers stay as written."""
    words = (word.strip(_EDGES).rstrip(".") for word in text.split())
    return " ".join(word for word in words if word.lower().strip("'`*") not in _WITHOUT_TOPIC)


def misspelt_stop_word(word: str) -> str | None:
    """The stop word that a word without any document is with one typing error: "teh", "whats"."""
    if word in STOP_WORDS:
        return None
    near = (
        stop
        for stop in STOP_WORDS
        if len(stop) > 2
        and stop[0] == word[0]
        and DamerauLevenshtein.distance(word, stop, score_cutoff=1) <= 1
    )
    return min(near, key=lambda stop: (not stop.startswith("wh"), stop), default=None)


def search_terms(text: str, known: str, product: str, vocabulary: Vocabulary) -> dict[str, float]:
    """What is asked, and what the conversation knows already, as lexical terms with weights."""
    terms: dict[str, float] = {}
    # Small words count in quotes: who asks for "document name" means these words.
    quoted = " ".join(_QUOTED.findall(text))
    for word in (*filtered(text).split(), *quoted.split()):
        own = tokens(word)
        unknown = [t for t in own if not vocabulary.frequency(t)]
        for token in own:
            terms[token] = 1.0
        if len(unknown) == len(own):
            for near in vocabulary.similar(word):
                terms.setdefault(near, 0.8)
        for other in EXPANSIONS.get(word.lower(), ()):
            for token in tokens(other):
                terms.setdefault(token, 0.5)
    for token in tokens(filtered(known)):
        terms.setdefault(token, 0.3)
    own_name = set(tokens(product))
    return {token: weight for token, weight in terms.items() if token not in own_name}

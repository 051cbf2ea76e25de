"""The topic of a comparison, and the question to each of its releases."""

import re
from collections.abc import Sequence

from stopwords import get_stopwords

from chatbot.releases.words_beside import CHANGED, COMPARATIVE
from chatbot.retrieval.question_types import stated_type
from chatbot.text.asked_words import EVERY_RELEASE, LISTS, phrases, words
from chatbot.text.words import FUNCTION_WORDS, filtered, word_set
from corpora.indexing.lexical import UNSPACED_RUN, identifiers, tokens

_WHERE = re.compile(
    r"\b(?:(?:since|until) when|when (?:was|were|is|are|did)|there|documented|available|present"
    r"|(?:which|what|first|last) (?:\w+ ){0,2}(?:releases?|versions?)|support(?:s|ed)?)\b",
    re.I,
)
_DIFFERS = re.compile(
    rf"\b(?:same|identical|differ\w*|chang\w*|compar\w*|vs|versus|{COMPARATIVE})\b|{CHANGED}",
    re.I,
)
_COMPARATIVE = re.compile(COMPARATIVE, re.I)
_ELSEWHERE = re.compile(rf"{CHANGED}|\b(?:changé\w*|neu)\b", re.I)
"""Asks for changes in another language than English."""
_OF_QUESTIONS = FUNCTION_WORDS | word_set("hat haben wurde wurden was qué qu quoi cosa mudou")
_FILLING_WORDS = {*get_stopwords("zh"), *get_stopwords("ja"), *"什哪吗嗎呢点升级級점은는이가"}
_FILLING = re.compile("|".join(sorted(_FILLING_WORDS, key=len, reverse=True)))
"""Function words and question words of a run of Han, kana or Hangul."""
_CLAUSE_END = re.compile(r"[:;?]")
_QUESTION_END = re.compile(
    r"[?？;。\n]+|(?:^|(?<=\s))\d[.)]\s"
    r"|,?\s(?:and|und|et)\s(?=(?:\w{2,4}\s)?(?:how|what|which|where|when|why|who)\b)",
    re.I,
)
"""Between two questions of one message."""
_WHATS_NEW = "What is new, changed or removed in this release?"
_ASKING = word_set("""
    added available around become changed changes contain describe every everywhere gone include
    introduced last missing new possible removed since still support supported until value values
""")
"""Words of a question about several releases that name nothing."""


def asks_differences(question: str) -> bool:
    """Whether a question is about differences between releases."""
    return _DIFFERS.search(question) is not None


def asks_where(question: str) -> bool:
    """Whether a question is about the releases that document a thing, not their differences."""
    where = _WHERE.search(question) or phrases(EVERY_RELEASE).search(question)
    return where is not None and not asks_differences(question)


def questions_in(message: str) -> list[tuple[int, int]]:
    """The spans of the questions of a message, in order."""
    ends = [match.span() for match in _QUESTION_END.finditer(message)]
    starts = [0, *(end for _, end in ends)]
    spans = zip(starts, [*(start for start, _ in ends), len(message)], strict=True)
    return [(start, end) for start, end in spans if message[start:end].strip()]


def topic_of(text: str, product: str) -> str:
    """The words of a question that name the compared thing, without question words and product."""
    own_name = set(tokens(product))
    said = filtered(text.replace("`", "")).split()
    named = [w for w in said if not (w.lower() in _ASKING or _COMPARATIVE.fullmatch(w))]
    if phrases(EVERY_RELEASE).search(text):
        known = FUNCTION_WORDS | words(*LISTS)
        named = [w for w in named if w.lower() not in known]
    if _ELSEWHERE.search(text):
        left = [(w, _ELSEWHERE.sub("", w)) for w in named if not _is_function(w)]
        named = [w for w, rest in left if _FILLING.sub("", rest)]
    if identifiers(text):
        # Words around a name that are not English are taken for question words.
        named = [w for w in named if not UNSPACED_RUN.fullmatch(w)]
    return " ".join(word for word in named if not own_name.issuperset(tokens(word)))


def _is_function(word: str) -> bool:
    """Whether all parts of a word are function words of some language: "qu'est-ce"."""
    return _OF_QUESTIONS.issuperset(filter(None, re.split(r"['’-]", word.lower())))


def question_to_one(bare: str, product: str, *, follows: bool) -> str:
    """A comparison as a question to one release, from its words without the releases.

    That is its clause without a comparison, else a question about its topic; where it names none,
    the question for what is new, or the earlier question.
    """
    clauses: Sequence[str] = [part.strip(" ,-/") for part in _CLAUSE_END.split(bare)]
    plain = [part for part in clauses if topic_of(part, product) and not asks_differences(part)]
    topic = plain[0] if plain else topic_of(bare, product)
    if not topic:
        return bare.strip(" ,:;-/") if follows else _WHATS_NEW
    return f"{topic}?" if stated_type(topic) else f"What does the documentation say about {topic}?"

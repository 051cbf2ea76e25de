"""How much of an answer stands in the passages that it cites, by claims, words and vectors."""

import re
from collections.abc import Sequence
from statistics import fmean

from chatbot.memory.scoring.statements import Passage
from chatbot.retrieval.provenance import claims, plain, quantities, same_value, whole
from chatbot.text.query_terms import filtered
from corpora.indexing.embedding import Vectors
from corpora.indexing.lexical import tokens

# Folded text has no apostrophes: "don't" is "dont".
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|cannot|without|neither|nor"
    r"|(?:do|does|did|is|are|was|were|ca|wo|has|have|had|should|would|could|must|need)nt)\b"
)
_VERDICT = re.compile(r"(yes|no)\b", re.I)
WHOLE = 0.7
"""The least share of all words of a sentence, the asker's too, that one cited passage has."""
_DENIED = 0.45
"""What is left of a statement that denies something where no passage does: too little."""
BORNE = 0.5
"""The least share of a statement that has to stand in a passage."""


def faithfulness(
    statements: Sequence[str], cited: Sequence[Passage], cosines: Vectors, known: str
) -> float:
    """The mean of how well each statement stands in its best cited passage; 0 if one is not borne.

    `cosines` has a row a statement and a column a passage; what is `known` need not stand there.
    """
    own = plain(known)
    shares = [_share(s, cited, row, own) for s, row in zip(statements, cosines, strict=True)]
    if not shares:
        return 1.0
    return fmean(shares) if min(shares) >= BORNE else 0.0


def _share(statement: str, cited: Sequence[Passage], cosines: Vectors, own: str) -> float:
    """1 for what stands there, 0 for an invented figure, else shares of names and words."""
    wanted = plain(statement).rstrip(".")
    if not wanted or any(whole(wanted).search(p.text) for p in cited):
        return 1.0
    told = _told(statement, own)
    if _invented(told, cited):
        return 0.0
    said = set(tokens(filtered(statement))) - set(tokens(f"{own} {' '.join(told)}"))

    def held(passage: Passage, cosine: float) -> float:
        named = sum(holds(c, passage) for c in told) / len(told) if told else 0.0
        if told and not said:
            return named
        shared = len(said & set(tokens(passage.text))) / len(said) if said else 0.0
        # A sentence in other words: a cosine of 0.2 is chance, one of 0.8 a paraphrase.
        worded = max(shared, min(max((cosine - 0.2) / 0.6, 0.0), 1.0))
        return (named + worded) / 2 if told else worded

    best = max(held(p, float(c)) for p, c in zip(cited, cosines, strict=True))
    denied = denies(wanted) and not any(denies(p.text) for p in cited)
    return best * _DENIED if denied else best


def stands_whole(sentence: str, cited: Sequence[Passage], names: str) -> bool:
    """Whether one cited passage has most of a sentence's words, and says yes or no as it does.

    The asker's words count, too, except the `names` of product and release.
    """
    verdict = _VERDICT.match(sentence)
    said = sentence[verdict.end() :] if verdict else sentence
    wanted = set(tokens(filtered(said))) - set(tokens(names))
    if not wanted:
        return verdict is None
    bearing = max(cited, key=lambda passage: len(wanted & set(tokens(passage.text))))
    if verdict is not None:
        denied = verdict[1].lower() == "no"
        # What stands before the colon is a heading: "What it does and does not do".
        if denies(said) != denied or denies(bearing.read.partition(": ")[2]) != denied:
            return False
    return len(wanted & set(tokens(bearing.text))) >= WHOLE * len(wanted)


def has_invented_figure(statement: str, cited: Sequence[Passage], known: str) -> bool:
    """Whether a statement has a figure that neither the question nor a cited passage has."""
    return _invented(_told(statement, plain(known)), cited)


def _told(statement: str, own: str) -> list[str]:
    """The names, figures and measures of a statement that the asker did not say."""
    measures = quantities(statement)
    # A figure is told with its unit: 300 s may stand there as 5 min.
    names = [c for c in claims(statement) if not any(_stands(c, plain(m)) for m in measures)]
    return [c for c in (*names, *measures) if not _stands(c, own)]


def _invented(told: Sequence[str], cited: Sequence[Passage]) -> bool:
    figures = [c for c in told if any(map(str.isdigit, c))]
    return any(not any(holds(figure, p) for p in cited) for figure in figures)


def denies(text: str) -> bool:
    """Whether a text says that something is not so."""
    return _NEGATION.search(plain(text)) is not None


def holds(claim: str, passage: Passage) -> bool:
    """Whether a passage has a name or figure, or the figure with its unit in another form."""
    if _stands(claim, passage.text):
        return True
    if not quantities(claim):
        return False
    if any(same_value((claim, said)) for said in quantities(passage.read)):
        return True
    # In a table the unit stands in another cell or in the header.
    return all(_stands(part, passage.text) for part in re.findall(r"-?[\d.,]*\d|[^\d\s]+", claim))


def _stands(words: str, text: str) -> bool:
    return whole(plain(words)).search(text) is not None

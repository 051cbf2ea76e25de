"""The written lead, checked sentence by sentence against the passages that it was written from."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from chatbot.retrieval.forms import LIST_MARK, in_words
from chatbot.retrieval.passages import Passage
from chatbot.retrieval.provenance import (
    claims,
    holds_quantity,
    names,
    plain,
    quantities,
    whole,
)
from chatbot.retrieval.records import sentences
from chatbot.text.citation_markers import without_marks
from chatbot.text.query_terms import filtered
from chatbot.turn import Record, Triplet
from corpora.indexing.lexical import tokens
from corpora.indexing.number_words import NUMBER_WORDS
from ingestion.page import BlockKind

_INLINE_NUMBER = re.compile(r"(?<=[:;,]) +\d+[.)] +(?=[A-Z])")
_FENCED = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)", re.M | re.S)
_VERDICT = re.compile(r"^(?:yes|no)\b[\s,.:;–—-]*", re.I)
_DENIED = re.compile(r"\b(?:not|no|never|cannot)\b|n['’]t\b", re.I)
_OPENS = re.compile(r"(?:the|there|this|that|these|it|you|an?|no|by|in|if)\b", re.I)
_OF_PROMPT = re.compile(r"\bchunks?\b", re.I)
"""What the prompt calls the passages: a reader knows of none."""
_SPELLED_OUT = re.compile(
    rf"\b(?!one\b)(?:{'|'.join(NUMBER_WORDS)})"
    rf"(?:[ -](?:{'|'.join(NUMBER_WORDS)}|hundred|thousand|million))*\b",
    re.I,
)
_CODE_SPAN = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|«([^«»]+)»|„([^„“”]+)[“”]")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z\d_-]*|\W.*")
"""A word of a command that a reader replaces, or an option, a bracket or a path."""
_FEWEST_WORDS = 4
"""A reply of fewer words is a fragment: what bears it says it in a sentence."""
_BORNE = 0.5
_BORNE_WITH_CLAIMS = 0.35
_MOST_COINED = 3
"""Words of a sentence that neither the asker nor any passage has."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of the lead, and the passage and record that bear it; None where nothing does."""

    text: str
    passage: Passage | None
    record: Record | None


Borne = tuple[Passage, Record] | tuple[None, None]
"""What bears a sentence, if anything does."""
_NO: Borne = (None, None)
Bearer = Callable[[str], Borne]


def check(
    reply: str,
    passages: Sequence[Passage],
    scored: Sequence[Record],
    own: str,
    outside: Sequence[Triplet] = (),
) -> list[Sentence]:
    """Cut a model's reply into sentences and find what bears each; a copied table row is none.

    Every name, figure and unit of a sentence has to stand in a passage or in the asker's `own`
    words, its figures together in one passage, and so do half of its other words. Numbers of list
    items are no claims; code is left out, fenced or not, since the body shows it. A fragment
    ("300 s") is replaced by the sentence or the row that bears it.

    Where question and reply name both ends of a relation that only others than the documentation
    state, one record has to have all words of a sentence that names either: half of them, and the
    rest from `outside`, would be told as if it were documented.
    """
    best = max((record.score for record in scored), default=0.0) or 1.0
    scores = {r.place: r.score / best for r in scored}
    text = _INLINE_NUMBER.sub(" ", _FENCED.sub("", reply))
    lines = (LIST_MARK.sub("", without_marks(line)).strip() for line in text.split("\n"))
    said = (sentence for line in lines if line for sentence in sentences(line))
    bearer = _bearer(passages, scores, plain(own))
    ends = {
        end
        for relation in outside
        if names(f"{own} {text}", relation.head, relation.tail)
        for end in (relation.head, relation.tail)
    }
    read = [
        Sentence(sentence, *(bearer(sentence) if _is_documented(sentence, ends, passages) else _NO))
        for sentence in said
    ]
    whole = [s for s in read if not _is_fragment(s.text)]
    if whole or not read or read[0].record is None:
        return whole or read
    return [replace(read[0], text=in_words(read[0].record))]


def _is_documented(sentence: str, ends: Collection[str], passages: Sequence[Passage]) -> bool:
    """Whether one record has all words of a sentence, if it names one of the ends."""
    if not any(names(sentence, end) for end in ends):
        return True
    words = set(tokens(filtered(_VERDICT.sub("", sentence))))
    records = (record for passage in passages for record in passage.records)
    said = (" ".join((r.quote, r.reading, r.label, *r.path)) for r in records)
    return any(words.issubset(tokens(text)) for text in said)


def _is_fragment(sentence: str) -> bool:
    """Whether it has few words, or names nothing beside a figure: "It is 500 ms."."""
    figures = " ".join(quantities(sentence)).split()
    named = any(re.search(r"[^\W\d_]", w) for w in filtered(sentence).split() if w not in figures)
    return len(sentence.split()) < _FEWEST_WORDS or bool(figures and not named)


def adds_to(question: str, sentence: str, words: int = 1) -> bool:
    """Whether a sentence has so many words of its own; to choose between two it needs none."""
    new = set(tokens(filtered(sentence))) - set(tokens(question))
    return len(new) >= words or " or " in question


def to_the_point(said: Sequence[Sentence], asked: str) -> list[Sentence]:
    """The sentences that have a word of what is asked, or explain one beside it.

    What stands in another passage and speaks of something else is no part of the answer. Where
    none has such a word, all stay.
    """
    wanted = set(tokens(filtered(asked)))
    answering = {
        sentence.passage.place
        for sentence in said
        if sentence.passage is not None and wanted & set(tokens(sentence.text))
    }
    return [s for s in said if not answering or (s.passage and s.passage.place in answering)]


def with_verdict(said: Sequence[Sentence], question: str) -> list[Sentence]:
    """The lead of a yes/no question that denies what is asked, with the No that it lacks."""
    if not said or _DENIED.search(question):
        return list(said)
    first, *rest = said
    if _VERDICT.match(first.text) or not _DENIED.search(first.text):
        return list(said)
    return [replace(first, text=f"No, {_inside(first.text)}"), *rest]


def _inside(sentence: str) -> str:
    """A sentence as it stands behind another word: its first word small, if that is no name."""
    return sentence[0].lower() + sentence[1:] if _OPENS.match(sentence) else sentence


def _bearer(
    passages: Sequence[Passage], scores: Mapping[tuple[int, int], float], own: str
) -> Bearer:
    """Make the function that finds the passage and the record that bear a sentence, if any do."""
    everything = [record for p in passages for record in p.records]
    rows = [plain(r.reading) for r in everything if r.cells or r.kind == BlockKind.CODE]
    evidence = [
        plain(" ".join((p.text, *(r.reading for r in p.records), *p.path))) for p in passages
    ]

    # What a page only quotes it does not say: “begin every answer with the words ‘It is free’”. A
    # message in quotes that is asked for has a word of the question.
    written = [" ".join((p.text, *(r.reading for r in p.records))) for p in passages]
    mentioned = {plain("".join(found)).rstrip(".") for t in written for found in _QUOTED.findall(t)}
    unquoted = [plain(_QUOTED.sub(" ", text)) for text in written]
    mentioned = {quote for quote in mentioned if not any(quote in text for text in unquoted)}

    def bearer(sentence: str) -> Borne:
        if _OF_PROMPT.search(sentence) and not _OF_PROMPT.search(own):
            return None, None
        commands = (code for code in _CODE_SPAN.findall(sentence) if " " in code.strip())
        if not all(_is_written(command, evidence) for command in commands):
            return None, None
        claimed = [*claims(sentence), *_SPELLED_OUT.findall(sentence)]
        told = [claim for claim in map(plain, claimed) if not whole(claim).search(own)]
        if not all(any(_says(text, claim) for text in evidence) for claim in told):
            return None, None
        copied = plain(sentence).rstrip(".")
        long = len(sentence.split()) >= _FEWEST_WORDS
        if long and any(copied in row for row in rows):
            return None, None
        for quantity in quantities(sentence):
            held = any(holds_quantity(quantity, passage.records) for passage in passages)
            if not held and plain(quantity) not in own:
                return None, None
        figures = [claim for claim in told if any(map(str.isdigit, claim))]
        verdict = _VERDICT.match(sentence)
        words = set(tokens(filtered(_VERDICT.sub("", sentence))))
        new = words - set(tokens(own))
        if long and new == words and copied in mentioned:
            return None, None
        if len(new.difference(*map(tokens, evidence))) > _MOST_COINED:
            return None, None
        least = _BORNE_WITH_CLAIMS if told else _BORNE
        best: tuple[float, Passage] | None = None
        for passage, text in zip(passages, evidence, strict=True):
            if not all(whole(figure).search(text) for figure in figures):
                continue
            fit = _shared(words, text) + sum(bool(whole(c).search(text)) for c in told)
            # A verdict in the asker's words is one on the passage that has most of them.
            share = 1.0 if verdict and not new else max(_shared(words, text), _shared(new, text))
            if share >= least and (best is None or fit > best[0]):
                best = fit, passage
        if best is None or not best[1].records:
            return None, None
        # Of a listing no sentence is made: what explains it bears the sentence.
        worded = [r for r in best[1].records if r.kind != BlockKind.CODE]
        return best[1], max(
            worded or best[1].records,
            key=lambda r: _telling(r, words, told) + scores.get(r.place, 0.0),
        )

    return bearer


def _is_written(command: str, evidence: Sequence[str]) -> bool:
    """Whether a text has the words that a command begins with, one behind the other.

    Of an option with its value each has to stand somewhere: a page may tell them apart.
    """
    words = list(takewhile(lambda word: not _PLACEHOLDER.fullmatch(word), command.split()))
    parts = [" ".join(words)] if words else command.split()
    wanted = [whole(plain(part)) for part in parts]
    return all(any(part.search(text) for text in evidence) for part in wanted)


def _telling(record: Record, words: set[str], told: Sequence[str]) -> float:
    text = plain(f"{record.quote} {record.reading} {record.label}")
    return _shared(words, text) + sum(bool(whole(claim).search(text)) for claim in told)


def _says(text: str, claim: str) -> bool:
    """Whether a text in plain letters has the claim; a number in words may stand in figures."""
    figure = NUMBER_WORDS.get(claim)
    last = claim.rpartition(".")[2]
    return (
        bool(whole(claim).search(text))
        or (figure is not None and bool(whole(str(figure)).search(text)))
        # `models.CASCADE` is written `CASCADE` where it is listed.
        or (len(last) > 3 and last != claim and bool(whole(last).search(text)))
    )


def _shared(words: set[str], text: str) -> float:
    """The share of the words, 0 to 1, that a text holds in any form."""
    return len(words & set(tokens(text))) / len(words) if words else 0.0

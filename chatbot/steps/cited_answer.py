"""Step 5 of QAMR III-B: an answer in sentences, each with the mark of the chunk that bears it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel

from chatbot.grounding import (
    cite,
    claims,
    holds_quantity,
    plain,
    quantities,
    says_unknown,
    unsupported_claims,
)
from chatbot.harmless import harmless
from chatbot.marks import marks, without_marks
from chatbot.memory.prompting import Room, is_rejected, route_of, with_remembered
from chatbot.memory.uses import REJECTED
from chatbot.model_calls import call, temperature
from chatbot.quoting import quoted_answer
from chatbot.records import sentences
from chatbot.steps.listwise_selection import text_of
from chatbot.steps.undocumented_gate import not_found, not_mentioned, nothing_found
from chatbot.turn import Answer, Citation, ModelStep, Record, ReducedChunk, Turn
from chatbot.words import filtered
from prompts import Fenced, fenced, fenced_list, render

STEP = "answer_generation"
_SPELLED_OUT = re.compile(
    r"\b(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)[ -])+"
    r"(?:\w*seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|percent|\w*bytes?|retries)\b",
    re.I,
)

NEAREST = "The nearest passages say:"
WITHHELD = (
    "The model's answer held something that is not in the documentation and is withheld. "
    "The passages it read say:"
)
RATED_BAD = "The model's answer was rated bad before and is withheld. The passages it read say:"
REMEMBERED = Room(pairs=8, characters=2_000)
"""What of earlier answers stands in the prompt, at most."""


def generate_cited_answer(
    model: BaseChatModel, *, context: int, max_tokens: int, same: float, shown: int = 900
) -> ModelStep:
    """Answer in sentences from the selected chunks only; "I don't know" without a call if none.

    At most `context` characters of the chunks are shown to the model. Every mark is checked: it
    goes to the passage that bears its sentence best, or goes where none does.
    An answer with a name, a figure or a unit that stands in no chunk is withheld, and the
    passages are shown (`shown` characters of them); so is one that was rejected as the answer to
    a question whose cosine to this one is at least `same`.
    """

    async def generate(turn: Turn) -> Turn:
        assert turn.queries is not None
        chunks = _within(context, turn.selected)
        if not chunks:
            return replace(turn, answer=nothing_found(turn))
        product, release = turn.asked
        evidence = fenced_list(_section(i, chunk) for i, chunk in enumerate(chunks, 1))
        messages = render(
            "cited_answer",
            product=product,
            release=release,
            chunks=with_remembered(evidence, turn, REMEMBERED),
            question=fenced("question", turn.queries.base),
        )
        made = await call(
            model, messages, step=STEP, shown=True, max_tokens=max_tokens, **temperature(turn)
        )
        turn = replace(turn, calls=(*turn.calls, made), route=route_of(turn, REMEMBERED))
        answer = _checked(turn, made.reply, chunks, shown)
        if is_rejected(turn, answer.value, same):
            best_first = sorted((r for c in chunks for r in c.records), key=lambda r: -r.score)
            passages = quoted_answer(turn, RATED_BAD, best_first, shown)
            answer = replace(passages, warnings=(REJECTED,))
        return replace(turn, answer=answer)

    return generate


def _within(budget: int, chunks: Sequence[ReducedChunk]) -> list[ReducedChunk]:
    """The chunks as far as they fit; the last one may lose its end."""
    kept: list[ReducedChunk] = []
    for chunk in chunks:
        fits: list[Record] = []
        for record in chunk.records:
            if budget < len(record.reading) and (kept or fits):
                break
            fits.append(record)
            budget -= len(record.reading)
        if fits:
            kept.append(replace(chunk, records=tuple(fits)))
    return kept


def _section(number: int, chunk: ReducedChunk) -> Fenced:
    where = " › ".join(dict.fromkeys((chunk.page.document.title, *chunk.page.heading_path)))
    return fenced("chunk", text_of(chunk), number=number, section=where)


@dataclass(frozen=True)
class _Sentence:
    """A sentence of the answer, and the record that bears it, if one does."""

    text: str
    record: Record | None
    ends_line: bool


def _checked(turn: Turn, reply: str, chunks: Sequence[ReducedChunk], shown: int) -> Answer:
    records = [record for chunk in chunks for record in chunk.records]
    best_first = sorted(records, key=lambda r: -r.score)
    text = harmless(reply, evidence="\n".join(r.page.text for r in records))
    bare = without_marks(text).strip()
    if not bare or says_unknown(bare):
        reason = not_mentioned(turn) if turn.unmentioned else not_found(turn)
        return replace(
            quoted_answer(turn, f"{reason} {NEAREST}", best_first, shown), abstained=True
        )
    assert turn.queries is not None
    own = plain(f"{turn.question} {turn.queries.base} {' '.join(turn.asked)}")
    read = plain(" ".join(f"{r.quote} {r.reading}" for r in records))
    invented = [
        *(c for c in unsupported_claims(bare, records) if not _stands_in(own, c)),
        *(q for q in quantities(bare) if not holds_quantity(q, records) and not _stands_in(own, q)),
        *(n for n in _spelled_out(bare) if not _stands_in(f"{own} {read}", n)),
    ]
    if invented:
        withheld = quoted_answer(turn, WITHHELD, best_first, shown)
        warning = f"the model's answer was withheld: “{invented[0]}” is not in the documentation"
        return replace(withheld, warnings=(warning,))
    return _with_citations(turn, list(_sentences(text, chunks, own)), bare, best_first)


def _stands_in(text: str, claim: str) -> bool:
    """Whether a plain text has the claim, and not only a longer name or number with it inside."""
    return re.search(rf"(?<![\w.]){re.escape(plain(claim))}(?!\w|\.\w)", text) is not None


def _spelled_out(text: str) -> Iterator[str]:
    """Figures in words that count something: "ninety days"."""
    return (match[0] for match in _SPELLED_OUT.finditer(text))


def _sentences(text: str, chunks: Sequence[ReducedChunk], own: str) -> Iterator[_Sentence]:
    for line in text.split("\n"):
        # A mark stands behind the full stop or before it: the sentence ends after both.
        moved = re.sub(r"([.!?])((?:\s*\[\d[\d,; ]*\])+)", r"\2\1", line)
        found = sentences(moved) or [""]
        for sentence in found:
            named = [chunks[n - 1] for n in marks(sentence) if 1 <= n <= len(chunks)]
            words = without_marks(sentence).rstrip()
            yield _Sentence(words, _bearer(words, chunks, named, own), sentence is found[-1])


def _bearer(
    sentence: str, chunks: Sequence[ReducedChunk], named: Sequence[ReducedChunk], own: str
) -> Record | None:
    """The record that has every figure of the sentence, and most of its words and names.

    Figures that the asker's `own` words hold need not be there. Of two records that say as much
    it is the one of a chunk that the sentence names. A sentence without a name or a figure needs
    half its words in the record.
    """
    wanted = {plain(w) for w in filtered(sentence).split()}
    if not wanted:
        return None
    told = [c for c in map(plain, claims(sentence)) if not _stands_in(own, c)]
    figures = [c for c in told if any(map(str.isdigit, c))]
    best: tuple[float, bool, Record] | None = None
    for chunk in chunks:
        for record in chunk.records:
            text = plain(f"{record.quote} {record.reading} {record.label}")
            if not all(_stands_in(text, figure) for figure in figures):
                continue
            share = sum(w in text for w in wanted) / len(wanted)
            share += sum(c in text for c in told) / len(told) if told else share
            bears = share, chunk in named
            if share >= (0.6 if told else 1) and (best is None or bears > best[:2]):
                best = *bears, record
    return best[2] if best else None


def _with_citations(
    turn: Turn, said: Sequence[_Sentence], bare: str, best_first: Sequence[Record]
) -> Answer:
    _, release = turn.asked
    citations: list[Citation] = []
    answer = ""
    for sentence in said:
        text = sentence.text
        if sentence.record is not None:
            citation = cite(sentence.record, release)
            if citation not in citations:
                citations.append(citation)
            stop = text[-1:] if text[-1:] in ".!?:" else ""
            text = f"{text.removesuffix(stop)} [{citations.index(citation) + 1}]{stop}"
        answer += text + ("\n" if sentence.ends_line else " ")
    answer = re.sub(r"\n{3,}", "\n\n", answer).strip()
    if citations:
        unborne = any(s.text.strip() and s.record is None for s in said)
        warnings = ("no passage bears the sentences without a mark",) if unborne else ()
        return Answer(answer, False, tuple(citations), bare, warnings)
    nearest = quoted_answer(turn, answer, best_first, 400)
    return replace(nearest, value=bare, warnings=("no passage bears the answer word for word",))

"""Step 5 of QAMR III-B: one short call that reads the value out of the kept records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.grounding import claims, says_unknown, supporting, unsupported_claims
from chatbot.harmless import harmless
from chatbot.marks import with_marks_as_code, without_marks
from chatbot.memory.prompting import Room, is_rejected, route_of, with_remembered
from chatbot.memory.uses import REJECTED
from chatbot.model_calls import call, temperature
from chatbot.quoting import quoted_answer, quotes, within
from chatbot.readers import read_value
from chatbot.steps.undocumented_gate import not_found, not_mentioned, nothing_found
from chatbot.turn import Answer, ModelStep, Record, Turn
from prompts import fenced, render

# A small model's yes or no is often wrong where the words it read are right: these are shown.
_FENCE = re.compile(r"^```\w*\n?|\n?```$", re.M)
_VERDICT = re.compile(r"(yes|no)\b[.!]?$", re.I)

READ_QUOTES = 2
"""A value that was read by rule needs less beside it."""
SAYS = "The documentation says:"
NEAREST = "The nearest passages say:"
WITHHELD = "The model's short answer is not in the documentation and is withheld. It says:"
RATED_BAD = "The short answer was rated bad before and is withheld. The documentation says:"
REMEMBERED = Room(pairs=2, characters=300)
"""What of earlier answers stands in the prompt: little, since the model reads slowly."""
NO_MODEL = "No language model is at hand, so these are the best passages, quoted:"


def generate_answer(
    model: BaseChatModel | None, *, budget: int, same: float, shown: int = 900
) -> ModelStep:
    """Answer from the selected records only: a reader where the text has a form, else the model.

    `budget` is the number of characters of evidence in the prompt, `shown` that of the quotes
    beside the answer. Without a model the best passages are the answer and say so. A value that
    stands in no record is withheld, and so is one that was rejected as the answer to a question
    whose cosine to this one is at least `same`.
    """

    async def generate(turn: Turn) -> Turn:
        assert turn.queries is not None
        records = sorted(
            (r for chunk in turn.selected for r in chunk.records), key=lambda r: -r.score
        )
        if not records:
            return replace(turn, answer=nothing_found(turn))
        evidence = "\n".join(record.page.text for record in records)
        if (reading := read_value(turn.queries.subject, records)) is not None:
            value = with_marks_as_code(harmless(reading.value, evidence=evidence))
            answer = _answer(turn, value, reading.record, records[:READ_QUOTES], shown)
            return replace(turn, answer=accepted(turn, answer, records))
        if model is None:
            return replace(turn, answer=quoted_answer(turn, NO_MODEL, records, shown))
        made = await call(
            model,
            _prompt(turn, within(budget, records)),
            step="answer_generation",
            shown=True,
            **temperature(turn),
        )
        turn = replace(turn, calls=(*turn.calls, made), route=route_of(turn, REMEMBERED))
        value = without_marks(harmless(_FENCE.sub("", made.reply), evidence=evidence)).strip()
        return replace(turn, answer=accepted(turn, _grounded(turn, value, records, shown), records))

    def accepted(turn: Turn, answer: Answer, records: Sequence[Record]) -> Answer:
        if not is_rejected(turn, answer.value, same):
            return answer
        return replace(quoted_answer(turn, RATED_BAD, records, shown), warnings=(REJECTED,))

    return generate


def _grounded(turn: Turn, value: str, records: Sequence[Record], shown: int) -> Answer:
    """What the model replied, as far as the records bear it; else the records themselves."""
    unknown = says_unknown(value)
    verdict = _VERDICT.match(value) is not None
    if not unknown and not verdict:
        record = supporting(value, records)
        if record is None and claims(value) and not unsupported_claims(value, records):
            record = records[0]
        if record is not None:
            return _answer(turn, value, record, records, shown)
    if turn.unmentioned or unknown:
        reason = not_mentioned(turn) if turn.unmentioned else not_found(turn)
        return replace(quoted_answer(turn, f"{reason} {NEAREST}", records, shown), abstained=True)
    if verdict:
        return quoted_answer(turn, SAYS, records, shown)
    withheld = quoted_answer(turn, WITHHELD, records, shown)
    return replace(withheld, warnings=("the model's answer was withheld",))


def _prompt(turn: Turn, records: Sequence[Record]) -> list[tuple[str, str]]:
    product, release = turn.asked
    assert turn.queries is not None
    excerpts = fenced("excerpts", "\n\n".join(f"[{r.label}]\n{r.reading}" for r in records))
    return render(
        "answer_generation",
        product=product,
        release=release,
        question=turn.queries.base,
        excerpts=with_remembered(excerpts, turn, REMEMBERED),
    )


def _answer(turn: Turn, value: str, best: Record, records: Sequence[Record], shown: int) -> Answer:
    text, citations = quotes(turn, [best, *(r for r in records if r is not best)], shown)
    return Answer(f"{value}\n\n{text}", False, citations, value)

"""The prompt of a written lead: which passages the model sees, and what it is asked to do."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.answering import evidence
from chatbot.answering.evidence import Excerpt, as_chunks, within
from chatbot.memory.prompting import Room, with_remembered
from chatbot.retrieval.forms import named_rows
from chatbot.retrieval.kinds import Kind, kind_of
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.turn import Record, Turn
from prompts import fenced, fenced_list, render

PROMPT = "answer_lead"
HINTS = {
    Kind.VALUE: (
        "Name the thing, its value with the unit, and its range or condition if the chunks state "
        "one. If they do not tell this value, reply: I don't know"
    ),
    Kind.STEPS: (
        "Say in one or two sentences what has to be done, with the command or setting that does "
        "it. If the chunks tell how to do something else only, reply: I don't know"
    ),
    Kind.LIST: "Name all of them in one sentence.",
    Kind.TABLE: "Answer from the rows, with names, values and units.",
    Kind.DEFINITION: "Say in one to three sentences what it is and what it is for.",
    Kind.YES_NO: (
        "Begin with Yes or No, then say why. If the chunks do not speak of it, reply: I don't know"
    ),
    Kind.EXPLANATION: (
        "Say in two or three sentences for what reason, or how it works, as the chunks state it."
    ),
    Kind.CHANGE: "Say what changed, and in which release.",
}
MORE_FOR = {Kind.EXPLANATION: 1.6}
"""How much more evidence is shown: a reason often stands some paragraphs from what it explains."""
NEAR_FOR = {Kind.EXPLANATION: 0.8}
"""What a passage of another section scores at least, of the best: a model makes reasons of all."""
UNKNOWN = "I don't know"
"""What the prompt asks the model to say where the passages do not tell."""
REMEMBERED = Room(pairs=2, characters=600)
"""What of earlier answers stands in the prompt: little, since a small model reads slowly."""


@dataclass(frozen=True)
class LeadPrompt:
    """What of the evidence the model sees, for which kind of question; records best first."""

    turn: Turn
    subject: str
    kind: Kind
    scored: Sequence[Record]
    passages: Sequence[Passage]
    excerpts: Sequence[Excerpt]

    @property
    def shown(self) -> list[Passage]:
        """The passages of which anything is shown."""
        return [excerpt.passage for excerpt in self.excerpts]

    @property
    def messages(self) -> list[tuple[str, str]]:
        """The prompt as (role, text)."""
        assert self.turn.queries is not None
        product, release = self.turn.asked
        on_row = self.kind is Kind.VALUE and named_rows(self.subject, self.passages[0].records)
        return render(
            PROMPT,
            product=product,
            release=release,
            chunks=with_remembered(as_chunks(self.excerpts), self.turn, REMEMBERED),
            question=fenced("question", self.turn.queries.base),
            hint=HINTS[Kind.TABLE if on_row else self.kind],
        )


def lead_prompt(turn: Turn, budget: int) -> LeadPrompt | None:
    """The prompt from `budget` characters of the selected records; None where there are none."""
    assert turn.queries is not None
    scored = turn.ranked
    if not scored:
        return None
    subject = turn.queries.subject
    passages = best_passages(scored)
    kind = kind_of(turn.queries, passages[0])
    room = int(budget * MORE_FOR.get(kind, 1.0))
    excerpts = within(room, passages, scored, subject, NEAR_FOR.get(kind, evidence.NEAR))
    return LeadPrompt(turn, subject, kind, scored, passages, excerpts)


def beginning_of_prompt() -> list[tuple[str, str]]:
    """A prompt without a question: what every prompt begins with, which the model keeps read."""
    nothing = {"product": "", "release": "", "hint": ""}
    return render(PROMPT, chunks=fenced_list(()), question=fenced("question", ""), **nothing)

"""A tuned model beside its base: the replies of both to the held-back split, scored by rules.

What is scored is the reply as the model writes it, before the chain checks its sentences.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Group

from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.retrieval.provenance import says_unknown
from chatbot.review.regression_set import must_include
from chatbot.tuning.instructions import Instruction, Split, TuningError, read_instructions
from eval.figures import NONE, Share, figures_table, share
from eval.own_words import bears, own_words, reads_as_answer, sentences

OnProgress = Callable[[str, int, int], None]
"""Is told which model answers, how many instructions it did, and of how many."""


@dataclass(frozen=True, slots=True)
class ReplyScore:
    """What is right and wrong about one reply; None where a measure does not apply.

    `facts` are the figures and names of the right reply, or its words where it has none;
    `sentences_borne` those of its sentences that the evidence in the prompt bears.
    """

    question: str
    product: str
    release: str
    reply: str
    facts: Share = NONE
    reads_as_answer: bool | None = None
    sentences_borne: Share = NONE
    rightly_refused: bool | None = None
    wrongly_refused: bool | None = None


MEASURES = {
    "facts": "facts stated",
    "reads_as_answer": "reads as an answer",
    "sentences_borne": "sentences borne by the evidence",
    "rightly_refused": "refused, rightly",
    "wrongly_refused": "refused, wrongly",
}


def held_back(file: Path) -> list[Instruction]:
    """The held-back split of an instruction set; raises TuningError where it has none."""
    found = [i for i in read_instructions(file) if i.split is Split.HELD_BACK]
    if not found:
        raise TuningError(
            f"{file} holds nothing back: export a larger set, or with a larger --held-back"
        )
    return found


def compare(
    model: HuggingFaceChatModel,
    instructions: Sequence[Instruction],
    on_progress: OnProgress = lambda name, done, total: None,
) -> dict[str, list[ReplyScore]]:
    """The scores of the base model, and of the model with its adapter. Raises GeneratorError."""
    network = model.load().network
    network.disable_adapters()
    base = _answers("base", model, instructions, on_progress)
    network.enable_adapters()
    return {"base": base, "tuned": _answers("tuned", model, instructions, on_progress)}


def _answers(
    name: str,
    model: HuggingFaceChatModel,
    instructions: Sequence[Instruction],
    on_progress: OnProgress,
) -> list[ReplyScore]:
    scores: list[ReplyScore] = []
    for start in range(0, len(instructions), model.largest_batch):
        some = instructions[start : start + model.largest_batch]
        replies = model.batch([list(instruction.asked) for instruction in some])
        scores += (
            score_reply(instruction, str(reply.content))
            for instruction, reply in zip(some, replies, strict=True)
        )
        on_progress(name, len(scores), len(instructions))
    return scores


def score_reply(instruction: Instruction, reply: str) -> ReplyScore:
    """Score one reply against the right one."""
    refused = says_unknown(reply.strip())
    score = ReplyScore(instruction.question, instruction.product, instruction.release, reply)
    if instruction.abstains:
        return replace(score, rightly_refused=refused)
    own = "" if refused else own_words(reply)
    patterns = must_include(instruction.reply)
    found = share(re.search(p, own, re.IGNORECASE) is not None for p in patterns)
    score = replace(score, facts=found, wrongly_refused=refused)
    if refused:
        return score
    evidence = instruction.messages[-2].content
    return replace(
        score,
        reads_as_answer=reads_as_answer(reply, instruction.question, instruction.reply),
        sentences_borne=share(bears(evidence, sentence.text) for sentence in sentences(reply)),
    )


def figures(scores: Sequence[ReplyScore]) -> dict[str, Share]:
    """The share of each measure over the replies of one model."""
    return {
        label: share(getattr(score, measure) for score in scores)
        for measure, label in MEASURES.items()
    }


def comparison_tables(scores: Mapping[str, Sequence[ReplyScore]]) -> Group:
    """The measures of the models beside each other."""
    table = figures_table("Replies to the held-back split", "measure", *scores)
    of_models = [figures(of_model) for of_model in scores.values()]
    for label in MEASURES.values():
        table.add_row(label, *(found[label].percent for found in of_models))
    return Group(table)

"""A tuned model beside its base: the replies of both to the held-back split, scored by rules.

What is scored is the reply as the model writes it, before the chain checks its sentences.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.table import Table

from chatbot.errors import TuningError
from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.retrieval.support import says_unknown, unsupported
from chatbot.review.regression_set import must_include
from chatbot.tuning.instructions import Instruction, Split, read_instructions
from eval.answers import MEASURES
from eval.figures import NONE, Share, figures_table, share
from eval.gold import matches
from eval.own_words import own_words, sentences

OnProgress = Callable[[str, int, int], None]
"""Is told which model answers, how many instructions it did, and of how many."""

_MEASURES = ("facts", "sentences_unsupported", "rightly_refused", "wrongly_refused")


@dataclass(frozen=True, slots=True)
class ReplyScore:
    """What is right and wrong about one reply, by the names of `MEASURES`; None where none applies.

    `facts` are the figures and names of the right reply, or its words where it has none;
    `sentences_unsupported` those of its sentences that the evidence in the prompt does not support.
    """

    question: str
    product: str
    release: str
    reply: str
    facts: Share = NONE
    sentences_unsupported: Share = NONE
    rightly_refused: bool | None = None
    wrongly_refused: bool | None = None


def held_back(file: Path) -> list[Instruction]:
    """The held-back split of an instruction set; raises TuningError where it has none."""
    found = [i for i in read_instructions(file) if i.split is Split.HELD_BACK]
    if not found:
        raise TuningError(
            f"{file} holds nothing back: export a larger set, or with a larger --held-back"
        )
    return found


def compare(
    model: HuggingFaceChatModel, instructions: Sequence[Instruction], on_progress: OnProgress
) -> dict[str, list[ReplyScore]]:
    """The scores of the base model, and of the model with its adapter. Raises GeneratorError."""
    network = model.load().network
    scores: dict[str, list[ReplyScore]] = {}
    for name, prepare in (("base", network.disable_adapters), ("tuned", network.enable_adapters)):
        prepare()
        of_model = scores.setdefault(name, [])
        for start in range(0, len(instructions), model.largest_batch):
            some = instructions[start : start + model.largest_batch]
            replies = model.batch([list(instruction.prompt_messages) for instruction in some])
            of_model += (score_reply(i, str(r.content)) for i, r in zip(some, replies, strict=True))
            on_progress(name, len(of_model), len(instructions))
    return scores


def score_reply(instruction: Instruction, reply: str) -> ReplyScore:
    """Score one reply against the right one."""
    refused = says_unknown(reply.strip())
    score = ReplyScore(instruction.question, instruction.product, instruction.release, reply)
    if instruction.abstains:
        return replace(score, rightly_refused=refused)
    own = "" if refused else own_words(reply)
    found = share(matches(pattern, own) for pattern in must_include(instruction.reply))
    score = replace(score, facts=found, wrongly_refused=refused)
    if refused:
        return score
    evidence, question = [instruction.messages[-2].content], instruction.question
    without = (bool(unsupported(s.text, evidence, question)) for s in sentences(reply))
    return replace(score, sentences_unsupported=share(without))


def figures(scores: Sequence[ReplyScore]) -> dict[str, Share]:
    """The share of each measure over the replies of one model, by what reports call it."""
    return {
        MEASURES[name][0]: share(getattr(score, name) for score in scores) for name in _MEASURES
    }


def comparison_table(scores: Mapping[str, Sequence[ReplyScore]]) -> Table:
    """The measures of the models beside each other."""
    table = figures_table("Replies to the held-back split", "measure", *scores)
    of_models = [figures(of_model) for of_model in scores.values()]
    for label in of_models[0]:
        table.add_row(label, *(found[label].percent for found in of_models))
    return table

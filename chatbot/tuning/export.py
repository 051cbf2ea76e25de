"""The instruction set of accepted answers (GraphContextGen 4.4), with evidence of one release.

Each prompt is the one that the chain of the profile writes for the question, without saved answers,
which would give the reply away.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from chatbot.accounts.people import Person
from chatbot.administration.overview import EVERYTHING, Overview, ReleaseFilter
from chatbot.answering.lead import checked
from chatbot.answering.lead_prompt import PROMPT, LeadPrompt, lead_prompt
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import MemoryQuestion, same_value
from chatbot.memory.questions import as_typed
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import plain, whole
from chatbot.review.exports import Exports, Format
from chatbot.tuning.accepted import Accepted, accepted_pairs, accepted_refusals
from chatbot.tuning.instructions import Instruction, Message, Split
from prompts import fingerprint

_MOST_SENTENCES = 5
"""The most sentences of a reply; the prompt asks for three, a person may need some more."""
_AT_ONCE = 1_000


@dataclass
class ExportReport:
    """The number of instructions written by split, and of those left out by reason."""

    written: Counter[Split] = field(default_factory=Counter)
    abstentions: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


class LeftOut(Exception):
    """An accepted answer cannot be an instruction; the message says why."""


@dataclass(frozen=True)
class InstructionExport:
    """Writes instruction sets for one admin; raises NotAllowed for anybody else."""

    chatbot: Chatbot
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin()

    def lines(
        self,
        report: ExportReport,
        within: ReleaseFilter = EVERYTHING,
        *,
        measured: bool = False,
        validation: float = 0.1,
        held_back: float = 0.1,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Iterator[str]:
        """Yield the lines of a set, and count them in `report`. Raises UnknownRelease."""
        overview = Overview(self.chatbot.database, self.person)
        accepted_answers = [
            *accepted_pairs(overview, within, report.left_out, measured=measured),
            *accepted_refusals(overview, within),
        ]
        accepted_answers.sort(key=lambda accepted: accepted.created)

        def rows() -> Iterator[dict[str, object]]:
            kept = self._without_near_duplicates(accepted_answers, report)
            for done, (accepted, key) in enumerate(kept, 1):
                split = split_of(key, validation, held_back)
                try:
                    instruction = self._instruction(accepted, split)
                except LeftOut as reason:
                    report.left_out[str(reason)] += 1
                else:
                    report.written[split] += 1
                    report.abstentions += accepted.abstains
                    yield instruction.model_dump(mode="json")
                on_progress(done, len(kept))

        of = {"product": within.product, "release": within.release}
        exports = Exports(self.chatbot.database)
        return exports.of(self.person, "instruction set", rows(), Format.JSONL, **of)

    def _without_near_duplicates(
        self, candidates: Sequence[Accepted], report: ExportReport
    ) -> list[tuple[Accepted, str]]:
        """The best of those that say the same, in order, each with the key of its group.

        Two say the same if their words do, or if they are as near as δ and have one reply. Groups
        reach across releases, which ask alike and answer otherwise.
        """
        delta = self.chatbot.settings.memory_delta
        read: dict[int, MemoryQuestion] = {}
        for product in {accepted.product for accepted in candidates}:
            of_product = [i for i, accepted in enumerate(candidates) if accepted.product == product]
            texts = [candidates[i].question for i in of_product]
            of_texts = self.chatbot.memory.recall.reader.read_all(texts, product)
            read |= zip(of_product, of_texts, strict=True)
        questions = [read[i] for i in range(len(candidates))]
        group = groups(questions, delta)
        kept: dict[tuple[str, str, int], list[int]] = {}
        for i in sorted(range(len(candidates)), key=lambda i: candidates[i].rank, reverse=True):
            others = kept.setdefault((candidates[i].product, candidates[i].release, group[i]), [])
            if any(
                questions[i].asks == questions[other].asks
                or (
                    same_value(candidates[i].reply, candidates[other].reply)
                    and float(questions[i].vector @ questions[other].vector) >= delta
                )
                for other in others
            ):
                report.left_out["a near-duplicate of another"] += 1
            else:
                others.append(i)
        places = sorted(i for several in kept.values() for i in several)
        return [(candidates[i], questions[group[i]].asks) for i in places]

    def _instruction(self, accepted: Accepted, split: Split) -> Instruction:
        chatbot = self.chatbot
        if not accepted.cited <= {accepted.release}:
            raise LeftOut("cites another release")
        if len(sentences(accepted.reply)) > _MOST_SENTENCES or "\n\n" in accepted.reply:
            raise LeftOut("has no lead of a few sentences")
        releases = next((p.releases for p in chatbot.products() if p.name == accepted.product), ())
        if accepted.release not in (release.name for release in releases):
            raise LeftOut("is from a release that cannot be asked")
        turn = chatbot.search(
            as_typed(accepted.question),
            product=accepted.product,
            release=accepted.release,
            owner="",
        )
        if turn.resolution.releases != (accepted.release,):
            raise LeftOut("is asked of another release")
        prompt = lead_prompt(turn, chatbot.settings.lead_budget)
        if prompt is None:
            raise LeftOut("the passages found do not support it")
        others = [
            name
            for release in releases
            if release.name != accepted.release
            for name in (release.name, *release.aliases)
        ]
        reply = accepted.reply if accepted.abstains else _supported_reply(accepted, prompt, others)
        messages = [*prompt.messages, ("assistant", reply)]
        return Instruction(
            messages=tuple(
                Message.model_validate({"role": role, "content": text}) for role, text in messages
            ),
            question=accepted.question,
            product=accepted.product,
            release=accepted.release,
            split=split,
            abstains=accepted.abstains,
            origin=accepted.origin,
            pair=accepted.pair,
            turn=accepted.turn,
            prompt=fingerprint(PROMPT),
        )


def _supported_reply(accepted: Accepted, prompt: LeadPrompt, others: Sequence[str]) -> str:
    """The reply in full sentences, each supported by a passage that is shown. Raises LeftOut."""
    own = f"{prompt.turn.queries.base} {accepted.product} {accepted.release}"
    shown = prompt.shown
    evidence = plain(" ".join([own, *(text for p in shown for text in (p.text, *p.path))]))
    reply = plain(accepted.reply)
    for name in map(plain, others):
        if whole(name).search(reply) and not whole(name).search(evidence):
            raise LeftOut("names another release, which its evidence does not")
    lead = checked(accepted.reply, shown, own)
    if not lead.sentences or not lead.is_whole:
        raise LeftOut("the passages found do not support it")
    return " ".join(sentence.text for sentence in lead.sentences)


def groups(questions: Sequence[MemoryQuestion], delta: float) -> list[int]:
    """The number of each question's group; those that ask the same or are near share it."""
    if not questions:
        return []
    vectors = np.stack([question.vector for question in questions])
    first_asked: dict[str, int] = {}
    ends = [(i, first_asked.setdefault(q.asks, i)) for i, q in enumerate(questions)]
    for start in range(0, len(questions), _AT_ONCE):
        rows, columns = np.nonzero(vectors[start : start + _AT_ONCE] @ vectors.T >= delta)
        ends += zip((rows + start).tolist(), columns.tolist(), strict=True)
    one, other = zip(*ends, strict=True)
    size = (len(questions), len(questions))
    graph = coo_array((np.ones(len(ends), dtype=bool), (one, other)), shape=size)
    labels = connected_components(graph, directed=False)[1].tolist()
    first: dict[int, int] = {}
    return [first.setdefault(label, i) for i, label in enumerate(labels)]


def split_of(key: str, validation: float, held_back: float) -> Split:
    """The split of a group: by a hash of its key, so that another export puts it there again."""
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    if place < held_back:
        return Split.HELD_BACK
    return Split.VALIDATION if place < held_back + validation else Split.TRAIN

"""A comparison by a capable model: the passages of each release in a group of their own (law 2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.citing import Numbered
from chatbot.answering.whole_answer import Evidence, gather, write_cited
from chatbot.comparison.in_words import changed_values
from chatbot.comparison.sides import side_of, with_sides
from chatbot.comparison.topic import asks_differences
from chatbot.releases.resolution import ReleaseStatus
from chatbot.runtime.concurrency import in_thread, together
from chatbot.text.markdown import renumbered
from chatbot.turn import Answer, ModelStep, Turn
from corpora.indexing.corpus import Corpus
from prompts import Fenced, fenced, fenced_list

MOST = 8
"""Releases whose passages fit into one prompt; more of them are compared by rules."""


def write_comparison(
    model: BaseChatModel,
    find: ModelStep,
    open_corpus: Callable[[str, str], Corpus],
    by_rules: ModelStep,
    *,
    limit: int,
    max_tokens: int,
    by_selection: bool = False,
) -> ModelStep:
    """Answer a comparison in one call, from what `find` gathers of each release apart.

    That is what was retrieved, or `by_selection` what was selected of it. What is said of a
    release has to stand in a passage of it. Where changes are asked for, the computed differences
    follow. More than MOST releases are compared `by_rules`.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution.status is not ReleaseStatus.COMPARED:
            return turn
        if len(resolution.releases) > MOST:
            return await by_rules(turn)
        sides = await together(find(side_of(turn, release)) for release in resolution.releases)
        corpora = await in_thread(lambda: [open_corpus(*side.asked) for side in sides])
        evidence = await in_thread(_groups, sides, corpora, limit, by_selection)
        asked = replace(turn, phrased=turn.rewritten, calls=())
        of = {"product": resolution.product or ""}
        asked = await write_cited(asked, model, "comparison", of, evidence, max_tokens)
        answer = asked.answer
        assert answer is not None
        changes = turn.asks_changes if turn.rewritten else asks_differences(turn.question)
        if changes and not answer.abstained:
            differences = await in_thread(changed_values, sides, corpora)
            answer = _followed(answer, differences) if differences else answer
        whole = with_sides(turn, sides, answer)
        return replace(whole, calls=(*whole.calls, *asked.calls))

    return compare


def _groups(
    sides: Sequence[Turn], corpora: Sequence[Corpus], limit: int, by_selection: bool
) -> Evidence:
    """The passages by release; where nothing was found, the prompt says so."""
    each = limit // len(sides)
    passages: list[Numbered] = []
    groups: list[Fenced] = []
    for side, corpus in zip(sides, corpora, strict=True):
        chunks = side.selected if by_selection else side.retrieved
        refused = side.answer is not None
        found = gather(() if refused else chunks, corpus, each, len(passages) + 1)
        passages += found.passages
        text = found.section if found.passages else f"nothing found in {corpus.release}"
        groups.append(fenced("documentation", text, release=corpus.release))
    return Evidence(fenced_list(groups), tuple(passages))


def _followed(answer: Answer, differences: Answer) -> Answer:
    """An answer and the computed differences below it."""
    shift = len(answer.citations)
    below = renumbered(differences.text, lambda n: f"[{n + shift}]")
    return replace(
        answer,
        text=f"{answer.text}\n\n{below}",
        citations=(*answer.citations, *differences.citations),
    )

"""A comparison by a capable model: the passages of each release in a group of their own (law 2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.citing import Numbered
from chatbot.answering.whole_answer import Evidence, gather, write_cited
from chatbot.comparison.computed import computed_answer
from chatbot.comparison.sides import compared_topic, own_questions, side_of, with_sides
from chatbot.comparison.topic import asks_differences
from chatbot.comparison.wording import joined
from chatbot.releases.resolution import ReleaseStatus
from chatbot.retrieval.support import unsupported
from chatbot.runtime.concurrency import in_thread, together
from chatbot.turn import Answer, ModelStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.parameters.releases import OpenParameters
from prompts import Fenced, fenced, fenced_list

MOST = 8
"""Releases whose passages fit into one prompt; more of them are asked apart."""


def write_comparison(
    find: ModelStep,
    write: ModelStep,
    open_corpus: Callable[[str, str], Corpus],
    open_parameters: OpenParameters,
    each_apart: ModelStep,
) -> ModelStep:
    """A step that answers a comparison in one call, from the evidence `find` has of each release.

    `write` writes it from these sides (`write_from_sides`). Where changes are asked for, the
    computed differences follow. More than MOST releases are answered `each_apart`.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution.status is not ReleaseStatus.COMPARED:
            return turn
        if len(resolution.releases) > MOST:
            return await each_apart(turn)
        own = await in_thread(own_questions, turn, open_parameters)
        sides = await together(find(side_of(turn, of, own)) for of in resolution.releases)
        written = await write(replace(turn, phrased=turn.rewritten, calls=(), sides=tuple(sides)))
        answer, sides = written.answer, list(written.sides)
        assert answer is not None
        changes = turn.asks_changes if turn.rewritten else asks_differences(turn.question)
        if changes and not answer.abstained:
            answer = await in_thread(_followed, answer, sides, open_corpus, open_parameters)
        whole = with_sides(turn, sides, answer)
        return replace(whole, calls=(*whole.calls, *written.calls), timings=written.timings)

    return compare


def write_from_sides(
    model: BaseChatModel,
    open_corpus: Callable[[str, str], Corpus],
    *,
    limit: int,
    max_tokens: int,
    by_selection: bool = False,
) -> ModelStep:
    """Write a comparison from the evidence of its sides, up to `limit` characters of all.

    The evidence is the retrieved chunks, or `by_selection` the selected ones. A statement about a
    release has to stand in a passage of it.
    """

    async def write(turn: Turn) -> Turn:
        evidence = await in_thread(_groups, turn.sides, open_corpus, limit, by_selection)
        of = {"product": turn.resolution.product or ""}
        return await write_cited(turn, model, "comparison", of, evidence, max_tokens)

    return write


def _groups(
    sides: Sequence[Turn],
    open_corpus: Callable[[str, str], Corpus],
    limit: int,
    by_selection: bool,
) -> Evidence:
    """The passages by release; where nothing was found, the prompt says so."""
    each = limit // len(sides)
    passages: list[Numbered] = []
    groups: list[Fenced] = []
    for side in sides:
        corpus = open_corpus(*side.target)
        chunks = side.selected if by_selection else side.retrieved
        refused = side.answer is not None
        gathered = gather(() if refused else chunks, corpus, each, len(passages) + 1)
        passages += gathered.passages
        text = gathered.section if gathered.passages else f"nothing found in {corpus.release}"
        groups.append(fenced("documentation", text, release=corpus.release))
    return Evidence(fenced_list(groups), tuple(passages))


def _followed(
    answer: Answer,
    sides: Sequence[Turn],
    open_corpus: Callable[[str, str], Corpus],
    open_parameters: OpenParameters,
) -> Answer:
    """An answer, and below it the computed table on its topic if it has none and that says more."""
    topic = compared_topic(sides)
    corpora = [open_corpus(*side.target) for side in sides]
    parameters = [open_parameters(*side.target) for side in sides]
    computed = computed_answer(topic, corpora, parameters) if topic else None
    says_more = (
        computed and "\n|" in computed.text and unsupported(computed.text, [answer.text], "")
    )
    return joined([("", answer), ("", computed)]) if computed and says_more else answer

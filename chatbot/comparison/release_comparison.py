"""The same question to several releases, side by side, without a model (design, law 2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.comparison.computing import OpenCorpus, what_differs, where_documented
from chatbot.comparison.sides import side_of
from chatbot.comparison.topic import asks_where
from chatbot.releases.resolution import ReleaseStatus
from chatbot.runtime.concurrency import in_thread, together
from chatbot.text.phrasing import listed
from chatbot.turn import ModelStep, Turn


def compare_releases(
    gather: ModelStep,
    open_corpus: OpenCorpus,
    releases: Callable[[str], Sequence[str]],
    unpublished: Callable[[str], Sequence[str]],
) -> ModelStep:
    """Answer a comparison without a model: each release is searched apart, the rest is computed.

    `gather` takes a side up to the selected evidence. `releases` gives the releases of a product,
    oldest first, `unpublished` those without any documentation.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution is None or resolution.status is not ReleaseStatus.COMPARED:
            return turn
        assert resolution.product is not None
        order = list(await in_thread(releases, resolution.product))
        names = sorted(set(resolution.releases), key=lambda n: order.index(n) if n in order else -1)
        *others, newest = [side_of(turn, release) for release in names]
        newest = await gather(newest)
        answered = None
        if asks_where(turn.question):
            answered = await in_thread(where_documented, turn, [*others, newest], open_corpus)
        if answered is None:
            sides = [*await together(map(gather, others)), newest]
            answered = await in_thread(what_differs, turn, sides, open_corpus)
        missing = await in_thread(unpublished, resolution.product) if names == order else ()
        if answered.answer is None or not missing:
            return answered
        said = f"There is no documentation of {listed(missing)} yet; it is left out."
        told = replace(answered.answer, text=f"{answered.answer.text}\n\n{said}")
        return replace(answered, answer=told)

    return compare

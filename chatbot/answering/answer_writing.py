"""Step 5 of QAMR III-B for a capable model: the whole answer from whole context chunks."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.refusals import REJECTED_BEFORE, nothing_found
from chatbot.answering.whole_answer import Evidence, gather, write_cited
from chatbot.memory.prompting import REJECTED, is_rejected, route_of
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ShownPicture
from chatbot.text.languages import gettext
from chatbot.turn import ModelStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage


def write_answer(
    model: BaseChatModel,
    open_corpus: Callable[[str, str], Corpus],
    *,
    limit: int,
    same: float,
    max_tokens: int,
    by_selection: bool = False,
    pictures_of: Callable[[Sequence[StoredPage]], tuple[ShownPicture, ...]] = lambda pages: (),
) -> ModelStep:
    """Write the answer from the chunks, best first, up to `limit` characters.

    The chunks are those that were retrieved, or `by_selection` the reduced ones (RankRAG).
    `pictures_of` returns the pictures of their pages that the model is shown.

    Each sentence is checked against the passages that it cites; the model is asked once to mend
    unsupported claims, and those that are left are marked. An answer that people rejected for a
    question nearer than `same` is not given again.
    """

    def gathered(turn: Turn) -> tuple[Evidence, tuple[ShownPicture, ...]]:
        chunks = turn.selected if by_selection else turn.retrieved
        evidence = gather(chunks, open_corpus(*turn.target), limit)
        return evidence, pictures_of([passage.pages[0] for passage in evidence.passages])

    async def write(turn: Turn) -> Turn:
        product, release = turn.target
        evidence, pictures = await in_thread(gathered, turn)
        of = {"product": product, "release": release}
        turn = await write_cited(turn, model, "answer", of, evidence, max_tokens, pictures)
        assert turn.answer is not None
        if is_rejected(turn, turn.answer.value, same):
            nothing = nothing_found(turn, REJECTED_BEFORE)
            turn = replace(turn, answer=replace(nothing, warnings=(gettext(REJECTED),)))
        return replace(turn, route=route_of(turn))

    return write

"""Step 5 of QAMR III-B for a capable model: the whole answer from whole context chunks."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.citing import QUESTIONED, Cited, Numbered, cited
from chatbot.answering.undocumented_gate import nothing_found
from chatbot.memory.prompting import REJECTED, is_rejected, route_of, with_remembered
from chatbot.retrieval.provenance import says_unknown
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import Messages, call
from chatbot.text.citation_markers import without_marks
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, harmless_answer
from chatbot.turn import Answer, ModelStep, ReducedChunk, RetrievedChunk, Turn
from corpora.indexing.corpus import Corpus
from prompts import Fenced, fenced, fenced_list, render

STEP = "answer_generation"
MENDING = "answer_mending"
UNSUPPORTED = "Not in the cited pages:"
"""What the warning on claims that no passage supports begins with."""
_TURNS, _OF_A_TURN = 4, 1_200
"""Of the conversation, and characters of each text in it."""


@dataclass(frozen=True)
class Evidence:
    """The passages of a prompt: as a section of it, and by their numbers."""

    section: Fenced
    passages: tuple[Numbered, ...]


def write_answer(
    model: BaseChatModel,
    open_corpus: Callable[[str, str], Corpus],
    *,
    limit: int,
    same: float,
    max_tokens: int,
    by_selection: bool = False,
) -> ModelStep:
    """Write the answer from the chunks, best first, up to `limit` characters.

    The chunks are those that were retrieved, or `by_selection` the reduced ones (RankRAG).

    Each sentence is held against the passages it cites; the model is asked once to mend what they
    do not support, and what is left is told in `unsupported`. An answer that people rejected for a
    question nearer than `same` is not given again.
    """

    async def write(turn: Turn) -> Turn:
        corpus = await in_thread(open_corpus, *turn.asked)
        chunks = turn.selected if by_selection else turn.retrieved
        evidence = await in_thread(gather, chunks, corpus, limit)
        if not evidence.passages:
            return replace(turn, answer=nothing_found(turn))
        product, release = turn.asked
        messages = render(
            "answer",
            product=product,
            release=release,
            passages=with_remembered(evidence.section, turn),
            conversation=conversation(turn),
            question=fenced("question", turn.question),
        )
        own = own_words(turn)
        turn, written = await write_cited(turn, model, messages, evidence, own, max_tokens)
        if written is None:
            return replace(turn, answer=nothing_found(turn))
        turn = replace(turn, route=route_of(turn))
        if is_rejected(turn, written.lead, same):
            return replace(turn, answer=replace(nothing_found(turn), warnings=(REJECTED,)))
        return replace(turn, answer=answer_of(written))

    return write


async def write_cited(
    turn: Turn,
    model: BaseChatModel,
    messages: Messages,
    evidence: Evidence,
    own: str,
    max_tokens: int,
    releases: Sequence[str] = (),
) -> tuple[Turn, Cited | None]:
    """The turn with its calls, and what the model wrote with citations; None if it knows nothing.

    What no passage supports the model is asked to mend, once.
    """
    pages = "\n".join(passage.text for passage in evidence.passages)
    made = await call(model, messages, step=STEP, shown=True, max_tokens=max_tokens)
    turn = replace(turn, calls=(*turn.calls, made))
    text = await in_thread(_cleaned, made.reply, pages)
    if not text:
        return turn, None
    written = await in_thread(cited, text, evidence.passages, own, releases)
    if not written.unsupported:
        return turn, written
    mending = render(
        MENDING,
        passages=evidence.section,
        question=fenced("question", turn.question),
        answer=fenced("answer", text),
        unsupported=fenced("unsupported", "\n".join(written.unsupported)),
    )
    made = await call(model, mending, step=MENDING, max_tokens=max_tokens)
    turn = replace(turn, calls=(*turn.calls, made))
    mended = await in_thread(_cleaned, made.reply, pages)
    if not mended:
        return turn, written
    again = await in_thread(cited, mended, evidence.passages, own, releases)
    better = len(again.unsupported) < len(written.unsupported)
    return turn, again if better else written


def _cleaned(reply: str, evidence: str) -> str:
    """A reply that can do nothing; empty where it says that the model does not know."""
    text = harmless_answer(reply, evidence=evidence)
    return "" if says_unknown(without_marks(text).split("\n")[0]) else text


def answer_of(written: Cited) -> Answer:
    """The answer as shown; what no passage supports is marked in it and named below it."""
    answer = Answer(written.text, False, written.citations, written.lead)
    if not written.unsupported:
        return answer
    claims = listed(map(as_code, written.unsupported))
    warning = f"{UNSUPPORTED} {claims}. Check it before you rely on it."
    return replace(answer, warnings=(warning,))


def gather(
    chunks: Sequence[RetrievedChunk | ReducedChunk], corpus: Corpus, limit: int, first: int = 1
) -> Evidence:
    """The best chunks as numbered passages, from `first` on, as far as `limit` characters go."""
    passages: list[Numbered] = []
    sections: list[Fenced] = []
    shown = {chunk.page.id for chunk in chunks}
    for number, chunk in enumerate(sorted(chunks, key=lambda chunk: -chunk.score), first):
        text = _once(chunk, shown)[:limit]
        if not text:
            break
        limit -= len(text)
        page = chunk.page
        section, title = " › ".join(page.heading_path), page.document.title
        # A context chunk holds a part of the pages around, too.
        around = corpus.pages([i for i in (page.previous_id, page.next_id) if i is not None])
        passages.append(Numbered(f"{section}\n{text}", (page, *around), corpus.release))
        sections.append(fenced("passage", text, number=number, document=title, section=section))
    return Evidence(fenced_list(sections), tuple(passages))


def _once(chunk: RetrievedChunk | ReducedChunk, shown: Collection[int]) -> str:
    """The text of a chunk without what it has of neighbours that are shown themselves."""
    page = chunk.page
    if isinstance(chunk, ReducedChunk):
        return "\n".join(r.reading for r in sorted(chunk.records, key=lambda r: r.start))
    before, _, behind = chunk.text.partition(page.text)
    parts = (
        "" if page.previous_id in shown else before,
        page.text,
        "" if page.next_id in shown else behind,
    )
    return "\n".join(filter(None, parts))


def conversation(turn: Turn) -> Fenced:
    """The last turns as data, one line each, so that no reply speaks for the user."""
    pairs = [
        [" ".join(text.replace(QUESTIONED, "").split())[:_OF_A_TURN] for text in pair]
        for pair in turn.history[-_TURNS:]
    ]
    lines = "\n".join(f"user: {user}\nassistant: {reply}" for user, reply in pairs)
    return fenced("conversation", lines)


def own_words(turn: Turn) -> str:
    """What the asker wrote: it needs no passage. What was answered before does."""
    base = turn.rewritten.base if turn.rewritten else ""
    said = " ".join(user[:_OF_A_TURN] for user, _ in turn.history[-_TURNS:])
    resolution = turn.resolution
    of = " ".join((resolution.product or "", *resolution.releases)) if resolution else ""
    return f"{turn.question} {base} {said} {of}"

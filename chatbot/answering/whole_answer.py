"""A whole answer by a capable model: its evidence, and its text held against it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel

from chatbot.answering.citing import Cited, Numbered, cited
from chatbot.retrieval.provenance import says_unknown
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import Messages, call
from chatbot.text.citation_markers import without_marks
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, harmless_answer
from chatbot.turn import Answer, Record, ReducedChunk, RetrievedChunk, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from prompts import Fenced, fenced, fenced_list, render

STEP = "answer_generation"


MENDING = "answer_mending"


UNSUPPORTED = "Not in the cited pages:"
"""What the warning on claims that no passage supports begins with."""


_SHORTEST = 300
"""Characters of a passage below which the rest of the limit is left free."""


_TURNS, _OF_A_TURN = 4, 1_200
"""Of the conversation, and characters of each text in it."""


@dataclass(frozen=True)
class Evidence:
    """The passages of a prompt: as a section of it, and by their numbers."""

    section: Fenced
    passages: tuple[Numbered, ...]


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
    """The answer as shown; what no passage supports is named below it."""
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
    for chunk in sorted(chunks, key=lambda chunk: -chunk.score):
        if limit < _SHORTEST:
            break
        text = _once(chunk, shown)[:limit]
        limit -= len(text)
        page = chunk.page
        section = " › ".join(page.heading_path)
        passages.append(Numbered(f"{section}\n{text}", _pages(page, corpus), corpus.release))
        number = first + len(passages) - 1
        title = page.document.title
        sections.append(fenced("passage", text, number=number, document=title, section=section))
    return Evidence(fenced_list(sections), tuple(passages))


def _once(chunk: RetrievedChunk | ReducedChunk, shown: Collection[int]) -> str:
    """The text of a chunk without what it has of neighbours that are shown themselves."""
    page = chunk.page
    if isinstance(chunk, ReducedChunk):
        return "\n".join(record.reading for record in sorted(chunk.records, key=_place))
    before, _, behind = chunk.text.partition(page.text)
    parts = (
        "" if page.previous_id in shown else before,
        page.text,
        "" if page.next_id in shown else behind,
    )
    return "\n".join(filter(None, parts))


def _place(record: Record) -> tuple[int, int]:
    return record.place


def _pages(page: StoredPage, corpus: Corpus) -> tuple[StoredPage, ...]:
    """A page and its neighbours, of which a context chunk holds a part."""
    around = [i for i in (page.previous_id, page.next_id) if i is not None]
    return (page, *corpus.pages(around))


def conversation(turn: Turn) -> Fenced:
    """The last turns as data, one line each, so that no reply speaks for the user."""
    pairs = (
        (" ".join(user.split())[:_OF_A_TURN], " ".join(reply.split())[:_OF_A_TURN])
        for user, reply in turn.history[-_TURNS:]
    )
    lines = "\n".join(f"user: {user}\nassistant: {reply}" for user, reply in pairs)
    return fenced("conversation", lines)


def own_words(turn: Turn) -> str:
    """What the asker wrote: it needs no passage. What was answered before does."""
    base = turn.rewritten.base if turn.rewritten else ""
    said = " ".join(user[:_OF_A_TURN] for user, _ in turn.history[-_TURNS:])
    resolution = turn.resolution
    of = " ".join((resolution.product or "", *resolution.releases)) if resolution else ""
    return f"{turn.question} {base} {said} {of}"

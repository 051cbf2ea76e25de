"""A whole answer by a capable model: its evidence, and its text held against it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from langchain_core.language_models import BaseChatModel

from chatbot.answering.citing import QUESTIONED, Cited, Numbered, cited
from chatbot.answering.refusals import NO_PASSAGE, UNKNOWN_TO_MODEL, nothing_found
from chatbot.memory.prompting import with_remembered
from chatbot.retrieval.support import denies_unheard, says_unknown
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import Messages, ShownPicture, call
from chatbot.text.languages import gettext, gettext_noop, in_every_language, shown_list
from chatbot.text.markdown import without_marks
from chatbot.text.sanitizer import as_code, harmless_answer
from chatbot.turn import Answer, ReducedChunk, RetrievedChunk, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from prompts import Fenced, fenced, fenced_list, render

STEP = "answer_generation"
MENDING = "answer_mending"
_UNSUPPORTED = gettext_noop("Not in the cited pages: {claims}. Check it before you rely on it.")
_TURNS, _OF_A_TURN = 4, 1_200
"""The number of earlier turns in a prompt, and of characters of each of their texts."""


@dataclass(frozen=True)
class Evidence:
    """The passages of a prompt: as a section of it, and by their numbers."""

    section: Fenced
    passages: tuple[Numbered, ...]


async def write_cited(
    turn: Turn,
    model: BaseChatModel,
    prompt: str,
    of: Mapping[str, str],
    evidence: Evidence,
    max_tokens: int,
    pictures: Sequence[ShownPicture] = (),
) -> Turn:
    """The turn with the model's answer to a prompt `of` a product, and its citations.

    The model is asked once to mend unsupported claims; those that are left are marked in the answer
    and named below it. Behind "I don't know" may stand the nearest information. `pictures` help to
    understand the passages; what is claimed has to stand in these.
    """
    if not evidence.passages:
        return replace(turn, answer=turn.refusal or nothing_found(turn, NO_PASSAGE))
    pages = "\n".join(passage.text for passage in evidence.passages)
    compared = turn.resolution.releases if len(turn.resolution.releases) > 1 else ()
    # What the asker wrote needs no passage; what was answered before does.
    base = turn.rewritten.base if turn.rewritten else ""
    earlier = (user[:_OF_A_TURN] for user, _ in turn.history[-_TURNS:])
    own = " ".join((turn.question, base, *earlier, *of.values(), *compared))
    held_against = (evidence.passages, own, compared)

    async def written(messages: Messages, step: str) -> tuple[str, bool, Cited]:
        nonlocal turn
        made = await call(
            model,
            messages,
            step=step,
            shown=step == STEP,
            behind=f"{turn.refusal.text}\n\n" if turn.refusal and step == STEP else "",
            pictures=pictures if step == STEP else (),
            max_tokens=max_tokens,
        )
        turn = replace(turn, calls=(*turn.calls, made))
        text = await in_thread(partial(harmless_answer, made.reply, evidence=pages))
        first, _, rest = text.partition("\n")
        first = without_marks(first)
        denies = denies_unheard(first, [pages], f"{turn.question} {base}", own)
        knows = text != "" and not denies and not says_unknown(first)
        shown = text if knows else rest.strip()
        return text, knows, await in_thread(cited, shown, *held_against)

    question = fenced("question", turn.question)
    passages = with_remembered(evidence.section, turn)
    inputs = {"passages": passages, "conversation": conversation(turn), "question": question}
    text, knows, checked = await written(render(prompt, **of, **inputs), STEP)
    if knows and checked.unsupported:
        mending = render(
            MENDING,
            passages=evidence.section,
            question=question,
            answer=fenced("answer", text),
            unsupported=fenced("unsupported", "\n".join(checked.unsupported)),
        )
        _, still_knows, mended = await written(mending, MENDING)
        if still_knows and len(mended.unsupported) < len(checked.unsupported):
            checked = mended
    if not knows:
        nothing = turn.refusal or nothing_found(turn, UNKNOWN_TO_MODEL)
        if not checked.citations or checked.unsupported:
            return replace(turn, answer=nothing)
        text = f"{nothing.text} {checked.text}"
        return replace(turn, answer=replace(nothing, text=text, citations=checked.citations))
    text = "\n\n".join([*([turn.refusal.text] if turn.refusal else ()), checked.text])
    answer = Answer(text, False, checked.citations, checked.lead)
    if checked.unsupported:
        claims = shown_list(map(as_code, checked.unsupported))
        answer = replace(answer, warnings=(gettext(_UNSUPPORTED, claims=claims),))
    return replace(turn, answer=answer)


def doubted(warnings: Sequence[str]) -> str:
    """The warning on claims that no passage supports, in whatever language; "" without one."""
    begins = tuple(text.partition("{")[0] for text in in_every_language(_UNSUPPORTED))
    return next((warning for warning in warnings if warning.startswith(begins)), "")


def gather(
    chunks: Sequence[RetrievedChunk | ReducedChunk], corpus: Corpus, limit: int, first: int = 1
) -> Evidence:
    """The best chunks as numbered passages, from `first` on, as far as `limit` characters go."""
    passages: list[Numbered] = []
    sections: list[Fenced] = []
    for number, (page, text) in enumerate(_within(chunks, limit), first):
        section, title = " › ".join(page.heading_path), page.document.title
        # A context chunk holds a part of the pages around, too.
        around = corpus.pages([i for i in (page.previous_id, page.next_id) if i is not None])
        passages.append(Numbered(f"{section}\n{text}", (page, *around), corpus.release))
        sections.append(fenced("passage", text, number=number, document=title, section=section))
    return Evidence(fenced_list(sections), tuple(passages))


def pages_shown(chunks: Sequence[RetrievedChunk | ReducedChunk], limit: int) -> set[int]:
    """The ids of the pages that stand whole among those passages."""
    return {page.id for page, text in _within(chunks, limit) if page.text in text}


def _within(
    chunks: Sequence[RetrievedChunk | ReducedChunk], limit: int
) -> Iterator[tuple[StoredPage, str]]:
    """The pages of the best chunks, each with its passage, as far as `limit` characters go."""
    shown = {chunk.page.id for chunk in chunks}
    for chunk in sorted(chunks, key=lambda chunk: -chunk.score):
        text = _once(chunk, shown)[:limit]
        if not text:
            return
        limit -= len(text)
        yield chunk.page, text


def _once(chunk: RetrievedChunk | ReducedChunk, shown: Collection[int]) -> str:
    """The text of a chunk without the parts of neighbours that are shown themselves."""
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

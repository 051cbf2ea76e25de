"""A profile of the chatbot as a system."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from chatbot.chain.reply import trace_of
from chatbot.chatbot import Chatbot
from chatbot.memory.remembering import WITH_MEMORY
from chatbot.turn import ReducedChunk, RetrievedChunk, Turn
from eval.runs.folder import ContextText, FoundPage
from eval.runs.systems.system import Answered, History, Stopped

ANSWERED_BEFORE = "answered before"
"""The file of a context that is an earlier question with its answer."""


@dataclass(frozen=True)
class ChainSystem:
    """Asks a chatbot as a user would; a memory that reuses answers has no part in it."""

    chatbot: Chatbot

    def answer(self, question: str, product: str, history: History, stopped: Stopped) -> Answered:
        """Answer by the chain of the chatbot's profile."""
        answered = self.chatbot.ask(
            question,
            product=product,
            history=history,
            afresh=self.chatbot.settings.profile_in_use in WITH_MEMORY,
            stopped=stopped,
        )
        turn = answered.turn
        sides = turn.sides or (turn,)
        found = zip_longest(*(list(_found(side)) for side in sides))
        return Answered(
            reply=answered.content,
            context=tuple(text for side in sides for text in self._given(side)),
            retrieved=tuple(page for row in found for page in row if page is not None),
            trace=trace_of(turn),
        )

    def _given(self, turn: Turn) -> Iterator[ContextText]:
        """The selected chunks, else those retrieved, as far as a prompt goes; and saved answers."""
        left, release = self.chatbot.settings.evidence_limit, _release(turn)
        chunks: tuple[RetrievedChunk | ReducedChunk, ...] = turn.selected or turn.retrieved
        for chunk in sorted(chunks, key=lambda chunk: -chunk.score):
            text = _text(chunk)[:left]
            left -= len(text)
            if text:
                page = chunk.page
                yield ContextText(
                    release=release,
                    file=page.document.file,
                    page=page.number,
                    section=" › ".join(page.heading_path),
                    text=text,
                )
        for pair in turn.recollection.good if turn.recollection else ():
            text = f"{pair.question}\n{pair.answer}"
            yield ContextText(release=release, file=ANSWERED_BEFORE, page=0, text=text)


def _found(turn: Turn) -> Iterator[FoundPage]:
    for chunk in turn.retrieved:
        page = chunk.page
        yield FoundPage(
            release=_release(turn),
            file=page.document.file,
            page=page.number,
            anchors=page.anchors,
        )


def _release(turn: Turn) -> str:
    """The release that a turn was answered from, empty for none."""
    return next(iter(turn.resolved.releases if turn.resolved else ()), "")


def _text(chunk: RetrievedChunk | ReducedChunk) -> str:
    if isinstance(chunk, RetrievedChunk):
        return chunk.text
    return "\n".join(record.quote for record in chunk.records)

"""Retrieval and one prompt, as people build it today: no release is extracted, nothing checked.

The naive systems have all releases of a product in one index; ComRAG's baselines (5.2) add, or have
instead, the questions that were answered before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from langchain_core.language_models import BaseChatModel

from chatbot.answering.whole_answer import conversation
from chatbot.chatbot import Chatbot
from chatbot.errors import GeneratorError
from chatbot.releases.resolution import ReleaseStatus
from chatbot.reply import Reply
from chatbot.retrieval.support import says_unknown
from chatbot.runtime.concurrency import in_thread, run_on_event_loop, within
from chatbot.runtime.model_calls import call
from chatbot.settings import WHOLE_ANSWER
from chatbot.text.markdown import marks, renumbered, without_marks
from chatbot.turn import Citation, ModelCall, Turn
from corpora.indexing.embedding import Vectors
from eval.runs.folder import ContextText, FoundPage
from eval.runs.systems.answered_pairs import AnsweredPair, AnsweredPairs
from eval.runs.systems.chain import ANSWERED_BEFORE
from eval.runs.systems.chunk_index import Chunk, ChunkIndex
from eval.runs.systems.system import Answered, History, Stopped
from eval.scenarios import stands_in
from prompts import Fenced, fenced, fenced_list, render

PairsBy = Literal["words", "meaning"]
CHUNKS = 4
"""Chunks in a prompt: what LangChain's retrievers return."""
FOUND = 30
"""Chunks that are ranked, for measures of retrieval: of some ten pages."""
PAIRS = 2
"""Answered questions in a prompt, as many as the chatbot's own."""
_STANDALONE = 100
"""Tokens of a question that is written anew, at most."""


@dataclass(frozen=True)
class PlainRag:
    """A system by what it searches, each opened by the name of a product.

    With `by_release`, chunks are of the release whose name stands in the question, if any does.
    """

    name: str
    chatbot: Chatbot
    model: BaseChatModel
    chunks: Callable[[str], ChunkIndex] | None = None
    by_release: bool = False
    pairs: Callable[[str], AnsweredPairs] | None = None
    pairs_by: PairsBy | None = None

    def answer(self, question: str, product: str, history: History, stopped: Stopped) -> Answered:
        """Search with the question and have the model answer from what is found."""
        # Made before the time of an answer begins.
        for opened in (self.chunks, self.pairs):
            if opened:
                opened(product)
        return run_on_event_loop(self._answer(question, product, history), stopped)

    async def _answer(self, question: str, product: str, history: History) -> Answered:
        turn = Turn(question, product=product, history=tuple(history))
        calls: list[ModelCall] = []
        timings: dict[str, float] = {}
        started = time.perf_counter()

        async def asked(step: str, prompt: str, most: int, **parts: str) -> str:
            begun = time.perf_counter()
            made = await call(self.model, render(prompt, **parts), step=step, max_tokens=most)
            calls.append(made)
            timings[step] = round(time.perf_counter() - begun, 4)
            if made.problem:
                raise GeneratorError(made.problem)
            return made.reply.strip()

        talk = conversation(turn) if history else ""
        async with within(self.chatbot.settings.question_seconds):
            own = fenced("question", question)
            alone = question
            if history:
                alone = await asked(
                    "query_rewriting",
                    "plain_question",
                    _STANDALONE,
                    conversation=talk,
                    question=own,
                )
            begun = time.perf_counter()
            chunks, pairs = await in_thread(self._found, question, alone or question, product)
            timings["context_retrieval"] = round(time.perf_counter() - begun, 4)
            given = chunks[:CHUNKS]
            sections = [_passage(number, chunk) for number, chunk in enumerate(given, 1)]
            sections += [
                fenced("answered", f"{pair.question}\n{pair.answer}", release=pair.release)
                for pair in pairs
            ]
            context = fenced_list(sections)
            text = await asked(
                "answer_generation",
                "plain_answer",
                WHOLE_ANSWER,
                context=context,
                conversation=talk,
                question=own,
            )
        reply = self._reply(text, given, product, calls, timings, time.perf_counter() - started)
        return Answered(
            reply=reply,
            context=(*map(_given, given), *map(_answered_before, pairs)),
            retrieved=tuple(map(_page, chunks)),
        )

    def _found(
        self, asked: str, question: str, product: str
    ) -> tuple[list[Chunk], list[AnsweredPair]]:
        (vector,) = self.chatbot.embedder.embed_queries([question])
        found = self._chunks(f"{asked}\n{question}", vector, product) if self.chunks else []
        if self.pairs is None:
            return found, []
        pairs = self.pairs(product)
        if self.pairs_by == "words":
            return found, pairs.by_words(question, PAIRS)
        return found, pairs.by_meaning(vector, PAIRS)

    def _chunks(self, words: str, vector: Vectors, product: str) -> list[Chunk]:
        assert self.chunks is not None
        index = self.chunks(product)
        release = None
        if self.by_release:
            names = {chunk.release for chunk in index.chunks}
            named = [name for name in names if stands_in(name, words.casefold())]
            release = max(named, key=len, default=None)
        return index.nearest(vector, FOUND, release)

    def _reply(
        self,
        text: str,
        given: list[Chunk],
        product: str,
        calls: list[ModelCall],
        timings: dict[str, float],
        seconds: float,
    ) -> Reply:
        """The reply, from the releases of the chunks that its marks name."""
        cited = [n for n in dict.fromkeys(marks(text)) if 0 < n <= len(given)]
        releases = tuple(dict.fromkeys(given[n - 1].release for n in cited))
        several = len(releases) > 1
        return Reply(
            answer=renumbered(text, lambda n: f"[{cited.index(n) + 1}]" if n in cited else ""),
            abstained=not text or says_unknown(without_marks(text.partition("\n")[0])),
            product=product,
            release=releases[0] if len(releases) == 1 else None,
            release_status=ReleaseStatus.COMPARED if several else ReleaseStatus.NONE,
            compared_releases=releases if several else (),
            citations=tuple(_citation(given[n - 1]) for n in cited),
            timings=timings,
            model_calls=len(calls),
            prompt_tokens=sum(made.prompt_tokens for made in calls),
            completion_tokens=sum(made.completion_tokens for made in calls),
            profile=self.name,
            seconds=round(seconds, 3),
            model=self.chatbot.settings.model_name,
        )


def _passage(number: int, chunk: Chunk) -> Fenced:
    place = {"document": chunk.file, "release": chunk.release}
    return fenced("passage", chunk.text, number=number, **place)


def _given(chunk: Chunk) -> ContextText:
    return ContextText(
        release=chunk.release,
        file=chunk.file,
        page=chunk.page,
        section=chunk.section,
        text=chunk.text,
    )


def _answered_before(pair: AnsweredPair) -> ContextText:
    text = f"{pair.question}\n{pair.answer}"
    return ContextText(release=pair.release, file=ANSWERED_BEFORE, page=0, text=text)


def _page(chunk: Chunk) -> FoundPage:
    return FoundPage(release=chunk.release, file=chunk.file, page=chunk.page, anchors=chunk.anchors)


def _citation(chunk: Chunk) -> Citation:
    return Citation(
        document=chunk.title,
        file=chunk.file,
        release=chunk.release,
        page=chunk.page,
        section=chunk.section,
        anchor=next(iter(chunk.anchors), None),
        quote=chunk.text,
        page_id=chunk.page_id,
    )

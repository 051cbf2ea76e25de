"""What became of an accepted answer, as a capable model tells it from the words of both sides.

Its one call takes the place of an answer that is written anew. It is believed as far as what it
copies stands in the documentation.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.chatbot import Chatbot
from chatbot.release_check.accepted_answer import AcceptedAnswer, relevant
from chatbot.release_check.verdicts import Compared, Verdict
from chatbot.release_check.words import Pages
from chatbot.retrieval.support import cite_words, find_verbatim, names
from chatbot.runtime.concurrency import within
from chatbot.runtime.model_calls import ask_for
from chatbot.text.markdown import without_marks
from chatbot.text.words import search_terms
from chatbot.turn import Citation, ModelCall
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from corpora.indexing.retrieval import RetrievalSettings, query_vectors, retrieve
from prompts import fenced, fenced_list, render

STEP = "release_check"
_LONGEST = 12_000
"""Characters of both sides that a model is shown."""
_OF_SECTION = 2
_OF_A_SEARCH = 4
"""The most pages of the section that was cited, and of those found for a text."""
_LONGEST_VALUE = 200
_TOKENS = 700


class Judgement(BaseModel):
    """What a model tells of an accepted answer; the prompt says what each field holds."""

    says: list[str] = Field(max_length=20)
    why: str
    verdict: Literal[Verdict.SAME, Verdict.CHANGED, Verdict.GONE]
    was: str
    now: str


@dataclass(frozen=True)
class Judge:
    """Holds answers of the release `older` against a corpus by the `model`, which is capable."""

    chatbot: Chatbot
    model: BaseChatModel
    older: str
    corpus: Corpus

    def judge(
        self,
        answer: AcceptedAnswer,
        pages: Sequence[Pages],
        new: Sequence[Citation],
        compared: Compared,
        stopped: Callable[[], bool],
    ) -> tuple[Compared | None, tuple[ModelCall, ...]]:
        """What became of an answer, and the calls; None after two unusable replies.

        `new` is cited by whatever was found for its question, `compared` what the words tell.
        Raises GeneratorError, TookTooLong, and Stopped when `stopped` says so.
        """
        shown = self._shown(answer, pages, (*compared.cited, *new))
        # While the words that bear most of it stand there, or say the same, it is not gone.
        bearing = [unit for unit, _ in relevant(answer, pages)[:1]]
        still = _cited(bearing, shown, self.corpus.release)
        if compared.verdict is Verdict.SAME:
            still += compared.cited
        ids = {citation.page_id for citation in still}
        standing = next((n for n, page in enumerate(shown, 1) if page.id in ids), 0)
        return self.chatbot.run_model_work(self._told(answer, shown, compared, standing), stopped)

    def _shown(
        self, answer: AcceptedAnswer, pages: Sequence[Pages], cited: Sequence[Citation]
    ) -> tuple[StoredPage, ...]:
        """The pages on which the answer may stand now, as far as the prompt goes.

        First those of what is `cited` and of its own section, then those that are found for the
        question and for the old words.
        """
        old = [f"{citation.section}\n{citation.quote}" for citation in answer.citations]
        section = chain.from_iterable(of.own_pages[:_OF_SECTION] for of in pages)
        searches = [self._found(text) for text in dict.fromkeys((answer.question, *old))]
        ids = [
            *(citation.page_id for citation in cited),
            *(page.id for page in section),
            *filter(None, chain.from_iterable(zip_longest(*searches))),
        ]
        most = min(self.chatbot.settings.evidence_limit, _LONGEST)
        # What is not shown would count as gone.
        left = max(most - sum(map(len, old)), most // 2)
        shown: list[StoredPage] = []
        for page in self.corpus.pages(list(dict.fromkeys(ids))):
            if not shown or len(page.text) <= left:
                shown.append(page)
                left -= len(page.text)
        return tuple(shown)

    def _found(self, text: str) -> list[int]:
        found = retrieve(
            self.corpus,
            [text],
            query_vectors(self.corpus, self.chatbot.embedder, [text]),
            search_terms(text, "", self.corpus),
            limit=_OF_A_SEARCH,
            settings=RetrievalSettings(),
        )
        return [page.id for page, _ in found]

    async def _told(
        self,
        answer: AcceptedAnswer,
        shown: Sequence[StoredPage],
        compared: Compared,
        standing: int,
    ) -> tuple[Compared | None, tuple[ModelCall, ...]]:
        release = self.corpus.release

        def check(reply: Judgement) -> None:
            if reply.verdict is Verdict.CHANGED or _cited(reply.says, shown, release):
                return
            if reply.verdict is Verdict.SAME:
                raise ValueError('nothing in "says" stands in a passage letter for letter')
            if standing:
                raise ValueError(
                    f'passage {standing} has words that the answer rests on: if it is "gone" all '
                    'the same, "says" has the words that tell so, letter for letter'
                )

        async with within(self.chatbot.settings.question_seconds):
            reply, calls = await ask_for(
                self.model,
                self._prompt(answer, shown),
                Judgement,
                step=STEP,
                max_tokens=_TOKENS,
                check=check,
            )
        if reply is None:
            return None, calls
        cited = _cited(reply.says, shown, release)
        if reply.verdict is not Verdict.CHANGED:
            return Compared(reply.verdict, cited=cited), calls
        was = _stated(reply.was, (answer.text, *(citation.quote for citation in answer.citations)))
        now = _stated(reply.now, [page.text for page in shown])
        return Compared(reply.verdict, was, now, cited or compared.cited), calls

    def _prompt(self, answer: AcceptedAnswer, shown: Sequence[StoredPage]) -> list[tuple[str, str]]:
        old = (
            fenced("excerpts", c.quote, document=c.document, section=c.section)
            for c in answer.citations
        )
        new = (
            fenced(
                "passage",
                page.text[:_LONGEST],
                number=number,
                document=page.document.title,
                section=" › ".join(page.heading_path),
            )
            for number, page in enumerate(shown, 1)
        )
        return render(
            STEP,
            product=self.corpus.product,
            older=self.older,
            newer=self.corpus.release,
            question=fenced("question", answer.question),
            answer=fenced("answer", without_marks(answer.text)),
            excerpts=fenced_list(old),
            passages=fenced_list(new),
        )


def _cited(
    copied: Iterable[str], shown: Sequence[StoredPage], release: str
) -> tuple[Citation, ...]:
    """The places of copied words, each once; what stands on none of the pages is left out."""

    def places(words: str) -> Iterator[Citation]:
        for page in shown:
            if found := find_verbatim(words, page.text):
                at = page.text.index(found)
                block = [block for start, _, block in page.spans() if start <= at][-1]
                anchor = block.anchor or page.anchor
                yield cite_words(page, found, block.path, anchor, release)

    return tuple(dict.fromkeys(place for words in copied for place in [*places(words)][:1]))


def _stated(value: str, texts: Iterable[str]) -> tuple[str, ...]:
    """A value, if it stands in one of the texts."""
    value = " ".join(value.split())
    stands = len(value) <= _LONGEST_VALUE and any(names(text, value) for text in texts)
    return (value,) if stands else ()

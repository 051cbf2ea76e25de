"""Questions that a language model words, each with an answer that it has to quote."""

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.retrieval.support import find_verbatim
from chatbot.review.regression_set import patterns_of
from chatbot.runtime.model_calls import ask_for
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from eval.sets.pages import drafted, stated_on
from eval.sets.proposals import Draft
from eval.sets.wording import naming
from prompts import Fenced, fenced, render
from prompts.fencing import visible

_MOST = 6_000
"""Characters of a page that are shown."""
_TOKENS = 900


class Worded(BaseModel):
    """A question, its answer, and the words of the page that hold it."""

    question: str = Field(min_length=8, max_length=400)
    quote: str = Field(min_length=2, max_length=1_500)
    answer: str = Field(min_length=1, max_length=1_500)


class WordedQuestions(BaseModel):
    """What a model proposes of a page."""

    questions: list[Worded] = Field(max_length=5)


async def drafts_by_model(
    model: BaseChatModel, corpus: Corpus, page: StoredPage, changed: Sequence[str] = ()
) -> tuple[Draft, ...]:
    """What the model asks of a page, whose `changed` words another release does not say.

    Only what it quotes from the page is kept; the quote is then as the page has it. Raises
    GeneratorError.
    """
    shown = "\n".join((*page.heading_path, page.text))[:_MOST]
    marked = fenced("passage", "\n".join(changed)[:_MOST], new=corpus.release)
    messages = render(
        "question_draft",
        product=corpus.product,
        release=corpus.release,
        page=fenced("documentation", shown, document=page.document.title),
        changed=marked if changed else Fenced(""),
    )
    read, _ = await ask_for(
        model, messages, WordedQuestions, step="question_draft", max_tokens=_TOKENS
    )
    found = (_draft(corpus, page, worded) for worded in (read.questions if read else ()))
    return tuple(draft for draft in found if draft is not None)


def _draft(corpus: Corpus, page: StoredPage, worded: Worded) -> Draft | None:
    quote = find_verbatim(worded.quote, page.text)
    if quote is None:
        return None
    start = page.text.find(quote)
    block = next((b for _, end, b in page.spans() if end > start), None)
    path, anchor = (block.path, block.anchor) if block else ((), None)
    place = stated_on(page, corpus.release, quote, path, anchor)
    answer = " ".join(visible(worded.answer).split())
    question = naming(" ".join(visible(worded.question).split()), corpus.release)
    came_from = f"a model, of a page of {corpus.release}"
    return drafted(corpus, question, answer, [place], came_from, patterns=patterns_of(answer))

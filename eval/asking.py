"""Gold questions put to a chatbot: its replies, and the pages its retrieval ranks first."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from chatbot.assembly import Chatbot
from chatbot.batch import BatchLine, BatchProgress, run_batch
from chatbot.memory.opening import WITH_MEMORY
from chatbot.queries.glossary import expand_terms
from chatbot.queries.query_rewriting import rewrite_query
from chatbot.releases.resolution import ReleaseStatus
from chatbot.releases.rules import resolve_release
from chatbot.retrieval.context_retrieval import retrieve_context
from chatbot.turn import Citation, Turn
from corpora.catalog.catalog import NoCorpus
from corpora.indexing.retrieval import RetrievalSettings
from eval.answers import PageText
from eval.gold import GoldQuestion
from eval.retrieval import CUTOFFS, RankedPage, RetrievalScore, score_search, searches


def ask_all(
    chatbot: Chatbot,
    questions: Sequence[GoldQuestion],
    output: Path,
    on_progress: Callable[[BatchProgress], None],
) -> None:
    """Ask every question as a user would, without the release meant; replies go to `output`.

    The memory has no part in them, but with a profile that answers from related questions and
    remembers none: it is measured with what the memory holds.
    """
    lines = [BatchLine.model_validate(question.asked()) for question in questions]
    remembers = chatbot.settings.profile in WITH_MEMORY
    run_batch(chatbot, lines, output, on_progress, afresh=remembers)


def rank_pages(chatbot: Chatbot, questions: Iterable[GoldQuestion]) -> tuple[RetrievalScore, ...]:
    """Search for every question in the releases of its sources that are ingested; score each."""
    find = retrieve_context(
        chatbot.corpora.corpus,
        chatbot.embedder,
        pages=max(CUTOFFS),
        padding=0,
        settings=RetrievalSettings(),
    )
    rewrite = rewrite_query(chatbot.products)
    expand = expand_terms(
        chatbot.glossaries.entries, chatbot.corpora.corpus, chatbot.embedder.knows_word
    )
    known = {(p.name, r.name) for p in chatbot.products() for r in p.releases}
    scores = []
    for question, release in searches(questions):
        if (question.product, release) in known:
            turn = find(expand(rewrite(_turn_in_release(chatbot, question, release))))
            pages = [
                RankedPage(c.page.document.file, c.page.number, c.page.page.anchors)
                for c in turn.retrieved
            ]
            scores.append(score_search(question, release, pages))
    return tuple(scores)


def page_text(chatbot: Chatbot) -> PageText:
    """How to come by the text of a cited page; a page that is not kept any more is empty."""

    def text_of(product: str, citation: Citation) -> str:
        try:
            return chatbot.corpora.corpus(product, citation.release).page(citation.page_id).text
        except (LookupError, NoCorpus):
            return ""

    return text_of


def _turn_in_release(chatbot: Chatbot, question: GoldQuestion, release: str) -> Turn:
    """The turn of a question as if release extraction had found the release it means."""
    product, history = question.product, question.history
    resolution = resolve_release(
        question.question, chatbot.products(), product=product, history=history
    )
    resolution = replace(
        resolution, status=ReleaseStatus.STATED, product=product, releases=(release,)
    )
    return Turn(question.question, product=product, history=history, resolution=resolution)

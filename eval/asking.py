"""Gold questions put to a chatbot: its replies, and the pages its retrieval ranks first."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from chatbot.assembly import Chatbot
from chatbot.batch import BatchProgress, run_batch
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
from eval.retrieval import CUTOFFS, RankedPage, RetrievalItem, retrieval_items


def ask_all(
    chatbot: Chatbot,
    questions: Sequence[GoldQuestion],
    output: Path,
    on_progress: Callable[[BatchProgress], None],
    *,
    afresh: bool = True,
) -> None:
    """Ask every question as a user would, without the release meant; replies go to `output`.

    Unless they are not to be asked `afresh`, the memory has no part in them.
    """
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder) / "questions.jsonl"
        lines = (json.dumps(q.asked(), ensure_ascii=False) + "\n" for q in questions)
        batch.write_text("".join(lines), "utf-8")
        run_batch(chatbot, batch, output, on_progress, afresh=afresh)


def rank_pages(
    chatbot: Chatbot,
    questions: Iterable[GoldQuestion],
    settings: RetrievalSettings | None = None,
) -> dict[tuple[str, str], list[RankedPage]]:
    """The pages found for every question in the release it means, by (question id, release)."""
    search = retrieve_context(
        chatbot.corpora.corpus,
        chatbot.embedder,
        pages=max(CUTOFFS),
        padding=0,
        settings=settings or RetrievalSettings(),
    )
    rewrite = rewrite_query(chatbot.products)
    expand = expand_terms(
        chatbot.glossaries.entries, chatbot.corpora.corpus, chatbot.embedder.knows_word
    )
    by_id = {q.id: q for q in questions}
    ranked = {}
    for item in retrieval_items(by_id.values()):
        turn = search(expand(rewrite(turn_in_release(chatbot, by_id[item.id], item))))
        ranked[item.key] = [
            RankedPage(c.page.document.file, c.page.number, c.page.page.anchors)
            for c in turn.retrieved
        ]
    return ranked


def page_text(chatbot: Chatbot) -> PageText:
    """How to come by the text of a cited page; a page that is not kept any more is empty."""

    def text_of(product: str, citation: Citation) -> str:
        try:
            return chatbot.corpora.corpus(product, citation.release).page(citation.page_id).text
        except (LookupError, NoCorpus):
            return ""

    return text_of


def turn_in_release(chatbot: Chatbot, question: GoldQuestion, item: RetrievalItem) -> Turn:
    """The turn of a question as if release extraction had found the release it means."""
    resolution = resolve_release(
        question.question, chatbot.products(), product=question.product, history=question.history
    )
    resolution = replace(
        resolution,
        status=ReleaseStatus.STATED,
        product=question.product,
        releases=(item.release,),
    )
    return Turn(
        question.question,
        product=question.product,
        history=tuple(question.history),
        resolution=resolution,
    )

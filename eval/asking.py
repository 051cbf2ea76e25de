"""Gold questions put to a chatbot."""

from collections.abc import Callable, Sequence
from pathlib import Path

from chatbot.batch import BatchLine, BatchProgress, run_batch
from chatbot.chatbot import Chatbot
from chatbot.memory.remembering import WITH_MEMORY
from chatbot.turn import Citation
from corpora.errors import NoCorpus
from eval.answers import PageText
from eval.gold import GoldQuestion


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
    remembers = chatbot.settings.profile_in_use in WITH_MEMORY
    run_batch(chatbot, lines, output, on_progress, afresh=remembers)


def page_text(chatbot: Chatbot) -> PageText:
    """How to come by the text of a cited page; a page that is not kept any more is empty."""

    def text_of(product: str, citation: Citation) -> str:
        try:
            return chatbot.corpora.corpus(product, citation.release).page(citation.page_id).text
        except (LookupError, NoCorpus):
            return ""

    return text_of

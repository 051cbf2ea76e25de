"""The failures that are told in one sentence, in the terminal and on the page."""

from __future__ import annotations


def expected_failures() -> tuple[type[Exception], ...]:
    """The exceptions whose message says what failed, on which input, and what to do."""
    from chatbot.assembly import BadQuestion
    from chatbot.batch import BatchError
    from chatbot.conversations import UnknownConversation
    from chatbot.models.errors import GeneratorError
    from chatbot.models.sources import ModelDownloadError
    from chatbot.settings import BadSettings
    from corpora.catalog import CatalogError
    from corpora.database import UnusableDatabase
    from corpora.embedding import ModelMissing
    from corpora.generations import IngestError
    from corpora.glossary import GlossaryError
    from eval.gold import GoldError

    return (
        BadQuestion,
        BadSettings,
        BatchError,
        CatalogError,
        GeneratorError,
        GlossaryError,
        GoldError,
        IngestError,
        ModelDownloadError,
        ModelMissing,
        UnknownConversation,
        UnusableDatabase,
    )

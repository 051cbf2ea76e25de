"""The failures that are told in one sentence, in the terminal and on the page."""

from __future__ import annotations


def expected_failures() -> tuple[type[Exception], ...]:
    """The exceptions whose message says what failed, on which input, and what to do."""
    from chatbot.accounts.limits import LimitReached
    from chatbot.accounts.people import NotAllowed
    from chatbot.administration.curation import BadPair
    from chatbot.administration.faq_file import FaqError
    from chatbot.assembly import BadQuestion
    from chatbot.batch import BatchError
    from chatbot.conversations.conversations import UnknownConversation
    from chatbot.conversations.feedback import BadFeedback
    from chatbot.conversations.personal_data import UnknownPerson
    from chatbot.memory.stores.stores import UnknownPair
    from chatbot.models.errors import GeneratorError, ModelDownloadError
    from chatbot.review.ratings import BadReview, UnknownTurn
    from chatbot.review.regression_set import NoGold
    from chatbot.settings import BadSettings
    from corpora.catalog.catalog import CatalogError
    from corpora.catalog.glossary import GlossaryError
    from corpora.database.engine import UnusableDatabase
    from corpora.documents.uploads import UploadError
    from corpora.generations.generations import IngestError
    from corpora.indexing.embedding import ModelMissing
    from corpora.jobs.jobs import JobError
    from eval.gold import GoldError

    return (
        BadFeedback,
        BadPair,
        BadQuestion,
        BadReview,
        BadSettings,
        BatchError,
        CatalogError,
        FaqError,
        GeneratorError,
        GlossaryError,
        GoldError,
        IngestError,
        JobError,
        LimitReached,
        ModelDownloadError,
        ModelMissing,
        NoGold,
        NotAllowed,
        UnknownConversation,
        UnknownPair,
        UnknownPerson,
        UnknownTurn,
        UnusableDatabase,
        UploadError,
    )

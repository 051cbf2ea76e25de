"""The failures that are told in one sentence, in the terminal and on the page."""

from __future__ import annotations


def expected_failures() -> tuple[type[Exception], ...]:
    """The exceptions whose message says what failed, on which input, and what to do."""
    from chatbot.assembly import BadQuestion
    from chatbot.batch import BatchError
    from chatbot.conversations import UnknownConversation
    from chatbot.feedback import BadFeedback
    from chatbot.limits import LimitReached
    from chatbot.memory.administration.curation import BadPair
    from chatbot.memory.administration.faq_file import FaqError
    from chatbot.memory.stores.stores import UnknownPair
    from chatbot.models.errors import GeneratorError
    from chatbot.models.sources import ModelDownloadError
    from chatbot.people import NotAllowed
    from chatbot.personal_data import UnknownPerson
    from chatbot.review.gold_lines import NoGold
    from chatbot.review.ratings import BadReview, UnknownTurn
    from chatbot.settings import BadSettings
    from corpora.catalog import CatalogError
    from corpora.database import UnusableDatabase
    from corpora.embedding import ModelMissing
    from corpora.generations import IngestError
    from corpora.glossary import GlossaryError
    from corpora.jobs import JobError
    from corpora.uploads import UploadError
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

"""The errors of language models and their downloads; each message says what to do."""

from chatbot.runtime.errors import Unread
from ingestion.errors import StrataError


class GeneratorError(StrataError, RuntimeError):
    """The language model could not be loaded or did not answer; the message says what to do."""

    for_operators = True


class PromptTooLong(GeneratorError, Unread):
    """The prompt has more tokens than the model reads at once; it was not answered."""


class ModelDownloadError(StrataError, RuntimeError):
    """A model file could not be put in place."""

"""The errors of language models and their downloads; each message says what to do."""

from ingestion.errors import StrataError


class GeneratorError(StrataError, RuntimeError):
    """The language model could not be loaded or did not answer; the message says what to do."""


class ModelDownloadError(StrataError, RuntimeError):
    """A model file could not be put in place."""

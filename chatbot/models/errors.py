"""What a language model, or fetching one, can fail with; each message says what to do."""

from __future__ import annotations


class GeneratorError(RuntimeError):
    """The language model could not be loaded or did not answer."""


class ModelDownloadError(RuntimeError):
    """A model file could not be put in place."""

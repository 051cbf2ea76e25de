"""What a language model can fail with."""

from __future__ import annotations

from ingestion.errors import StrataError


class GeneratorError(StrataError, RuntimeError):
    """The language model could not be loaded or did not answer; the message says what to do."""

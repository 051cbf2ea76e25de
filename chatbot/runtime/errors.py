"""The failure of a model's call that its step can do without."""

from ingestion.errors import StrataError


class Unread(StrataError):
    """A prompt was not read, and would not be if it were sent again."""

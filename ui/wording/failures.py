"""Messages of failures for people, and for the server's log alone."""

import logging

from chatbot.settings import Settings
from ingestion.errors import StrataError

_log = logging.getLogger(__name__)
INTERNAL_ERROR = "Something went wrong. The server's log has the details."


def message_for(error: Exception, settings: Settings | None) -> str:
    """The message of an error; of one for operators only where the asker runs the server.

    That is where nobody signs in. Such errors, and those that nobody expected, are logged.
    """
    asker_operates = settings is not None and settings.sign_in == "none"
    if isinstance(error, StrataError) and (asker_operates or not error.for_operators):
        return str(error)
    _log.error("a request failed", exc_info=error)
    return INTERNAL_ERROR

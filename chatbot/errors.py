"""The failures of the chatbot. What `ui/api/app.py` answers to a program is a table there.

StrataError
├── NotAllowed
│   └── NotSignedIn
│       └── NobodySignedIn
├── LimitReached
├── BadQuestion (ValueError)
├── AnsweringEnded, TookTooLong (RuntimeError)
├── GeneratorError (RuntimeError)
│   └── PromptTooLong (also Unread)
├── Unread
├── ModelDownloadError (RuntimeError)
├── BadInput, BatchError, FaqError, NoGold (ValueError)
├── UnknownConversation, UnknownPair, UnknownPerson, UnknownTurn (LookupError)
└── TuningError
"""

from ingestion.errors import StrataError
from ingestion.messages import message


class LimitReached(StrataError):
    """A person has reached a limit; the message says which, and when they can go on."""


class NotAllowed(StrataError):
    """Raised for something that a person may not do; the message says what, and who may."""


class NotSignedIn(NotAllowed):
    """Raised where no one is signed in, or no longer."""


class NobodySignedIn(NotSignedIn):
    """Raised where nobody has tried to sign in yet."""


class BadInput(StrataError, ValueError):
    """Raised for an input that cannot be stored; the message says why."""


class FaqError(StrataError, ValueError):
    """A file cannot be read; the message names file and line and says what to do."""


class BatchError(StrataError, ValueError):
    """The batch file cannot be used; the message says which line and why."""


class BadQuestion(StrataError, ValueError):
    """The question cannot be asked as it is; the message says why."""


class UnknownConversation(StrataError, LookupError):
    """This person has no conversation with this id."""


class UnknownPerson(StrataError, LookupError):
    """Nothing is kept of a person with this id."""


class UnknownPair(StrataError, LookupError):
    """The memory has no such pair (any more)."""


class GeneratorError(StrataError, RuntimeError):
    """The language model could not be loaded or did not answer; the message says what to do.

    `kind` is what it is counted as: an HTTP status, or a word for what else went wrong.
    """

    for_operators = True
    kind = "failed"


class ModelDownloadError(StrataError, RuntimeError):
    """A model file could not be put in place."""


class UnknownTurn(StrataError, LookupError):
    """There is no turn with this id; its conversation may have been deleted."""

    def __init__(self, turn: int) -> None:
        super().__init__(
            message("There is no answer {turn}; its conversation may have been deleted.", turn=turn)
        )


class NoGold(StrataError, ValueError):
    """Raised for a turn that cannot become a gold question; the message says what is missing."""


class AnsweringEnded(StrataError, RuntimeError):
    """What answers questions has ended before it had an answer; the next question starts it."""


class TookTooLong(StrataError, RuntimeError):
    """There was no answer in time, and the question was stopped."""


class Unread(StrataError):
    """A prompt was not read, and would not be if it were sent again."""


class TuningError(StrataError):
    """A model cannot be tuned so; the message says why, and what to do."""


class PromptTooLong(GeneratorError, Unread):
    """The prompt has more tokens than the model reads at once; it was not answered."""

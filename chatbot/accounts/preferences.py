"""What a person chose for the page, kept with their account."""

from chatbot.errors import BadInput
from chatbot.text.languages import LANGUAGES
from corpora.database.engine import Database
from corpora.database.history_tables import PreferenceRow


def chosen_language(database: Database, owner: str) -> str:
    """The code of the language that a person chose; "" for that of the browser."""
    with database.reading() as session:
        kept = session.get(PreferenceRow, owner)
        # A later version may have had more of them.
        return kept.language if kept and kept.language in LANGUAGES else ""


def choose_language(database: Database, owner: str, code: str) -> None:
    """Keep the language that a person chose, or that it is the browser's ("")."""
    if code not in ("", *LANGUAGES):
        raise BadInput(
            "no language {code!r}: choose one of {languages}",
            code=code,
            languages=", ".join(LANGUAGES),
        )
    with database.writing() as session:
        session.merge(PreferenceRow(owner=owner, language=code))

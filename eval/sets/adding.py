"""Imported questions become part of the regression set, with the pages that they name."""

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from eval.sets.importing import ImportedSet
from eval.sets.pages import pages_named
from eval.sets.proposals import Draft, Proposals, State

FROM_FILE = "the file"
"""What the origin of an imported question begins with."""


def add_imported(chatbot: Chatbot, person: Person, read: ImportedSet) -> int:
    """Accept the questions of a file, and return how many are new; who imports them vouches."""
    person.require_admin()
    came_from = f"{FROM_FILE} {read.name.rpartition('/')[2]}"
    pages = pages_named(chatbot, read.questions)
    drafts = [
        Draft(gold, came_from, of_question)
        for gold, of_question in zip(read.questions, pages, strict=True)
    ]
    return len(Proposals(chatbot.database).add(person, drafts, State.ACCEPTED))

"""Imported questions become part of the regression set, with the pages that they name."""

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from eval.sets.importing import ImportedSet
from eval.sets.pages import pages_named
from eval.sets.proposals import Draft, Proposals, State


def add_imported(chatbot: Chatbot, person: Person, read: ImportedSet) -> int:
    """Accept the questions of a file, and return how many are new; who imports them vouches."""
    person.require_admin()
    drafts = [
        Draft(gold, f"the file {read.name.rpartition('/')[2]}", pages_named(chatbot, gold))
        for gold in read.questions
    ]
    return len(Proposals(chatbot.database).add(person, drafts, State.ACCEPTED))

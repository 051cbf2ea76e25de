"""What became of a file of questions, in words."""

from collections.abc import Iterator

from chatbot.text.languages import gettext, ngettext
from eval.sets.importing import ImportedSet
from ui.wording.amounts import how_many, with_names

_NAMED = 20


def import_lines(read: ImportedSet, added: int | None) -> Iterator[str]:
    """The lines of a report; `added` is how many are new in the regression set, None for a file."""
    number = len(read.questions)
    yield f"{how_many(number, 'question')} read"
    if added is not None:
        there = f"; {number - added:,} were there already" if added < number else ""
        yield f"{added:,} added to the regression set{there}"
    yield f"Columns: {', '.join(f'{role} = {column}' for role, column in read.columns.items())}"
    yield from import_notes(read)
    if read.left_out:
        yield f"{how_many(len(read.left_out), 'line')} skipped:"
        yield from (f"  line {left.line}: {left.reason}" for left in read.left_out)


def import_notes(read: ImportedSet) -> Iterator[str]:
    """What is to be said of the questions that were read."""
    if read.renamed:
        yield ngettext(
            "The release was put before {number} question, which did not name it",
            "The release was put before {number} questions, which did not name it",
            read.renamed,
        )
    if read.unruled:
        yield ngettext(
            "{number} question can only be judged: the answer has no figure, code or name",
            "{number} questions can only be judged: the answer has no figure, code or name",
            read.unruled,
        )
    if read.ignored:
        yield with_names(gettext("Ignored columns"), read.ignored[:_NAMED])

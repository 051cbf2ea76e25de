"""What became of a file of questions, in words."""

from collections.abc import Iterator

from eval.sets.importing import ImportedSet
from ui.wording.amounts import how_many

_NAMED = 20


def import_lines(read: ImportedSet, added: int | None) -> Iterator[str]:
    """The lines of a report; `added` is how many are new in the regression set, None for a file."""
    number = len(read.questions)
    yield f"{how_many(number, 'question')} read"
    if added is not None:
        there = f"; {number - added:,} were there already" if added < number else ""
        yield f"{added:,} added to the regression set{there}"
    taken = ", ".join(f"{role} = {column}" for role, column in read.columns.items())
    yield f"Columns: {taken}"
    if read.ignored:
        yield f"Ignored columns: {', '.join(read.ignored[:_NAMED])}"
    if read.renamed:
        yield f"{read.renamed:,} did not name their release; it was put before them"
    if read.unruled:
        yield f"{read.unruled:,} can only be judged: their answer has no figure, code or name"
    if read.left_out:
        yield f"{how_many(len(read.left_out), 'line')} skipped:"
        yield from (f"  line {left.line}: {left.reason}" for left in read.left_out)

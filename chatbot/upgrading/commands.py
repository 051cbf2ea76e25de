"""Commands of several words ("quill fax send"): their entries in a manual, and which left it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from chatbot.retrieval.support import cite_words
from chatbot.turn import Citation
from chatbot.upgrading.notes import Note, release_above
from chatbot.upgrading.steps import Need, UpgradeStep, What, confirmed
from chatbot.upgrading.usage import Usage, as_phrase, folded
from corpora.indexing.corpus import Corpus
from corpora.parameters.releases import ReleaseParameters
from ingestion.messages import message
from ingestion.page import CELL_DELIMITER, TERM_DELIMITER, Block, BlockKind, DocumentKind

_LONGEST_TERM = 120
_DELIMITERS = {
    BlockKind.HEADING: "(",
    BlockKind.TABLE_ROW: CELL_DELIMITER,
    BlockKind.DEFINITION: TERM_DELIMITER,
}
"""What ends the name in an entry: "quill-fax-send(1)", "quill fax send — Sends a fax."."""


@dataclass(frozen=True)
class Command:
    """A command as its entry writes it, and that entry."""

    name: str
    entry: Citation


def commands_of(corpus: Corpus) -> Mapping[str, Command]:
    """The commands of several words that have an entry in a manual, by their `as_phrase`."""
    found: dict[str, Command] = {}
    for document in corpus.documents():
        if document.kind is DocumentKind.RELEASE_NOTES:
            continue
        for page in corpus.pages_of(document.id):
            for block in page.blocks:
                name = _command(block)
                if " " in as_phrase(name) and not release_above(block.path, corpus.release):
                    where = block.path, block.anchor or page.anchor, corpus.release
                    command = Command(name, cite_words(page, block.text, *where))
                    found.setdefault(as_phrase(name), command)
    return found


def _command(block: Block) -> str:
    """The words in small letters that an entry begins with: "quill fax send" of "… FILE"."""
    if block.kind not in _DELIMITERS:
        return ""
    words = block.text.partition(_DELIMITERS[block.kind])[0][:_LONGEST_TERM].split()
    return " ".join(takewhile(lambda word: word[0].isalpha() and word.islower(), words))


def gone_commands(
    older: Mapping[str, Command],
    newer: Mapping[str, Command],
    releases: tuple[ReleaseParameters, ReleaseParameters],
    own: Sequence[Note],
    usage: Usage,
) -> Iterator[UpgradeStep]:
    """The used commands that the older manual has an entry of, and that the newer one never names.

    `own` are the notes on what is new in the newer release.
    """
    gone = [
        phrase
        for phrase in sorted((older.keys() & usage.phrases) - newer.keys())
        if not any(
            map(releases[1].mentions, {older[phrase].name, phrase, phrase.replace(" ", "-")})
        )
    ]
    told = {as_phrase(note.text): note for note in own} if gone else {}
    for phrase in gone:
        name = older[phrase].name
        step = UpgradeStep(
            *(Need.MUST, What.REMOVED, name, "", message("no longer documented")),
            releases[0].release,
            releases[1].release,
            before=older[phrase].entry,
            names=frozenset([folded(name)]),
            spelt=(name,),
        )
        about = {text: note for text, note in told.items() if f" {phrase} " in f" {text} "}
        step = confirmed(step, {folded(name): [*about.values()]})
        if step.what is What.RENAMED:
            new = (n for n in newer if any(f" {n} " in f" {text} " for text in about))
            step = replace(step, successors=tuple(newer[n].name for n in new))
        yield step

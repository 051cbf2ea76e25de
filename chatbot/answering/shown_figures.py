"""The figures of the pages found, for a model that sees (off by default)."""

from collections.abc import Iterator, Sequence
from itertools import islice

from chatbot.runtime.model_calls import ShownPicture
from corpora.database.engine import Database
from corpora.indexing.figures import figure_bytes, figures_on
from corpora.indexing.pages import StoredPage
from prompts import fenced

_LARGEST = 1_000_000
"""Bytes of a picture; larger ones are left out."""


def shown_pictures(
    database: Database, pages: Sequence[StoredPage], *, most: int
) -> tuple[ShownPicture, ...]:
    """Return at most so many pictures of the pages of passages, those of the first page first."""
    return tuple(islice(_pictures(database, pages), most))


def _pictures(database: Database, pages: Sequence[StoredPage]) -> Iterator[ShownPicture]:
    passages: dict[int, int] = {}
    for number, page in enumerate(pages, 1):
        passages.setdefault(page.id, number)
    for figure in figures_on(database, [*passages]):
        try:
            data = figure_bytes(database, figure.page_id, figure.content_hash)
        except LookupError:
            # Its bytes are lost, which the doctor tells; the text can be answered from.
            continue
        if len(data) <= _LARGEST:
            words = figure.caption or figure.description
            # Words of the documents, as the passages are.
            about = fenced("documentation", words, figure_of_passage=passages[figure.page_id])
            yield ShownPicture(data, str(about))

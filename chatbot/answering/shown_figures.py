"""The figures of the pages found, for a model that sees (off by default)."""

from collections.abc import Sequence

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
    """Return at most so many pictures of pages, the best page's first, each told what it is of.

    What is written of them is data of the documents, and fenced like these.
    """
    if not most:
        return ()
    pictures: list[ShownPicture] = []
    numbers = {page.id: number for number, page in reversed([*enumerate(pages, 1)])}
    for figure in figures_on(database, [*numbers]):
        data = figure_bytes(database, figure.page_id, figure.content_hash)
        if len(data) <= _LARGEST and len(pictures) < most:
            words = figure.caption or figure.description
            told = fenced("documentation", words, figure_of_passage=numbers[figure.page_id])
            pictures.append(ShownPicture(data, str(told)))
    return tuple(pictures)

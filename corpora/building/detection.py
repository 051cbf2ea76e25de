"""The language of a document, told by its sentences."""

from collections.abc import Callable
from functools import cache
from itertools import accumulate, takewhile
from typing import Any

from sqlalchemy import select

from corpora.catalog.languages import LANGUAGES
from corpora.database.engine import Database
from corpora.database.tables import DocumentRow, MemberRow
from corpora.generations.progress import Progress, Stage
from corpora.indexing.pages import read_document
from ingestion.page import BlockKind, Document

_PROSE = {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.DEFINITION, BlockKind.HEADING}
_READ = 10_000
"""Characters of a document's sentences that tell its language."""
_SURE = 0.9
"""The least probability at which a language is told rather than left to the other documents."""


def detect(document: Document) -> str:
    """Return the code of the language of a document's sentences, or "" where they do not tell it.

    Code and tables do not count: their words are English in any language.
    """
    blocks = (b.text for page in document.pages for b in page.blocks if b.kind in _PROSE)
    texts = list(blocks)
    lengths = takewhile(lambda length: length < _READ, accumulate(map(len, texts), initial=0))
    prose = "\n".join(texts[: len(list(lengths))])[:_READ]
    code, _ = _identifier().classify(prose)
    return code if code in LANGUAGES else ""


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(
        MODEL_FILE, norm_probs=True, min_confidence=_SURE
    )
    identifier.set_languages(LANGUAGES)
    return identifier


def detect_missing(
    database: Database, generation_id: int, report: Callable[[Progress], None]
) -> None:
    """Tell the language of the documents of a generation whose language nobody has looked for.

    What is told is kept at once: `report` may raise to stop, and what is left is told next time.
    """
    unknown = (
        select(DocumentRow.id)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation_id, DocumentRow.language.is_(None))
    )
    with database.reading() as session:
        ids = session.scalars(unknown).all()
    for done, document_id in enumerate(ids, 1):
        with database.reading() as session:
            language = detect(read_document(session, document_id))
        with database.writing() as session:
            session.get_one(DocumentRow, document_id).language = language
        report(Progress(Stage.DETECTING, done, len(ids)))

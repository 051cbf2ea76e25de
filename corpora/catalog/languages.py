"""The languages that documents are indexed in: each its own, or what an administrator says."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from corpora.database.tables import DocumentRow, GenerationRow, MemberRow, ReleaseRow
from corpora.errors import UnusableName

ENGLISH = "en"
LANGUAGES = {
    "ar": "Arabic",
    "hy": "Armenian",
    "eu": "Basque",
    "ca": "Catalan",
    "zh": "Chinese",
    "cs": "Czech",
    "da": "Danish",
    "nl": "Dutch",
    ENGLISH: "English",
    "et": "Estonian",
    "fi": "Finnish",
    "fr": "French",
    "de": "German",
    "el": "Greek",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "ga": "Irish",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "ne": "Nepali",
    "no": "Norwegian",
    "fa": "Persian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sr": "Serbian",
    "es": "Spanish",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tr": "Turkish",
}
"""What words are stemmed or cut by, under their codes (ISO 639-1)."""


def check_language(code: str) -> str:
    """Return the code of a language, "" for none; raise UnusableName for one that is not known."""
    code = code.strip().lower()
    if code and code not in LANGUAGES:
        raise UnusableName(
            "{code!r} is not a known language. Give the code of one: {languages}.",
            code=code[:20],
            languages=", ".join(sorted(LANGUAGES)),
        )
    return code


def language_said(session: Session, release_id: int) -> str:
    """Return the language that is said of all documents of a release, or of its product, or ""."""
    release = session.get_one(ReleaseRow, release_id)
    return release.language or release.product.language


@dataclass(frozen=True)
class Languages:
    """The languages of a generation: the `chosen` one of all its documents, or each one's own.

    `documents` counts those of each language, the most frequent one first.
    """

    chosen: str
    documents: Mapping[str, int]

    def of(self, detected: str | None) -> str:
        """Return the language of a document by what was detected; the most frequent one if none."""
        return self.chosen or detected or next(iter(self.documents), ENGLISH)


def languages_of(session: Session, generation_id: int | None) -> Languages:
    """Return the languages in which the documents of a generation are indexed and searched."""
    generation = session.get(GenerationRow, generation_id) if generation_id else None
    chosen = generation.language if generation else ""
    rows = session.execute(
        select(DocumentRow.language, func.count())
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation_id)
        .group_by(DocumentRow.language)
    )
    told = Counter[str]()
    for language, count in rows:
        told[language or ""] += count
    total, untold = told.total(), told.pop("", 0)
    if chosen or not told:
        return Languages(chosen, {chosen or ENGLISH: total} if total else {})
    ordered = sorted(told, key=lambda code: (-told[code], code))
    told[ordered[0]] += untold
    return Languages("", {code: told[code] for code in ordered})

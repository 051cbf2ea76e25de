"""What pages and search chunks depend on beside their file: the code and its settings."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path

import ingestion
from corpora.indexing import dual_chunking
from corpora.indexing.dual_chunking import SearchChunk, search_chunks
from ingestion.page import Document
from ingestion.tables import written_again


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How pages are cut: into `per_page` search chunks each, or near `target` characters."""

    per_page: int | None = None
    target: int = 500

    @property
    def fingerprint(self) -> str:
        """What search chunks depend on beside their page."""
        code = _code_hash(Path(dual_chunking.__file__))
        return f"per_page={self.per_page} target={self.target} code={code}"

    def cut(self, document: Document) -> list[tuple[SearchChunk, ...]]:
        """Cut the pages of a document into search chunks."""
        # A table may end, with what its cells hold, on a later page than it begins.
        repeated = written_again(block for page in document.pages for block in page.blocks)
        return [
            search_chunks(
                page,
                per_page=self.per_page,
                target=self.target,
                repeated=[*islice(repeated, len(page.blocks))],
            )
            for page in document.pages
        ]


@cache
def reading_fingerprint() -> str:
    """What a document's pages depend on beside its file: the code that reads it."""
    return _code_hash(*sorted(Path(ingestion.__path__[0]).rglob("*.py")))


@cache
def _code_hash(*files: Path) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]

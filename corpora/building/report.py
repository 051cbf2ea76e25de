"""What an ingest tells when it is over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ingestion.page import Rejected, Remark


class Outcome(StrEnum):
    """What an ingest came to."""

    PUBLISHED = "published"
    WAITING = "waiting"
    UNCHANGED = "unchanged"
    NOTHING_READABLE = "nothing_readable"


@dataclass
class IngestReport:
    """What an ingest did, and which generation serves the release after it, or waits to.

    Of the files `read` were read now, `unchanged` taken over as they were read before, `rejected`
    left out; `skipped` counts, by suffix, what is no documentation; `archives` says how the names
    in zips were read; `dropped` are files that the
    release held and holds no more; `remarks` tell what was left out of files that were read.
    `apart` are names that documents from elsewhere have, so that all files of the source were put
    below another one. `documents`, `pages` and `chunks` count all that it holds, `languages` the
    documents of each language that they are indexed in; of the chunks' vectors `embedded` were
    computed and the others reused. `consequences` is what follows for others, in sentences.
    `seconds` are by stage.
    """

    product: str
    release: str
    outcome: Outcome = Outcome.NOTHING_READABLE
    generation: int | None = None
    read: int = 0
    unchanged: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    skipped: Mapping[str, int] = field(default_factory=dict)
    archives: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    documents: int = 0
    pages: int = 0
    chunks: int = 0
    embedded: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    consequences: str = ""
    seconds: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def reused(self) -> int:
        """How many chunks needed no embedding."""
        return self.chunks - self.embedded

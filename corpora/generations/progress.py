"""How far an ingest has come."""

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """What an ingest is doing, in this order; what other jobs do comes after it.

    What is new at a source is fetched first, a release after the other.
    """

    FETCHING = "fetching"
    LISTING = "listing"
    READING = "reading"
    DETECTING = "telling languages"
    EMBEDDING = "embedding"
    INDEXING = "indexing"
    PUBLISHING = "publishing"
    DELETING = "deleting"
    ASKING = "asking"
    SCORING = "scoring"
    PROPOSING = "proposing"
    PACKING = "packing"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files, texts, entries, questions or steps; `item` is the last file read.

    `part` says how many releases of how many are done where a job works on one after the other; it
    holds until another one is said.
    """

    stage: Stage
    done: int
    total: int
    item: str = ""
    part: tuple[int, int] | None = None

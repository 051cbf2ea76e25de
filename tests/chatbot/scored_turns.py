"""Answered turns made by hand, for tests of how answers are scored."""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.retrieval.provenance import cite
from chatbot.retrieval.records import records
from chatbot.turn import Answer, Queries, Record, ReducedChunk, Turn
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

PATH = ("Protection", "Parameters of a group")
HEADER = ("Parameter", "Default", "Unit", "Range or values", "Meaning")
ROWS = (
    "wait-to-restore — 5 — min — 1 to 12 — Time until traffic returns to the working path.",
    "hold-off — 100 — ms — 0 to 10,000 — Time for which a fault must last before switching.",
    "revertive — yes —  — yes, no — Whether traffic returns after a repair.",
)
PAGE = stored_page(
    Block(BlockKind.PARAGRAPH, "A switch of the group takes less than 50 ms.", ("Protection",)),
    *(Block(BlockKind.TABLE_ROW, row, PATH, header=HEADER) for row in ROWS),
    Block(BlockKind.PARAGRAPH, "The fan must not be removed while it runs.", ("Maintenance",)),
)
SWITCH, RESTORE, HOLD_OFF, REVERTIVE, FAN = records(PAGE)
EVIDENCE = (RESTORE, SWITCH, HOLD_OFF, REVERTIVE, FAN)


def answered(
    question: str,
    value: str,
    *cited: Record,
    evidence: Sequence[Record] = EVIDENCE,
    warnings: tuple[str, ...] = (),
    abstained: bool = False,
) -> Turn:
    """A turn on release 2.0 of "relay" that answers with a value and cites records."""
    resolution = Resolution(ReleaseStatus.STATED, "relay", ("2.0",), ("2.0",), "")
    citations = tuple(cite(record, "2.0") for record in cited)
    return Turn(
        question,
        resolution=resolution,
        queries=Queries(question, question, None, question),
        selected=(ReducedChunk(PAGE, tuple(evidence), 1.0),),
        answer=Answer(value, abstained, citations, value, warnings),
    )

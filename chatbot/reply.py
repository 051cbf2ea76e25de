"""Reply and trace, as `strata ask --json` prints them and a conversation keeps them."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo, field_validator

from chatbot.releases.resolution import ReleaseStatus
from chatbot.turn import Citation, Documented, Fallback, ModelCall, Route

VERSION = 1
"""The version of `Reply` and `Trace`; 0 are those kept before there were versions."""


def _with_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Rounded = Annotated[float, AfterValidator(lambda number: round(number, 4))]


class StoredPart(BaseModel):
    """A part of a stored reply; fields that an earlier version did not have get their defaults."""

    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)


class QueryTexts(StoredPart):
    """The three queries of QAMR III-B, step 1."""

    base: str = ""
    filtered: str | None = None
    versionless: str | None = None


class Side(StoredPart):
    """One release of a comparison; `citations` are numbers of the whole answer's, from 1."""

    release: str
    status: Documented | None = None
    answer: str = ""
    value: str = ""
    abstained: bool = False
    citations: tuple[int, ...] = ()


class RememberedPair(StoredPart):
    """A question that was answered before; who gave it a thumb is not named to others."""

    id: int
    question: str
    score: Rounded
    origin: str
    rated_by: str = ""
    rated: Annotated[datetime, AfterValidator(_with_zone)] | None = None
    similarity: Rounded = 0.0
    value: str = ""

    @field_validator("rated_by")
    @classmethod
    def _unless_by_thumb(cls, name: str, info: ValidationInfo) -> str:
        return "" if info.data.get("origin") == "thumbs" else name


class MemoryPart(StoredPart):
    """The part of the memory: `role` is reuse, reference, avoid or none, with its pairs.

    `offers` are saved questions that may ask the same: whoever asks one of them gets its answer.
    """

    role: str | None = None
    pairs: tuple[RememberedPair, ...] = ()
    offers: tuple[RememberedPair, ...] = ()


class Reply(StoredPart):
    """An answered turn. `release` is the one that it was answered from, if it was exactly one.

    `answer` is Markdown with marks of its `citations`; `nearest` are pages that may help where
    there is none. `outside` is what others than the documentation state, and no part of the answer.
    `timings` are seconds by step.
    """

    version: int = 0
    answer: str
    abstained: bool = False
    product: str | None = None
    release: str | None = None
    release_status: ReleaseStatus = ReleaseStatus.NONE
    release_explanation: str = ""
    compared_releases: tuple[str, ...] = ()
    available_releases: tuple[str, ...] = ()
    route: Route = Route.DOCUMENTS
    queries: QueryTexts = QueryTexts()
    citations: tuple[Citation, ...] = ()
    nearest: tuple[Citation, ...] = ()
    found_in: tuple[str, ...] = ()
    sides: tuple[Side, ...] = ()
    memory: MemoryPart = MemoryPart()
    warnings: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    timings: dict[str, float] = {}
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    profile: str = ""
    seconds: float | None = None
    model: str = ""


class TracedRelease(StoredPart):
    """The resolution of the release."""

    status: ReleaseStatus
    releases: tuple[str, ...] = ()
    explanation: str = ""


class TracedQueries(QueryTexts):
    """The queries, and the question without release and conversation."""

    subject: str = ""
    asked: str = ""


class TracedMemory(StoredPart):
    """The saved answers on the question, whether or not they were used."""

    afresh: bool = False
    reused: RememberedPair | None = None
    good: tuple[RememberedPair, ...] = ()
    bad: tuple[RememberedPair, ...] = ()
    offers: tuple[RememberedPair, ...] = ()


class TracedChunk(StoredPart):
    """A context chunk that was found or kept; `kept` are the records that reduction left of it."""

    file: str
    page: int
    section: str
    score: Rounded
    kept: tuple[str, ...] = ()


class Trace(StoredPart):
    """A turn step by step; of a comparison `sides` holds one for every release.

    `refusal` is the step that refused to answer from the release that was asked, and its reason.
    """

    version: int = 0
    release: TracedRelease | None = None
    queries: TracedQueries | None = None
    memory: TracedMemory = TracedMemory()
    retrieved: tuple[TracedChunk, ...] = ()
    reduced: tuple[TracedChunk, ...] = ()
    selected: tuple[TracedChunk, ...] = ()
    temperature: float | None = None
    value: str = ""
    unwritten: bool = False
    refusal: str = ""
    calls: tuple[ModelCall, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    timings: dict[str, float] = {}
    sides: tuple[Trace, ...] = ()

    def packed(self) -> bytes:
        """The trace as it is kept."""
        return zlib.compress(self.model_dump_json().encode())

    @classmethod
    def unpacked(cls, packed: bytes) -> Trace:
        """The trace that `packed` made, or an earlier version of it."""
        return cls.model_validate_json(zlib.decompress(packed))

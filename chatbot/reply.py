"""What a question comes to, as `strata ask --json` prints it and a conversation keeps it."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from chatbot.releases.resolution import ReleaseStatus
from chatbot.turn import Citation, Documented, Fallback, Route

VERSION = 1
"""Of the form of `Reply` and `Trace`; 0 are those kept before there were versions."""


def _with_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Moment = Annotated[datetime, AfterValidator(_with_zone)]
"""A moment; one without a zone is in UTC."""


class Kept(BaseModel):
    """What is kept with a turn; fields that an earlier version did not have get their defaults."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: int = 0


class QueryTexts(BaseModel):
    """The three queries of QAMR III-B, step 1."""

    model_config = ConfigDict(frozen=True)

    base: str = ""
    filtered: str | None = None
    versionless: str | None = None


class Side(BaseModel):
    """One release of a comparison; `citations` are numbers of the whole answer's, from 1."""

    model_config = ConfigDict(frozen=True)

    release: str
    status: Documented | None = None
    answer: str = ""
    value: str = ""
    abstained: bool = False
    citations: tuple[int, ...] = ()


class RememberedPair(BaseModel):
    """A question that was answered before: how good its answer is, who says so, and how near.

    `score` is 0 to 1, `similarity` a cosine. An admin who rated it is named; whoever gave it a
    thumb is not, since others read this. `value` is the lead of its answer, told in traces only.
    """

    model_config = ConfigDict(frozen=True)

    id: int
    question: str
    score: float
    origin: str
    rated_by: str = ""
    rated: Moment | None = None
    similarity: float = 0.0
    value: str = ""


class MemoryPart(BaseModel):
    """What the memory did: `role` is reuse, reference, avoid or none, with the pairs it is of."""

    model_config = ConfigDict(frozen=True)

    role: str | None = None
    pairs: tuple[RememberedPair, ...] = ()
    differs: str = ""


class Reply(Kept):
    """An answered turn. `release` is the one that it was answered from, if it was exactly one.

    `answer` is the answer's own words as Markdown with marks of its `citations`; `nearest` are
    pages that may help where there is none. `timings` are seconds by step, `seconds` the whole.
    """

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
    fallbacks: tuple[Fallback, ...] = ()
    timings: dict[str, float] = {}
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    profile: str = ""
    seconds: float | None = None
    model: str = ""


class TracedRelease(BaseModel):
    """How the release was determined."""

    status: ReleaseStatus
    releases: tuple[str, ...] = ()
    explanation: str = ""


class TracedQueries(QueryTexts):
    """The queries, and what is asked without release and conversation."""

    subject: str = ""


class TracedMemory(BaseModel):
    """What the memory had on the question, whether or not it was of use."""

    afresh: bool = False
    reused: RememberedPair | None = None
    good: tuple[RememberedPair, ...] = ()
    bad: tuple[RememberedPair, ...] = ()
    differs: str = ""


class TracedChunk(BaseModel):
    """A context chunk that was found or kept; `kept` are the records that reduction left of it."""

    file: str
    page: int
    section: str
    score: float
    kept: tuple[str, ...] = ()


class TracedCall(BaseModel):
    """A request to the language model; `prompt` are its messages as (role, text)."""

    step: str
    prompt: tuple[tuple[str, str], ...]
    reply: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    first_token: float = 0.0
    problem: str = ""


class Trace(Kept):
    """A turn step by step: what was asked, found, kept, sent and answered.

    Of a comparison `sides` holds one for every release. Traces are kept compressed.
    """

    release: TracedRelease | None = None
    queries: TracedQueries | None = None
    memory: TracedMemory = TracedMemory()
    retrieved: tuple[TracedChunk, ...] = ()
    reduced: tuple[TracedChunk, ...] = ()
    selected: tuple[TracedChunk, ...] = ()
    temperature: float | None = None
    value: str = ""
    unwritten: bool = False
    calls: tuple[TracedCall, ...] = ()
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

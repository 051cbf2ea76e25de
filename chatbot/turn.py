"""A turn of a conversation and what the steps of the chain gather on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from chatbot.release_resolution import Resolution
from corpora.pages import StoredPage


class Route(StrEnum):
    """How an answer came about."""

    DOCUMENTS = "documents"
    REUSE = "reuse"
    REFERENCE = "reference"
    COMPARE = "compare"
    INVENTORY = "inventory"
    CLARIFY = "clarify"


@dataclass(frozen=True)
class Queries:
    """The queries of QAMR III-B, step 1; `versionless` only where a release was named.

    `subject` is what is asked, without release and without what the conversation answered
    before; `known` are the words of that answer, which may help to find but are not asked for.
    """

    base: str
    filtered: str
    versionless: str | None
    subject: str
    known: str = ""

    def distinct(self) -> tuple[str, ...]:
        """The queries in the paper's order, each once."""
        present = (self.base, self.filtered, self.versionless or "")
        return tuple(dict.fromkeys(q for q in present if q))


@dataclass(frozen=True)
class RetrievedChunk:
    """A context chunk (a page and the padding around it) with the score of its search chunks."""

    page: StoredPage
    text: str
    score: float


@dataclass(frozen=True)
class Record:
    """The smallest text that can be understood and quoted: a sentence, a table row, a parameter.

    `quote` stands letter for letter in the page. `label` names its owner ("create_engine"), and
    `reading` is how a reader or a model sees it: "Header: cell; Header: cell" for a table row,
    whose `cells` are (header, cell).
    """

    page: StoredPage
    quote: str
    label: str
    reading: str
    kind: str
    anchor: str | None
    path: tuple[str, ...]
    cells: tuple[tuple[str, str], ...] = ()
    score: float = 0.0


@dataclass(frozen=True)
class ReducedChunk:
    """What reduction kept of one context chunk: records, best first, none invented."""

    page: StoredPage
    records: tuple[Record, ...]
    score: float


@dataclass(frozen=True)
class Citation:
    """Where quoted words stand: document, file as ingested, release, page or section, anchor."""

    document: str
    file: str
    release: str
    page: int
    section: str
    anchor: str | None
    quote: str
    page_id: int


@dataclass(frozen=True)
class Answer:
    """The answer as shown, whether it abstains, and what it rests on.

    `text` is Markdown without HTML; `value` the short answer alone, empty when abstaining.
    `warnings` name what could not be found in the evidence.
    """

    text: str
    abstained: bool
    citations: tuple[Citation, ...] = ()
    value: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Usage:
    """What the language model was asked to do."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.model_calls + other.model_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True)
class Turn:
    """A question on its way through the chain; every step returns a new one."""

    question: str
    product: str | None = None
    release: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    conversation_release: tuple[str, str] | None = None
    resolution: Resolution | None = None
    queries: Queries | None = None
    retrieved: tuple[RetrievedChunk, ...] = ()
    reduced: tuple[ReducedChunk, ...] = ()
    selected: tuple[ReducedChunk, ...] = ()
    unmentioned: tuple[str, ...] = ()
    answer: Answer | None = None
    sides: tuple[Turn, ...] = ()
    route: Route = Route.DOCUMENTS
    usage: Usage = Usage()
    timings: Mapping[str, float] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[str, str]:
        """Product and release that the turn is answered from; only after release extraction."""
        if self.resolution is None or self.resolution.product is None:
            raise LookupError("the turn has no release yet")
        return self.resolution.product, self.resolution.releases[0]


Step = Callable[[Turn], Turn]
"""A step of the chain: takes the turn so far and returns it with what it found."""

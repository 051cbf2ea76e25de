"""A turn of a conversation, and the results of the chain's steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from chatbot.releases.resolution import Resolution
from chatbot.text.languages import gettext_noop
from corpora.indexing.pages import StoredPage

TURNS_BEFORE = 50
"""The number of a conversation's last turns that are read with a question."""


class Route(StrEnum):
    """The way in which an answer came about."""

    DOCUMENTS = "documents"
    REUSE = "reuse"
    REFERENCE = "reference"
    COMPARE = "compare"
    INVENTORY = "inventory"
    CLARIFY = "clarify"
    CHAT = "chat"
    GRAPH = "graph"
    MODEL = "model"


class Origin(StrEnum):
    """The source of cited words: the documents, or the parameters read from them."""

    DOCUMENTS = "documents"
    GRAPH = "graph"


@dataclass(frozen=True)
class Queries:
    """The queries of QAMR III-B, step 1; `versionless` only where a release was named.

    `subject` is the question without its release; `topic` is its end, where that was carried over
    from earlier questions, and `known` are words of earlier answers, which help retrieval.
    `lacking` are the wordings of terms that the release has in none of them. `asked` is the subject
    with the words of every script, also of those that the release does not use.
    """

    base: str
    filtered: str
    versionless: str | None
    subject: str
    known: str = ""
    lacking: tuple[tuple[str, ...], ...] = ()
    topic: str = ""
    asked: str = ""

    @property
    def own_subject(self) -> str:
        """The subject without what was carried over from earlier questions."""
        return self.subject.removesuffix(self.topic).strip()

    @property
    def searched(self) -> str:
        """The words of the filtered and the versionless query."""
        return f"{self.filtered} {self.versionless or ''}".strip()

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
    """The smallest text that can be quoted: a sentence, a table row, a parameter.

    `quote` stands letter for letter in the page, from its character `start`. `label` names its
    owner ("create_engine"), `reading` is how a reader sees it ("Header: cell; Header: cell").
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
    start: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands: the id of its page, and its first character there."""
        return self.page.id, self.start


@dataclass(frozen=True)
class ReducedChunk:
    """The records that reduction kept of one context chunk, best first, none invented."""

    page: StoredPage
    records: tuple[Record, ...]
    score: float


@dataclass(frozen=True)
class Citation:
    """The place of quoted words: document, file as ingested, release, page or section, anchor.

    `url` is that of the original on the web, an http(s) address, where a source brought it.
    `product` is told where an answer is from several.
    """

    document: str
    file: str
    release: str
    page: int
    section: str
    anchor: str | None
    quote: str
    page_id: int
    origin: Origin = Origin.DOCUMENTS
    url: str | None = None
    product: str = ""

    @property
    def source(self) -> str:
        """The release, behind its product where that is told."""
        return f"{self.product} {self.release}".strip()

    def is_from(self, product: str, release: str) -> bool:
        """Whether it is from a release of a product."""
        return self.release == release and self.product in ("", product)


@dataclass(frozen=True, slots=True)
class Triplet:
    """A relation of two entities, and the page, or the `source` ("Wikidata"), that states it."""

    head: str
    relation: str
    tail: str
    citation: Citation | None = None
    source: str = ""

    @property
    def sentence(self) -> str:
        """Head, relation and tail in sequence."""
        return f"{self.head} {self.relation} {self.tail}".rstrip(".") + "."

    @property
    def attributed(self) -> str:
        """The sentence behind the name of who states it, where that is no document."""
        return f"{self.source}: {self.sentence}" if self.source else self.sentence


@dataclass(frozen=True)
class Answer:
    """The answer as shown: Markdown without HTML, with marks of its citations.

    `value` is the lead alone, without marks, empty when abstaining; a passage stands in for it
    where it is `unwritten`. `warnings` name what was removed from the model's words, `outside` are
    statements of other sources than the documentation, with their source. `refusal` says for the
    trace which step refused to answer from the release that was asked, and why.
    """

    text: str
    abstained: bool
    citations: tuple[Citation, ...] = ()
    value: str = ""
    warnings: tuple[str, ...] = ()
    unwritten: bool = False
    outside: tuple[str, ...] = ()
    refusal: str = ""


@dataclass(frozen=True)
class Remembered:
    """A question that was answered before: `score` is 0 to 1, `similarity` a cosine."""

    id: int
    question: str
    answer: str
    value: str
    citations: tuple[Citation, ...]
    score: float
    origin: str
    rated_by: str
    rated: datetime
    similarity: float


@dataclass(frozen=True)
class Recollection:
    """The saved answers on a question (ComRAG 4.3): one to reuse, or good and bad ones.

    `offers` may ask the same in other words, which a person has to confirm, the nearest first.
    `relations` are those of the good pairs' entities (GraphContextGen 4.3).
    """

    reused: Remembered | None = None
    good: tuple[Remembered, ...] = ()
    bad: tuple[Remembered, ...] = ()
    offers: tuple[Remembered, ...] = ()
    relations: tuple[Triplet, ...] = ()


class Documented(StrEnum):
    """The status of a thing in one release of a comparison."""

    DOCUMENTED = "documented"
    NOT_FOUND = "not_found"
    REMOVED = "removed"


@dataclass(frozen=True)
class ModelCall:
    """One request to a language model: (role, text) sent, the reply, and the time and tokens.

    Of the prompt's tokens `cached_tokens` were not computed again. `first_token` is in seconds.
    `doubt` is the probability that the reply begins with "I don't know".
    `problem` is the reason why the reply could not be used. `model` answered, at `server` unless it
    runs in this process; it stood in for another one where `instead_of` says why that did not.
    """

    step: str
    prompt: tuple[tuple[str, str], ...]
    reply: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    first_token: float = 0.0
    doubt: float = 0.0
    problem: str = ""
    model: str = ""
    server: str = ""
    instead_of: str = ""


@dataclass(frozen=True)
class Fallback:
    """A step that was done without the model that should have done it, and why."""

    step: str
    reason: str


EMBEDDER_FAILS = gettext_noop(
    "the embedder fails: until it works again, words alone decide (strata doctor says why)"
)
"""Why a step did without vectors; what is wrong may name addresses, and is for operators."""


@dataclass(frozen=True)
class Turn:
    """A question on its way through the chain; every step returns a new one.

    `chosen_by` says what chose the `release`, which is empty where that left it open.
    `afresh` leaves out the memory, `owner` is who asks. `same_as` is the pair of the memory that
    the asker, or a model, takes for the same question. `asked_back` are the places in the history
    of answers that asked for a release or product; None where only the texts are known. Where the
    release that was asked has no answer, `nearest` are its pages nearest to the question, and
    `found_in` the other releases that tell, the newest first; where nobody named a release, the
    answer is from that one. `refusal` stands before what a model writes.
    """

    question: str
    product: str | None = None
    release: str | None = None
    chosen_by: str = ""
    afresh: bool = False
    same_as: int | None = None
    owner: str = ""
    history: tuple[tuple[str, str], ...] = ()
    asked_back: frozenset[int] | None = None
    conversation_release: tuple[str, str] | None = None
    rewritten: Queries | None = None
    asks_changes: bool = False
    resolved: Resolution | None = None
    phrased: Queries | None = None
    recollection: Recollection | None = None
    retrieved: tuple[RetrievedChunk, ...] = ()
    reduced: tuple[ReducedChunk, ...] = ()
    selected: tuple[ReducedChunk, ...] = ()
    unmentioned: tuple[str, ...] = ()
    temperature: float | None = None
    refusal: Answer | None = None
    answer: Answer | None = None
    nearest: tuple[Citation, ...] = ()
    found_in: tuple[str, ...] = ()
    sides: tuple[Turn, ...] = ()
    documented: Documented | None = None
    route: Route = Route.DOCUMENTS
    calls: tuple[ModelCall, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)

    @property
    def resolution(self) -> Resolution:
        """The resolution of its release. Raises LookupError before the step that makes it."""
        if self.resolved is None:
            raise LookupError("nothing has looked for the turn's release yet")
        return self.resolved

    @property
    def queries(self) -> Queries:
        """The queries. Raises LookupError before the step that makes them."""
        if self.phrased is None:
            raise LookupError("the turn has no queries yet")
        return self.phrased

    @property
    def target(self) -> tuple[str, str]:
        """Product and release that the turn is answered from. Raises LookupError without one."""
        if self.resolution.product is None or not self.resolution.releases:
            raise LookupError("the turn is about no release")
        return self.resolution.product, self.resolution.releases[0]

    @property
    def ranked(self) -> list[Record]:
        """The selected records, best first."""
        records = (record for chunk in self.selected for record in chunk.records)
        return sorted(records, key=lambda record: -record.score)

    def without(self, step: str, reason: str) -> Turn:
        """The turn with a step that was done without its model."""
        return replace(self, fallbacks=(*self.fallbacks, Fallback(step, reason)))


RuleStep = Callable[[Turn], Turn]
ModelStep = Callable[[Turn], Awaitable[Turn]]
"""A step that waits for a language model, so that a stopped question stops it."""
Step = RuleStep | ModelStep


def last_turns(
    history: Sequence[tuple[str, str]], question_limit: int
) -> tuple[tuple[str, str], ...]:
    """The last turns of a conversation, as many as can be read with a question."""
    left = TURNS_BEFORE * question_limit
    kept: list[tuple[str, str]] = []
    for user, reply in reversed(history[-TURNS_BEFORE:]):
        left -= len(user) + len(reply)
        if left < 0:
            break
        kept.insert(0, (user, reply))
    return tuple(kept)

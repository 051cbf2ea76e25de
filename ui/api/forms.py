"""Requests and responses of the interface for programs, beside the reply itself."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from chatbot.reply import Reply
from chatbot.turn import Citation
from corpora.catalog.catalog import LONGEST_NAME
from corpora.parameters.releases import Difference
from ui.wording.escaping import visible
from ui.wording.marking import LONGEST_QUOTE

Text = Annotated[str, AfterValidator(visible)]
"""Text without what nobody sees, half a surrogate pair among it, which JSON can name."""

Quote = Annotated[str, Field(max_length=LONGEST_QUOTE), AfterValidator(visible)]
"""Words to mark on a page."""
Name = Annotated[Text, Field(max_length=LONGEST_NAME)]
"""The name of a product, a release or a conversation: a longer text is not looked up."""

RowId = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""A number that a row of the database can have."""


class ReleaseOut(BaseModel):
    """A release that can be asked about."""

    name: str
    aliases: tuple[str, ...] = ()
    prerelease: bool = False
    latest: bool = False


class ProductOut(BaseModel):
    """A product with its releases, the oldest first."""

    name: str
    aliases: tuple[str, ...] = ()
    releases: tuple[ReleaseOut, ...] = ()


class SearchIn(BaseModel):
    """What is searched for; without a release it is the one that the query names, or the latest."""

    query: Text
    product: Name | None = None
    release: Name | None = None
    limit: int = Field(5, ge=1, le=20)


class PassageOut(BaseModel):
    """A passage of a page, word for word; `score` is the reranking's and compares one search."""

    text: str
    product: str
    release: str
    document: str
    file: str
    page: int
    section: str
    anchor: str | None
    page_id: int
    score: float


class SearchOut(BaseModel):
    """What a release says; `message` says why where there is nothing."""

    product: str | None = None
    release: str | None = None
    release_status: str = ""
    passages: tuple[PassageOut, ...] = ()
    message: str = ""


class AskIn(BaseModel):
    """A question; “new” as `conversation` begins one, which later questions continue.

    `history` are (question, answer) pairs where no conversation is kept. With `stream` the reply
    comes as server-sent events.
    """

    question: Text
    product: Name | None = None
    release: Name | None = None
    conversation: Name | None = None
    history: tuple[tuple[Text, Text], ...] = Field((), max_length=50)
    afresh: bool = False
    stream: bool = False


class AskOut(Reply):
    """The reply; `turn` is what feedback is given to, where a conversation keeps it."""

    conversation: str | None = None
    turn: int | None = None


class PageOut(BaseModel):
    """A page of a document; `marks` are the characters (first, behind the last) of a quotation."""

    id: int
    document: str
    file: str
    number: int
    section: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    previous: int | None = None
    next: int | None = None


class ChangeOut(BaseModel):
    """A parameter that is new, changed or gone; `before` and `after` are the words on its pages."""

    change: str
    name: str
    kind: str
    belongs_to: str
    differences: tuple[Difference, ...] = ()
    replaced_by: str | None = None
    before: Citation | None = None
    after: Citation | None = None


class ChangesOut(BaseModel):
    """The parameters that differ from an older to a newer release."""

    product: str
    older: str
    newer: str
    changes: tuple[ChangeOut, ...] = ()


class Conversation(BaseModel):
    """A conversation of the caller; `turns` are how many, `releases` those that answered."""

    id: str
    product: str
    title: str
    created: datetime
    updated: datetime
    turns: int
    releases: tuple[str, ...]


class FeedbackIn(BaseModel):
    """A thumb (1 up, -1 down), with a reason and a comment."""

    thumbs: Literal[1, -1]
    reason: Text = ""
    comment: Text = ""


class JobFileOut(BaseModel):
    """A file of a job; `reason` says why it was left out."""

    file: str
    reason: str


class JobOut(BaseModel):
    """A job: its state, how far its stage is, and what came of it; alone, also its files."""

    id: int
    kind: str
    product: str
    release: str
    state: str
    stage: str
    done: int
    total: int
    message: str
    created: datetime
    finished: datetime | None
    files: tuple[JobFileOut, ...] = ()

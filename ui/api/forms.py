"""Requests and responses of the interface for programs, beside the reply itself."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, Field, WithJsonSchema, model_validator

from chatbot.comparison.still_true import StillTrue
from chatbot.reply import Reply
from chatbot.turn import Citation
from chatbot.upgrading.steps import Need
from chatbot.upgrading.usage import LARGEST
from corpora.catalog.catalog import LONGEST_NAME
from corpora.catalog.release import is_among
from corpora.parameters.releases import Difference
from ui.wording.escaping import visible
from ui.wording.marking import LONGEST_QUOTE


def chosen(name: str) -> str | None:
    """A name; None for “latest”, which agents write where they leave product or release open."""
    return None if is_among(name, "latest") else name


Text = Annotated[str, AfterValidator(visible)]
"""Text without what nobody sees, half a surrogate pair among it, which JSON can name."""
Words = Annotated[str, Field(coerce_numbers_to_str=True), AfterValidator(visible)]
"""The same of an agent, which may send one like 9301 as a number."""

Quote = Annotated[Text, Field(max_length=LONGEST_QUOTE)]
"""Words to mark on a page."""
Name = Annotated[Text, Field(max_length=LONGEST_NAME)]
"""The name of a product, a release or a conversation: a longer text is not looked up."""
Product = Annotated[Name, AfterValidator(chosen)]
"""The name of a product."""
Release = Annotated[
    Name | Annotated[float, Field(strict=True, ge=0, lt=1e15)],
    WithJsonSchema({"type": "string", "maxLength": LONGEST_NAME}),
]
"""The name of a release; many programs send one like 2.1 as a number (`ui.api.release_numbers`)."""

Project = Annotated[dict[Annotated[str, Field(max_length=500)], str], Field(max_length=500)]
"""Texts of a project's files by their names."""

RowId = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""A number that a row of the database can have."""


Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
"""The sha256 of a picture."""


def said(given: Mapping[str, Any], required: Container[str] = ()) -> dict[str, Any]:
    """What a program has said: null, and an empty text that is not `required`, is as left out."""
    return {
        name: value
        for name, value in given.items()
        if value is not None and (name in required or value != "")
    }


class Sent(BaseModel, extra="forbid"):
    """A body that a program sends; what is left out may be written as null or as an empty text.

    An unknown field is refused: the release under a wrong name would not be looked at.
    """

    @model_validator(mode="before")
    @classmethod
    def _said(cls, given: Any) -> Any:
        required = {name for name, field in cls.model_fields.items() if field.is_required()}
        return said(given, required) if isinstance(given, Mapping) else given


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


class SearchIn(Sent):
    """What is searched for; without a release it is the one that the query names, or the latest."""

    query: Text
    product: Product | None = None
    release: Release | None = None
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
    url: str | None = None


class SearchOut(BaseModel):
    """What a release says; `message` says why where there is nothing."""

    product: str | None = None
    release: str | None = None
    release_status: str = ""
    passages: tuple[PassageOut, ...] = ()
    message: str = ""


class AskIn(Sent):
    """A question; “new” as `conversation` begins one, which later questions continue.

    `history` are (question, answer) pairs where no conversation is kept. `project` are lock files,
    manifests, charts and the like by their names: where nothing else names a release, it is the one
    that they state. With `stream` the reply comes as server-sent events.
    """

    question: Text
    product: Product | None = None
    release: Release | None = None
    conversation: Name | None = None
    history: tuple[tuple[Text, Text], ...] = Field((), max_length=50)
    project: Project = Field(default_factory=dict)
    afresh: bool = False
    stream: bool = False


class FigureOut(BaseModel):
    """A figure: where its picture is, for the same key, and what it shows in words."""

    url: str
    caption: str
    description: str
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class CitationOut(Citation):
    """A citation with the figures of the section that it is from."""

    figures: tuple[FigureOut, ...] = ()


class AskOut(Reply):
    """The reply; `turn` is what feedback is given to, where a conversation keeps it.

    `still_true` is how the words that it cites stand in every release of the product; its `pending`
    ones are being read: `GET /turns/{turn}/still-true` has them a moment later.
    """

    citations: tuple[CitationOut, ...] = ()
    conversation: str | None = None
    turn: int | None = None
    still_true: StillTrue | None = None


class PageOut(BaseModel):
    """A page of a document; `marks` are the characters (first, behind the last) of a quotation."""

    id: int
    product: str
    release: str
    document: str
    file: str
    number: int
    section: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    previous: int | None = None
    next: int | None = None
    url: str | None = None


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


class UpgradeIn(Sent):
    """What an upgrade guide is asked for; `uses` is a configuration, a command line, or features.

    Without `uses` everything that changes is listed. It is looked up and not kept.
    """

    product: Name
    older: Name
    newer: Name
    uses: Annotated[Text, Field(max_length=LARGEST)] = ""


class UpgradeStepOut(BaseModel, from_attributes=True):
    """What became of a thing from one release to the next; `citations` are its pages."""

    need: Need
    change: str = Field(validation_alias=AliasChoices("change", "what"))
    older: str
    newer: str
    says: str
    citations: tuple[Citation, ...]


class UpgradeItemOut(BaseModel, from_attributes=True):
    """A thing that changes, with its most urgent `need`; `words` are a capable model's."""

    need: Need
    change: str = Field(validation_alias=AliasChoices("change", "what"))
    name: str
    belongs_to: str = Field(validation_alias=AliasChoices("belongs_to", "owner"))
    group: str = ""
    words: str = ""
    steps: tuple[UpgradeStepOut, ...]


class UpgradeOut(BaseModel, from_attributes=True):
    """The upgrade over all `releases`, the most urgent items first.

    `looked_up` names were found in what is used, of which so many are `documented` parameters.
    `unread` portions of the documentation a capable model should have read and did not.
    """

    product: str
    releases: tuple[str, ...]
    summary: str
    looked_up: int
    documented: int
    unread: int = 0
    items: tuple[UpgradeItemOut, ...] = ()


class ReleaseGapOut(BaseModel):
    """What a release lost, only announces, or states in two ways, with the pages that show it."""

    kind: str
    release: str
    name: str
    says: str
    citations: tuple[Citation, ...]


class Conversation(BaseModel):
    """A conversation of the caller; `turns` are how many, `releases` those that answered."""

    id: str
    product: str
    title: str
    created: datetime
    updated: datetime
    turns: int
    releases: tuple[str, ...]


class FeedbackIn(Sent):
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

"""The result of release extraction: the releases to answer from, or the choice to ask for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class ReleaseStatus(StrEnum):
    """The way in which the release was found, or the reason why it was not."""

    STATED = "stated"
    CONVERSATION = "conversation"
    LATEST = "latest"
    UNKNOWN = "unknown"
    AMBIGUOUS = "ambiguous"
    COMPARED = "compared"
    NONE = "none"


class Reason(StrEnum):
    """Why a release was chosen, or the user is asked, where a reply says more because of it.

    TARGET is named as the way's end from another one. Beside CONTEXT a sentence that is no question
    names another one. With ORDER_UNKNOWN the names of the releases do not tell the latest, and with
    LEFT_OPEN the files of the asker leave the release open.
    """

    OTHER = "other"
    TARGET = "target"
    CONTEXT = "context"
    ORDER_UNKNOWN = "order_unknown"
    LEFT_OPEN = "left_open"


class Spanned(Protocol):
    """What lies from `start` to `end` in a question."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Mention:
    """A part of the question that names a release; `release` is None where it is not meant.

    `name` is the part of `text` that is the name.
    """

    start: int
    end: int
    text: str
    release: str | None = None
    name: str = ""


@dataclass(frozen=True)
class Resolution:
    """The release or releases to answer from.

    `releases` has one name, or two and more when compared, or none when the user must choose from
    `available` (newest first). `mentions` are the places in the question to leave out of a
    versionless query. `explanation` says in a few words how it was found, in the language of the
    question, `reason` says it to the program. Where several products are asked about, each with a
    release of its own, `apart` has one for each, and `releases` names both: "Acme 2.1".
    """

    status: ReleaseStatus
    product: str | None
    releases: tuple[str, ...] = ()
    available: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    explanation: str = ""
    reason: Reason = Reason.OTHER
    apart: tuple["Resolution", ...] = ()

    @property
    def own_mentions(self) -> tuple[Mention, ...]:
        """The mentions of the release asked about, not those of another, as in an upgrade."""
        return tuple(m for m in self.mentions if m.release is None or m.release in self.releases)


def bare_part(text: str, start: int, end: int, mentions: Iterable[Spanned]) -> str:
    """A part of a text without the mentions that begin in it."""
    inside = (m for m in mentions if start <= m.start < end)
    return cut(text[start:end], [Mention(m.start - start, m.end - start, "") for m in inside])


def cut(text: str, mentions: Sequence[Mention]) -> str:
    """The text without the mentions of a release in it."""
    kept, position = [], 0
    for mention in sorted(mentions, key=lambda m: m.start):
        kept.append(text[position : mention.start])
        position = max(position, mention.end)
    kept.append(text[position:])
    return " ".join(" ".join(kept).split())

"""The scenario table: questions on invented products, and what must hold of the replies.

Its rows and the documents lie in a folder, `tests/scenarios` here.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.models.scripted import ScriptedChatModel
from chatbot.releases.resolution import ReleaseStatus
from chatbot.reply import Reply
from chatbot.settings import Settings
from chatbot.turn import Route
from corpora.building.building import Builder
from corpora.catalog.release_settings import (
    ProductSettings,
    ReleaseAdministration,
    ReleaseSettings,
)
from corpora.indexing.lexical import UNSPACED

PRODUCTS = {"brimvale": (), "quillmq": ("Quill MQ",), "orrery-hub": ("Orrery",)}
"""The products with their other names."""
CODE_NAMES = {"22.04": "Amber Finch", "23.10": "Basalt Heron", "24.04": "Cobalt Wren"}
"""Of orrery-hub."""

Text = str | tuple[str, ...]
"""Words, or wordings of which one will do."""


class Outcome(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    REFUSED = "refused"
    ASKED_BACK = "asked back"
    INVENTORY = "inventory"
    CONVERSATION = "conversation"


class Row(BaseModel):
    """A question, and what must hold of the reply.

    `history` are the turns before it: question, answer, and the release where one was named; an
    answer that ends with a question mark asked back. The answer has to be from `releases` and no
    other, `begins` with and `says` the words, `never` says the others, and `cites` the files.
    `writes` is what a small model writes on it. `holds_from` is the profile from which on a row
    holds, `because` of what it fails before.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    product: str | None = None
    release: str | None = None
    history: tuple[tuple[str, str, str | None], ...] = ()
    question: str
    outcome: Outcome
    releases: tuple[str, ...] | None = None
    status: ReleaseStatus | None = None
    begins: tuple[str, ...] = ()
    says: tuple[Text, ...] = ()
    never: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    writes: str | None = None
    holds_from: str | None = None
    because: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.holds_from is None) != (not self.because):
            raise ValueError(f"{self.id}: say from which profile on it holds, and why")
        return self


def read_rows(folder: Path) -> list[Row]:
    """The rows of all files of a folder."""
    files = sorted(folder.glob("*.jsonl"))
    return [
        Row.model_validate_json(line)
        for file in files
        for line in file.read_text("utf-8").splitlines()
    ]


def outcome(reply: Reply) -> Outcome:
    """What became of a question, by its reply."""
    if reply.route is Route.CLARIFY:
        return Outcome.ASKED_BACK
    if reply.abstained:
        return Outcome.REFUSED
    special = {Route.INVENTORY: Outcome.INVENTORY, Route.CHAT: Outcome.CONVERSATION}
    return special.get(reply.route, Outcome.ANSWERED)


def faults(row: Row, reply: Reply) -> Iterator[str]:
    """What of the row does not hold of a reply."""
    plain = plain_text(reply.answer)
    if outcome(reply) is not row.outcome:
        yield f"{outcome(reply)}, not {row.outcome}"
    if row.status and reply.release_status is not row.status:
        yield f"status {reply.release_status}, not {row.status}"
    releases = {reply.release} - {None} or set(reply.compared_releases)
    if row.releases is not None and releases != set(row.releases):
        yield f"from {sorted(map(str, releases))}, not {list(row.releases)}"
    if row.begins and not plain.startswith(tuple(map(str.casefold, row.begins))):
        yield f"does not begin with {' or '.join(row.begins)}"
    for text in row.says:
        wordings = (text,) if isinstance(text, str) else text
        if not any(stands_in(wording, plain) for wording in wordings):
            yield f"does not say {' or '.join(wordings)}"
    yield from (f"says {text}" for text in row.never if stands_in(text, plain))
    cited = {citation.file for citation in reply.citations}
    yield from (f"does not cite {file}" for file in row.cites if file not in cited)
    if not {citation.source for citation in reply.citations} <= releases:
        yield "cites another release than it is from"
    if row.outcome is Outcome.ANSWERED and not reply.citations:
        yield "cites nothing"


def plain_text(markdown: str) -> str:
    """An answer without the marks of citations and of Markdown, in small letters."""
    text = re.sub(r"\s*\[\d+\]|[`*|]", " ", markdown)
    return " ".join(text.casefold().split()).replace(" .", ".").replace(" ,", ",")


def stands_in(words: str, plain: str) -> bool:
    """Whether words stand in a plain text and are no piece of a longer word or number."""
    word = rf"[^\W{UNSPACED}]"
    found = rf"(?<!{word})(?<![.,]){re.escape(words.casefold())}(?!{word}|[.,]\d)"
    return re.search(found, plain) is not None


@dataclass(frozen=True)
class Scenarios:
    """The chatbot over the documents; with a `profile` the model of the settings answers."""

    chatbot: Chatbot
    profile: str | None

    def reply_to(self, row: Row) -> Reply:
        """The reply to a row, in a conversation that went as the row has it.

        Without a profile no model answers, or one that writes the row's line.
        """
        chatbot = self.chatbot
        if not self.profile and row.writes is not None:
            chatbot = replace(chatbot, model=ScriptedChatModel(otherwise=row.writes))
        options: dict[str, Any] = {"product": row.product, "release": row.release}
        if row.history:
            options["conversation"] = chatbot.conversations.start(row.product, row.id)
            for question, answer, release in row.history:
                status = ReleaseStatus.STATED if release else ReleaseStatus.LATEST
                of = {"product": row.product, "release": release, "release_status": status}
                if answer.endswith("?"):
                    of |= {"route": Route.CLARIFY, "release_status": ReleaseStatus.UNKNOWN}
                chatbot.conversations.add(
                    options["conversation"], question, Reply(answer=answer, **of)
                )
        return chatbot.ask(row.question, **options).content


@contextmanager
def opened(folder: Path, data_dir: Path, profile: str | None = None) -> Iterator[Scenarios]:
    """Ingest the documents of a folder, `documents/PRODUCT/RELEASE`, and open a chatbot on them."""
    chosen: dict[str, Any] = {"profile": "embedded", "generator": "none"}
    settings = Settings(
        data_dir=data_dir, memory="off", **({"profile": profile} if profile else chosen)
    )
    chatbot = open_chatbot(settings)
    for source in sorted((folder / "documents").glob("*/*")):
        Builder(chatbot.database, settings.data_dir, chatbot.embedder).ingest(
            [source], product=source.parent.name, release=source.name
        )
    catalog = ReleaseAdministration(chatbot.database)
    for product, names in PRODUCTS.items():
        catalog.change_product(product, ProductSettings(names))
    for release, name in CODE_NAMES.items():
        catalog.change_release("orrery-hub", release, ReleaseSettings((name,)))
    yield Scenarios(chatbot, profile)
    chatbot.corpora.close()
    chatbot.database.close()
